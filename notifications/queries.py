"""Lists of webhooks and deliveries for those with the right to see them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import Q

from ctxadmin.accounts.models import User
from ctxadmin.http.endpoints.pagination import Page, PageRequest, foreign_cursor, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from notifications.models import Delivery, Webhook

_OVERLAP: Final = timedelta(seconds=30)
_LATEST: Final = timedelta(days=1)  # how late something may be told
_MOST_NEWS: Final = 5
_MOST_LOST: Final = 20


def list_webhooks(actor: Actor) -> Sequence[Webhook]:
    """Lists all of the workspace, by name; there are few."""
    actor.require(Action.WEBHOOK_MANAGE)
    return list(Webhook.objects.filter(workspace=actor.workspace).order_by("name", "public_id"))


def list_deliveries(hook: Webhook, asked: PageRequest, state: str = "") -> Page[Delivery]:
    """Lists the deliveries of a webhook, latest first."""
    rows = Delivery.objects.filter(target=hook.public_id)
    if state:
        rows = rows.filter(state=state)
    if asked.after:
        at, delivery = _after(asked.after)
        rows = rows.filter(Q(at__lt=at) | Q(at=at, id__lt=delivery))
    found = list(rows.order_by("-at", "-id")[: asked.limit + 1])
    return page_of(found, asked, lambda row: (round(row.at.timestamp() * 10**6), row.id))


def own_address(actor: Actor) -> str:
    """Returns the actor's mail address, "" for none."""
    if actor.kind != "person":
        return ""
    return User.objects.values_list("email", flat=True).get(pk=int(actor.id))


def _after(after: tuple[int | str, ...]) -> tuple[datetime, str]:
    match after:
        case (int() as at, str() as delivery) if abs(at) < 10**17 and delivery.isascii():
            return datetime.fromtimestamp(at / 10**6, UTC), delivery
    raise foreign_cursor()


def lost_mails(actor: Actor) -> Sequence[Delivery]:
    """Lists the mails to a person that were given up, latest first."""
    rows = Delivery.objects.filter(target=actor.id, workspace=actor.workspace, channel="mail")
    return list(rows.filter(state=Delivery.State.DEAD).order_by("-at")[:_MOST_LOST])


def news_of(actor: Actor, after: datetime) -> Sequence[Delivery]:
    """Lists the news for a person's browser since a moment, latest first.

    It overlaps a little with earlier news, which the caller recognizes by id, so that nothing
    another sender stored in the same moment is missed.
    """
    rows = Delivery.objects.filter(
        target=actor.id,
        channel="browser",
        workspace=actor.workspace,
        at__gte=after - _LATEST,
        changed_at__gte=after - _OVERLAP,
    )
    return list(rows.order_by("-at")[:_MOST_NEWS])
