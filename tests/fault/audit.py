"""Holds what the product has of a round against what its clients were told: pure, no server."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.fault import answers, windows
from tests.fault.digests import message_digest, state_digest, view_digests
from tests.fault.history import MAY_CHANGE_NOTHING, History, Kind, Outcome, Read, Seen, Write
from tests.fault.model import Change, Model
from tests.fault.product_state import Found, Violation


@dataclass(frozen=True, slots=True)
class Told:
    """One conversation as the model has it.

    ``standings[n]`` is how it stood after change n, ``places`` says which change a write made.
    """

    model: Model
    standings: Sequence[Seen]
    places: Mapping[str, int]


def audit(
    history: History, found: Mapping[str, Found], workflow: Sequence[str] = ()
) -> list[Violation]:
    """Every breach of a promise that a round shows; empty if there is none."""
    writes: dict[str, list[Write]] = {}
    reads: dict[str, list[Read]] = {}
    for write in history.writes:
        writes.setdefault(write.conversation, []).append(write)
    for read in history.reads:
        reads.setdefault(read.conversation, []).append(read)
    violations = list(answers.of_all(history))
    for name in sorted(writes.keys() | reads.keys()):
        about = _Conversation(name, writes.get(name, []), reads.get(name, []), workflow)
        violations += about.violations(found.get(name))
    return violations


@dataclass(frozen=True, slots=True)
class _Conversation:
    """One conversation and all that clients did with it."""

    name: str
    writes: Sequence[Write]
    reads: Sequence[Read]
    workflow: Sequence[str]

    def violations(self, found: Found | None) -> Iterator[Violation]:
        if found is None:
            if any(write.acknowledged for write in self.writes):
                yield self._broken("no acknowledged write is lost", "it is not there at all")
            return
        problems: list[Violation] = []
        told = self._replay(found.changes, problems)
        yield from problems
        yield from self._effects(told)
        yield from self._repeats()
        yield from self._denials({change.request for change in found.changes})
        if problems:
            return  # the model stopped where the record makes no sense
        yield from self._contents(found, told.model)
        yield from self._versions(found, told.model)
        for promise, what in windows.check(self.writes, self.reads, told.standings, told.places):
            yield self._broken(promise, what)
        for what in answers.unfounded(self.writes, told.standings, told.places, self.workflow):
            yield self._broken("a refusal has its reason", what)

    def _replay(self, changes: Sequence[Change], problems: list[Violation]) -> Told:
        """Do in the model what the record says was done, until it makes no sense."""
        model, standings, digests = Model(workflow=self.workflow), [Seen()], _Digests()
        by_request = {attempt.request: write for write in self.writes for attempt in write.attempts}
        places: dict[str, int] = {}
        for place, change in enumerate(changes, start=1):
            write = by_request.get(change.request)
            made = write is not None and places.setdefault(write.name, place)
            if write is None:
                problem = f"change {place} ({change.action}) was asked for by nobody"
            elif made != place:
                problem = f"{write.name} took effect at {made} and at {place}"
            elif change.seq != place:
                problem = f"entry {place} of the audit has the number {change.seq}"
            elif len(standings) < place:
                continue
            else:
                problem = _apply(model, write, change) or digests.differ(model, change)
            if problem:
                problems.append(self._broken("each change is made once and on record", problem))
            else:
                standings.append(model.seen())
        return Told(model, standings, places)

    def _effects(self, told: Told) -> Iterator[Violation]:
        """Acknowledged means done, refused means not done; unknown is either."""
        for write in self.writes:
            place = told.places.get(write.name)
            if place is None and write.acknowledged:
                if write.kind not in MAY_CHANGE_NOTHING:
                    told_so = write.acknowledged.answer
                    what = f"{write.kind} {write.name} was acknowledged with {told_so}"
                    yield self._broken("no acknowledged write is lost", what)
            elif place is not None and not write.can_have_happened:
                what = f"{write.kind} {write.name} was refused and is there, as change {place}"
                yield self._broken("what is refused is not done", what)
            if place is not None and place < len(told.standings):
                before, after = told.standings[place - 1], told.standings[place]
                if what := _wrong_answer(write, before, after):
                    yield self._broken("the answer tells what was done", what)
                if what := _not_as_seen(write, before):
                    yield self._broken("of many edits of one version one wins", what)

    def _repeats(self) -> Iterator[Violation]:
        """The same name gets the same answer, or, for something else, a refusal."""
        for write in self.writes:
            first = write.acknowledged
            for attempt in write.attempts if first else ():
                again = attempt.outcome is Outcome.ACKNOWLEDGED
                if again and first and _lasting(attempt.answer) != _lasting(first.answer):
                    what = f"{write.name} got {first.answer} and then {attempt.answer}"
                    yield self._broken("a repeat gets the same answer", what)
            for other in write.other_bodies:
                refused = other.outcome is Outcome.REFUSED
                if other.outcome is Outcome.ACKNOWLEDGED or (refused and other.code != "duplicate"):
                    what = f"{write.name} with another body got {other.status} {other.answer}"
                    yield self._broken("one name is for one body", what)

    def _denials(self, made: Collection[str]) -> Iterator[Violation]:
        """Who is told that nothing was changed may do something else instead."""
        for write in self.writes:
            for attempt in write.attempts:
                denied = "nothing was changed" in str(attempt.answer.get("detail")).lower()
                if denied and attempt.request in made:
                    what = f"{write.kind} {write.name} was made by {attempt.request}"
                    yield self._broken("nothing was changed is said when it is so", what)

    def _contents(self, found: Found, model: Model) -> Iterator[Violation]:
        """The log, every revision's view, and the counters of the head."""
        promise = "messages are there, whole and in order"
        if [message["index"] for message in found.log] != list(range(len(found.log))):
            yield self._broken(promise, "the indexes of the log have gaps")
        stored = [message_digest(message) for message in found.log]
        if stored != model.log:
            yield self._broken(promise, _first_difference("the log", stored, model.log))
        for revision, view in found.views.items():
            shown = list(view_digests(list(view)))
            wanted = [model.log[index] for index in model.views.get(revision, ())]
            if shown != wanted:
                name = f"the view of revision {revision}"
                yield self._broken(promise, _first_difference(name, shown, wanted))
        if found.views.keys() != model.views.keys():
            yield self._broken(promise, f"revisions {sorted(found.views)} exist")
        if model.views:  # else even that it was created is lost
            yield from self._counters(found, model)

    def _counters(self, found: Found, model: Model) -> Iterator[Violation]:
        tokens = [message["tokens"] for message in found.views.get(model.revision, ())]
        status = model.run.status if model.run else "IDLE"
        recount = {
            "message_count": len(found.log),
            "visible_count": len(model.view),
            "current_revision": model.revision,
            "tokens": sum(count for count in tokens if isinstance(count, int)),
            "status": status,
        }
        for name, counted in recount.items():
            if found.head[name] != counted:
                what = f"{name} is {found.head[name]} and counts as {counted}"
                yield self._broken("counters are right", what)

    def _versions(self, found: Found, model: Model) -> Iterator[Violation]:
        """Versions without gaps, each of which reads back as it was written."""
        promise = "every version reads back"
        numbers = [checkpoint["version"] for checkpoint in found.checkpoints]
        if numbers != sorted(model.versions):
            yield self._broken("versions have no gaps", f"there are {numbers}")
            return
        for number, run in model.versions.items():
            snapshot = found.snapshots[number]
            state = snapshot["state_data"]
            view = state.get("messages") if isinstance(state, dict) else None
            entries = snapshot["execution_history"]
            listed = entries if isinstance(entries, list) else []
            read = {
                "version": snapshot["version"],
                "status": snapshot["status"],
                "state": state_digest(state),
                "view": view_digests(view),
                "executed": snapshot["executed_node_ids"],
                "history": [each["checkpoint_id"] for each in listed if isinstance(each, dict)],
            }
            written = {
                "version": number,
                "status": run.status,
                "state": state_digest(dict(run.state)),
                "view": tuple(model.log[index] for index in run.view),
                "executed": list(run.executed),
                "history": list(run.history),
            }
            wrong = [name for name in written if read[name] != written[name]]
            if wrong:
                name = wrong[0]
                what = f"{name} of version {number} is {read[name]} and not {written[name]}"
                yield self._broken(promise, what)

    def _broken(self, promise: str, what: str) -> Violation:
        return Violation(promise, self.name, what)


class _Digests:
    """The digests that the record has of states: equal for equal ones, and for no others."""

    def __init__(self) -> None:
        self._of_state: dict[str, str] = {}
        self._state_of: dict[str, str] = {}

    def differ(self, model: Model, change: Change) -> str:
        """What is wrong with the digest of a change, or nothing."""
        recorded = change.detail.get("state")
        if model.run is None or not isinstance(recorded, str):
            return ""
        state = state_digest(dict(model.run.state))
        if self._of_state.setdefault(state, recorded) != recorded:
            return f"change {change.seq} has another digest for a state that was there before"
        if self._state_of.setdefault(recorded, state) != state:
            return f"change {change.seq} has the digest of another state"
        return ""


def _apply(model: Model, write: Write, change: Change) -> str:
    """Do it in the model; what of the record does not fit, or nothing."""
    try:
        model.apply(write, change)
        seen = model.seen()
    except LookupError as error:
        return f"change {change.seq} ({change.action}) cannot be done: {error!r}"
    version = seen.version if change.version is not None else None
    modelled = (version, seen.revision, seen.visible_count)
    recorded = (change.version, change.revision, change.visible_count)
    if modelled != recorded:
        return f"change {change.seq} ({change.action}) led to {recorded} and not to {modelled}"
    status = change.detail.get("status", seen.status)
    if status != seen.status:
        return f"change {change.seq} ({change.action}) led to {status} and not to {seen.status}"
    return ""


def _wrong_answer(write: Write, before: Seen, after: Seen) -> str:
    """What the acknowledgement of a write says that is not so, or nothing."""
    answer = write.acknowledged.answer if write.acknowledged else {}
    truth: dict[str, object] = {"version": after.version, "status": after.status}
    if write.kind in (Kind.APPEND, Kind.OPERATE, Kind.ROLLBACK, Kind.GO_TO):
        truth = {
            "first_index": before.message_count,
            "revision": after.revision,
            "visible_count": after.visible_count,
        }
    for name, right in truth.items():
        if name in answer and answer[name] != right:
            return f"{write.kind} {write.name} was told {name} {answer[name]}, it is {right}"
    return ""


def _not_as_seen(write: Write, before: Seen) -> str:
    """What a write that took effect had expected and did not meet, or nothing."""
    for name, value in answers.expectable(before).items():
        expected = write.body.get(name)
        if expected is not None and expected != value:
            return f"{write.kind} {write.name} expected {name[9:]} {expected} and met {value}"
    return ""


def _lasting(answer: Mapping[str, object]) -> dict[str, object]:
    """The answer less what the next node sees, which is read again (enter_next)."""
    return {name: value for name, value in answer.items() if name != "entered"}


def _first_difference(what: str, there: Sequence[str], wanted: Sequence[str]) -> str:
    for place, (one, other) in enumerate(zip(there, wanted, strict=False)):
        if one != other:
            return f"{what} differs at {place} of {len(there)}"
    return f"{what} has {len(there)} messages and should have {len(wanted)}"


def promises(violations: Iterable[Violation]) -> list[str]:
    """The names of the promises that were broken."""
    return sorted({violation.promise for violation in violations})
