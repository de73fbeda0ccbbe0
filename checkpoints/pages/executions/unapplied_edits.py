"""Finds a person's drafts in the executions of a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse

from checkpoints.domain.status import Status
from checkpoints.editing import draft_store, pending_store
from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

_MOST_LEFT: Final = 3


@dataclass(frozen=True, slots=True)
class UnappliedEdits:
    """The reader's drafts that no form shows now; ``former`` as in LostEditPage."""

    url: str
    former: int | None


def numbers(actor: Actor, now: StoredSnapshot) -> Sequence[int]:
    """Returns the earlier executions in which a person has a draft."""
    return [number for number in _until(actor, now) if now.row and number != now.row.number]


def unapplied_edits_of(actor: Actor, now: StoredSnapshot) -> tuple[Sequence[UnappliedEdits], int]:
    """Returns a person's drafts, latest first, and the number of changes in the current form."""
    row = now.row
    if row is None or not actor.may(Action.SNAPSHOT_UPDATE):
        return (), 0
    found, count = _until(actor, now), 0
    if now.status is Status.PAUSED and row.number in found:
        found.remove(row.number)
        count = draft_store.find(actor, row, now.version).count
    url = reverse("checkpoints:edit", args=[now.head.public_id])
    left = [UnappliedEdits(f"{url}?former={each}", each) for each in found if each != row.number]
    here = [UnappliedEdits(url, None)] if row.number in found else []
    return [*here, *left][:_MOST_LEFT], count


def _until(actor: Actor, now: StoredSnapshot) -> list[int]:
    if now.row is None:
        return []
    return pending_store.executions_until(draft_store.place_of(actor, now.row))
