"""The estimate of tokens beside what engines reported, of the last steps of a workspace."""

from collections.abc import Iterator, Mapping
from typing import Final

from checkpoints.domain.calibration import Calibration, calibrate
from checkpoints.models import Execution, Usage
from checkpoints.version_inputs import preview_version_input
from conversations.models import Conversation
from ctxadmin.lib.errors import ContextError

# Steps whose context is made again to compare it: 3 to 10 ms each.
COMPARED: Final = 60


def calibrations(workspace: int) -> Mapping[str, Calibration]:
    """By model; only of steps whose context is still known, of executions with a workflow."""
    steps: dict[str, list[tuple[int, int]]] = {}
    for model, estimated, reported in _compared(workspace):
        steps.setdefault(model, []).append((estimated, reported))
    return {model: calibrate(found) for model, found in sorted(steps.items())}


def _compared(workspace: int) -> Iterator[tuple[str, int, int]]:
    rows = Usage.objects.filter(workspace=workspace, workflow_version__isnull=False)
    last = list(rows.exclude(model="").order_by("-day")[:COMPARED])
    keys = {row.conversation for row in last}
    heads = {head.key: head for head in Conversation.objects.filter(key__in=keys)}
    runs = {
        (run.conversation, run.number): run
        for run in Execution.objects.filter(conversation__in=keys)
    }
    for row in last:
        head, run = heads.get(row.conversation), runs.get((row.conversation, row.execution))
        if head is None or run is None or not row.version:
            continue
        try:
            looked = preview_version_input(head, run, row.version)
        except ContextError:  # thinned, deleted or damaged: what the node saw is not known
            continue
        yield row.model, looked.tokens_after, row.input_tokens
