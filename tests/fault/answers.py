"""Which answers are right at all: kinds of refusal, their reasons, and while SQL is away."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.fault.history import Attempt, History, Kind, Outcome, Read, Seen, Strike, Write
from tests.fault.plan import SQL_AWAY, Fault
from tests.fault.product_state import Violation

PROMISED_SECONDS: Final = 5.0  # within which a caller hears that SQL is away
# Two cores that others use, too, hand out time late; a breach by design is far beyond.
SLACK_SECONDS: Final = 3.0

_CONFLICTS: Final = frozenset({"version_conflict", "invalid_state"})
ALLOWED: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.CREATE: frozenset(),
    Kind.APPEND: frozenset(),
    Kind.OPERATE: frozenset({"version_conflict", "out_of_range"}),
    Kind.ROLLBACK: frozenset({"version_conflict", "not_found"}),
    Kind.GO_TO: frozenset({"version_conflict"}),
    Kind.START: frozenset(),
    Kind.SAVE: _CONFLICTS,
    Kind.COMPLETE: frozenset({"invalid_state"}),
    Kind.PAUSE: _CONFLICTS,
    Kind.RESUME: _CONFLICTS,
    Kind.EDIT: _CONFLICTS,
    Kind.RESTORE: _CONFLICTS,
}
# In which statuses a kind is not a matter of invalid_state.
_WELCOME: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.SAVE: frozenset({"PENDING", "RUNNING"}),
    Kind.PAUSE: frozenset({"RUNNING"}),
    Kind.RESUME: frozenset({"PENDING", "PAUSED", "FAILED"}),
    Kind.EDIT: frozenset({"PAUSED"}),
    Kind.RESTORE: frozenset({"PAUSED", "FAILED"}),
}

_OF_THE_WORKER: Final = frozenset({Fault.APP_STOP, Fault.APP_KILL, Fault.APP_KILL_AT_COMMIT})


def of_all(history: History) -> Iterator[Violation]:
    """Answers that are wrong whatever the conversation is like."""
    for write in history.writes:
        for attempt in write.attempts:
            refused = attempt.outcome is Outcome.REFUSED
            if refused and attempt.code not in ALLOWED[write.kind]:
                what = f"{write.kind} {write.name} got {attempt.status} {_said(attempt)}"
                yield Violation("every answer is one of the contract", write.conversation, what)
    for attempt in history.lost_reads:
        if attempt.outcome is Outcome.REFUSED:
            what = f"{attempt.request} got {attempt.status} {_said(attempt)}"
            yield Violation("every answer is one of the contract", "a reading", what)
    for attempt in history.attempts():
        what = _wrong_failure(attempt)
        if what:
            yield Violation("a failure is told as unavailable", "any", what)
    yield from _while_away(history)


def _wrong_failure(attempt: Attempt) -> str:
    """What is wrong with an answer that is a server's fault, or nothing."""
    if attempt.status < 500:
        return ""
    if attempt.status == 503 and attempt.code == "unavailable" and attempt.retry_after.isdigit():
        return ""
    return f"{attempt.request} got {attempt.status} {_said(attempt)}"


def _while_away(history: History) -> Iterator[Violation]:
    """While SQL was away every caller heard so in time, and nothing else."""
    away = [strike for strike in history.strikes if strike.fault in SQL_AWAY]
    hurt = [strike for strike in history.strikes if strike.fault in _OF_THE_WORKER]
    for attempt in history.attempts():
        struck = any(_within(attempt.worker, attempt.sent, strike) for strike in away)
        if not struck or any(_touches(attempt, strike) for strike in hurt):
            continue  # or it was the worker that did not answer
        limit = PROMISED_SECONDS + SLACK_SECONDS
        if attempt.outcome is Outcome.UNKNOWN or attempt.waited > limit:
            what = f"{attempt.request} got {attempt.outcome} after {attempt.waited:.1f} s"
            yield Violation("SQL away is told within 5 s", "any", f"{what} {attempt.why}")
    told = [(each.name, each.conversation, each.acknowledged) for each in history.writes]
    heard: list[tuple[str, str, Attempt | Read]] = []
    heard += [(name, where, first) for name, where, first in told if first is not None]
    heard += [(read.request, read.conversation, read) for read in history.reads]
    for name, where, one in heard:
        for strike in away:
            if _within(one.worker, one.sent, strike) and one.ended < strike.until:
                yield Violation("nothing is told without SQL", where, f"{name} was answered")


def _within(worker: int, sent: float, strike: Strike) -> bool:
    """Sent while SQL was away."""
    return _same_worker(strike, worker) and strike.began < sent < strike.until


def _touches(attempt: Attempt, strike: Strike) -> bool:
    overlaps = strike.began - 1 < attempt.ended and attempt.sent < strike.over + 1
    return _same_worker(strike, attempt.worker) and overlaps


def _same_worker(strike: Strike, worker: int) -> bool:
    return strike.worker is None or strike.worker == worker


def unfounded(
    writes: Sequence[Write],
    standings: Sequence[Seen],
    places: Mapping[str, int],
    workflow: Sequence[str],
) -> Iterator[str]:
    """Conflicts and states that were reported as the reason of a refusal and cannot have been."""
    for write in writes:
        for attempt in write.attempts:
            if attempt.outcome is not Outcome.REFUSED:
                continue
            moments = _moments(attempt, writes, standings, places)
            seen = any(_conflicts(write, moment) for moment in moments)
            if attempt.code == "version_conflict" and not seen:
                yield f"{write.kind} {write.name} met no conflict and was told of one"
            if attempt.code != "invalid_state":
                continue
            if write.kind is Kind.COMPLETE:
                if all(_ready(write, moment, workflow) for moment in moments):
                    yield f"{write.kind} {write.name} was refused while {write.subject} was ready"
            elif {moment.status for moment in moments} <= _WELCOME[write.kind]:
                yield f"{write.kind} {write.name} was refused in a status that allows it"


def _ready(write: Write, moment: Seen, workflow: Sequence[str]) -> bool:
    """Each version of these executions is the completion of the next node."""
    return moment.version is not None and write.subject in workflow[moment.version :][:1]


def _conflicts(write: Write, moment: Seen) -> bool:
    return any(write.body.get(name, there) != there for name, there in expectable(moment).items())


def expectable(moment: Seen) -> dict[str, int | None]:
    """What a write may say that it expects, as it is at a moment."""
    return {
        "expected_version": moment.version,
        "expected_revision": moment.revision,
        "expected_count": moment.visible_count,
    }


def _moments(
    attempt: Attempt,
    writes: Sequence[Write],
    standings: Sequence[Seen],
    places: Mapping[str, int],
) -> Sequence[Seen]:
    """How things can have stood while a request was looked at."""
    known = [
        places[write.name]
        for write in writes
        if write.name in places
        and (first := write.acknowledged) is not None
        and first.ended < attempt.sent
    ]
    sent = [
        places[write.name]
        for write in writes
        if write.name in places and write.first_sent <= attempt.ended
    ]
    return standings[max(known, default=0) : max(sent, default=0) + 1]


def _said(attempt: Attempt) -> str:
    return str(attempt.answer or attempt.why)[:300]
