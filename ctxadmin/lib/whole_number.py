"""Whole numbers in texts that came from outside."""

from typing import Final

_DIGITS: Final = 9


def whole_number(text: str | None, *, digits: int = _DIGITS) -> int | None:
    """The number that a text is, None if it is none: a sign, a space or too many ``digits``."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > digits:
        return None
    return int(text)
