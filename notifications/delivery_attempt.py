"""Prepares a claimed delivery: checks its recipient's rights, and builds what is sent.

The database is queried here and not where it is sent: a job is a function that needs nothing more.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias
from urllib.parse import urlsplit

from django.conf import settings

from ctxadmin.accounts.models import User
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from notifications import payloads
from notifications.domain import signing
from notifications.domain.addresses import read_address
from notifications.models import Choice, Delivery, Webhook
from notifications.recipient_access import owner_may, scopes_of_person
from notifications.sending import http, mail
from notifications.sending.outcome import DeliveryOutcome, Problem
from notifications.signing_keys import former_secret_of, secret_of

Job: TypeAlias = Callable[[], DeliveryOutcome]


def prepare_attempt(row: Delivery, url: str = "") -> Job:
    """Returns the job that sends a delivery, or the reason why nothing is sent."""
    refused = partial(DeliveryOutcome, final=True)
    if row.channel == "webhook":
        return _webhook(row, url, refused)
    return _mail(row, url, refused)


def _webhook(row: Delivery, url: str, refused: Callable[[Problem], DeliveryOutcome]) -> Job:
    hook = Webhook.objects.filter(public_id=row.target).first()
    if hook is None:
        return partial(refused, Problem.UNWANTED)
    if not owner_may(hook.owner_kind, hook.owner_id, row.workspace, Action.WEBHOOK_MANAGE):
        return partial(refused, Problem.RIGHTS)
    secret = secret_of(hook)
    if secret is None:
        return partial(refused, Problem.SECRET)
    former = former_secret_of(hook)
    signing_with = [secret, former] if former else [secret]
    body = payloads.body_of(row, url)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ctxadmin",
        **signing.headers(signing_with, row.id, clock.now(), body),
    }
    return partial(http.post, read_address(hook.url), body, headers, settings.WEBHOOK_NETWORKS)


def _mail(row: Delivery, url: str, refused: Callable[[Problem], DeliveryOutcome]) -> Job:
    user = User.objects.filter(pk=int(row.target)).first()
    wanted = Choice.objects.filter(
        workspace=row.workspace, user=int(row.target), kind=row.kind, mail_since__isnull=False
    )
    if user is None or not user.email or not settings.MAIL or not wanted.exists():
        return partial(refused, Problem.UNWANTED)
    if scopes_of_person(row.target, row.workspace) is None:
        return partial(refused, Problem.RIGHTS)
    host = urlsplit(url or settings.PUBLIC_URL).hostname or "localhost"
    letter = mail.Email(
        row.id, user.email, payloads.subject_of(row), payloads.text_of(row, url), host
    )
    return partial(mail.send, letter)
