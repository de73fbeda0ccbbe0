"""Sentences as stored JSON, so that they can still be translated when they are read."""

import orjson

from ctxadmin.lib.sentence import as_value, of_value


def sentence_bytes(text: str) -> bytes:
    """Returns a text as JSON: a sentence with its template and values, other texts as strings."""
    return orjson.dumps(as_value(text))


def read_sentence(data: bytes) -> str:
    """Returns the text that ``sentence_bytes`` wrote; "" for nothing."""
    found = of_value(orjson.loads(data)) if data else ""
    return found if isinstance(found, str) else str(found)
