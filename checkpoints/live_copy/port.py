"""The interface of a live copy: parts of a conversation's latest content under their mark."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from ctxadmin.audit.record import AuditMark

Pieces = Sequence[bytes]  # JSON text in parts, to be joined or to be sent one after the other


class Part(StrEnum):
    """A unit that is stored, validated and dropped together.

    The values are the names of its keys.

    STATE is the state without ``messages``, MESSAGES the visible ones, HISTORY the execution
    history, EXECUTED the executed node ids.
    """

    STATE = "context:state:{%d}"
    MESSAGES = "context:state:{%d}:messages"
    HISTORY = "checkpoint:{%d}"
    EXECUTED = "execution:state:{%d}"

    def key(self, conversation: int) -> str:
        """Returns the key in Redis. The braces keep all keys of a conversation in one slot.

        Ids of conversations are unique only in their workspace and can be used again after an
        erasure. The braces therefore contain the primary key, which is never used again.
        """
        return self.value % conversation


ALL_PARTS: Final = tuple(Part)
WHOLE: Final = "whole"  # the name of the only value of a part that is one list


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a part. A list that ``grows`` gets more elements at its end by changes."""

    pieces: Pieces
    grows: bool = False


@dataclass(frozen=True, slots=True)
class SetValue:
    """Replaces the content of a value."""

    name: str
    content: bytes
    grows: bool = False


@dataclass(frozen=True, slots=True)
class Grow:
    """Appends elements to a list; ``content`` is the list of the new ones."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Remove:
    """Removes a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Delta:
    """The changes of a part. ``other``: the part was replaced and must not be kept.

    ``cleared``: the part is emptied before the steps.
    """

    steps: Sequence[SetValue | Grow | Remove] = ()
    cleared: bool = False
    other: bool = False


UNTOUCHED: Final = Delta()


@dataclass(frozen=True, slots=True)
class CopyChange:
    """One change of a conversation's parts, and the marks before and after it.

    ``seconds`` is after how long each part now expires, 0 for never.
    """

    conversation: int
    before: AuditMark
    after: AuditMark
    deltas: Mapping[Part, Delta]
    seconds: Mapping[Part, int]


@dataclass(frozen=True, slots=True)
class FoundParts:
    """The requested parts that a copy has at the requested mark.

    ``stood`` is for ``put``: the marks of the other parts at the time of the read. ``damaged`` are
    parts at the mark whose bytes differ from what was written.
    """

    parts: Mapping[Part, Mapping[str, Value]]
    stood: Mapping[Part, bytes]
    damaged: Collection[Part] = ()


class LiveCopy(Protocol):
    """Content under marks. No call raises, whatever happens to the store behind it.

    A part is returned only under the exact mark that is requested, which comes from SQL. So a copy
    that is stale, restored, or of a restored database is never used.
    """

    @property
    def is_enabled(self) -> bool:
        """Returns False if the copy is always empty, so that callers need not ask."""

    def read(self, conversation: int, mark: AuditMark, parts: Collection[Part]) -> FoundParts:
        """Returns the parts at the mark that are whole."""

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: FoundParts,
        seconds: Mapping[Part, int],
    ) -> None:
        """Writes whole parts that nobody wrote since ``found``; 0 seconds means no expiry."""

    def apply_changes(self, changes: Sequence[CopyChange]) -> None:
        """Applies each change to the parts at ``before``; drops those that cannot follow."""

    def drop(self, conversation: int) -> bool:
        """Removes everything of a conversation; returns False if that is not possible now."""


class NoLiveCopy:
    """An empty copy: everything is read from SQL."""

    is_enabled = False

    def read(self, conversation: int, mark: AuditMark, parts: Collection[Part]) -> FoundParts:
        return FoundParts({}, {})

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: FoundParts,
        seconds: Mapping[Part, int],
    ) -> None:
        return

    def apply_changes(self, changes: Sequence[CopyChange]) -> None:
        return

    def drop(self, conversation: int) -> bool:
        return True
