"""Browser sessions in the database, by the digest of their key.

The key is in the browser's cookie and opens the session. The database and its backups have only its
digest.

A session ends at a fixed time after the sign-in, and earlier when unused for
``SESSION_IDLE_HOURS``. A use calls ``touch``; loading or saving it is no use.
"""

import hashlib
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.db import OperationalError
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from ctxadmin.accounts.browsers import browser_of
from ctxadmin.accounts.models import BrowserSession, User
from ctxadmin.lib import clock

# A column that fits 160 bits, as many as a key has.
_LENGTH: Final = 40
_SIGNED_IN_AT: Final = "signed_in_at"
_TOUCHED_EVERY: Final = timedelta(minutes=1)


def stored_key(key: str) -> str:
    """Returns the primary key of a session's row."""
    return hashlib.sha256(key.encode()).hexdigest()[:_LENGTH]


def active_sessions() -> QuerySet[BrowserSession]:
    """Returns valid sessions; a changed password since the sign-in ends them, too."""
    return BrowserSession.objects.exclude(_ended_by_time())


def ended_sessions() -> QuerySet[BrowserSession]:
    """Returns expired sessions, whose rows can be deleted."""
    return BrowserSession.objects.filter(_ended_by_time())


def _ended_by_time() -> Q:
    now = clock.now()
    ended = Q(expire_date__lte=now)
    hours = settings.SESSION_IDLE_HOURS
    return ended | Q(last_used_at__lte=now - timedelta(hours=hours)) if hours else ended


def set_session_end(sender: object, request: HttpRequest, user: User, **_: Any) -> None:
    """Sets the fixed end of the session."""
    now = clock.now()
    request.session[_SIGNED_IN_AT] = clock.iso(now)
    request.session.set_expiry(now + timedelta(seconds=settings.SESSION_COOKIE_AGE))


class SessionStore(db.SessionStore):
    """Django's session store, with its own key, end, and data for its owner.

    ``address`` and ``user_agent`` are those of its request; ``counts_uses`` is False if that
    request is no use of it.
    """

    key_salt = "ctxadmin.accounts.sessions"  # what signs the data of all that read them

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key)
        self.address = ""
        self.user_agent = ""
        self.counts_uses = True
        self._last_used_at: datetime | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def touch(self) -> None:
        """Records a use of the loaded session, about once a minute."""
        now = clock.now()
        if self._last_used_at is None or now - self._last_used_at < _TOUCHED_EVERY:
            return
        row = BrowserSession.objects.filter(session_key=stored_key(self.session_key or ""))
        with suppress(OperationalError):  # a database that only reads still answers reads
            row.update(last_used_at=now, **self._origin())

    def _origin(self) -> dict[str, str]:
        browser, system = browser_of(self.user_agent)
        return {"address": self.address, "browser": browser, "system": system}

    def _get_session_from_db(self) -> BrowserSession | None:
        key = self.session_key
        row = active_sessions().filter(session_key=stored_key(key)).first() if key else None
        if row is None:
            self._session_key = None
        else:
            self._last_used_at = row.last_used_at
        return row

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        key: str = self._get_or_create_session_key()  # type: ignore[attr-defined]
        return BrowserSession(
            session_key=stored_key(key),
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
            signed_in_at=data.get(_SIGNED_IN_AT),
            last_used_at=clock.now(),
            **self._origin(),
        )

    def exists(self, session_key: str) -> bool:
        return super().exists(stored_key(session_key))

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key:
            super().delete(stored_key(key))

    @classmethod
    def clear_expired(cls) -> None:
        ended_sessions().delete()

    async def _aget_session_from_db(self) -> BrowserSession | None:
        return await sync_to_async(self._get_session_from_db)()

    async def acreate_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        return await sync_to_async(self.create_model_instance)(data)

    async def aexists(self, session_key: str) -> bool:
        return await sync_to_async(self.exists)(session_key)

    async def adelete(self, session_key: str | None = None) -> None:
        await sync_to_async(self.delete)(session_key)

    @classmethod
    async def aclear_expired(cls) -> None:
        await sync_to_async(cls.clear_expired)()


class SessionGlance(SessionStore):
    """A read-only session, opened without its browser, which could not receive a new key."""

    def cycle_key(self) -> None:
        """Keeps the key; the next page that the browser opens gets a new one."""
