"""Execution writes on the fast path, many of them in one transaction."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from checkpoints.api.endpoints import checkpoint_in, node_in
from checkpoints.api.node_views import Complete
from checkpoints.api.views import OneCheckpoint
from checkpoints.domain.commands import CompleteNode, SaveCheckpoint
from checkpoints.services.checkpoint_saves import CheckpointSave, save_in
from checkpoints.services.completions import Completion, complete_in
from conversations.api.fast_path_writes import ONE
from conversations.writing.conversation import Writing
from conversations.writing.group_commit import WriteStep
from ctxadmin.http.requests.fast_path import HotCall
from ctxadmin.lib.contract import parse
from ctxadmin.storage.statement_batch import LeavesBatch
from ctxadmin.telemetry.traces import span


def _save(body: JsonValue, names: Mapping[str, str]) -> WriteStep:
    new = CheckpointSave.of(checkpoint_in(names["checkpoint_id"]), parse(SaveCheckpoint, body))

    def step(opened: Writing) -> bytes:
        with span("save", messages=len(new.command.messages)):
            return save_in(opened, new)

    return step


def _complete(body: JsonValue, names: Mapping[str, str]) -> WriteStep:
    command = parse(CompleteNode, body)
    if command.enter_next:
        raise LeavesBatch  # it reads what was committed
    new = Completion.of(node_in(names["node_id"]), command)

    def step(opened: Writing) -> bytes:
        with span("complete", messages=len(command.messages)):
            return complete_in(opened, new).answer

    return step


CALLS: Final = (
    HotCall("PUT", f"{ONE}/checkpoints/{{checkpoint_id}}", OneCheckpoint, _save),
    HotCall("POST", f"{ONE}/nodes/{{node_id}}/complete", Complete, _complete),
)
