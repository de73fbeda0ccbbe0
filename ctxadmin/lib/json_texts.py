"""The texts in JSON: its keys, strings and numbers, and a JSON text as people read it."""

from collections.abc import Iterator
from typing import Final

import orjson
from pydantic import JsonValue

_BEGINNINGS: Final = ("{", "[")


def texts_of(value: JsonValue) -> Iterator[str]:
    """Yields texts in order; without recursion, which a value could make deep."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, bool) or each is None:
            continue
        elif isinstance(each, int | float):
            yield str(each)
        elif isinstance(each, list):
            pending.extend(reversed(each))
        else:
            for name, inner in reversed(each.items()):
                pending += (inner, name)


def unescaped(text: str) -> str:
    """Returns a text with an object or a list in JSON as people read it, any other text as it is.

    Signs that JSON escapes stand as themselves: a line begins where ``\\n`` stood, and a Chinese
    character is one. The rest of the JSON stays.
    """
    if "\\" not in text or not text.lstrip().startswith(_BEGINNINGS):
        return text
    try:
        orjson.loads(text)
        return str(orjson.loads(f'"{_as_string(text)}"'))
    except orjson.JSONDecodeError:
        return text


def _as_string(text: str) -> str:
    """Returns JSON as the inside of one string, in which each of its escapes is still one.

    A search looks through thousands of texts: this takes less than half of a pattern's time.
    """
    # JSON has no such signs of its own: they keep the place of what is escaped already.
    text = text.replace("\\\\", "\x01").replace('\\"', "\x02")
    for sign, escape in (('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(sign, escape)
    return text.replace("\x02", '\\"').replace("\x01", "\\\\")
