"""Sessions of browsers, kept in the database by the digest of their key.

The key is what a browser's cookie holds, and opens the session. Whoever reads the database or a
backup of it finds no key there: only what is made of one.
"""

import hashlib
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone

# Django's column holds 40 characters: 160 bits, as many as a key has.
_LENGTH: Final = 40


def stored_key(key: str) -> str:
    """The key of the row of a session."""
    return hashlib.sha256(key.encode()).hexdigest()[:_LENGTH]


class SessionStore(db.SessionStore):
    """Django's, but for the key of the row."""

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        key = self.session_key
        rows = self.model.objects.filter(
            session_key=stored_key(key or ""), expire_date__gt=timezone.now()
        )
        row: AbstractBaseSession | None = rows.first() if key else None
        if row is None:
            self._session_key = None
        return row

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        row: AbstractBaseSession = super().create_model_instance(data)
        row.session_key = stored_key(row.session_key)
        return row

    def exists(self, session_key: str) -> bool:
        return super().exists(stored_key(session_key))

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key:
            super().delete(stored_key(key))

    async def _aget_session_from_db(self) -> AbstractBaseSession | None:
        return await sync_to_async(self._get_session_from_db)()

    async def acreate_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        return await sync_to_async(self.create_model_instance)(data)

    async def aexists(self, session_key: str) -> bool:
        return await sync_to_async(self.exists)(session_key)

    async def adelete(self, session_key: str | None = None) -> None:
        await sync_to_async(self.delete)(session_key)
