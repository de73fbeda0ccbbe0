"""The keys of the audit's chains, which are not in the database."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from django.conf import settings

_PURPOSE: Final = b"ctxadmin audit chain"


@dataclass(frozen=True, slots=True)
class AuditKey:
    """A key with its name in entries, which reveals nothing about it."""

    name: str
    secret: bytes = field(repr=False)

    def hash_of(self, data: bytes) -> str:
        """Returns HMAC-SHA256 in hex."""
        return hmac.digest(self.secret, data, "sha256").hex()


@lru_cache(maxsize=16)
def derive(secret: str) -> AuditKey:
    """Returns the key derived from a setting, because the setting itself signs other things."""
    key = hmac.digest(secret.encode(), _PURPOSE, "sha256")
    return AuditKey(hashlib.sha256(key).hexdigest()[:8], key)


def current_key() -> AuditKey:
    """Returns the key of new entries: of CTXADMIN_AUDIT_KEY, else of the secret key."""
    return derive(settings.AUDIT_KEY or settings.SECRET_KEY)


def known_keys() -> Mapping[str, AuditKey]:
    """Returns all keys that can verify entries, by name."""
    given = [settings.AUDIT_KEY] if settings.AUDIT_KEY else []
    secrets = [
        *given,
        *settings.AUDIT_KEY_FALLBACKS,
        settings.SECRET_KEY,
        *settings.SECRET_KEY_FALLBACKS,
    ]
    return {key.name: key for key in map(derive, secrets)}
