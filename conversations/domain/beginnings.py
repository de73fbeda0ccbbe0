"""How a message begins: in one line, without the marks of Markdown."""

import re
from typing import Final

from ctxadmin.lib.markdown_marks import without_marks

LONGEST_NAME: Final = 80  # characters
_READ: Final = 4  # times what is shown: marks and white space are left out
# Emphasis that the text begins with and that ends on a later line, or behind what is read.
_OPENING: Final = re.compile(r"\s*(\*{2,3})(?=[^\s*])")


def beginning_of(text: str, most: int) -> str:
    """Returns how a text begins, in one line; an ellipsis follows ``most`` characters."""
    line = " ".join(_without_marks(text, _READ * most).split())
    return line if len(line) <= most else f"{line[:most]}…"


def first_words(text: str) -> str:
    """Returns the first line with text as a name, at most 80 characters; "" without text."""
    lines = _without_marks(text.lstrip(), _READ * _READ * LONGEST_NAME).splitlines()
    line = next((" ".join(each.split()) for each in lines if each.strip()), "")
    short = len(line) > LONGEST_NAME
    return line[: LONGEST_NAME - 1].rstrip() + "…" if short else line


def _without_marks(text: str, most: int) -> str:
    """Returns the first characters of a text without marks, also without one that stays open."""
    read = without_marks(text[:most])
    opening = _OPENING.match(read)
    if opening is None:
        return read
    before, mark, rest = read.partition(opening[1])
    if mark in rest:
        return before + rest.replace(mark, "", 1)
    return before + rest if len(text) > most else read
