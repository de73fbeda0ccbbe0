"""The rows of deliveries: takes due ones, and records their outcomes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.db.models.functions import Length

from ctxadmin.audit.queries import NamedObject
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from notifications.domain.retry_policy import LEASE, wait_after
from notifications.models import Delivery, Webhook
from notifications.sending.outcome import DeliveryOutcome

KEPT_FOR: Final = timedelta(days=30)
_PAGE: Final = 200
_LOOKED_AT: Final = 4  # times as many rows as are wanted, to find some of other targets


def webhook_names(workspace: int, ids: Collection[str]) -> Mapping[str, str]:
    """Returns the names of a workspace's webhooks by id."""
    rows = Webhook.objects.filter(workspace=workspace, public_id__in=ids)
    return dict(rows.values_list("public_id", "name"))


def webhooks_named(workspace: int, beginning: str, most: int) -> Sequence[NamedObject]:
    """Returns the webhooks whose names begin with a text."""
    rows = Webhook.objects.filter(workspace=workspace, name__istartswith=beginning)
    found = rows.order_by(Length("name"), "public_id").values_list("public_id", "name")
    return [NamedObject("webhook", public_id, name) for public_id, name in found[:most]]


def take_due(now: datetime, count: int, busy: Collection[str], most: int) -> Iterator[Delivery]:
    """Takes at most ``count`` due deliveries, ``most`` of one target, none of the busy ones.

    Taking one moves its time forward by the lease, on the condition that nobody did so before. So
    two senders never have it, on any database, and one whose sender died is due again. An attempt
    counts when it is taken; while it is being sent it has no problem.
    """
    paused = Webhook.objects.filter(paused=True).values_list("public_id", flat=True)
    held = {*busy, *paused}
    rows = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now)
    taken: dict[str, int] = {}
    for row in rows.exclude(target__in=held).order_by("next_at")[: count * _LOOKED_AT]:
        if taken.get(row.target, 0) >= most or not lease_delivery(row, now):
            continue
        taken[row.target] = taken.get(row.target, 0) + 1
        yield row
        if sum(taken.values()) == count:
            return


def lease_delivery(row: Delivery, now: datetime) -> bool:
    free = Delivery.objects.filter(
        stream=row.stream,
        id=row.id,
        state=Delivery.State.WAITING,
        attempts=row.attempts,
        next_at=row.next_at,
    )
    taken = {"attempts": row.attempts + 1, "next_at": now + LEASE, "problem": ""}
    if not free.update(**taken, answered=None, changed_at=now):
        return False
    row.attempts += 1
    return True


def note(row: Delivery, outcome: DeliveryOutcome, now: datetime, chance: float) -> None:
    """Records the outcome of an attempt.

    A success always counts, whoever sent it. A failure counts only for the present holder of the
    row: if the lease expired and another sender took it, that one's outcome decides.
    """
    own = Delivery.objects.filter(stream=row.stream, id=row.id)
    if outcome.problem is None:
        own.update(
            state=Delivery.State.SENT,
            next_at=None,
            answered=outcome.answered,
            problem="",
            changed_at=now,
        )
        return
    wait = None if outcome.final else wait_after(row.attempts, chance)
    own.filter(state=Delivery.State.WAITING, attempts=row.attempts).update(
        state=Delivery.State.DEAD if wait is None else Delivery.State.WAITING,
        next_at=None if wait is None else now + wait,
        answered=outcome.answered,
        problem=outcome.problem.value,
        changed_at=now,
    )


def send_again(
    workspace: int, target: str, delivery_id: str, now: datetime
) -> tuple[Delivery, bool]:
    """Makes a delivery due now, with all its earlier attempts; raises NotFound without it.

    Returns False for one that is being sent, or was never tried, and leaves it unchanged.
    """
    rows = Delivery.objects.filter(workspace=workspace, target=target, id=delivery_id)
    row = rows.first() if delivery_id.isascii() else None
    if row is None:
        raise NotFound(say("There is no such delivery."))
    own = Delivery.objects.filter(stream=row.stream, id=row.id)
    on_its_way = Q(state=Delivery.State.WAITING, problem="")
    again = own.exclude(on_its_way).update(
        state=Delivery.State.WAITING, attempts=0, next_at=now, problem="", changed_at=now
    )
    return own.get(), bool(again)


def old_deliveries(now: datetime, *, remove: bool) -> int:
    """Deletes deliveries that are too old for any use, or only counts them; returns how many."""
    rows = Delivery.objects.filter(changed_at__lt=now - KEPT_FOR)
    if not remove:
        return int(rows.count())
    count = 0
    while found := list(rows.values_list("stream", "id")[:_PAGE]):
        chosen = Q()
        for stream, name in found:
            chosen |= Q(stream=stream, id=name)
        # By their keys: a delete by time would lock what lies between in the index.
        count += Delivery.objects.filter(chosen).delete()[0]
    return count


def erase(conversation: int) -> None:
    """Deletes the deliveries of an erased conversation."""
    Delivery.objects.filter(stream=conversation).delete()
