"""Where a person finds what was typed into executions of a conversation and not applied."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse

from checkpoints import pending_store
from checkpoints.domain.status import Status
from checkpoints.editing import draft_store
from checkpoints.snapshots import StoredSnapshot
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

_MOST_LEFT: Final = 3


@dataclass(frozen=True, slots=True)
class UnappliedEdits:
    """What the reader typed and did not apply, and no form shows now; ``former`` as in LostPage."""

    url: str
    former: int | None


def numbers(actor: Actor, now: StoredSnapshot) -> Sequence[int]:
    """The executions before that of now into which a person typed what is not applied."""
    return [number for number in _until(actor, now) if now.row and number != now.row.number]


def unapplied_edits_of(actor: Actor, now: StoredSnapshot) -> tuple[Sequence[UnappliedEdits], int]:
    """What a person left unapplied, the newest first, and how many changes a form has of it."""
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
