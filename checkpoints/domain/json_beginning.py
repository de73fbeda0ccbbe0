"""How a value begins, from the first bytes of its JSON."""

from typing import Final

import orjson

_LONGEST_ESCAPE: Final = 12  # bytes: a character above U+FFFF as two escapes


def json_beginning(value: bytes) -> str:
    """Returns the text of a JSON string, or the JSON of any other value, as far as it is given.

    The string may be cut anywhere, within a character or an escape too.
    """
    read = value.decode("utf-8", "ignore")
    if not read.startswith('"'):
        return read
    for ending in ("", *('"' for _ in range(_LONGEST_ESCAPE + 1))):
        try:
            text: str = orjson.loads(read + ending)
        except orjson.JSONDecodeError:
            read = read[:-1] if ending else read
        else:
            return text
    return ""
