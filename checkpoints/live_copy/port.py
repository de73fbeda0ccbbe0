"""What a live copy is: parts of a conversation's newest content under the mark they belong to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from ctxadmin.audit.record import AuditMark

Pieces = Sequence[bytes]  # JSON text in parts, to be joined or to be sent one after the other


class Part(StrEnum):
    """What is held, believed and dropped as one; the values are the names of its keys.

    STATE is the state but ``messages``, MESSAGES the visible ones, HISTORY the execution history,
    EXECUTED the executed node ids.
    """

    STATE = "context:state:{%d}"
    MESSAGES = "context:state:{%d}:messages"
    HISTORY = "checkpoint:{%d}"
    EXECUTED = "execution:state:{%d}"

    def key(self, conversation: int) -> str:
        """The key in Redis. The braces keep all keys of a conversation in one slot.

        Ids of conversations are unique in their workspace only, and may be used again after an
        erasure: so the conversation's own key stands in the braces, which is never used again.
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
class Set:
    """A change gives a value another content."""

    name: str
    content: bytes
    grows: bool = False


@dataclass(frozen=True, slots=True)
class Grow:
    """A change puts elements behind those of a list; ``content`` is the list of the new ones."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Remove:
    """A change removes a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Delta:
    """What a change does to a part. ``other``: the part is another one since and not to be kept.

    ``cleared``: nothing of it is left before the steps are taken.
    """

    steps: Sequence[Set | Grow | Remove] = ()
    cleared: bool = False
    other: bool = False


UNTOUCHED: Final = Delta()


@dataclass(frozen=True, slots=True)
class Change:
    """What one change does to the parts of a conversation, and between which marks.

    ``seconds`` is after how long each part expires from now on, 0 for never.
    """

    conversation: int
    before: AuditMark
    after: AuditMark
    deltas: Mapping[Part, Delta]
    seconds: Mapping[Part, int]


@dataclass(frozen=True, slots=True)
class Found:
    """What a copy has of the wanted parts at the wanted mark.

    ``stood`` is for ``put``: where each of the other parts stood when it was looked at.
    ``damaged`` are parts that stand at the mark with other bytes than were written there.
    """

    parts: Mapping[Part, Mapping[str, Value]]
    stood: Mapping[Part, bytes]
    damaged: Collection[Part] = ()


class LiveCopy(Protocol):
    """Content under marks. No call raises, whatever becomes of the store behind it.

    A part is returned only under the very mark that is asked for, which is read from SQL. So a
    copy that is old, put back, or of a database that was restored is never believed.
    """

    @property
    def holds(self) -> bool:
        """False if nothing is ever held, so that nobody needs to ask."""

    def read(self, conversation: int, mark: AuditMark, parts: Collection[Part]) -> Found:
        """The parts that stand at the mark and are whole."""

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: Found,
        seconds: Mapping[Part, int],
    ) -> None:
        """Write whole parts, where nobody did since ``found``; 0 seconds never expire."""

    def move(self, changes: Sequence[Change]) -> None:
        """Have the parts that stand at ``before`` follow each change; drop those that do not."""

    def drop(self, conversation: int) -> bool:
        """Remove everything of a conversation; False if that cannot be done now."""


class NoLiveCopy:
    """Holds nothing: everything is read from SQL."""

    holds = False

    def read(self, conversation: int, mark: AuditMark, parts: Collection[Part]) -> Found:
        return Found({}, {})

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: Found,
        seconds: Mapping[Part, int],
    ) -> None:
        return

    def move(self, changes: Sequence[Change]) -> None:
        return

    def drop(self, conversation: int) -> bool:
        return True
