"""The keys of the audit's chains, which the database does not hold."""

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
    """A key with the name that entries have it by, which says nothing about it."""

    name: str
    secret: bytes = field(repr=False)

    def hash_of(self, data: bytes) -> str:
        """HMAC-SHA256 in hex."""
        return hmac.digest(self.secret, data, "sha256").hex()


@lru_cache(maxsize=16)
def derived(secret: str) -> AuditKey:
    """The key that is made of a setting; the setting itself signs other things."""
    key = hmac.digest(secret.encode(), _PURPOSE, "sha256")
    return AuditKey(hashlib.sha256(key).hexdigest()[:8], key)


def current_key() -> AuditKey:
    """The key of new entries: of CTXADMIN_AUDIT_KEY, else of the secret key."""
    return derived(settings.AUDIT_KEY or settings.SECRET_KEY)


def known_keys() -> Mapping[str, AuditKey]:
    """All keys by which entries may be verified, by name."""
    given = [settings.AUDIT_KEY] if settings.AUDIT_KEY else []
    secrets = [
        *given,
        *settings.AUDIT_KEY_FALLBACKS,
        settings.SECRET_KEY,
        *settings.SECRET_KEY_FALLBACKS,
    ]
    return {key.name: key for key in map(derived, secrets)}
