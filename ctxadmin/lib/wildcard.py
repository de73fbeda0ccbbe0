"""Patterns in which ``*`` stands for any characters, and nothing else is special."""

from collections.abc import Callable, Iterable


def wildcard(pattern: str) -> Callable[[str], bool]:
    """Whether a whole text fits; goes through the text once, whatever the pattern is."""
    first, *rest = pattern.split("*")
    if not rest:
        return lambda text: text == pattern
    *middle, last = rest
    return lambda text: _fits(text, first, middle, last)


def _fits(text: str, first: str, middle: Iterable[str], last: str) -> bool:
    if not text.startswith(first):
        return False
    place = len(first)
    for part in middle:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return len(text) - place >= len(last) and text.endswith(last)
