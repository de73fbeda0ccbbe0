"""Which conversations have content copied from another; the copying apps register themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from conversations.models import Conversation


@dataclass(frozen=True, slots=True)
class Copy:
    """A conversation with the content of another one at a version of its execution."""

    public_id: str
    title: str
    version: int


Find = Callable[[Conversation], Sequence[Copy]]
_finders: Final[list[Find]] = []


def register_copies(find: Find) -> None:
    """Registers ``find(head)``, which returns the copies of a conversation in its workspace."""
    _finders.append(find)


def copies_of(head: Conversation) -> list[Copy]:
    """Returns the latest conversations that were copied from one."""
    return [copy for find in _finders for copy in find(head)]
