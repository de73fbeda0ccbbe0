"""The kinds of objects that can be followed; the apps that have them register how to read them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.identity.actor import Actor
from ctxadmin.realtime.protocol import Change, State

WORKSPACE: Final = "workspace"


@dataclass(frozen=True, slots=True)
class Topic:
    """One followed object, or a whole workspace: the key of its row."""

    kind: str
    key: int
    workspace: int


@dataclass(frozen=True, slots=True)
class TopicSource:
    """How objects of one kind are read, with one statement each, and announced.

    ``find`` returns the key and the state of what an actor names, or raises NotFound; ``read`` the
    states of those keys that still exist. ``change`` is the model of a change.
    """

    kind: str
    find: Callable[[Actor, str], tuple[int, State]]
    read: Callable[[Sequence[int]], Mapping[int, State]]
    change: type[Change]


SOURCES: Final[dict[str, TopicSource]] = {}


def register_source(source: TopicSource) -> None:
    """Registers a kind of objects; pages name it in the path of their socket."""
    SOURCES[source.kind] = source


def source_of(kind: str) -> TopicSource | None:
    """Returns how objects of a kind are read; None for an unknown kind."""
    return SOURCES.get(kind)
