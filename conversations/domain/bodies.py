"""The stored JSON of a message: its text, and how it is answered."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson
from pydantic import JsonValue

from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps

TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})


def text_of_content(content: JsonValue) -> str:
    """The text that filters look at: a text itself, the text parts of a list joined (rule 1.9)."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        str(part["text"])
        for part in parts
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS
    )


def text_of_body(body: bytes) -> str:
    """The text of a stored message."""
    return text_of_content(orjson.loads(body).get("content"))


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A logged message as it is answered: its body and what stands beside it.

    ``visible`` is of the view that was asked for; ``estimated`` tells a counted number of tokens
    from one that the engine reported.
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

    def as_bytes(self) -> bytes:
        """The message as the contract shows it; the body's bytes go through as they are."""
        head = dumps(
            {
                "index": self.index,
                "id": self.message_id,
                "visible": self.visible,
                "tokens": self.tokens,
                "tokens_estimated": self.estimated,
                "node_id": self.node_id or None,
                "author": self.author,
                "created_at": clock.iso(self.created_at),
            }
        )
        return head[:-1] + b"," + self.body[1:]
