"""Two secrets while one is renewed, and webhooks whose receiver is gone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from notifications.domain.kinds import Kind
from notifications.domain.signing import signature
from notifications.models import Webhook
from notifications.services import webhooks
from notifications.signing_keys import secret_of
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.notifications.conftest import person_of, send_all, subscribe
from tests.integration.notifications.receiver import Got, Receiver

pytestmark = pytest.mark.django_db(transaction=True)


def signed_with(got: Got, secret: str | None) -> bool:
    assert secret is not None
    at = datetime.fromtimestamp(int(got.headers["webhook-timestamp"]), UTC)
    return signature(secret, got.id, at, got.body) in got.headers["webhook-signature"].split()


def told(receiver: Receiver) -> Got:
    Run.start().pause_now()
    send_all()
    return receiver.got[-1]


def page_of(client: Client, hook: Webhook) -> str:
    return str(client.get(f"/settings/webhooks/{hook.public_id}/").content.decode())


def test_the_former_secret_signs_for_a_day(
    receiver: Receiver, later: Callable[[timedelta], None]
) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    former = secret_of(hook)
    new = webhooks.renew_secret(dora, hook.public_id).secret
    got = told(receiver)
    assert signed_with(got, former)
    assert signed_with(got, new)
    later(timedelta(hours=24, seconds=1))
    got = told(receiver)
    assert not signed_with(got, former)
    assert signed_with(got, new)


def test_the_former_secret_is_reported_and_ended_on_the_page(receiver: Receiver) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    former = secret_of(hook)
    designer = signed_in(Role.DESIGNER)
    assert "Expire the former secret now" not in page_of(designer, hook)
    webhooks.renew_secret(dora, hook.public_id)
    assert "Expire the former secret now" in page_of(designer, hook)
    designer.post(f"/settings/webhooks/{hook.public_id}/act/", {"do": "end-former"})
    assert "Expire the former secret now" not in page_of(designer, hook)
    assert not signed_with(told(receiver), former)


def test_ending_what_has_ended_changes_nothing(receiver: Receiver) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    before = AuditEntry.objects.count()
    assert webhooks.end_former_secret(dora, hook.public_id).version == hook.version
    assert AuditEntry.objects.count() == before


def test_a_receiver_that_is_gone_pauses_its_webhook_and_someone_lets_it_continue(
    receiver: Receiver,
) -> None:
    hook = subscribe(receiver, Kind.PAUSED)
    receiver.status = 410
    told(receiver)
    count = len(receiver.got)
    hook.refresh_from_db()
    assert hook.paused
    Run.start().pause_now()
    send_all()
    assert len(receiver.got) == count
    designer = signed_in(Role.DESIGNER)
    assert "The receiver answered 410 Gone" in page_of(designer, hook)
    receiver.status = 200
    designer.post(f"/settings/webhooks/{hook.public_id}/act/", {"do": "go-on"})
    assert "The receiver answered 410 Gone" not in page_of(designer, hook)
    send_all()
    assert len(receiver.got) == count + 1


def test_that_it_paused_by_itself_is_on_record_once(receiver: Receiver) -> None:
    hook = subscribe(receiver, Kind.PAUSED)
    receiver.status = 410
    for _each in range(2):
        Run.start().pause_now()
    send_all()
    entries = AuditEntry.objects.filter(object_id=hook.public_id)
    [entry] = [each for each in entries if b"410" in bytes(each.detail)]
    assert (entry.actor_kind, entry.actor_id) == ("system", "deliver")
