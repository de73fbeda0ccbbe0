"""The text of a state value: its keys, texts and numbers."""

from itertools import islice
from typing import Final

import orjson
from pydantic import JsonValue

from ctxadmin.lib.json_texts import texts_of
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
    parts = islice(texts_of(parsed), _MOST_PARTS)
    text, length = [name], len(name)
    for part in parts:
        if length > MOST_CHARACTERS:
            break
        text.append(part)
        length += len(part) + 1
    return "\n".join(text)[:MOST_CHARACTERS]
