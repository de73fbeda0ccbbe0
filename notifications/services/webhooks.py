"""Creates, changes, tests and removes webhooks, and sends deliveries again; all audited."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F

from ctxadmin.accounts.services import record_change, system_actor
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import InvalidState, NotFound, ValidationFailed, VersionConflict
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.sentence import say
from notifications.domain.addresses import is_allowed, read_address
from notifications.domain.commands import ChangeWebhook, CreateWebhook
from notifications.domain.kinds import TEST
from notifications.domain.signing import name_of, new_nonce
from notifications.models import Delivery, Webhook
from notifications.sending.host_lookup import look_up_with_timeout
from notifications.signing_keys import former_signs_until, secret_of
from notifications.store import send_again

FORMER_SIGNS: Final = timedelta(hours=24)
MOST: Final = 50  # of a workspace: each event is compared with each of them


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A webhook whose secret is shown now and never again."""

    webhook: Webhook
    secret: str


def create(actor: Actor, wanted: CreateWebhook) -> NewSecret:
    """Creates a webhook; it gets events from now on."""
    actor.require(Action.WEBHOOK_MANAGE)
    _require_reachable(wanted.url)  # before the transaction: a name server may take its time
    return _create(actor, wanted)


@transaction.atomic
def _create(actor: Actor, wanted: CreateWebhook) -> NewSecret:
    if Webhook.objects.filter(workspace=actor.workspace).count() >= MOST:
        raise InvalidState(say("A workspace has at most {n} webhooks.", n=MOST), status="full")
    hook = Webhook(
        public_id=new_public_id("hook"),
        workspace_id=actor.workspace,
        name=wanted.name,
        url=wanted.url,
        kinds=_kinds(wanted.kinds),
        workflow=wanted.workflow or "",
        nonce=new_nonce(),
        key_name=name_of(settings.SECRET_KEY),
        owner_kind=actor.kind,
        owner_id=actor.id,
        owner=actor.label,
        since=clock.now(),
    )
    hook.save(force_insert=True)
    _record(actor, hook, "created")
    return NewSecret(hook, _secret(hook))


def change(actor: Actor, public_id: str, wanted: ChangeWebhook) -> Webhook:
    """Changes a webhook; the actor becomes responsible for what is sent from then on.

    Raises VersionConflict if someone else changed it since it was shown.
    """
    hook = find(actor, public_id)
    if wanted.url is not None:
        _require_reachable(wanted.url)
    return _change(actor, hook, wanted)


@transaction.atomic
def _change(actor: Actor, hook: Webhook, wanted: ChangeWebhook) -> Webhook:
    fields: dict[str, object] = {
        name: getattr(wanted, name)
        for name in ("name", "url", "workflow", "paused")
        if getattr(wanted, name) is not None
    }
    if wanted.paused is not None:
        fields["gone_at"] = None
    if wanted.kinds is not None:
        fields["kinds"] = _kinds(wanted.kinds)
    seen = hook.version if wanted.expected_version is None else wanted.expected_version
    _set(
        hook,
        seen,
        fields | {"owner_kind": actor.kind, "owner_id": actor.id, "owner": actor.label},
    )
    _record(actor, hook, ", ".join(sorted(fields.keys() - {"gone_at"})) or "owner")
    return hook


@transaction.atomic
def renew_secret(actor: Actor, public_id: str) -> NewSecret:
    """Creates a new secret, which signs at once; the former one also signs for a day."""
    hook = find(actor, public_id)
    former: dict[str, object] = {
        "former_nonce": hook.nonce,
        "former_key_name": hook.key_name,
        "former_until": clock.now() + FORMER_SIGNS,
    }
    key_name = name_of(settings.SECRET_KEY)
    _set(hook, hook.version, {"nonce": new_nonce(), "key_name": key_name, **former})
    _record(actor, hook, "secret")
    return NewSecret(hook, _secret(hook))


@transaction.atomic
def end_former_secret(actor: Actor, public_id: str) -> Webhook:
    """Drops the former secret of a webhook."""
    hook = find(actor, public_id)
    if former_signs_until(hook) is not None:
        former: dict[str, object] = {
            "former_nonce": "",
            "former_key_name": "",
            "former_until": None,
        }
        _set(hook, hook.version, former)
        _record(actor, hook, "former secret ended")
    return hook


@transaction.atomic
def pause_after_gone(public_id: str) -> None:
    """Pauses a webhook whose receiver answered that it is gone (410)."""
    rows = Webhook.objects.filter(public_id=public_id, paused=False).select_related("workspace")
    hook = rows.first()
    if hook is None:
        return
    _set(hook, hook.version, {"paused": True, "gone_at": clock.now()})
    _record(system_actor(hook.workspace, "deliver"), hook, "paused", answered=410)


@transaction.atomic
def remove(actor: Actor, public_id: str, expected: int | None = None) -> None:
    """Removes a webhook; its waiting deliveries are given up when they are due.

    Raises VersionConflict if someone else changed it since it was shown.
    """
    hook = find(actor, public_id)
    _set(hook, hook.version if expected is None else expected, {})
    _record(actor, hook, "removed")
    Webhook.objects.filter(public_id=hook.public_id).delete()


@transaction.atomic
def send_test(actor: Actor, public_id: str) -> Delivery:
    """Sends a test, which contains nothing but ids."""
    hook = find(actor, public_id)
    if hook.paused:
        raise InvalidState(say("This webhook is paused; nothing is sent."), status="paused")
    now = clock.now()
    row = Delivery(
        stream=actor.workspace,
        id=new_public_id("dlv"),
        workspace=actor.workspace,
        channel="webhook",
        target=hook.public_id,
        kind=TEST,
        at=now,
        next_at=now,
        changed_at=now,
    )
    row.save(force_insert=True)
    _record(actor, hook, "tested")
    return row


@transaction.atomic
def resend(actor: Actor, public_id: str, delivery_id: str) -> Delivery:
    """Sends a delivery again now, under its id, with all its earlier attempts.

    One that is being sent, or was never tried, is left unchanged.
    """
    hook = find(actor, public_id)
    row, again = send_again(actor.workspace, hook.public_id, delivery_id, clock.now())
    if again:
        _record(actor, hook, "sent again", delivery=row.id)
    return row


def find(actor: Actor, public_id: str) -> Webhook:
    """Returns a webhook of the actor's workspace, for those with the right to manage them."""
    actor.require(Action.WEBHOOK_MANAGE)
    rows = Webhook.objects.filter(workspace=actor.workspace, public_id=public_id)
    hook = rows.first() if public_id.isascii() else None
    if hook is None:
        raise NotFound(say("There is no such webhook."))
    return hook


def _set(hook: Webhook, seen: int, fields: dict[str, object]) -> None:
    rows = Webhook.objects.filter(public_id=hook.public_id, version=seen)
    if not rows.update(**fields, version=F("version") + 1):
        raise VersionConflict(say("This webhook has changed."), expected=seen, actual=hook.version)
    for name, value in fields.items():
        setattr(hook, name, value)
    hook.version = seen + 1


def _kinds(chosen: Iterable[str]) -> list[str]:
    return sorted(set(chosen))


def _require_reachable(url: str) -> None:
    """Refuses an address that resolves only to a private network.

    A name can resolve differently when something is sent: it is checked again then. An unknown or
    slow name may be known then.
    """
    found = look_up_with_timeout(read_address(url))
    if found and not any(is_allowed(each, settings.WEBHOOK_NETWORKS) for each in found):
        raise ValidationFailed.at(
            "/url",
            say(
                "this is an address of a private network; the operator can allow it with "
                "CTXADMIN_WEBHOOK_NETWORKS"
            ),
        )


def _secret(hook: Webhook) -> str:
    secret = secret_of(hook)
    if secret is None:
        raise InvalidState(say("The key of this server is not known."), status="secret")
    return secret


def _record(actor: Actor, hook: Webhook, what: str, **detail: object) -> None:
    # The url may hold what is nobody else's business.
    detail = {"what": what, "kinds": hook.kinds, "workflow": hook.workflow, **detail}
    record_change(
        actor, AuditChange(Action.WEBHOOK_MANAGE, "webhook", hook.public_id, detail=detail)
    )
