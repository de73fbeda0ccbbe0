"""Where a person finds what was typed into executions of a conversation and not applied."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse

from checkpoints import pending_store
from checkpoints.domain.status import Status
from checkpoints.editing import drafts
from checkpoints.moments import Moment
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

_MOST_LEFT: Final = 3


@dataclass(frozen=True, slots=True)
class Left:
    """What the reader typed and did not apply, and no form shows now; ``former`` as in LostPage."""

    url: str
    former: int | None


def numbers(actor: Actor, now: Moment) -> Sequence[int]:
    """The executions before that of now into which a person typed what is not applied."""
    return [number for number in _until(actor, now) if now.row and number != now.row.number]


def left_by(actor: Actor, now: Moment) -> tuple[Sequence[Left], int]:
    """What a person left unapplied, the newest first, and how many changes a form has of it."""
    row = now.row
    if row is None or not actor.may(Action.SNAPSHOT_UPDATE):
        return (), 0
    found, count = _until(actor, now), 0
    if now.status is Status.PAUSED and row.number in found:
        found.remove(row.number)
        count = drafts.find(actor, row, now.version).count
    url = reverse("checkpoints:edit", args=[now.head.public_id])
    left = [Left(f"{url}?former={each}", each) for each in found if each != row.number]
    here = [Left(url, None)] if row.number in found else []
    return [*here, *left][:_MOST_LEFT], count


def _until(actor: Actor, now: Moment) -> list[int]:
    if now.row is None:
        return []
    return pending_store.executions_until(drafts.place_of(actor, now.row))
