"""Thinning the versions of an execution, as its workspace's policy says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from checkpoints import retention_store
from checkpoints.domain.retention import RetentionPolicy, thinned_by
from checkpoints.models import Execution
from checkpoints.retention_store import ThinningBatch
from conversations.writing import writing
from ctxadmin.audit.record import Change
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock

_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Thinned:
    """How many versions lost their state, and the bytes of the values that nobody reads then."""

    versions: int = 0
    freed: int = 0

    def __add__(self, other: "Thinned") -> "Thinned":
        return Thinned(self.versions + other.versions, self.freed + other.freed)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done, worked out without a lock, and what it was worked out from."""

    row: Execution
    newest: int
    batches: Sequence[ThinningBatch]


class _Outdated(Exception):
    """Somebody forked or went back to a version that was about to go."""


def would_thin(row: Execution, policy: RetentionPolicy) -> Thinned:
    """What ``thin`` would do now."""
    plan = _plan(row, policy)
    done = Thinned()
    for batch in plan.batches:
        done += Thinned(len(batch.versions), retention_store.size_of_values(row, batch.places))
    return done


def thin(
    actor: Actor,
    public_id: str,
    row: Execution,
    policy: RetentionPolicy,
    *,
    alive: Callable[[], None] = lambda: None,
) -> Thinned:
    """Take the state of the versions away that the policy does not keep.

    What goes is worked out first and done in transactions of some hundred versions each, which
    take the conversation's head as every write does; each has its audit entry, and after each of
    them every version that is left reads as before. What forks outdate three times is left to
    the next run. ``alive`` is called after each transaction. Raises NotFound for a conversation
    that was erased meanwhile.
    """
    actor.require(Action.CHECKPOINT_THIN)
    done = Thinned()
    for _ in range(_TRIES):
        plan = _plan(row, policy)
        try:
            for place, batch in enumerate(plan.batches):
                done += _drop(actor, public_id, plan, place, batch)
                alive()
        except _Outdated:
            continue
        break
    return done


def _plan(row: Execution, policy: RetentionPolicy) -> _Plan:
    """The newest version is read first: whatever is written from here on is checked later."""
    row.refresh_from_db(fields=["version", "status", "thinned_count"])
    standing = retention_store.retention_state_of(row)
    chosen = thinned_by(policy, standing.versions, standing.needs, clock.now())
    going = [version for version in chosen if version not in standing.thinned]
    if not going:
        return _Plan(row, row.version, ())
    gone = standing.thinned.union(going)
    whole = [each.number for each in standing.versions if each.number not in gone]
    return _Plan(row, row.version, retention_store.thinning_batches(row, whole, going))


def _drop(actor: Actor, public_id: str, plan: _Plan, place: int, batch: ThinningBatch) -> Thinned:
    with writing(actor, public_id) as opened:
        row = plan.row
        now = Execution.objects.filter(conversation=opened.head.key, number=row.number)
        _check(now.only("thinned_count").first(), plan, place)
        freed = retention_store.drop_states(row, batch, opened.at)
        opened.head.checkpoint_bytes -= freed
        detail = {
            "conversation": public_id,
            "versions": len(batch.versions),
            "first": batch.versions[0],
            "last": batch.versions[-1],
            "freed": freed,
        }
        change = Change(Action.CHECKPOINT_THIN, "execution", row.public_id, detail=detail)
        opened.commit(change, upkeep=True)
    row.thinned_count += len(batch.versions)
    return Thinned(len(batch.versions), freed)


def _check(now: Execution | None, plan: _Plan, place: int) -> None:
    """Under the lock of the conversation: that nobody came to need what is still to go.

    New versions need no look beyond that: what they are made of is what the newest one had, or
    what one that they went back to had.
    """
    if now is None or now.thinned_count != plan.row.thinned_count:
        raise _Outdated
    needed = retention_store.restored_versions_after(plan.row, plan.newest)
    needed |= retention_store.forked_versions(plan.row) | retention_store.labelled_versions(
        plan.row
    )
    needed |= retention_store.edited_versions(plan.row)
    if any(needed.intersection(batch.versions) for batch in plan.batches[place:]):
        raise _Outdated
