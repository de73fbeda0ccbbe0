"""Turns text into terms: words of ASCII letters and digits, which every full text index takes.

MariaDB splits no Chinese, SQLite's trigrams find no word of two characters, InnoDB leaves out short
words and its stop words. So text is split here, in the same way when it is indexed and when it is
looked for:

- a word in ASCII is ``x`` and the word, one of a single letter between two ``v``;
- scripts without spaces (Chinese, Japanese, Korean, Thai, ...) become overlapping pairs of
  characters, ``z`` and two code points of four digits in base 36, and the last character of a run
  alone, so that every character begins a term;
- a word in another script is ``u`` and its code points.

Case, accents and widths are folded: ``Café`` and ``ＣＡＦＥ`` are ``xcafe``.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ctxadmin.lib.letter_folding import folded
from ctxadmin.lib.word_letters import UNSPACED

# What is searched of one text: 16,000 characters have about 2,700 English words. A message of 1 MB
# is found by its beginning; its terms take 1 ms.
MOST_CHARACTERS: Final = 16_000
LONGEST_WORD: Final = 60  # InnoDB indexes words of up to 84 characters
_LONGEST_FOREIGN: Final = 20  # characters of four digits each
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_RUNS: Final = re.compile(rf"[a-z0-9]+|[{UNSPACED}]+|(?:[^\W_a-z0-9{UNSPACED}])+")
_ASCII_RUNS: Final = re.compile(r"[a-z0-9]+")


class PlacedTerm(NamedTuple):
    """One term with its place in the text: from ``start`` up to ``stop``."""

    text: str
    start: int
    stop: int


def terms_of(text: str) -> list[str]:
    """Returns the terms of a text in order, of at most ``MOST_CHARACTERS`` characters."""
    text = text[:MOST_CHARACTERS]
    if text.isascii():
        return [_word(run) for run in _ASCII_RUNS.findall(text.lower())]
    return [term for term, _, _ in _terms(fold(text))]


def placed_terms(text: str) -> Iterator[PlacedTerm]:
    """Yields the terms of a whole text with their places in it as it is written."""
    if text.isascii():
        yield from _terms(text.lower())
        return
    letters, places = _fold_with_places(text)
    for term, start, stop in _terms(letters):
        yield PlacedTerm(term, places[start], places[stop - 1] + 1)


def fold(text: str) -> str:
    """Returns a text without the differences of case, accents and widths."""
    if text.isascii():
        return text.lower()
    return "".join(map(folded, text))


def is_unspaced(text: str) -> bool:
    """Returns whether a term is a pair or a single character of a script without spaces."""
    return text.startswith("z")


def pair_start(term: str) -> str:
    """Returns the beginning that all pairs with the first character of a ``z`` term have."""
    return term[:5]


def _fold_with_places(text: str) -> tuple[str, Sequence[int]]:
    """Returns a folded text, and for each of its characters the place of what it was made of."""
    pieces = [folded(character) for character in text]
    if all(map((1).__eq__, map(len, pieces))):  # as nearly always
        return "".join(pieces), range(len(text))
    places: list[int] = []
    for place, piece in enumerate(pieces):
        places.extend([place] * len(piece))
    return "".join(pieces), places


def _terms(letters: str) -> Iterator[PlacedTerm]:
    for run in _RUNS.finditer(letters):
        text, start, stop = run.group(), run.start(), run.end()
        if text.isascii():
            yield PlacedTerm(_word(text), start, stop)
        elif re.match(f"[{UNSPACED}]", text):
            codes = [_code(character) for character in text]
            for place in range(len(codes) - 1):
                yield PlacedTerm(
                    f"z{codes[place]}{codes[place + 1]}", start + place, start + place + 2
                )
            yield PlacedTerm(f"z{codes[-1]}", stop - 1, stop)
        else:
            yield PlacedTerm(f"u{''.join(map(_code, text[:_LONGEST_FOREIGN]))}", start, stop)


def _word(word: str) -> str:
    return f"v{word}v" if len(word) == 1 else f"x{word[:LONGEST_WORD]}"


@lru_cache(maxsize=32_768)
def _code(character: str) -> str:
    """Returns a code point as four digits in base 36."""
    number, digits = ord(character), ""
    for _ in range(4):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
