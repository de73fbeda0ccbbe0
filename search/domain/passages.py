"""Finds the places of a query in a text, and the passage that shows them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from ctxadmin.lib.markdown_marks import Span, cut, mark_spans, within
from search.domain.query import Phrase, Query, term_beginning
from search.domain.terms import MOST_CHARACTERS, PlacedTerm, placed_terms, terms_of

_BEFORE: Final = 60  # characters of a passage before the first place
_LENGTH: Final = 240  # of a passage, and of both parts of one together
_AT_A_SPACE: Final = 24  # how far a passage moves to begin at a word
_MOST_PLACES: Final = 40

_GAP: Final = " … "

_Window = tuple[int, int]  # the start and the stop of a part of the text
_Span = tuple[int, int, int]  # start, stop, and the number of the phrase


@dataclass(frozen=True, slots=True)
class PassagePiece:
    """A stretch of a passage; ``marked`` if it is what was searched for.

    ``readable`` is the text without the marks of Markdown. ``gap`` stands for what is left out
    between two parts.
    """

    text: str
    marked: bool = False
    markdown: tuple[Span, ...] = ()
    gap: bool = False

    @property
    def readable(self) -> str:
        return cut(self.text, self.markdown)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text in pieces; ``cut_before`` and ``cut_after`` tell that the text continues.

    It has two parts where one would lack a phrase. ``matches`` are the phrases as the text has them
    first, also those that both parts lack.
    """

    pieces: tuple[PassagePiece, ...]
    matches: tuple[str, ...] = ()
    cut_before: bool = False
    cut_after: bool = False

    def plain(self) -> str:
        """Returns the passage as one text, with an ellipsis where the text continues."""
        text = "".join(piece.text for piece in self.pieces)
        return f"{self._before}{text}{' …' if self.cut_after else ''}"

    def marks(self) -> list[tuple[int, int]]:
        """Returns the starts and stops of the marked stretches in ``plain``."""
        found: list[tuple[int, int]] = []
        at = len(self._before)
        for piece in self.pieces:
            if piece.marked:
                found.append((at, at + len(piece.text)))
            at += len(piece.text)
        return found

    @property
    def _before(self) -> str:
        return "… " if self.cut_before else ""


def passage_of(text: str, query: Query) -> Passage | None:
    """Returns the passage of a text with a query's phrases; None if it lacks one of them.

    Without phrases it is the beginning of the text.
    """
    text = text[:MOST_CHARACTERS]
    if not query.phrases:
        return _drawn(text, [], [(0, _LENGTH)])
    terms = list(placed_terms(text))
    where: dict[str, list[int]] = {}
    for at, term in enumerate(terms):
        where.setdefault(term.text, []).append(at)
    spans: list[_Span] = []
    for number, phrase in enumerate(query.phrases):
        found = _places(terms, where, phrase)
        if not found:
            return None
        spans += [(start, stop, number) for start, stop in found]
    first = {number: text[start:stop] for start, stop, number in reversed(spans)}
    matches = tuple(first[number] for number in range(len(query.phrases)))
    spans.sort()
    return replace(_drawn(text, spans, _windows(text, spans)), matches=matches)


def has_tool(names: Sequence[str], tool: str) -> bool:
    """Returns whether one of some tools is the one that a filter names, by its whole name."""
    wanted = terms_of(tool)
    return any(terms_of(name) == wanted for name in names)


def _places(
    terms: Sequence[PlacedTerm], where: Mapping[str, Sequence[int]], phrase: Phrase
) -> list[tuple[int, int]]:
    """Returns the places of a phrase; ``where`` are the places of each term among the terms."""
    wanted, size = phrase.terms, len(phrase.terms)
    beginning = term_beginning(phrase) if phrase.open else ""
    starts = where.get(wanted[0], ()) if size > 1 or not phrase.open else range(len(terms))
    found: list[tuple[int, int]] = []
    for at in starts:
        if len(found) == _MOST_PLACES or at + size > len(terms):
            break
        last = terms[at + size - 1]
        if any(terms[at + n].text != wanted[n] for n in range(size - phrase.open)):
            continue
        if not phrase.open:
            found.append((terms[at].start, last.stop))
        elif last.text.startswith(beginning):
            # Of a pair only its first character was given.
            stop = last.start + 1 if last.text.startswith("z") else last.stop
            found.append((terms[at].start, stop))
    return found


def _windows(text: str, spans: Sequence[_Span]) -> list[_Window]:
    """Returns the part of a text to show, or two parts if these have more of the phrases."""
    one = _window(text, spans, _BEFORE, _LENGTH)
    shown = _phrases_in(one, spans)
    if len(shown) == len({number for *_, number in spans}):
        return [one]
    first = _window(text, spans, _BEFORE // 2, _LENGTH // 2)
    in_first = _phrases_in(first, spans)
    rest = [span for span in spans if span[2] not in in_first]
    second = _window(text, rest, _BEFORE // 2, _LENGTH // 2)
    if len(in_first | _phrases_in(second, spans)) <= len(shown):
        return [one]
    first, second = sorted((first, second))
    if second[0] <= first[1]:
        return [(first[0], max(first[1], second[1]))]
    return [first, second]


def _window(text: str, spans: Sequence[_Span], before: int, length: int) -> _Window:
    """Returns the part of a text from the first place on with the most phrases near it."""
    best = _nearest(spans, length - before)
    first, stop = next(place for place in _joined(spans) if place[1] > best)
    start = max(first - before, 0)
    if start and (space := text.find(" ", start, start + _AT_A_SPACE)) > 0 and space < first:
        start = space + 1
    while start < first and text[start].isspace():
        start += 1
    return start, max(start + length, stop)


def _phrases_in(window: _Window, spans: Sequence[_Span]) -> set[int]:
    begin, end = window
    return {number for start, stop, number in spans if begin <= start and stop <= end}


def _nearest(spans: Sequence[_Span], reach: int) -> int:
    """Returns the start of the first place from which on the most phrases are within reach."""
    best, most, end = 0, 0, 0
    near: Counter[int] = Counter()
    for begin, (start, _, number) in enumerate(spans):
        while end < len(spans) and spans[end][1] <= start + reach:
            near[spans[end][2]] += 1
            end += 1
        if len(+near) > most:
            best, most = start, len(+near)
        if begin < end:
            near[number] -= 1
        end = max(end, begin + 1)
    return best


def _joined(spans: Sequence[_Span]) -> list[tuple[int, int]]:
    """Returns the places of all phrases, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, stop, _ in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def _drawn(text: str, spans: Sequence[_Span], windows: Sequence[_Window]) -> Passage:
    """Returns the passage of some parts of a text, with the places in them marked."""
    markdown = mark_spans(text)
    joined = _joined(spans)
    pieces: list[PassagePiece] = []
    for start, stop in windows:
        if pieces:
            pieces.append(PassagePiece(_GAP, gap=True))
        at = start
        inside = (place for place in joined if start <= place[0] and place[1] <= stop)
        for left, right in islice(inside, _MOST_PLACES):
            if left > at:
                pieces.append(_piece(text, at, left, markdown))
            pieces.append(_piece(text, left, right, markdown, marked=True))
            at = right
        if at < min(stop, len(text)):
            pieces.append(_piece(text, at, stop, markdown))
    return Passage(
        tuple(pieces),
        cut_before=bool(text[: windows[0][0]].strip()),
        cut_after=len(text) > windows[-1][1],
    )


def _piece(
    text: str, start: int, stop: int, markdown: Sequence[Span], *, marked: bool = False
) -> PassagePiece:
    return PassagePiece(text[start:stop], marked, within(markdown, start, stop))
