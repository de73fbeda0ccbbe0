"""How context flows: along edges, together at a join, and into a node."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from workflows.domain.compatibility import Lack
from workflows.domain.context import Messages, Sight
from workflows.domain.explain import Decision, Notice
from workflows.domain.plan import Plan

TokensOfMessages = Callable[[Messages], int]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two arrivals brought one name with different values; the later one won (semantics 2.8)."""

    section: str
    name: str
    winner: str
    loser: str

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "section": self.section,
            "name": self.name,
            "winner": self.winner,
            "loser": self.loser,
        }


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came along one edge, its filter applied; ``edge`` is its id or a name for it."""

    edge: str
    sight: Sight


@dataclass(frozen=True, slots=True)
class Joined:
    """Several arrivals as one."""

    sight: Sight
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Entered:
    """What a node sees, and why.

    ``explanation`` is empty unless asked for. ``lack`` is what the node would miss.
    """

    node_id: str
    edges: tuple[str, ...]
    sight: Sight
    explanation: tuple[Decision, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    warnings: tuple[Notice, ...] = ()
    lack: Lack | None = None

    def require_compatible(self) -> None:
        """Raise IncompatibleContext if the node would miss something."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Preview:
    """What a node would see, with what that costs in tokens."""

    entered: Entered
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int


def join(arrivals: Sequence[Arrival]) -> Joined:
    """Unite what came along several edges, in their order: the later one wins a clash."""
    raise NotImplementedError


def enter(
    plan: Plan,
    node_id: str,
    sight: Sight,
    edges: Sequence[str] = (),
    *,
    explain: bool = False,
    pointer: str = "/edges",
) -> Entered:
    """What a node sees of ``sight`` (the whole state) when it is entered along ``edges``.

    Without edges the state reaches the node unfiltered by any edge.
    """
    raise NotImplementedError


def walk(plan: Plan, edges: Sequence[str], sight: Sight) -> tuple[Entered, ...]:
    """What each node on a way of edges sees, the first one entered without an edge."""
    raise NotImplementedError
