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
_LENGTH: Final = 240
_AT_A_SPACE: Final = 24  # how far a passage moves to begin at a word
_MOST_PLACES: Final = 40

_Span = tuple[int, int, int]  # start, stop, and the number of the phrase


@dataclass(frozen=True, slots=True)
class PassagePiece:
    """A stretch of a passage; ``marked`` if it is what was searched for.

    ``readable`` is the text without the marks of Markdown.
    """

    text: str
    marked: bool = False
    markdown: tuple[Span, ...] = ()

    @property
    def readable(self) -> str:
        return cut(self.text, self.markdown)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text in pieces; ``cut_before`` and ``cut_after`` tell that the text continues.

    ``matches`` are the phrases as the text has them first, also those that the part lacks.
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
        return _around(text, [])
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
    return replace(_around(text, *_shown_places(sorted(spans))), matches=matches)


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


def _shown_places(spans: Sequence[_Span]) -> tuple[list[tuple[int, int]], int]:
    """Returns the united places, and which of them a passage begins with.

    That is the first from which on the most phrases are as near as a passage is long.
    """
    best, most, end = 0, 0, 0
    near: Counter[int] = Counter()
    for begin, (start, _, number) in enumerate(spans):
        while end < len(spans) and spans[end][1] <= start + _LENGTH - _BEFORE:
            near[spans[end][2]] += 1
            end += 1
        if len(+near) > most:
            best, most = start, len(+near)
        if begin < end:
            near[number] -= 1
        end = max(end, begin + 1)
    joined: list[tuple[int, int]] = []
    for start, stop, _ in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined, next((at for at, (_, stop) in enumerate(joined) if stop > best), 0)


def _around(text: str, spans: Sequence[tuple[int, int]], begin: int = 0) -> Passage:
    """Returns the passage that begins with one of some places, with others as far as it reaches."""
    spans = spans[begin:]
    first = spans[0][0] if spans else 0
    start = max(first - _BEFORE, 0)
    if start and (space := text.find(" ", start, start + _AT_A_SPACE)) > 0 and space < first:
        start = space + 1
    while start < first and text[start].isspace():
        start += 1
    stop = max(start + _LENGTH, spans[0][1] if spans else 0)
    markdown = mark_spans(text)
    pieces: list[PassagePiece] = []
    at = start
    for left, right in islice(spans, _MOST_PLACES):
        if right > stop:
            break
        if left > at:
            pieces.append(_piece(text, at, left, markdown))
        pieces.append(_piece(text, left, right, markdown, marked=True))
        at = right
    if at < stop and at < len(text):
        pieces.append(_piece(text, at, stop, markdown))
    return Passage(
        tuple(pieces), cut_before=bool(text[:start].strip()), cut_after=len(text) > max(stop, at)
    )


def _piece(
    text: str, start: int, stop: int, markdown: Sequence[Span], *, marked: bool = False
) -> PassagePiece:
    return PassagePiece(text[start:stop], marked, within(markdown, start, stop))
