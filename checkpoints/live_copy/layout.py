"""The layout of a live copy in Redis, for its readers and writers.

``scripts`` describes the fields of a part.
"""

from typing import Final

from checkpoints.live_copy.port import WHOLE, Part
from checkpoints.store.state import digest_of_name
from ctxadmin.audit.record import AuditMark

_FORMAT: Final = 2  # rises when the bytes of a part come to mean something else
GROWS, IN_PIECES = b"[", b">"
OWN_FIELDS: Final = frozenset({b"mark", b"lists", b"seconds", b"fields"})


def mark_bytes(part: Part, mark: AuditMark) -> bytes:
    """Returns the mark of a part with its name, so that parts of a conversation cannot be
    swapped.
    """
    return f"{_FORMAT} {mark.seq} {mark.hash} {part.name}".encode()


def word_of(name: str) -> str:
    """Returns the last word of the key of a list; names can have any characters."""
    return WHOLE if name == WHOLE else digest_of_name(name)
