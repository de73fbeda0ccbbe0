"""The answers of the server as typed objects.

``data`` is always the whole answer as it came, with what a newer server says besides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

JsonObject = dict[str, Any]
ENDED = frozenset({"COMPLETED", "FAILED", "CANCELLED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    data: JsonObject = field(repr=False)

    @classmethod
    def of(cls, data: JsonObject) -> Self:
        """Takes the fields that it knows from an answer."""
        names = cls.__dataclass_fields__.keys() - {"data"}
        known = {name: data[name] for name in names if name in data}
        return cls(data=data, **known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Answer):
    """An execution as it stands; ``status`` is IDLE and ``execution`` None if there was none."""

    status: str
    version: int = 0
    execution: str | None = None
    workflow: str | None = None
    current_node_id: str | None = None
    ready_nodes: Sequence[str] = ()
    executed_node_ids: Sequence[str] = ()
    state_data: JsonObject = field(default_factory=dict)
    pause: Mapping[str, Any] | None = None
    pause_requested: bool = False
    revision: int = 0

    @property
    def ended(self) -> bool:
        return self.status in ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered(Answer):
    """What a node gets: its context and the messages for its model.

    ``system`` is the system text of a provider's format that keeps it apart. ``revision`` and
    ``count`` name the view that was read. ``node_type`` is None in an execution without a workflow.
    """

    context: JsonObject
    messages: Sequence[JsonObject]
    version: int
    node_type: str | None = None
    warnings: Sequence[JsonObject] = ()
    conflicts: Sequence[JsonObject] = ()
    system: Any = None
    messages_from: int = 0
    revision: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed(Answer):
    """What became of the execution when a node was completed."""

    version: int
    status: str
    node_status: str = ""
    next: Sequence[JsonObject] = ()
    pause_requested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended(Answer):
    """Where new messages stand: the index of the first, and how many."""

    first_index: int
    count: int
    revision: int
    batch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Operated(Answer):
    """What an operation on messages did; of a dry run ``revision`` is None."""

    batch: int
    revision: int | None
    visible_count: int
    warnings: Sequence[JsonObject] = ()
    tokens_before: int = 0
    tokens_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Answer):
    """How an execution stands after it was paused, resumed, approved, rejected or cancelled."""

    status: str
    version: int
    ready_nodes: Sequence[str] = ()
    pause_requested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited(Answer):
    """What a wait ended with; ``changed`` is false if only the time was over."""

    status: str
    version: int
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Answer):
    """One change in the feed of the workspace; ``cursor`` is where to go on behind it."""

    cursor: str
    conversation: str
    what: str
    seq: int = 0
    status: str | None = None
    version: int | None = None
    execution: str | None = None
    keys: Sequence[str] = ()
