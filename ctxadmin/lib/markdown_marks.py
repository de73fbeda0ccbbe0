"""Finds the marks of Markdown in a text, so that a line of it can be shown without them."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

Span = tuple[int, int]  # start and stop

# With the name of a language; what says more is text.
_FENCE: Final = re.compile(r"^[ \t]{0,3}(?:```|~~~)[^`\n]{0,30}$", re.MULTILINE)
# Bodies are bounded: marks that are never closed would each be looked for through the whole text.
_CODE: Final = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]{1,300}(?<!`)(\1)(?!`)")
_HEADING: Final = re.compile(r"^[ \t]{0,3}(#{1,6}[ \t]+)(?=\S)", re.MULTILINE)
# A pair on one line, so that ``**kwargs`` and ``2 * 3`` stay; names have underscores, which stay.
_PAIRS: Final = (
    re.compile(r"(?<![*0-9])(\*{2,3})(?=[^\s*])[^\n]{0,300}?(?<=[^\s*])(\1)(?!\*)"),
    re.compile(r"(?<!~)(~~)(?=[^\s~])[^\n]{0,300}?(?<=[^\s~])(~~)(?!~)"),
    re.compile(r"(?<![*A-Za-z0-9_/])(\*)(?=[^\s*])[^*\n]{0,300}(?<=[^\s*])(\*)(?![*A-Za-z0-9_/])"),
)


def mark_spans(text: str) -> list[Span]:
    """Returns where the marks of headings, emphasis and code are, ascending.

    What looks like a mark in code is none.
    """
    fences = [match.span() for match in _FENCE.finditer(text)]
    blocks = _inside(fences, len(text))
    codes = [match for match in _CODE.finditer(text) if not _holds(blocks, match.start())]
    found = fences + [match.span(part) for match in codes for part in (1, 2)]
    code = sorted([*blocks, *(match.span() for match in codes)])
    for pattern in (_HEADING, *_PAIRS):
        for match in pattern.finditer(text):
            spans = [match.span(part) for part in range(1, pattern.groups + 1)]
            if not any(_holds(code, start) for start, _ in spans):
                found += spans
    return _apart(found)


def without_marks(text: str) -> str:
    """Returns a text without the marks of headings, emphasis and code."""
    return cut(text, mark_spans(text))


def within(spans: Iterable[Span], start: int, stop: int) -> tuple[Span, ...]:
    """Returns those of some spans that are in a part of a text, counted from its start."""
    return tuple(
        (max(left, start) - start, min(right, stop) - start)
        for left, right in spans
        if left < stop and right > start
    )


def cut(text: str, spans: Iterable[Span]) -> str:
    """Returns a text without some stretches, which are ascending and apart."""
    kept: list[str] = []
    at = 0
    for start, stop in spans:
        kept.append(text[at:start])
        at = stop
    return "".join([*kept, text[at:]])


def _inside(fences: Sequence[Span], end: int) -> list[Span]:
    """Returns what is between each fence and the next; the last one may not be closed."""
    return [
        (stop, fences[at + 1][0] if at + 1 < len(fences) else end)
        for at, (_, stop) in enumerate(fences)
        if at % 2 == 0
    ]


def _holds(spans: Sequence[Span], place: int) -> bool:
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Returns spans in order, without those that begin in another one."""
    found: list[Span] = []
    for span in sorted(spans):
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found
