"""The sessions of one person: listing them, and ending some of them from another."""

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
from ctxadmin.audit.record import Change
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session by the digest of its key, with what it was last used from.

    ``browser`` and ``system`` are "" where the browser did not say.
    """

    id: str
    signed_in_at: datetime | None
    last_used_at: datetime
    address: str
    browser: str
    system: str


def list_sessions(actor: Actor) -> Sequence[OwnSession]:
    """Those of the actor that open something now, last used first."""
    user = User.objects.get(pk=int(actor.id))
    holding = {user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()}
    rows = active_sessions().filter(user=user).order_by("-last_used_at")
    return [_own(row) for row in rows if row.get_decoded().get(HASH_SESSION_KEY) in holding]


@transaction.atomic
def end_session(actor: Actor, session: str) -> bool:
    """Sign one browser of the actor out; its open pages hear of it. False if it was already."""
    row = _rows(actor).filter(session_key=session).first() if session.isascii() else None
    if row is None:
        return False
    _end(actor, [row], address=row.address, browser=row.browser, system=row.system)
    return True


@transaction.atomic
def end_other_sessions(actor: Actor, session: str) -> int:
    """Sign the actor out of every browser but the one of this session; of how many."""
    rows = list(_rows(actor).exclude(session_key=session))
    if rows:
        _end(actor, rows)
    return len(rows)


def _rows(actor: Actor) -> QuerySet[BrowserSession]:
    """Those of the actor, locked: two who end one at once put it on record once."""
    return BrowserSession.objects.select_for_update().filter(user=int(actor.id))


def _end(actor: Actor, rows: Sequence[BrowserSession], **detail: str) -> None:
    ended = [row.session_key for row in rows]
    BrowserSession.objects.filter(session_key__in=ended).delete()
    told = {"sessions": len(rows), **detail}
    record_access(actor, Change(Action.SESSION_END, "person", actor.name, detail=told))
    for session in ended:
        rights_changed("session", session)


def _own(row: BrowserSession) -> OwnSession:
    return OwnSession(
        id=row.session_key,
        signed_in_at=row.signed_in_at,
        last_used_at=row.last_used_at,
        address=row.address,
        browser=row.browser,
        system=row.system,
    )
