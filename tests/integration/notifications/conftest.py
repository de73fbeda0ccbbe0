"""Fixtures of tests of notifications: a recipient, and a clock that can be set."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Any

import pytest

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import ROLE_SCOPES, Role
from ctxadmin.lib import clock
from notifications.domain.commands import CreateWebhook
from notifications.domain.kinds import OF_WEBHOOKS, Kind
from notifications.models import Webhook
from notifications.services import webhooks
from notifications.worker import Sender
from tests.factories import member
from tests.factories import workspace as workspace_of
from tests.integration.notifications.receiver import Receiver


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """Loopback is where no webhook may go, unless the operator says so."""
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    settings.PUBLIC_URL = "https://ctx.example.org"
    with Receiver() as made:
        yield made


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Moves the clock on."""
    real, shift = clock.now, timedelta()

    def now() -> datetime:
        return real() + shift

    def move(by: timedelta) -> None:
        nonlocal shift
        shift += by

    monkeypatch.setattr(clock, "now", now)
    return move


def person_of(name: str, role: Role = Role.DESIGNER, slug: str = "default") -> Actor:
    """An actor of someone who really is a member."""
    user = member(name, role, slug)
    return Actor("person", str(user.pk), name, workspace_of(slug).key, ROLE_SCOPES[role])


def subscribe(receiver: Receiver, *kinds: Kind, actor: Actor | None = None, **more: Any) -> Webhook:
    """A webhook of a designer that leads to the receiver."""
    chosen: Any = [kind.value for kind in kinds or OF_WEBHOOKS]
    wanted = CreateWebhook(name="mine", url=receiver.url, kinds=chosen, **more)
    return webhooks.create(actor or person_of("dora"), wanted).webhook


def send_all() -> None:
    """All that is due now, as one run of the command does it."""
    with Sender() as sender:
        while sender.run_round() or sender.is_busy:
            sender.wait(60)
