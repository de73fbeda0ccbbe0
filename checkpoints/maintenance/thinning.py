"""Thins the versions of an execution, as its workspace's policy says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from checkpoints.domain.retention import RetentionPolicy, versions_to_thin
from checkpoints.maintenance import retention_store
from checkpoints.maintenance.retention_store import ThinningBatch
from checkpoints.models import Execution
from conversations.writing.conversation import writing
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock

_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Thinned:
    """The number of versions that lost their state, and the bytes freed by it."""

    versions: int = 0
    freed: int = 0

    def __add__(self, other: "Thinned") -> "Thinned":
        return Thinned(self.versions + other.versions, self.freed + other.freed)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The planned work, computed without a lock, and what it was computed from."""

    row: Execution
    newest: int
    batches: Sequence[ThinningBatch]


class _Outdated(Exception):
    """A version that was planned for removal was forked or restored meanwhile."""


def preview_thinning(row: Execution, policy: RetentionPolicy) -> Thinned:
    """Returns what ``thin`` would do now."""
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
    """Removes the state of the versions that the policy does not keep.

    The work is planned first and done in transactions of some hundred versions each, which lock the
    conversation's head as every write does. Each has its audit entry, and after each of them every
    remaining version reads as before. If forks outdate the plan three times, the rest is left to
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
    """Plans the work.

    Reads the latest version first: whatever is written later is checked later.
    """
    row.refresh_from_db(fields=["version", "status", "thinned_count"])
    standing = retention_store.retention_state_of(row)
    chosen = versions_to_thin(policy, standing.versions, standing.needs, clock.now())
    thinned = [version for version in chosen if version not in standing.thinned]
    if not thinned:
        return _Plan(row, row.version, ())
    gone = standing.thinned.union(thinned)
    retained = [each.number for each in standing.versions if each.number not in gone]
    return _Plan(row, row.version, retention_store.thinning_batches(row, retained, thinned))


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
        change = AuditChange(Action.CHECKPOINT_THIN, "execution", row.public_id, detail=detail)
        opened.commit(change, upkeep=True)
    row.thinned_count += len(batch.versions)
    return Thinned(len(batch.versions), freed)


def _check(now: Execution | None, plan: _Plan, place: int) -> None:
    """Checks under the lock of the conversation that nothing needs the planned versions by now.

    New versions need no further check: they consist of what the latest one had, or one that they
    restored.
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
