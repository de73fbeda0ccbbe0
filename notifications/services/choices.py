"""A person's notification preferences."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.db import transaction

from ctxadmin.accounts.services import record_change
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Forbidden
from ctxadmin.lib.sentence import say
from notifications.domain.kinds import PERSONAL, Kind
from notifications.models import Choice
from notifications.store import send_again


@dataclass(frozen=True, slots=True)
class PreferenceChoice:
    """The kinds that a person gets by mail and in the browser."""

    mail: Collection[Kind] = field(default_factory=tuple)
    browser: Collection[Kind] = field(default_factory=tuple)


def choices_of(actor: Actor) -> PreferenceChoice:
    """Returns a person's preferences; empty at first."""
    rows = _rows_of(actor)
    return PreferenceChoice(
        [kind for kind, row in rows.items() if row.mail_since is not None],
        [kind for kind, row in rows.items() if row.browser_since is not None],
    )


@transaction.atomic
def set_choices(actor: Actor, wanted: PreferenceChoice) -> None:
    """Sets the kinds from now on; kinds that were selected before keep their start."""
    actor.require(Action.NOTIFICATION_CHOOSE)
    if actor.kind != "person":
        raise Forbidden(say("Only people have notification settings; engines have webhooks."))
    rows, now = _rows_of(actor), clock.now()
    changed = False
    for kind in PERSONAL:
        row = rows.get(kind) or Choice(
            workspace_id=actor.workspace, user_id=int(actor.id), kind=kind.value
        )
        before = (row.mail_since, row.browser_since)
        row.mail_since = (row.mail_since or now) if kind in wanted.mail else None
        row.browser_since = (row.browser_since or now) if kind in wanted.browser else None
        if before != (row.mail_since, row.browser_since):
            changed = True
            row.save()
    if changed:
        detail = {"mail": sorted(wanted.mail), "browser": sorted(wanted.browser)}
        change = AuditChange(Action.NOTIFICATION_CHOOSE, "member", actor.id, detail=detail)
        record_change(actor, change)


@transaction.atomic
def resend_mail(actor: Actor, delivery_id: str) -> None:
    """Sends an undelivered mail of the actor again."""
    actor.require(Action.NOTIFICATION_CHOOSE)
    row, again = send_again(actor.workspace, actor.id, delivery_id, clock.now())
    if again:
        detail = {"what": "sent again", "delivery": row.id}
        record_change(
            actor, AuditChange(Action.NOTIFICATION_CHOOSE, "member", actor.id, detail=detail)
        )


def _rows_of(actor: Actor) -> Mapping[Kind, Choice]:
    if actor.kind != "person":
        return {}
    rows = Choice.objects.filter(workspace=actor.workspace, user=int(actor.id))
    return {Kind(row.kind): row for row in rows}
