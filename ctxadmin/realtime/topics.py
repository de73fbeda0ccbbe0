"""What can be followed, and how it is read: registered by the apps that have it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.identity.actor import Actor
from ctxadmin.realtime.protocol import Change, State

WORKSPACE: Final = "workspace"


@dataclass(frozen=True, slots=True)
class Topic:
    """One object that is followed, or a whole workspace: the key of its row."""

    kind: str
    key: int
    workspace: int


@dataclass(frozen=True, slots=True)
class Source:
    """How objects of one kind are read, by one statement each, and what is told of them.

    ``find`` gives the key and the state of what an actor names, or raises NotFound; ``read`` the
    states of those keys that are still there. ``change`` is the model of a change.
    """

    kind: str
    find: Callable[[Actor, str], tuple[int, State]]
    read: Callable[[Sequence[int]], Mapping[int, State]]
    change: type[Change]


_sources: Final[dict[str, Source]] = {}


def register_source(source: Source) -> None:
    """Let a kind of objects be followed; pages name it in the path of their socket."""
    _sources[source.kind] = source


def source_of(kind: str) -> Source | None:
    """How objects of a kind are read; None if there is no such kind."""
    return _sources.get(kind)
