"""Sign-ins, failures, sign-outs and exports, audited in streams of their own."""

import hashlib
import logging
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest

from ctxadmin.accounts.models import Membership, User
from ctxadmin.audit.models import AuditHead
from ctxadmin.audit.record import AuditChange, record
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

_log = logging.getLogger("ctxadmin.accounts")

NO_WORKSPACE: Final = 0
_LONGEST_NAME: Final = 150


@transaction.atomic
def record_access(actor: Actor, change: AuditChange) -> None:
    """Audits an access, which changes nothing, in the stream of the actor's own accesses.

    So nobody waits for the accesses of others, and no change waits for any.
    """
    stream = access_stream(actor)
    head, _ = AuditHead.objects.select_for_update().get_or_create(stream=stream)
    _, after = record(actor, change, stream=stream, seq=head.seq + 1, before=head.hash or None)
    AuditHead.objects.filter(stream=stream).update(seq=after.seq, hash=after.hash)


def access_stream(actor: Actor) -> int:
    """Returns the key of an actor's stream: 63 bits, as other keys have."""
    digest = hashlib.sha256(f"access:{actor.kind}:{actor.id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def record_sign_in(sender: object, request: HttpRequest | None, user: User, **_: Any) -> None:
    """Records a sign-in in a browser, but not a sign-in by code."""
    if request is not None and _address(request):
        _record_person(request, user, Action.SESSION_SIGN_IN)


def record_sign_out(
    sender: object, request: HttpRequest | None, user: User | None, **_: Any
) -> None:
    if request is not None and user is not None and _address(request):
        _record_person(request, user, Action.SESSION_SIGN_OUT)


def record_failed_sign_in(
    sender: object,
    credentials: dict[str, Any],
    request: HttpRequest | None = None,
    **_: Any,
) -> None:
    """Records a failure with name and address; while signing in is closed it is only logged.

    The name is recorded as it was typed: an operator has to know which account is guessed.
    """
    if request is None:
        return
    name = str(credentials.get("username") or "")[:_LONGEST_NAME]
    address = _address(request)
    closed = bool(getattr(request, "sign_in_closed", False))
    _log.warning(
        "sign-in failed", extra={"told": {"name": name, "address": address, "closed": closed}}
    )
    if closed:
        return
    actor = Actor(
        kind="system",
        id="sign-in",
        name="sign-in",
        workspace=NO_WORKSPACE,
        scopes=frozenset(),
        request_id=getattr(request, "request_id", ""),
        address=address,
    )
    record_access(actor, AuditChange(Action.SESSION_FAIL, "person", name))


def _record_person(request: HttpRequest, user: User, action: Action) -> None:
    memberships = Membership.objects.filter(user=user).order_by("workspace_id")
    actor = Actor(
        kind="person",
        id=str(user.pk),
        name=user.get_username(),
        workspace=memberships.values_list("workspace_id", flat=True).first() or NO_WORKSPACE,
        scopes=frozenset(),
        request_id=getattr(request, "request_id", ""),
        address=_address(request),
    )
    record_access(actor, AuditChange(action, "person", user.get_username()))


def _address(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))
