"""The texts in JSON: its keys, strings and numbers, and a JSON text as people read it."""

import re
from collections.abc import Iterator
from typing import Final

import orjson
from pydantic import JsonValue

_BEGINNINGS: Final = ("{", "[")
_ESCAPES: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\[\"\\/bfnrt]")


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
    except orjson.JSONDecodeError:
        return text
    return _ESCAPES.sub(lambda found: str(orjson.loads(f'"{found.group()}"')), text)
