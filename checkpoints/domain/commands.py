"""The request bodies of executions and checkpoints (rest.md, "Executions, state, checkpoints")."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    SkipValidation,
    WithJsonSchema,
    model_validator,
)

from checkpoints.domain.details import MAX_NAMESPACE, Details
from checkpoints.domain.directives import MAX_KEY_LENGTH
from checkpoints.domain.leases import LEAST_SECONDS, MOST_SECONDS
from checkpoints.domain.opaque import OpaqueValue
from checkpoints.domain.reducers import HISTORY, MESSAGES
from checkpoints.domain.state import MAX_STATE_BYTES, MAX_STATE_KEYS
from checkpoints.domain.status import Status
from checkpoints.domain.usage import ModelUsage
from conversations.domain.configs import OperationConfig
from conversations.domain.message import IncomingMessage
from ctxadmin.lib.contract import Contract, DescribedBy
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.ids import FREE_SCHEMA, NAME_SCHEMA, is_public_id, is_reserved
from ctxadmin.lib.json_bytes import canonical, digest, dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import pointer

MAX_NODE_ID: Final = 128
MAX_TITLE: Final = 200
MAX_REASON: Final = 10_000
MAX_EXECUTED: Final = 100_000  # a loop executes a node many times, and a list is sent whole
USER_INPUT: Final = "user_input"


def _not_idle(status: Status) -> Status:
    if status is Status.IDLE:
        raise ValueError(say("IDLE is a conversation without an execution"))
    return status


def _checkpoint_id(text: str) -> str:
    if not is_public_id(text) or is_reserved(text):
        raise ValueError(
            say("an id has 1 to 64 letters, digits, - and _; import and diff are reserved")
        )
    return text


# A free execution takes any node id, so that engines keep theirs (semantics 3.3).
NodeId = Annotated[str, Field(min_length=1, max_length=MAX_NODE_ID)]
CheckpointId = Annotated[str, AfterValidator(_checkpoint_id), WithJsonSchema(FREE_SCHEMA)]
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
# Read by the domain, with pointers of its own.
Messages = Annotated[Objects, DescribedBy(list[IncomingMessage])]
Operations = Annotated[Objects, DescribedBy(list[OperationConfig])]


class StartExecution(Contract):
    """``POST executions``: pinned to a workflow, or free with reducers of its own."""

    workflow: Annotated[str, WithJsonSchema(NAME_SCHEMA)] | None = Field(
        None, description="Slug of the workflow; none makes a free execution.", examples=["support"]
    )
    version: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Published version to run; by default the latest.", examples=[1]
    )
    input: Data = Field(
        None,
        description="What the workflow works on; stored as `user_input`.",
        examples=["Where is my parcel?"],
    )
    state: StateData = Field(
        {}, description="First values of the state, by key.", examples=[{"priority": 1}]
    )
    reducers: dict[str, str] = Field(
        {}, description="Reducer by state key or pattern.", examples=[{"notes.*": "append"}]
    )
    metadata: dict[str, Data] = Field(
        {}, description="Any JSON of the caller, by name.", examples=[{"customer": "c-7"}]
    )
    start: bool = Field(True, description="False leaves it PENDING.")

    def initial_state(self) -> dict[str, bytes]:
        """Returns the update that makes the state of version 0.

        ``input`` becomes ``user_input``.

        Raises ValidationFailed if the state has that key too.
        """
        state = _as_bytes(self.state)
        if self.input is None:
            return state
        if USER_INPUT in state:
            raise ValidationFailed.at(
                f"/state/{USER_INPUT}",
                say("input is stored under this key; send only one of the two"),
            )
        return {USER_INPUT: dumps(self.input), **state}


class SaveCheckpoint(Contract):
    """``PUT checkpoints/{checkpoint_id}``: reducers combine ``state_data`` with the state."""

    node_id: NodeId = Field(description="Id of the node that the engine saves.", examples=["draft"])
    state_data: StateData = Field(
        description="Updates of state keys, combined by their reducers.",
        examples=[{"draft": "Dear Ms. Li"}],
    )
    messages: Messages = Field([], description="Messages to append.")
    executed_node_ids: Executed | None = Field(
        None,
        description="All executed nodes, in order; by default as they were.",
        examples=[["draft"]],
    )
    status: EngineStatus | None = Field(None, description="The new status; by default as it was.")
    expected_version: Version | None = Field(
        None,
        description="The version that you read; another one now is `version_conflict`.",
        examples=[13],
    )
    metadata: Annotated[
        dict[str, Data] | None,
        Field(
            description="Anything about the checkpoint, up to 64 KiB; the list finds it by a key.",
            examples=[{"source": "loop", "step": 3}],
        ),
    ] = None
    parent: Annotated[
        CheckpointId | None,
        Field(description="The id of the checkpoint that this one follows.", examples=["step-2"]),
    ] = None
    namespace: Annotated[
        Annotated[str, Field(max_length=MAX_NAMESPACE)] | None,
        Field(description="A part of the engine's graph; empty at the top.", examples=["sub:1"]),
    ] = None

    opaque: Annotated[
        Annotated[dict[str, OpaqueValue], Field(max_length=MAX_STATE_KEYS)] | None,
        Field(
            description="State keys whose values are kept byte for byte and never read.",
            examples=[{"channel": {"type": "msgpack", "base64": "gaFhAQ=="}}],
        ),
    ] = None
    operations: Operations = Field(
        [], description="Operations on the view, in order, before the messages are appended."
    )
    pause_before: NodeId | None = Field(
        None, description="Pause before this node, which runs next.", examples=["send"]
    )
    pause_reason: Reason | None = Field(
        None, description="Why it pauses, for the reviewer.", examples=["Send this answer?"]
    )
    new_execution: bool = Field(
        False, description="Start a new execution if the last one has ended."
    )

    @model_validator(mode="after")
    def _one_pause(self) -> "SaveCheckpoint":
        if self.pause_before is None and self.pause_reason is not None:
            raise ValueError(say("pause_reason needs pause_before"))
        if self.pause_before is not None and self.status not in (None, Status.PAUSED):
            raise ValueError(say("with pause_before the status can only be PAUSED"))
        return self

    def opaque_update(self) -> dict[str, bytes]:
        """Returns the opaque values as the state stores them.

        Raises ValidationFailed for an invalid key, or one that is in ``state_data`` too, and
        TooLarge.
        """
        update: dict[str, bytes] = {}
        for key, value in (self.opaque or {}).items():
            where = pointer("/opaque", key)
            if not 1 <= len(key) <= MAX_KEY_LENGTH:
                message = say(
                    "a state key has 1 to {max_key_length} characters",
                    max_key_length=MAX_KEY_LENGTH,
                )
                raise ValidationFailed.at("/opaque", message)
            if key in (MESSAGES, HISTORY):
                raise ValidationFailed.at(where, say("{key} cannot be opaque", key=key))
            if key in self.state_data:
                raise ValidationFailed.at(
                    where, say("state_data has this key too; send only one of the two")
                )
            update[key] = value.stored(where, MAX_STATE_BYTES)
        return update

    def details(self) -> Details | None:
        """Returns the details of the checkpoint, None if it has none.

        Raises TooLarge at ``/metadata``.
        """
        if not self.metadata and not self.parent and not self.namespace:
            return None
        return Details.of(self.metadata or {}, self.parent or "", self.namespace or "")

    def update(self) -> dict[str, bytes]:
        """Returns the update of the state, each value as compact JSON."""
        return _as_bytes(self.state_data)

    def body_digest(self) -> bytes:
        """Returns the 16-byte digest that recognizes a repeat, whatever the spelling and key
        order.
        """
        return _body_digest(self, {"call": "checkpoint"})


class NodeResult(Contract):
    """The result of a node; with an ``error`` it failed."""

    prompt: Data = Field(
        None, description="What the node asked the model.", examples=["Draft an answer."]
    )
    response: Data = Field(None, description="What the model answered.", examples=["Dear Ms. Li"])
    output: Data = Field(
        None,
        description="Result that is stored under `{node_id}_output`.",
        examples=["It is in Lyon."],
    )
    error: Annotated[str, Field(min_length=1)] | dict[str, Data] | None = Field(
        None,
        description="Why the node failed: text, or an object with `message`.",
        examples=["The model did not answer."],
    )
    metadata: dict[str, Data] | None = Field(
        None, description="Any JSON of the caller, by name.", examples=[{"customer": "c-7"}]
    )

    def failure(self) -> str | None:
        """Returns the error as text: its text, its ``message``, or its JSON.

        None without an error.
        """
        if self.error is None or isinstance(self.error, str):
            return self.error
        message = self.error.get("message")
        return message if isinstance(message, str) and message else dumps(self.error).decode()


class CompleteNode(Contract):
    """``POST nodes/{node_id}/complete``."""

    checkpoint_id: CheckpointId = Field(
        description="Id that you choose; a repeat with it has no second effect.",
        examples=["draft-v13"],
    )
    result: NodeResult = Field(
        NodeResult(), description="What the node asked, answered and produced."
    )
    state_data: StateData = Field(
        {},
        description="Updates of state keys, combined by their reducers.",
        examples=[{"score": 4}],
    )
    messages: Messages = Field([], description="Messages to append.")
    status: EngineStatus | None = Field(
        None, description="The new status; by default as the workflow says."
    )
    expected_version: Version | None = Field(
        None,
        description="The version that you read; another one now is `version_conflict`.",
        examples=[13],
    )
    enter_next: bool = Field(False, description="Whether to answer with what the next node sees.")
    force: bool = Field(
        False, description="Complete a node that is not ready; needs another scope."
    )
    lease: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None,
        description="Your lease of the node, if you claimed it.",
        examples=["lease_7q2m4x8k1n5p9r3t"],
    )
    usage: Annotated[ModelUsage | None, Field(description="What the model used for this step.")] = (
        None
    )

    def update(self, node_id: str) -> dict[str, bytes]:
        """Returns the update of the state, with the output under ``output_key(node_id)``.

        The output is data and not read as a directive: pass its key as ``literal`` to
        ``state.apply_update``. Raises ValidationFailed if ``state_data`` has that key too.
        """
        update = _as_bytes(self.state_data)
        if self.result.output is None:
            return update
        key = output_key(node_id)
        if key in update:
            raise ValidationFailed.at(
                pointer("/state_data", key), say("result.output is stored under this key")
            )
        return {key: dumps(self.result.output), **update}

    def body_digest(self, node_id: str) -> bytes:
        """Returns the 16-byte digest that recognizes a repeat; it covers the node of the path."""
        return _body_digest(self, {"call": "complete", "node_id": node_id})


class ClaimNode(Contract):
    """``POST nodes/{node_id}/claim``: for ``ttl`` seconds; ``lease`` names one to renew."""

    ttl: Annotated[float, Field(ge=LEAST_SECONDS, le=MOST_SECONDS)] = Field(
        description="Seconds until the lease expires.", examples=[60]
    )
    lease: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="Lease to renew.", examples=["lease_7q2m4x8k1n5p9r3t"]
    )


class ReleaseNode(Contract):
    """``POST nodes/{node_id}/release``: others can claim the node."""

    lease: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="Lease to end.", examples=["lease"]
    )


class UpdateSnapshot(Contract):
    """``PATCH snapshot``: keys and operations, applied in one transaction."""

    node_id: NodeId = Field(
        description="Node at which the execution is paused.", examples=["draft"]
    )
    state_data: StateData = Field(
        {},
        description="Updates of state keys, combined by their reducers.",
        examples=[{"draft": "Dear Ms. Li"}],
    )
    operations: Operations = Field([], description="Operations on the view, in order.")
    expected_version: Version | None = Field(
        None,
        description="The version that you read; another one now is `version_conflict`.",
        examples=[13],
    )
    reason: Reason | None = Field(
        None,
        description="Why it was done, in the author's words.",
        examples=["The date was wrong."],
    )

    def update(self) -> dict[str, bytes]:
        """Returns the update of the state, each value as compact JSON."""
        return _as_bytes(self.state_data)


# Fields that came later count only if they are used: saves of before have digests without them.
_LATER: Final = frozenset(
    {
        *("metadata", "parent", "namespace", "opaque", "usage"),
        *("operations", "pause_before", "pause_reason", "new_execution"),
    }
)


def output_key(node_id: str) -> str:
    """Returns the state key of a node's output (semantics 3.5)."""
    return f"{node_id}_output"


def _as_bytes(values: Mapping[str, JsonValue]) -> dict[str, bytes]:
    return {key: dumps(value) for key, value in values.items()}


def _body_digest(command: SaveCheckpoint | CompleteNode, call: Mapping[str, str]) -> bytes:
    """Returns the digest of a command's effect, without what it expects or requests in the
    answer.
    """
    names = type(command).model_fields.keys() - {"expected_version", "enter_next", "force", "lease"}
    body = {
        name: getattr(command, name)
        for name in names
        if name not in _LATER or getattr(command, name)
    }
    opaque = body.get("opaque")
    if isinstance(opaque, dict):
        body["opaque"] = {key: value.model_dump() for key, value in opaque.items()}
    if isinstance(usage := body.get("usage"), ModelUsage):
        body["usage"] = usage.model_dump()
    result = body.get("result")
    if isinstance(result, NodeResult):
        body["result"] = dict(result)
    return digest(canonical({**body, **call}))
