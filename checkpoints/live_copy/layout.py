"""How the parts of a live copy stand in Redis, for who reads and who writes them.

``scripts`` describes the fields of a part.
"""

from typing import Final

from checkpoints.live_copy.port import WHOLE, Part
from checkpoints.state_store import digest_of_name
from ctxadmin.audit.record import AuditMark

_FORMAT: Final = 2  # rises when the bytes of a part come to mean something else
GROWS, IN_PIECES = b"[", b">"
OWN_FIELDS: Final = frozenset({b"mark", b"lists", b"seconds", b"fields"})


def mark_bytes(part: Part, mark: AuditMark) -> bytes:
    """The mark of a part, with its name: another part of the conversation is not taken for it."""
    return f"{_FORMAT} {mark.seq} {mark.hash} {part.name}".encode()


def word_of(name: str) -> str:
    """The last word of the key of a list; names may have any characters."""
    return WHOLE if name == WHOLE else digest_of_name(name)
