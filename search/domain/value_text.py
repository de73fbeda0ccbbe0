"""The text of a state value: its keys, texts and numbers."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import orjson
from pydantic import JsonValue

from search.domain.terms import MOST_CHARACTERS

_MOST_PARTS: Final = MOST_CHARACTERS // 2  # each has a character, and the end of its line


def text_of_state(name: str, value: bytes) -> str:
    """Returns what is searched of a key: its name, then the texts of its value, line by line.

    The value is JSON as it is stored; of anything else there is only the name. The text is cut
    after ``MOST_CHARACTERS``.
    """
    try:
        parsed: JsonValue = orjson.loads(value)
    except orjson.JSONDecodeError:
        parsed = None
    parts = islice(_texts(parsed), _MOST_PARTS)
    text, length = [name], len(name)
    for part in parts:
        if length > MOST_CHARACTERS:
            break
        text.append(part)
        length += len(part) + 1
    return "\n".join(text)[:MOST_CHARACTERS]


def _texts(value: JsonValue) -> Iterator[str]:
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
