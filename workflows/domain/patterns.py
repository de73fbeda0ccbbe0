"""Name patterns: ``*`` stands for any characters, everything else for itself."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from ctxadmin.lib.errors import FieldProblem

MAX_PATTERN: Final = 256
_UNWRITABLE: Final = frozenset({"Cc", "Cs"})  # control characters, lone surrogates

Matcher = Callable[[str], bool]


def pattern_fault(text: str) -> str | None:
    """What is wrong with a pattern's text, in words, or None.

    Names are free Unicode, so a pattern is too: 1 to 256 characters, no control characters and
    no lone surrogates (use ``*`` for them), no white space at its ends. Source: semantics 2.2.
    """
    if not text:
        return "a pattern is not empty"
    if len(text) > MAX_PATTERN:
        return f"a pattern has at most {MAX_PATTERN} characters, this one has {len(text)}"
    if text != text.strip():
        return "a pattern has no white space at its ends; use * for it"
    for character in text:
        if unicodedata.category(character) in _UNWRITABLE:
            return f"a pattern has no control characters such as {character!a}; use * for them"
    return None


def pattern_problems(patterns: Sequence[str], pointer: str) -> list[FieldProblem]:
    """The problems of a list of patterns that stands at ``pointer``; pointers end in ``/index``."""
    faults = ((index, pattern_fault(text)) for index, text in enumerate(patterns))
    return [FieldProblem(f"{pointer}/{index}", fault) for index, fault in faults if fault]


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Matcher:
    """The compiled test of whole, case-sensitive names against a pattern; cached.

    Time is linear in the length of the name whatever the pattern: the pieces between the stars
    are looked for from left to right, each once. (As a regular expression, ten stars took 9.8 s
    on a name of 40 characters.) Source: semantics 2.2.
    """
    prefix, *middle, suffix = _pieces(pattern)
    if "*" not in pattern:
        return pattern.__eq__
    if not middle:
        return _ends_matcher(prefix, suffix)
    inner = tuple(middle)
    shortest = len(prefix) + len(suffix) + sum(map(len, inner))

    def matches(name: str) -> bool:
        if len(name) < shortest or not (name.startswith(prefix) and name.endswith(suffix)):
            return False
        start, stop = len(prefix), len(name) - len(suffix)
        for piece in inner:
            found = name.find(piece, start, stop)
            if found < 0:
                return False
            start = found + len(piece)
        return True

    return matches


def _pieces(pattern: str) -> list[str]:
    """The text around the stars: the first and the last piece may be empty, no other is."""
    prefix, *rest = pattern.split("*")
    if not rest:
        return [prefix, ""]
    return [prefix, *filter(None, rest[:-1]), rest[-1]]


def _ends_matcher(prefix: str, suffix: str) -> Matcher:
    shortest = len(prefix) + len(suffix)

    def starts(name: str) -> bool:
        return name.startswith(prefix)

    def ends(name: str) -> bool:
        return name.endswith(suffix)

    def starts_and_ends(name: str) -> bool:
        return len(name) >= shortest and name.startswith(prefix) and name.endswith(suffix)

    if not suffix:
        return starts
    return starts_and_ends if prefix else ends


def captured(pattern: str, name: str) -> str | None:
    """What the single ``*`` of ``pattern`` matched in ``name``; None if it does not match."""
    prefix, star, suffix = pattern.partition("*")
    if not star or not matcher(pattern)(name):
        return None
    return name[len(prefix) : len(name) - len(suffix)]


class PatternSet:
    """Several patterns asked at once: does any match, and which is the first?"""

    __slots__ = ("_endings", "_everything", "_literals", "_matchers", "_openings", "_others")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._matchers = tuple(matcher(pattern) for pattern in patterns)
        self._everything = any(not pattern.strip("*") and pattern for pattern in patterns)
        self._literals = frozenset(pattern for pattern in patterns if "*" not in pattern)
        openings: list[str] = []
        endings: list[str] = []
        others: list[Matcher] = []
        for pattern in patterns:
            pieces = _pieces(pattern)
            if "*" not in pattern or not any(pieces):
                continue
            if len(pieces) == 2 and not pieces[1]:
                openings.append(pieces[0])
            elif len(pieces) == 2 and not pieces[0]:
                endings.append(pieces[1])
            else:
                others.append(matcher(pattern))
        # One call of startswith with a tuple asks for all prefixes at once.
        self._openings, self._endings, self._others = tuple(openings), tuple(endings), tuple(others)

    def __bool__(self) -> bool:
        return bool(self._matchers)

    def matches(self, name: str) -> bool:
        """True if any pattern matches."""
        if self._everything or name in self._literals:
            return True
        if name.startswith(self._openings) or name.endswith(self._endings):
            return True
        for matches in self._others:  # noqa: SIM110 any() with a generator costs twice as much
            if matches(name):
                return True
        return False

    def first(self, name: str) -> int | None:
        """The index of the first pattern that matches, or None."""
        for index, matches in enumerate(self._matchers):
            if matches(name):
                return index
        return None
