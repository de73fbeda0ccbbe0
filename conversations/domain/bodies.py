"""The stored JSON of a message: its text, and its form in answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson
from pydantic import JsonValue

from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps

TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})


def text_of_content(content: JsonValue) -> str:
    """Returns the text that filters see: a text itself, the text parts of a list joined (rule
    1.9).
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        str(part["text"])
        for part in parts
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS
    )


def text_of_body(body: bytes) -> str:
    """Returns the text of a stored message."""
    return text_of_content(orjson.loads(body).get("content"))


def object_in(body: bytes) -> dict[str, JsonValue]:
    """Returns the object in a body; an empty one if it is damaged, which its own page says."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


_WORDS: Final = (b"false", b"true")
_MESSAGE: Final = (
    b'{"index":%d,"id":%b,"visible":%b,"tokens":%d,"tokens_estimated":%b,'
    b'"node_id":%b,"author":%b,"created_at":"%b",%b'
)


def message_bytes(
    index: int,
    message_id: str,
    tokens: int,
    node_id: str,
    author: str,
    created_at: str,
    body: bytes,
    *,
    visible: bool,
    estimated: bool,
    pinned: bool = False,
) -> bytes:
    """Returns a message as the contract shows it; the body's bytes are copied unparsed.

    ``created_at`` is a moment as ``clock.iso`` writes it. A page of a conversation is thousands of
    these: by a dict and an encoder one took three times as long.
    """
    if pinned:
        body = _as_pinned(body)
    return _MESSAGE % (
        index,
        dumps(message_id),
        _WORDS[visible],
        tokens,
        _WORDS[estimated],
        dumps(node_id or None),
        dumps(author),
        created_at.encode(),
        body[1:],
    )


def _as_pinned(body: bytes) -> bytes:
    """Returns the body with ``pinned``.

    One that is older than pins can have fields of these names.
    """
    if b'"pinned' in body:
        fields = orjson.loads(body)
        body = dumps({key: fields[key] for key in fields if key not in ("pinned", "pinned_by")})
    return b'{"pinned":true,' + body[1:]


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A logged message for an answer: its body and its metadata.

    ``visible`` is of the requested view; ``estimated`` tells an estimated number of tokens from one
    that the engine reported.
    """

    index: int
    message_id: str
    role: str
    body: bytes
    visible: bool
    tokens: int
    estimated: bool
    node_id: str
    author: str
    created_at: datetime
    call_index: int | None = None
    pinned: bool = False

    def as_bytes(self) -> bytes:
        """Returns the message as the contract shows it."""
        return message_bytes(
            self.index,
            self.message_id,
            self.tokens,
            self.node_id,
            self.author,
            clock.iso(self.created_at),
            self.body,
            visible=self.visible,
            estimated=self.estimated,
            pinned=self.pinned,
        )
