"""The sessions of one person: lists them, and ends some of them from another."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import HASH_SESSION_KEY
from django.db import transaction
from django.db.models import QuerySet

from ctxadmin.accounts.access_log import record_access
from ctxadmin.accounts.models import BrowserSession, User
from ctxadmin.accounts.rights_changes import rights_changed
from ctxadmin.accounts.sessions import active_sessions
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session by the digest of its key, with the data of its last use.

    ``browser`` and ``system`` are "" if unknown.
    """

    id: str
    signed_in_at: datetime | None
    last_used_at: datetime
    address: str
    browser: str
    system: str


def list_sessions(actor: Actor) -> Sequence[OwnSession]:
    """Lists the actor's valid sessions, last used first."""
    user = User.objects.get(pk=int(actor.id))
    holding = {user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()}
    rows = active_sessions().filter(user=user).order_by("-last_used_at")
    return [_session_of(row) for row in rows if row.get_decoded().get(HASH_SESSION_KEY) in holding]


@transaction.atomic
def end_session(actor: Actor, session: str) -> bool:
    """Ends a session of the actor and notifies its open pages; returns False if it had ended."""
    row = _rows(actor).filter(session_key=session).first() if session.isascii() else None
    if row is None:
        return False
    _end(actor, [row], address=row.address, browser=row.browser, system=row.system)
    return True


@transaction.atomic
def end_other_sessions(actor: Actor, session: str) -> int:
    """Ends all sessions of the actor except this one; returns how many."""
    rows = list(_rows(actor).exclude(session_key=session))
    if rows:
        _end(actor, rows)
    return len(rows)


def _rows(actor: Actor) -> QuerySet[BrowserSession]:
    """Returns the actor's sessions, locked, so that an end is recorded only once."""
    return BrowserSession.objects.select_for_update().filter(user=int(actor.id))


def _end(actor: Actor, rows: Sequence[BrowserSession], **detail: str) -> None:
    ended = [row.session_key for row in rows]
    BrowserSession.objects.filter(session_key__in=ended).delete()
    audit_detail = {"sessions": len(rows), **detail}
    record_access(actor, AuditChange(Action.SESSION_END, "person", actor.name, detail=audit_detail))
    for session in ended:
        rights_changed("session", session)


def _session_of(row: BrowserSession) -> OwnSession:
    return OwnSession(
        id=row.session_key,
        signed_in_at=row.signed_in_at,
        last_used_at=row.last_used_at,
        address=row.address,
        browser=row.browser,
        system=row.system,
    )
