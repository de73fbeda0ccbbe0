"""Compares estimated tokens with those that engines reported, for a workspace's latest steps."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from checkpoints.contexts.version_inputs import preview_version_input
from checkpoints.domain.calibration import Calibration, calibrate
from checkpoints.models import Execution, Usage
from conversations.models import Conversation
from ctxadmin.lib.errors import ContextError
from workflows.costs.calibrations import Calibrations, ModelCalibration

# Steps whose context is made again to compare it: 3 to 10 ms each.
COMPARED: Final = 60


def compared_steps(workspace: int) -> Mapping[str, Sequence[tuple[int, int]]]:
    """Returns estimated and reported tokens of steps by model, latest days first."""
    return _steps_by_model(_last_rows(workspace))


def calibrations(workspace: int) -> Mapping[str, Calibration]:
    """Returns calibrations by model, from steps of a workflow whose context is still stored."""
    return _by_model(_last_rows(workspace))


def calibration_source(workspace: int) -> Calibrations:
    """The same as previews use it, with the model that each node reported last."""
    rows = _last_rows(workspace)
    found = {
        model: ModelCalibration(model, each.steps, each.ratio)
        if each.per_token is None or each.beside is None
        else ModelCalibration(model, each.steps, each.per_token, each.beside)
        for model, each in _by_model(rows).items()
        if each.ratio
    }
    models: dict[tuple[str, str], str] = {}
    for row in rows:
        models.setdefault((row.workflow, row.node_id), row.model)
    return Calibrations(found, models)


def _last_rows(workspace: int) -> Sequence[Usage]:
    rows = Usage.objects.filter(workspace=workspace, workflow_version__isnull=False)
    return list(rows.exclude(model="").order_by("-day")[:COMPARED])


def _by_model(rows: Sequence[Usage]) -> Mapping[str, Calibration]:
    return {model: calibrate(found) for model, found in sorted(_steps_by_model(rows).items())}


def _steps_by_model(rows: Sequence[Usage]) -> Mapping[str, Sequence[tuple[int, int]]]:
    steps: dict[str, list[tuple[int, int]]] = {}
    for model, estimated, reported in _compared(rows):
        steps.setdefault(model, []).append((estimated, reported))
    return steps


def _compared(last: Sequence[Usage]) -> Iterator[tuple[str, int, int]]:
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
            node_preview = preview_version_input(head, run, row.version)
        except ContextError:  # thinned, deleted or damaged: what the node saw is not known
            continue
        yield row.model, node_preview.tokens_after, row.input_tokens
