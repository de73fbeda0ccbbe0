"""Ids of indexed texts, which rise with the times of the texts."""

import secrets
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

# 41 bits of milliseconds since 2000, until 2069, and 22 bits that tell the texts of one apart.
_SINCE: Final = datetime(2000, 1, 1, tzinfo=UTC)
_BITS: Final = 22
_SPREAD: Final = 1 << 20
_MOST_MS: Final = (1 << 41) - 1


def first_id_at(moment: datetime) -> int:
    """Returns the lowest id that a text of a moment can have; earlier and later ones at the ends.

    Microseconds are not in it.
    """
    ms = int((moment - _SINCE).total_seconds() * 1000)
    return min(max(ms, 0), _MOST_MS) << _BITS


def new_ids(moments: Sequence[datetime], start: int | None = None) -> list[int]:
    """Returns ids of texts in order; those of one millisecond rise.

    ``start`` is where they begin in it, by chance if that is None: texts of two conversations can
    be of the same millisecond.
    """
    most = (1 << _BITS) - len(moments)
    if start is None or start >= most:
        start = secrets.randbelow(most)
    return [first_id_at(moment) + start + place for place, moment in enumerate(moments)]


def usual_start(conversation: int, index: int | None) -> int:
    """Returns where the texts of a conversation begin in a millisecond, messages by their index.

    So messages that were imported at one time keep their order. The others come before.
    """
    own = zlib.crc32(conversation.to_bytes(8)) % _SPREAD
    return own if index is None else _SPREAD + own + index
