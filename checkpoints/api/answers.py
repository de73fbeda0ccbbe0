"""The answers of the execution endpoints."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, JsonValue

from checkpoints.domain.leases import Lease
from checkpoints.domain.opaque import OpaqueValue
from checkpoints.domain.pauses import TimeoutOutcome, When
from checkpoints.domain.status import NodeStatus, Status
from checkpoints.domain.usage import ModelUsage
from checkpoints.services.execution_start import Started
from checkpoints.services.state_updates import Updated
from checkpoints.services.status_changes import Moved
from conversations.api.formats import ProviderMessage
from ctxadmin.http.described import Answer, FromZero, Time
from ctxadmin.lib import clock
from workflows.api.dry_run_answers import (
    ConflictAnswer,
    DecisionAnswer,
    NoticeAnswer,
    SeenMessageAnswer,
)
from workflows.domain.context.prompt_context import PromptContextInput


class StartedAnswer(Answer):
    """A new execution."""

    execution: str = Field(description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"])
    status: Status = Field(description="Status of the execution.")
    version: FromZero = Field(description="Version of the execution: 0.", examples=[0])
    ready_nodes: list[str] = Field(
        description="Ids of the nodes that can be completed now.", examples=[["review"]]
    )

    @classmethod
    def of(cls, started: Started) -> Self:
        return cls(
            execution=started.execution,
            status=started.status,
            version=started.version,
            ready_nodes=list(started.ready_nodes),
        )


class ListedExecutionAnswer(Answer):
    """An execution of a conversation."""

    execution: str = Field(description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"])
    workflow: str | None = Field(
        description="Slug of its workflow; null for a free execution.", examples=["support"]
    )
    workflow_version: FromZero | None = Field(
        description="Version of the workflow that it is pinned to; null for a free execution.",
        examples=[3],
    )
    status: Status = Field(description="Status of the execution.")
    version: FromZero = Field(
        description="Latest version of the execution, counted from 0.", examples=[13]
    )
    author: str = Field(
        description="Who started it: a token, a person or the system.", examples=["token:engine"]
    )
    created_at: Time = Field(description="When it was started (ISO 8601, UTC).")
    ended_at: Time | None = Field(description="When it ended (ISO 8601, UTC); null if it has not.")


class LeaseAnswer(Answer):
    """The lease of a claimed node: the name that `complete` must send, and when it expires."""

    lease: str = Field(
        description="The lease; complete, renew or release the node with it.",
        examples=["lease_7q2m4x8k1n5p9r3t"],
    )
    until: Time = Field(description="When the lease expires (ISO 8601, UTC).")

    @classmethod
    def of(cls, lease: Lease) -> Self:
        return cls(lease=lease.lease, until=clock.iso(lease.until))


class HistoryEntryAnswer(Answer):
    """An entry of the execution history, as ctxadmin or an engine wrote it."""

    model_config = ConfigDict(extra="allow")


class PauseAnswer(Answer):
    """The reason for a pause, its start, and the deadline with its outcome."""

    node_id: str | None = Field(
        description="Node before or after which it is paused.", examples=["draft"]
    )
    when: When = Field(description="Whether it is paused before or after the node.")
    reason: str | None = Field(
        description="Why it is paused, for the reviewer.", examples=["A person reads the draft."]
    )
    since: Time | None = Field(description="When it was paused (ISO 8601, UTC).")
    deadline: Time | None = Field(
        description="When the review times out (ISO 8601, UTC); null if never."
    )
    outcome: TimeoutOutcome | None = Field(description="What happens at the deadline.")


class SnapshotAnswer(Answer):
    """An execution at one version; ``messages`` in ``state_data`` is the view.

    ``opaque`` is present only if the state has opaque values.
    """

    conversation_id: str = Field(description="Id of the conversation.", examples=["support-42"])
    execution: str | None = Field(
        description="Id of the execution; null without one.", examples=["exec_7q2m4x8k1n5p9r3t"]
    )
    workflow: str | None = Field(
        description="Slug of the workflow; null in a free execution.", examples=["support"]
    )
    current_node_id: str | None = Field(description="Id of the current node.", examples=["draft"])
    current_node_name: str | None = Field(
        description="Name of the current node.", examples=["Draft the answer"]
    )
    status: Status = Field(description="Status of the execution.")
    pause_requested: bool = Field(description="Whether it pauses after the running nodes.")
    state_data: dict[str, JsonValue] = Field(
        description="The state: values by key.", examples=[{"draft": "Dear Ms. Li"}]
    )
    execution_history: list[HistoryEntryAnswer] = Field(
        description="Completed nodes, oldest first."
    )
    executed_node_ids: list[str] = Field(
        description="Ids of the executed nodes, in order.", examples=[["draft"]]
    )
    ready_nodes: list[str] = Field(
        description="Ids of the nodes that can be completed now.", examples=[["review"]]
    )
    timestamp: Time = Field(description="When the version was written (ISO 8601, UTC).")
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    pause: PauseAnswer | None = Field(description="Why it is paused; null if it is not.")
    opaque: dict[str, OpaqueValue] = Field(
        {},
        description="State keys with opaque values, as they were sent.",
        examples=[{"graph": {"type": "msgpack", "base64": "gaFhAQ=="}}],
    )
    usage: ModelUsage | None = Field(
        None, description="What the model used, of a former version whose engine reported it."
    )


class WaitedAnswer(Answer):
    """The status of an execution; ``changed`` is false if the timeout came first."""

    status: Status = Field(description="Status of the execution.")
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    changed: bool = Field(description="False if the timeout came first.")


class ChangedBy(Answer):
    """The author of a change in a stream."""

    kind: str = Field(description="`token`, `person` or `system`.", examples=["token"])
    name: str = Field(description="Name of the token, person or process.", examples=["engine"])


class StreamedEvent(Answer):
    """The data of one event of a conversation's stream; only changes have `what` to `keys`."""

    seq: FromZero = Field(
        description="Number of the last change, the id of the event.", examples=[8]
    )
    execution: str | None = Field(
        description="Id of the execution; null without one.", examples=["exec_7q2m4x8k1n5p9r3t"]
    )
    status: Status = Field(description="Status after it.")
    version: FromZero = Field(
        description="Version of the execution after it, from 0.", examples=[13]
    )
    revision: FromZero = Field(description="Revision of the view after it, from 0.", examples=[3])
    count: FromZero = Field(description="Number of visible messages after it.", examples=[12])
    what: str | None = Field(
        None, description="Name of the change, as in the audit.", examples=["checkpoint.save"]
    )
    who: ChangedBy | None = Field(None, description="Who made it.")
    keys: list[str] | None = Field(
        None, description="Names of the state keys that it changed.", examples=[["draft"]]
    )
    more_keys: bool | None = Field(None, description="Whether it changed more keys than these.")


class UpdatedAnswer(Answer):
    """The version that an update of the snapshot wrote."""

    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    changed_keys: list[str] = Field(
        description="Names of the state keys that changed.", examples=[["draft"]]
    )
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )

    @classmethod
    def of(cls, updated: Updated) -> Self:
        return cls(
            version=updated.version,
            changed_keys=list(updated.changed_keys),
            revision=updated.revision,
        )


class SavedAnswer(Answer):
    """The version that a checkpoint wrote; a repeated request gets the same answer."""

    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    status: Status = Field(description="Status of the execution.")


class EnteredAnswer(Answer):
    """The context of a node.

    With a provider's format, `messages` and `system` are in that format.

    `revision` and `count` identify the view of the conversation. Sent as `known` the next time,
    they omit the first `messages_from` messages, which the engine has.
    """

    node_id: str = Field(description="Id of the node.", examples=["draft"])
    node_type: str | None = Field(
        description="Type of the node; null in an execution without a workflow.", examples=["llm"]
    )
    edges: list[str] = Field(
        description="Ids of the incoming edges that were used.", examples=[["to-review"]]
    )
    context: PromptContextInput = Field(description="The prompt context.")
    messages: list[SeenMessageAnswer] | list[ProviderMessage] = Field(
        description="The messages that the node sees, in order."
    )
    messages_from: FromZero | None = Field(
        None,
        description="How many messages at the beginning are left out, since the engine has them.",
        examples=[8],
    )
    format: str | None = Field(
        None, description="Name of the format of the messages.", examples=["openai"]
    )
    system: list[ProviderMessage] | None = Field(
        None, description="System messages, in formats that keep them apart."
    )
    warnings: list[NoticeAnswer] = Field(
        description="Warnings; nothing was refused because of them."
    )
    conflicts: list[ConflictAnswer] = Field(
        description="Names with different values on several edges."
    )
    explanation: list[DecisionAnswer] = Field(
        [], description="For each name and message, which rule decided."
    )
    execution: str | None = Field(
        None,
        description="Id of the execution; null if the conversation has none.",
        examples=["exec_7q2m4x8k1n5p9r3t"],
    )
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    count: FromZero = Field(
        description="Number of visible messages; send it as `known.count`.", examples=[12]
    )


class LackingAnswer(Answer):
    """The reason why the next node cannot be entered.

    Without a node if the node could not be read.
    """

    node_id: str | None = Field(
        description="Node that cannot be entered; null if it cannot be read.", examples=["draft"]
    )
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    problem: dict[str, JsonValue] = Field(
        description="Why it cannot be entered, in the form of an error.",
        examples=[
            {
                "code": "incompatible_context",
                "detail": "The context lacks draft.",
                "missing": ["draft"],
            }
        ],
    )


class NextAnswer(Answer):
    """The decision on an edge."""

    edge: str = Field(description="Id of the edge.", examples=["to-review"])
    to: str = Field(description="Id of the node to which it leads.", examples=["review"])
    passes: bool = Field(description="Whether the edge is followed.")
    reason: str = Field(description="Why it is followed or not.", examples=["no condition"])


class OperationAnswer(Answer):
    """The result of the operation of a context processor."""

    model_config = ConfigDict(extra="allow")

    batch: FromZero = Field(description="Number of the batch, counted from 0.", examples=[2])
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    visible_count: FromZero = Field(description="Number of visible messages.", examples=[12])


class CompletedAnswer(Answer):
    """The version that a completion wrote, and where the workflow continues.

    A repeated request gets the same answer. ``operation`` is present only for a context-processor
    node, ``error`` only if the node failed, ``entered`` only if requested; it is null if no node
    runs next.
    """

    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    status: Status = Field(description="Status of the execution.")
    node_status: NodeStatus = Field(description="How the node ended.")
    operation: OperationAnswer | None = Field(
        None, description="What the operation did, of a context-processor node."
    )
    error: JsonValue = Field(
        None, description="The error of a failed node.", examples=["The model did not answer."]
    )
    next: list[NextAnswer] = Field(description="The decision on each outgoing edge.")
    pause_requested: bool = Field(description="Whether it pauses after the running nodes.")
    entered: Annotated[EnteredAnswer | LackingAnswer | None, Field(union_mode="smart")] = Field(
        None, description="What the next node sees, if requested."
    )


class MovedAnswer(Answer):
    """An execution after a status change."""

    status: Status = Field(description="Status of the execution.")
    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    ready_nodes: list[str] = Field(
        description="Ids of the nodes that can be completed now.", examples=[["review"]]
    )
    pause_requested: bool = Field(description="Whether it pauses after the running nodes.")

    @classmethod
    def of(cls, moved: Moved) -> Self:
        return cls(
            status=moved.status,
            version=moved.version,
            ready_nodes=list(moved.ready_nodes),
            pause_requested=moved.pause_requested,
        )
