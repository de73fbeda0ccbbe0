"""What clients sent, heard and read, and which faults struck meanwhile."""

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from tests.fault.plan import Fault

Json = dict[str, JsonValue]


class Outcome(StrEnum):
    """What the caller knows of one attempt.

    After ``UNKNOWN`` (the connection broke, or no answer came) and after ``UNAVAILABLE`` the
    change may have been made or not; after ``UNREACHED`` nothing was sent.
    """

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    UNKNOWN = "unknown"
    UNREACHED = "unreached"


class Kind(StrEnum):
    """Everything that a client does to a conversation."""

    CREATE = "create"
    APPEND = "append"
    OPERATE = "operate"
    ROLLBACK = "rollback"
    GO_TO = "restore a revision"
    START = "start"
    SAVE = "save"
    COMPLETE = "complete"
    PAUSE = "pause"
    RESUME = "resume"
    EDIT = "edit"
    RESTORE = "restore a checkpoint"


# What may find things as they should be, changes nothing then and leaves no audit entry.
MAY_CHANGE_NOTHING: Final = frozenset({Kind.PAUSE, Kind.ROLLBACK, Kind.GO_TO})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request; times are seconds of one monotonic clock, ``worker`` is who was asked."""

    request: str
    worker: int
    sent: float
    ended: float
    outcome: Outcome
    status: int = 0
    code: str = ""
    retry_after: str = ""
    answer: Json = field(default_factory=dict)
    why: str = ""

    @property
    def waited(self) -> float:
        return self.ended - self.sent


@dataclass(slots=True)
class Write:
    """One change that a client wants made once, however often it has to ask.

    ``name`` is unique in a history; every attempt names it as idempotency key, checkpoint id or
    reason. ``subject`` is what the path names beside the conversation: a node, a version.
    ``other_bodies`` are attempts to have something else done under the same name.
    """

    name: str
    client: str
    kind: Kind
    conversation: str
    body: Json
    subject: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    other_bodies: list[Attempt] = field(default_factory=list)

    @property
    def acknowledged(self) -> Attempt | None:
        """The attempt that was acknowledged first."""
        for attempt in self.attempts:
            if attempt.outcome is Outcome.ACKNOWLEDGED:
                return attempt
        return None

    @property
    def can_have_happened(self) -> bool:
        """False once every attempt was refused, or never reached a server."""
        never = (Outcome.REFUSED, Outcome.UNREACHED)
        return any(attempt.outcome not in never for attempt in self.attempts)

    @property
    def first_sent(self) -> float:
        return self.attempts[0].sent


@dataclass(frozen=True, slots=True)
class Seen:
    """How a conversation stands, or what a reading tells of it; what it does not tell is None.

    ``view`` are the digests of the visible messages, ``state`` is that of the state without them.
    """

    revision: int | None = None
    message_count: int | None = None
    visible_count: int | None = None
    view: tuple[str, ...] | None = None
    version: int | None = None
    status: str | None = None
    pause_requested: bool | None = None
    state: str | None = None

    def shows(self, whole: "Seen") -> bool:
        """True if everything that is told here is so there."""
        for each in fields(self):
            told = getattr(self, each.name)
            if told is not None and told != getattr(whole, each.name):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Read:
    """One reading of a conversation that was answered."""

    client: str
    conversation: str
    request: str
    worker: int
    sent: float
    ended: float
    seen: Seen


@dataclass(frozen=True, slots=True)
class Strike:
    """One fault as it came: from when it was sure to be there until its healing began.

    ``over`` is when it was healed: the process is up again, the line is open.
    """

    fault: Fault
    worker: int | None
    began: float
    until: float
    over: float


class History:
    """All that happened in one round; every client and fault adds to it, nothing is taken away."""

    def __init__(self) -> None:
        self.writes: list[Write] = []
        self.reads: list[Read] = []
        self.lost_reads: list[Attempt] = []
        self.strikes: list[Strike] = []
        self.faults_of_the_suite: list[str] = []
        self._lock = threading.Lock()

    def add(self, event: Write | Read | Strike) -> None:
        with self._lock:
            if isinstance(event, Write):
                self.writes.append(event)
            elif isinstance(event, Read):
                self.reads.append(event)
            else:
                self.strikes.append(event)

    def add_lost_read(self, attempt: Attempt) -> None:
        """A reading that brought no answer to look at."""
        with self._lock:
            self.lost_reads.append(attempt)

    def attempts(self) -> Iterator[Attempt]:
        """Every request but the readings that were answered."""
        for write in self.writes:
            yield from write.attempts
        yield from self.lost_reads

    def keep(self, path: Path, extra: Mapping[str, object]) -> None:
        """Write everything down, one event a line, for whoever looks into a violation."""
        path.parent.mkdir(parents=True, exist_ok=True)
        events = [dict(extra)]
        for events_of_kind in (self.strikes, self.writes, self.reads, self.lost_reads):
            for event in events_of_kind:
                events.append({"event": type(event).__name__, **asdict(event)})
        path.write_text("".join(json.dumps(event, default=str) + "\n" for event in events))
