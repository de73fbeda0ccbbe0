"""The answers about stored checkpoints: lists, writes, comparisons, restores and forks."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, JsonValue, WithJsonSchema

from checkpoints.domain.opaque import OpaqueValue
from checkpoints.domain.status import Status
from checkpoints.domain.task_writes import LEAST_INDEX, TaskWrite
from checkpoints.domain.usage import ModelUsage
from checkpoints.services.restores import Restored
from conversations.api.answers import MessageChangeAnswer
from ctxadmin.http.described import Answer, FromZero, Time


class CheckpointAnswer(Answer):
    """A version without its state; ``node_id`` is the saved node, or else the current one."""

    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    kind: str = Field(description="What wrote the version.", examples=["completion"])
    move: str | None = Field(
        description="Name of the status change, if it was one.", examples=["approve"]
    )
    checkpoint_id: str | None = Field(
        description="Id that the engine gave; null if none.", examples=["draft-v12"]
    )
    node_id: str | None = Field(
        description="Node that was saved, else the current one.", examples=["draft"]
    )
    current_node_id: str | None = Field(
        description="Node at which the execution is.", examples=["draft"]
    )
    when: str = Field(description="Before or after the current node.", examples=["after"])
    status: Status = Field(description="Status of the execution.")
    changed_keys: list[str] = Field(
        description="Names of the state keys that it changed.", examples=[["draft"]]
    )
    written_bytes: FromZero = Field(description="Size of what it wrote, in bytes.", examples=[512])
    state_bytes: FromZero = Field(
        description="Size of the whole state, in bytes.", examples=[20480]
    )
    state_digest: str = Field(
        description="Digest of the whole state.",
        examples=["e6587439097249175ca2f513b15697bbf4d8860dcf33490220d2644abcec0f41"],
    )
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    visible_count: FromZero = Field(description="Number of visible messages.", examples=[12])
    executed_count: FromZero = Field(description="Number of executed nodes.", examples=[4])
    restored_from: FromZero | None = Field(
        description="Version that was restored, if it was a restore.", examples=[9]
    )
    thinned_at: Time | None = Field(description="When retention removed its state (ISO 8601, UTC).")
    deleted_at: Time | None = Field(description="When it was deleted (ISO 8601, UTC).")
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    reason: str | None = Field(
        description="Why it was written, in the author's words.", examples=["The date was wrong."]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")


class WritesAnswer(Answer):
    """The writes of a task, as they were sent."""

    writes: list[TaskWrite] = Field(description="The writes, in their order.")


class PutWritesAnswer(Answer):
    """The number of writes that the task has now."""

    count: FromZero = Field(description="Number of writes of the task.", examples=[2])


class PendingWriteAnswer(Answer):
    """One pending write of a checkpoint, with `value` or `opaque`."""

    task_id: str = Field(description="Id of the task that wrote it.", examples=["task-1"])
    channel: str = Field(description="Name of the channel.", examples=["messages"])
    index: Annotated[int, WithJsonSchema({"type": "integer", "minimum": LEAST_INDEX})] = Field(
        description="Position among the writes of the task.", examples=[0]
    )
    value: JsonValue = Field(
        None, description="The value, unless it is opaque.", examples=["found it"]
    )
    opaque: OpaqueValue | None = Field(None, description="The value, if it is opaque.")


class ListedCheckpointAnswer(CheckpointAnswer):
    """A version in the list.

    ``state_data`` is present with ``include=state``, and null if the state was removed.
    """

    execution: str = Field(description="Id of the execution.", examples=["exec_7Q2m"])
    metadata: dict[str, JsonValue] = Field(
        description="What the engine said of the checkpoint.", examples=[{"step": 3}]
    )
    parent: str | None = Field(
        description="Id of the checkpoint that this one follows.", examples=["draft-v11"]
    )
    namespace: str = Field(
        description="Part of the engine's graph; empty at the top.", examples=[""]
    )
    state_data: dict[str, JsonValue] | None = Field(
        None,
        description="The state, with `include=state`; null if it was removed.",
        examples=[{"draft": "Dear Ms. Li"}],
    )
    opaque: dict[str, OpaqueValue] = Field(
        {},
        description="State keys with opaque values, with `include=state`.",
        examples=[{"graph": {"type": "msgpack", "base64": "gaFhAQ=="}}],
    )
    usage: ModelUsage | None = Field(
        None, description="What the model used, if the engine reported it."
    )
    writes: list[PendingWriteAnswer] = Field(
        [], description="Writes of tasks beside the checkpoint, with `include=writes`."
    )


class DifferenceAnswer(Answer):
    """One difference of two states; a side without a value is omitted."""

    path: str = Field(description="JSON pointer to the place.", examples=["/plan/0"])
    kind: str = Field(description="Kind of the difference.", examples=["changed"])
    before: JsonValue = Field(
        None,
        description="The earlier value; absent if there was none.",
        examples=["It is in Lyon."],
    )
    after: JsonValue = Field(
        None,
        description="The later value; absent if there is none.",
        examples=["It arrives tomorrow."],
    )


class ComparedAnswer(Answer):
    """The differences of two versions."""

    state: list[DifferenceAnswer] = Field(description="Differences of the states.")
    messages: list[MessageChangeAnswer] = Field(description="Differences of the views.")


class RestoredAnswer(Answer):
    """An execution after a restore."""

    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    status: Status = Field(description="Status of the execution.")
    restored_from: FromZero = Field(
        description="The version whose state it has again.", examples=[9]
    )

    @classmethod
    def of(cls, restored: Restored) -> Self:
        return cls(
            version=restored.version,
            status=restored.status,
            restored_from=restored.restored_from,
        )


class OriginAnswer(Answer):
    """The origin of a fork."""

    conversation: str = Field(
        description="Id of the conversation that was forked.", examples=["support-42"]
    )
    execution: str = Field(description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"])
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )


class ForkedAnswer(Answer):
    """The new conversation of a fork, its execution, and its origin."""

    model_config = ConfigDict(extra="allow")

    id: str = Field(description="Id of the new conversation.", examples=["support-42"])
    status: Status = Field(description="Status of the execution.")
    execution: str = Field(description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"])
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    forked_from: OriginAnswer = Field(description="Where the fork comes from.")
