"""Ids: the pattern of those that callers choose, and the making of our own."""

import re
import secrets
import threading
import time
from typing import Final

PATTERN: Final = r"[A-Za-z0-9_-]{1,64}"
# As JSON Schema has it: a whole text, and with the reserved words left out.
SCHEMA: Final = {"type": "string", "pattern": f"^{PATTERN}$"}
FREE_SCHEMA: Final = {"type": "string", "pattern": f"^(?!(?:import|diff)$){PATTERN}$"}
# Of something that is there: another text is found wrong when it is looked up.
NAME_SCHEMA: Final = {"type": "string", "maxLength": 64}
_PUBLIC_ID: Final = re.compile(PATTERN)
_RESERVED: Final = frozenset({"import", "diff"})
_EPOCH_MS: Final = 1_704_067_200_000  # 2024-01-01T00:00:00Z
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32


def is_public_id(text: str) -> bool:
    """True if ``text`` has the form of an id that a caller may choose (rest.md, "JSON")."""
    return _PUBLIC_ID.fullmatch(text) is not None


def is_reserved(text: str) -> bool:
    """True for ids that are words of the paths: ``import`` and ``diff``."""
    return text in _RESERVED


_key_lock = threading.Lock()
_last_key = 0


def new_key() -> int:
    """A new key of a row: 63 bits, rising with time, 22 of them random.

    Made by the application, so that a conversation's shard need not be asked for one. In one
    process every key is greater than the one before, also when the clock goes back: by chance
    alone an import of 2,000 rows a second would meet a key twice within the hour.
    """
    global _last_key
    milliseconds = time.time_ns() // 1_000_000 - _EPOCH_MS
    key = (milliseconds << 22) | secrets.randbits(22)
    with _key_lock:
        _last_key = max(key, _last_key + 1)
        return _last_key


def new_public_id(prefix: str) -> str:
    """A new id for a thing whose caller chose none: ``prefix_`` and 16 random characters."""
    return f"{prefix}_" + "".join(secrets.choice(_ALPHABET) for _ in range(16))
