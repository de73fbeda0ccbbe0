"""The answers of the server as typed objects.

``data`` is always the whole answer, including fields that only newer servers send.
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
        """Reads the known fields of an answer."""
        names = cls.__dataclass_fields__.keys() - {"data"}
        known = {name: data[name] for name in names if name in data}
        return cls(data=data, **known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Answer):
    """The current execution; without one ``status`` is IDLE and ``execution`` is None."""

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
    """The context of a node and the messages for its model.

    ``system`` is the system text in formats of providers that have a field for it. ``revision`` and
    ``count`` identify the view that was read. ``node_type`` is None in an execution without a
    workflow.
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
    """The execution after a node was completed."""

    version: int
    status: str
    node_status: str = ""
    next: Sequence[JsonObject] = ()
    pause_requested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended(Answer):
    """The position of new messages: the index of the first, and their number."""

    first_index: int
    count: int
    revision: int
    batch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Operated(Answer):
    """The result of an operation on messages; in a dry run ``revision`` is None."""

    batch: int
    revision: int | None
    visible_count: int
    warnings: Sequence[JsonObject] = ()
    tokens_before: int = 0
    tokens_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Answer):
    """An execution after it was paused, resumed, approved, rejected or cancelled."""

    status: str
    version: int
    ready_nodes: Sequence[str] = ()
    pause_requested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited(Answer):
    """The result of a wait; ``changed`` is false after a timeout."""

    status: str
    version: int
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Answer):
    """A change in the feed of the workspace; ``cursor`` is the position after it."""

    cursor: str
    conversation: str
    what: str
    seq: int = 0
    status: str | None = None
    version: int | None = None
    execution: str | None = None
    keys: Sequence[str] = ()
