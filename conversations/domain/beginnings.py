"""How a message begins: in one line, without the marks of Markdown."""

from typing import Final

from ctxadmin.lib.markdown_marks import without_marks

LONGEST_NAME: Final = 80  # characters
_READ: Final = 4  # times what is shown: marks and white space are left out


def beginning_of(text: str, most: int) -> str:
    """Returns how a text begins, in one line; an ellipsis follows ``most`` characters."""
    line = " ".join(without_marks(text[: _READ * most]).split())
    return line if len(line) <= most else f"{line[:most]}…"


def first_words(text: str) -> str:
    """Returns the first line with text as a name, at most 80 characters; "" without text."""
    lines = without_marks(text.lstrip()[: _READ * _READ * LONGEST_NAME]).splitlines()
    line = next((" ".join(each.split()) for each in lines if each.strip()), "")
    short = len(line) > LONGEST_NAME
    return line[: LONGEST_NAME - 1].rstrip() + "…" if short else line
