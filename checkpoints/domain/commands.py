"""The request bodies of executions and checkpoints (rest.md, "Executions, state, checkpoints")."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, Field, JsonValue, SkipValidation

from checkpoints.domain.leases import LEAST_SECONDS, MOST_SECONDS
from checkpoints.domain.state import MAX_STATE_KEYS
from checkpoints.domain.status import Status
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.ids import is_public_id, is_reserved
from ctxadmin.lib.json_bytes import canonical, digest, dumps
from ctxadmin.lib.structural_diff import pointer

MAX_NODE_ID: Final = 128
MAX_TITLE: Final = 200
MAX_REASON: Final = 10_000
MAX_EXECUTED: Final = 1_000_000
USER_INPUT: Final = "user_input"


def _not_idle(status: Status) -> Status:
    if status is Status.IDLE:
        raise ValueError("IDLE is a conversation without an execution")
    return status


def _checkpoint_id(text: str) -> str:
    if not is_public_id(text) or is_reserved(text):
        raise ValueError("an id has 1 to 64 letters, digits, - and _; import and diff are reserved")
    return text


# A free execution takes any node id, so that engines keep theirs (semantics 3.3).
NodeId = Annotated[str, Field(min_length=1, max_length=MAX_NODE_ID)]
CheckpointId = Annotated[str, AfterValidator(_checkpoint_id)]
EngineStatus = Annotated[Status, Field(strict=False), AfterValidator(_not_idle)]
Version = Annotated[int, Field(ge=0)]
Reason = Annotated[str, Field(max_length=MAX_REASON)]
# Values come from parsed JSON: to check 10 MB of them again would cost more than the save.
Data = Annotated[JsonValue, SkipValidation]
# Of one update; deleting more than a state may have takes several.
StateData = Annotated[dict[str, Data], Field(max_length=MAX_STATE_KEYS)]
# The first wrong one is enough: millions of problems would take gigabytes to tell.
Executed = Annotated[list[NodeId], Field(max_length=MAX_EXECUTED, fail_fast=True)]
Objects = Annotated[list[dict[str, Data]], Field(fail_fast=True)]


class StartExecution(Contract):
    """``POST executions``: pinned to a workflow, or free with reducers of its own."""

    workflow: str | None = None
    version: Annotated[int, Field(ge=1)] | None = None
    input: Data = None
    state: StateData = {}
    reducers: dict[str, str] = {}
    metadata: dict[str, Data] = {}
    start: bool = True

    def initial_state(self) -> dict[str, bytes]:
        """The update that makes the state of version 0; ``input`` becomes ``user_input``.

        Raises ValidationFailed if the state has that key too.
        """
        state = _as_bytes(self.state)
        if self.input is None:
            return state
        if USER_INPUT in state:
            raise ValidationFailed.at(
                f"/state/{USER_INPUT}", "input is stored under this key; give one of the two"
            )
        return {USER_INPUT: dumps(self.input), **state}


class SaveCheckpoint(Contract):
    """``PUT checkpoints/{checkpoint_id}``: reducers combine ``state_data`` with the state."""

    node_id: NodeId
    state_data: StateData
    messages: Objects = []
    executed_node_ids: Executed | None = None
    status: EngineStatus | None = None
    expected_version: Version | None = None

    def update(self) -> dict[str, bytes]:
        """The update of the state, each value as compact JSON."""
        return _as_bytes(self.state_data)

    def body_digest(self) -> bytes:
        """By which a repeat is known, 16 bytes: spelling and order of keys do not matter."""
        return _body_digest(self, {"call": "checkpoint"})


class NodeResult(Contract):
    """How a node ended; with an ``error`` it failed."""

    prompt: Data = None
    response: Data = None
    output: Data = None
    error: Annotated[str, Field(min_length=1)] | dict[str, Data] | None = None
    metadata: dict[str, Data] | None = None

    def failure(self) -> str | None:
        """The sentence of the error, or None: its text, its ``message``, or all of it as JSON."""
        if self.error is None or isinstance(self.error, str):
            return self.error
        message = self.error.get("message")
        return message if isinstance(message, str) and message else dumps(self.error).decode()


class CompleteNode(Contract):
    """``POST nodes/{node_id}/complete``."""

    checkpoint_id: CheckpointId
    result: NodeResult = NodeResult()
    state_data: StateData = {}
    messages: Objects = []
    status: EngineStatus | None = None
    expected_version: Version | None = None
    enter_next: bool = False
    force: bool = False
    lease: Annotated[str, Field(min_length=1, max_length=64)] | None = None

    def update(self, node_id: str) -> dict[str, bytes]:
        """The update of the state; the output is in it under ``output_key(node_id)``.

        It is data and not to be read as a directive: pass its key as ``literal`` to
        ``state.apply_update``. Raises ValidationFailed if ``state_data`` has that key too.
        """
        update = _as_bytes(self.state_data)
        if self.result.output is None:
            return update
        key = output_key(node_id)
        if key in update:
            raise ValidationFailed.at(
                pointer("/state_data", key), "result.output is stored under this key"
            )
        return {key: dumps(self.result.output), **update}

    def body_digest(self, node_id: str) -> bytes:
        """By which a repeat is known, 16 bytes; the node of the path belongs to it."""
        return _body_digest(self, {"call": "complete", "node_id": node_id})


class ClaimNode(Contract):
    """``POST nodes/{node_id}/claim``: for ``ttl`` seconds; ``lease`` is one to renew."""

    ttl: Annotated[float, Field(ge=LEAST_SECONDS, le=MOST_SECONDS)]
    lease: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class ReleaseNode(Contract):
    """``POST nodes/{node_id}/release``: the node may be claimed by others."""

    lease: Annotated[str, Field(min_length=1, max_length=64)]


class UpdateSnapshot(Contract):
    """``PATCH snapshot``: keys and operations that are applied in one transaction."""

    node_id: NodeId
    state_data: StateData = {}
    operations: Objects = []
    expected_version: Version | None = None
    reason: Reason | None = None

    def update(self) -> dict[str, bytes]:
        """The update of the state, each value as compact JSON."""
        return _as_bytes(self.state_data)


class MoveExecution(Contract):
    """``POST pause``, ``resume``, ``cancel``, ``approve`` and ``reject``."""

    node_id: NodeId | None = None
    from_node: NodeId | None = None
    reason: Reason | None = None
    expected_version: Version | None = None
    expected_revision: Annotated[int, Field(ge=0)] | None = None
    expected_count: Annotated[int, Field(ge=0)] | None = None


class RestoreCheckpoint(Contract):
    """``POST checkpoints/{version}/restore``."""

    reason: Reason | None = None
    expected_version: Version | None = None


class ForkCheckpoint(Contract):
    """``POST checkpoints/{version}/fork``: the new conversation's id and title."""

    id: CheckpointId | None = None
    title: Annotated[str, Field(max_length=MAX_TITLE)] | None = None


def output_key(node_id: str) -> str:
    """The state key of a node's output (semantics 3.5)."""
    return f"{node_id}_output"


def _as_bytes(values: Mapping[str, JsonValue]) -> dict[str, bytes]:
    return {key: dumps(value) for key, value in values.items()}


def _body_digest(command: SaveCheckpoint | CompleteNode, call: Mapping[str, str]) -> bytes:
    """The digest of what a command does: not of what it expects nor of what it asks for."""
    names = type(command).model_fields.keys() - {"expected_version", "enter_next", "force", "lease"}
    body = {name: getattr(command, name) for name in names}
    result = body.get("result")
    if isinstance(result, NodeResult):
        body["result"] = dict(result)
    return digest(canonical({**body, **call}))
