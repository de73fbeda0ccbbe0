"""The answers of the execution endpoints."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, JsonValue

from checkpoints.domain.leases import Lease
from checkpoints.domain.opaque import OpaqueValue
from checkpoints.domain.pauses import Outcome, When
from checkpoints.domain.status import NodeStatus, Status
from checkpoints.domain.task_writes import TaskWrite
from checkpoints.services.moving import Moved
from checkpoints.services.restoring import Restored
from checkpoints.services.starting import Started
from checkpoints.services.updating import Updated
from ctxadmin.http.described import Answer
from ctxadmin.lib import clock
from workflows.api.answers import ConflictAnswer, DecisionAnswer, NoticeAnswer, SeenMessageAnswer
from workflows.domain.context import PromptContextInput


class StartedAnswer(Answer):
    """A new execution."""

    execution: str
    status: Status
    version: int
    ready_nodes: list[str]

    @classmethod
    def of(cls, started: Started) -> Self:
        return cls(
            execution=started.execution,
            status=started.status,
            version=started.version,
            ready_nodes=list(started.ready_nodes),
        )


class LeaseAnswer(Answer):
    """A node that was claimed: what `complete` names, and until when it holds."""

    lease: str
    until: str

    @classmethod
    def of(cls, lease: Lease) -> Self:
        return cls(lease=lease.lease, until=clock.iso(lease.until))


class HistoryEntryAnswer(Answer):
    """An entry of the execution history, as it was written or sent."""

    model_config = ConfigDict(extra="allow")


class PauseAnswer(Answer):
    """Why an execution is PAUSED, since when, and the deadline with its outcome."""

    node_id: str | None
    when: When
    reason: str | None
    since: str | None
    deadline: str | None
    outcome: Outcome | None


class SnapshotAnswer(Answer):
    """An execution at a version; ``messages`` in ``state_data`` is the view.

    ``opaque`` only if the state has opaque values.
    """

    conversation_id: str
    execution: str | None
    workflow: str | None
    current_node_id: str | None
    current_node_name: str | None
    status: Status
    pause_requested: bool
    state_data: dict[str, JsonValue]
    execution_history: list[HistoryEntryAnswer]
    executed_node_ids: list[str]
    ready_nodes: list[str]
    timestamp: str
    version: int
    revision: int
    pause: PauseAnswer | None
    opaque: dict[str, OpaqueValue] = {}


class WaitedAnswer(Answer):
    """The status of an execution; ``changed`` is false if the timeout came first."""

    status: Status
    version: int
    revision: int
    changed: bool


class UpdatedAnswer(Answer):
    """What an update of the snapshot wrote."""

    version: int
    changed_keys: list[str]
    revision: int

    @classmethod
    def of(cls, updated: Updated) -> Self:
        return cls(
            version=updated.version,
            changed_keys=list(updated.changed_keys),
            revision=updated.revision,
        )


class SavedAnswer(Answer):
    """What a checkpoint wrote; a repeat gets the same."""

    version: int
    status: Status


class CheckpointAnswer(Answer):
    """A version without its state; ``node_id`` is the saved node, or else the current one."""

    version: int
    kind: str
    move: str | None
    checkpoint_id: str | None
    node_id: str | None
    current_node_id: str | None
    when: str
    status: Status
    changed_keys: list[str]
    written_bytes: int
    state_bytes: int
    state_digest: str
    revision: int
    visible_count: int
    executed_count: int
    restored_from: int | None
    thinned_at: str | None
    author: str
    reason: str | None
    created_at: str


class WritesAnswer(Answer):
    """The writes of a task, as they were sent."""

    writes: list[TaskWrite]


class PutWritesAnswer(Answer):
    """How many writes the task has now."""

    count: int


class PendingWriteAnswer(Answer):
    """A write beside a checkpoint: `value`, or `opaque`."""

    task_id: str
    channel: str
    index: int
    value: JsonValue = None
    opaque: OpaqueValue | None = None


class ListedCheckpointAnswer(CheckpointAnswer):
    """A version in the list; ``state_data`` only with ``include=state``, null of a thinned one."""

    metadata: dict[str, JsonValue]
    parent: str | None
    namespace: str
    state_data: dict[str, JsonValue] | None = None
    opaque: dict[str, OpaqueValue] = {}
    writes: list[PendingWriteAnswer] = []


class DifferenceAnswer(Answer):
    """A difference of two states; a side without a value is left out."""

    path: str
    kind: str
    before: JsonValue = None
    after: JsonValue = None


class MessageChangeAnswer(Answer):
    """A difference of two views."""

    kind: str
    index: int
    previous_index: int | None = None
    position: int | None = None
    previous_position: int | None = None


class ComparedAnswer(Answer):
    """The differences of two versions."""

    state: list[DifferenceAnswer]
    messages: list[MessageChangeAnswer]


class EnteredAnswer(Answer):
    """What a node sees; `messages`, `format` and `system` as of the format that was asked for.

    `revision` and `count` name the view of the conversation; sent as `known` the next time, they
    leave out the first `messages_from` messages, which the engine has.
    """

    node_id: str
    edges: list[str]
    context: PromptContextInput
    messages: list[SeenMessageAnswer] | list[dict[str, JsonValue]]
    messages_from: int | None = None
    format: str | None = None
    system: list[dict[str, JsonValue]] | None = None
    warnings: list[NoticeAnswer]
    conflicts: list[ConflictAnswer]
    explanation: list[DecisionAnswer] = []
    version: int
    revision: int
    count: int


class LackingAnswer(Answer):
    """Why the next node cannot be entered; no node if it could not be read."""

    node_id: str | None
    version: int
    problem: dict[str, JsonValue]


class NextAnswer(Answer):
    """The decision on an edge."""

    edge: str
    to: str
    passes: bool
    reason: str


class OperationAnswer(Answer):
    """What the operation of a context processor did."""

    model_config = ConfigDict(extra="allow")

    batch: int
    revision: int
    visible_count: int


class CompletedAnswer(Answer):
    """What a completion wrote, and where the workflow continues; a repeat gets the same.

    ``operation`` only for a context-processor node, ``error`` only if the node failed, ``entered``
    only if requested: null if no node runs next.
    """

    version: int
    status: Status
    node_status: NodeStatus
    operation: OperationAnswer | None = None
    error: JsonValue = None
    next: list[NextAnswer]
    pause_requested: bool
    entered: Annotated[EnteredAnswer | LackingAnswer | None, Field(union_mode="smart")] = None


class MovedAnswer(Answer):
    """An execution after a status change."""

    status: Status
    version: int
    ready_nodes: list[str]
    pause_requested: bool

    @classmethod
    def of(cls, moved: Moved) -> Self:
        return cls(
            status=moved.status,
            version=moved.version,
            ready_nodes=list(moved.ready_nodes),
            pause_requested=moved.pause_requested,
        )


class RestoredAnswer(Answer):
    """An execution after a restore."""

    version: int
    status: Status
    restored_from: int

    @classmethod
    def of(cls, restored: Restored) -> Self:
        return cls(
            version=restored.version,
            status=restored.status,
            restored_from=restored.restored_from,
        )


class OriginAnswer(Answer):
    """The origin of a fork."""

    conversation: str
    execution: str
    version: int


class ForkedAnswer(Answer):
    """The new conversation of a fork, its execution, and where it came from."""

    model_config = ConfigDict(extra="allow")

    id: str
    status: Status
    execution: str
    version: int
    forked_from: OriginAnswer
