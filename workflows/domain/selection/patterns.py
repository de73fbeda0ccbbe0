"""Name patterns: ``*`` stands for any characters, everything else for itself."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from ctxadmin.lib.errors import FieldProblem
from ctxadmin.lib.sentence import say

MAX_PATTERN: Final = 256
_UNWRITABLE: Final = frozenset({"Cc", "Cs"})  # control characters, lone surrogates

Matcher = Callable[[str], bool]
_Numbered = tuple[int, Matcher, int]  # a pattern's index, its test, and how many looks that takes
_Table = dict[str, list[_Numbered]]


def pattern_fault(text: str) -> str | None:
    """Returns what is wrong with a pattern's text, in words, or None.

    Names are free Unicode, so a pattern is too: 1 to 256 characters, no control characters and no
    lone surrogates (use ``*`` for them), no white space at its ends. Source: semantics 2.2.
    """
    if not text:
        return say("a pattern must not be empty")
    if len(text) > MAX_PATTERN:
        return say(
            "a pattern has at most {most} characters, this one has {n}",
            most=MAX_PATTERN,
            n=len(text),
        )
    if text != text.strip():
        return say("a pattern has no white space at its ends; use * for it")
    sign = unwritable_sign(text)
    if sign:
        return say("a pattern has no control characters such as {sign}; use * for them", sign=sign)
    return None


def unwritable_sign(text: str) -> str:
    """Returns the escape of the first control character or lone surrogate, "" without one."""
    return next((ascii(each) for each in text if unicodedata.category(each) in _UNWRITABLE), "")


def pattern_problems(patterns: Sequence[str], pointer: str) -> list[FieldProblem]:
    """Returns the problems of a list of patterns at ``pointer``; pointers end in ``/index``."""
    faults = ((index, pattern_fault(text)) for index, text in enumerate(patterns))
    return [FieldProblem(f"{pointer}/{index}", fault) for index, fault in faults if fault]


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Matcher:
    """Returns the compiled test of whole, case-sensitive names against a pattern; cached.

    Time is linear in the length of the name whatever the pattern: the pieces between the stars are
    searched from left to right, each once. (As a regular expression, ten stars took 9.8 s on a name
    of 40 characters.) Source: semantics 2.2.
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
    """Returns the text around the stars; only the first and the last piece can be empty."""
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


def capture(pattern: str, name: str) -> str | None:
    """Returns what the single ``*`` of ``pattern`` matched in ``name``; None without a match."""
    prefix, star, suffix = pattern.partition("*")
    if not star or not matcher(pattern)(name):
        return None
    return name[len(prefix) : len(name) - len(suffix)]


def _cost(listed: Sequence[_Numbered]) -> int:
    return sum(looks for _, _, looks in listed)


class PatternSet:
    """A set of patterns, matched together.

    A name is looked up among the literals, and among the texts before a first star and after a last
    one, grouped by length. Only patterns found so, and those with a star at both ends, are tried
    one by one.
    """

    __slots__ = ("_ends", "_literals", "_none", "_rest", "_starts", "looks")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._none: Final = len(patterns)
        self._literals: dict[str, list[int]] = {}
        self._rest: list[_Numbered] = []
        starts: dict[int, _Table] = {}
        ends: dict[int, _Table] = {}
        for number, pattern in enumerate(patterns):
            prefix, *middle, suffix = _pieces(pattern)
            numbered = (number, matcher(pattern), 1 + len(middle))
            if "*" not in pattern:
                self._literals.setdefault(pattern, []).append(number)
            elif prefix:
                starts.setdefault(len(prefix), {}).setdefault(prefix, []).append(numbered)
            elif suffix:
                ends.setdefault(len(suffix), {}).setdefault(suffix, []).append(numbered)
            else:
                self._rest.append(numbered)
        self._starts, self._ends = tuple(starts.items()), tuple(ends.items())
        tables = [*starts.values(), *ends.values()]
        tried = len(tables) + sum(max(map(_cost, table.values())) for table in tables)
        # How many looks at one name there are at most.
        self.looks: Final = bool(self._literals) + tried + _cost(self._rest)

    def __bool__(self) -> bool:
        return bool(self._none)

    def matches(self, name: str) -> bool:
        """Returns True if any pattern matches."""
        if name in self._literals:
            return True
        for numbered in self._candidates(name):
            for _, matches, _ in numbered:
                if matches(name):
                    return True
        return False

    def first(self, name: str) -> int | None:
        """Returns the index of the first pattern that matches, or None."""
        if not self._none:
            return None
        best = self._literals[name][0] if name in self._literals else self._none
        for numbered in self._candidates(name):
            for number, matches, _ in numbered:
                if number >= best:
                    break
                if matches(name):
                    best = number
                    break
        return None if best == self._none else best

    def all(self, name: str) -> list[int]:
        """Returns the indices of all patterns that match, ascending."""
        if not self._none:
            return []
        found = list(self._literals.get(name, ()))
        for numbered in self._candidates(name):
            found += [number for number, matches, _ in numbered if matches(name)]
        return sorted(found)

    def _candidates(self, name: str) -> list[Sequence[_Numbered]]:
        """Returns the patterns that may match, each list ascending."""
        found: list[Sequence[_Numbered]] = [self._rest] if self._rest else []
        for length, table in self._starts:
            if (start := name[:length]) in table:
                found.append(table[start])
        for length, table in self._ends:
            if (end := name[-length:]) in table:
                found.append(table[end])
        return found
