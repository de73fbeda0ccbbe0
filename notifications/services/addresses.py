"""The mail address of a person, typed in and confirmed by a code that is sent there."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from ctxadmin.accounts.models import User
from ctxadmin.accounts.services import set_own_address
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Forbidden, InvalidState, Unavailable, ValidationFailed
from ctxadmin.lib.ids import new_public_id
from notifications import letters
from notifications.models import AddressCode
from notifications.sending import mail

HOLDS_FOR: Final = timedelta(hours=1)
MOST_SENT: Final = 5  # codes in an hour: nobody is to be flooded by somebody else's typing
MOST_TRIES: Final = 5
_LONGEST: Final = 254
_SIGNS: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # none that is taken for another
_LENGTH: Final = 8
_SALT: Final = "notifications.address"


@dataclass(frozen=True, slots=True)
class Address:
    """Where mail to a person goes, and the address that waits for its code."""

    address: str
    waiting: str = ""
    sent_at: datetime | None = None


def address_of(actor: Actor) -> Address:
    """What is known of the address of who asks."""
    address = User.objects.values_list("email", flat=True).get(pk=int(actor.id))
    row = _waiting(actor)
    return Address(address) if row is None else Address(address, row.address, row.sent_at)


def ask(actor: Actor, address: str, url: str) -> None:
    """Send a code to an address; nothing else is sent there before the code comes back.

    ``url`` is where people reach the server.

    ValidationFailed for what is no address, InvalidState after too many codes or without a mail
    server, Unavailable if that does not take the mail.
    """
    _require_person(actor)
    if not settings.MAIL:
        raise InvalidState(_("This server does not send email."), status="no mail")
    try:
        validate_email(address)
    except ValidationError:
        address = ""
    if not address or len(address) > _LONGEST:
        raise ValidationFailed.at(
            "/address", _("Enter an email address, for example anna@example.org.")
        )
    code = "".join(secrets.choice(_SIGNS) for _each in range(_LENGTH))
    _remember(actor, address, code)
    host = urlsplit(url).hostname or "localhost"
    letter = mail.Letter(
        new_public_id("code"), address, letters.CODE_SUBJECT, letters.code_text(code, url), host
    )
    if mail.send(letter).problem is not None:
        cancel(actor)
        raise Unavailable(_("The mail server refused the message. Try again later."))


def confirm(actor: Actor, code: str) -> None:
    """Take an address whose code was typed in; it is of no use a second time."""
    _require_person(actor)
    row = _waiting(actor)
    if row is None:
        raise InvalidState(_("This code has expired. Request a new one."), status="none")
    own = AddressCode.objects.filter(user=row.user_id, digest=row.digest, tries__lt=MOST_TRIES)
    typed = "".join(code.split()).upper().replace("-", "")
    if not constant_time_compare(_digest(actor, typed), row.digest):
        own.update(tries=F("tries") + 1)
        raise ValidationFailed.at("/code", _("Incorrect code."))
    with transaction.atomic():
        if not own.update(digest=""):
            raise InvalidState(_("This code has already been used."), status="none")
        set_own_address(actor, row.address)


def remove(actor: Actor) -> None:
    """Have mail go nowhere, and forget an address that waits for its code."""
    _require_person(actor)
    AddressCode.objects.filter(user=int(actor.id)).update(digest="")
    if address_of(actor).address:
        set_own_address(actor, "")


def cancel(actor: Actor) -> None:
    """Wait for no code any more."""
    _require_person(actor)
    AddressCode.objects.filter(user=int(actor.id)).update(digest="")


def _remember(actor: Actor, address: str, code: str) -> None:
    now = clock.now()
    fields = {"address": address, "digest": _digest(actor, code), "sent_at": now, "tries": 0}
    with transaction.atomic():
        row, made = AddressCode.objects.get_or_create(
            user_id=int(actor.id), defaults={**fields, "since": now}
        )
        if made:
            return
        own = AddressCode.objects.filter(user=row.user_id, sent_at=row.sent_at, sent=row.sent)
        if row.since < now - HOLDS_FOR:
            moved = own.update(**fields, sent=1, since=now)
        else:
            moved = own.filter(sent__lt=MOST_SENT).update(**fields, sent=F("sent") + 1)
    if not moved:
        raise InvalidState(_("Too many codes were sent; try again in an hour."), status="too many")


def _waiting(actor: Actor) -> AddressCode | None:
    if actor.kind != "person":
        return None
    return (
        AddressCode.objects.filter(
            user=int(actor.id), sent_at__gt=clock.now() - HOLDS_FOR, tries__lt=MOST_TRIES
        )
        .exclude(digest="")
        .first()
    )


def _digest(actor: Actor, code: str) -> str:
    return salted_hmac(_SALT, f"{actor.id}:{code}", algorithm="sha256").hexdigest()


def _require_person(actor: Actor) -> None:
    actor.require(Action.NOTIFICATION_CHOOSE)
    if actor.kind != "person":
        raise Forbidden("Only people have a mail address here.")
