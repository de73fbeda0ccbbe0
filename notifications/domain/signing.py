"""Signatures of webhooks by Standard Webhooks, and secrets that are not stored.

A secret is derived from the server's key and a random number in the webhook's row: so it can be
shown once, can sign at any time, and is not in the database or a backup of it.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from secrets import token_hex
from typing import Final

_PREFIX: Final = "whsec_"
_PURPOSE: Final = b"ctxadmin webhook secret"
_NAMING: Final = b"ctxadmin name of a key"


def new_nonce() -> str:
    """Returns the random number of a new secret."""
    return token_hex(32)


def name_of(key: str) -> str:
    """Returns a name that identifies a server's key without revealing it."""
    return hmac.new(key.encode(), _NAMING, sha256).hexdigest()[:16]


def derive_secret(key: str, webhook: str, nonce: str) -> str:
    """Returns the secret of a webhook: ``whsec_`` and 32 bytes in base64."""
    text = b"\0".join((_PURPOSE, webhook.encode(), nonce.encode()))
    return _PREFIX + b64encode(hmac.new(key.encode(), text, sha256).digest()).decode()


def signature(secret: str, delivery: str, at: datetime, body: bytes) -> str:
    """Returns the value of ``webhook-signature`` for a body that is sent at a time."""
    key = b64decode(secret.removeprefix(_PREFIX))
    signed = b".".join((delivery.encode(), str(int(at.timestamp())).encode(), body))
    return "v1," + b64encode(hmac.new(key, signed, sha256).digest()).decode()


def headers(secrets: Sequence[str], delivery: str, at: datetime, body: bytes) -> dict[str, str]:
    """Returns the headers of a delivery with a body that is signed with each of the secrets."""
    return {
        "webhook-id": delivery,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signature(each, delivery, at, body) for each in secrets),
    }
