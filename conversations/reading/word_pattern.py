"""The pattern that finds words in a text in spite of how the text writes and marks them."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from ctxadmin.lib.letter_folding import ACCENTS, folded, unfolded
from ctxadmin.lib.word_letters import WORD_LETTER

# Marks of Markdown that may stand between any two letters of the words, as in "item **2345**", and
# the backslash before what is none.
_MARKS_WITHIN: Final = r"([*_`~\\]{0,3})"
_SPACE: Final = r"(?:\s+|\s*\|\s*)"  # also between two cells of a table
_LETTER: Final = re.compile(WORD_LETTER)
_MOST_LETTERS: Final = 3  # that one character can stand for, as ``ﬃ``


def word_pattern(text: str, *, whole: bool) -> re.Pattern[str]:
    """Returns a pattern of words; each of its groups is marks of Markdown within them.

    It ignores case, accents and widths, and white space matches any white space. With ``whole`` it
    neither begins nor ends within a word.
    """
    letters = _letters(text)
    pattern = _MARKS_WITHIN.join(_pieces(letters)) or re.escape(text)
    if whole and _LETTER.match(letters):
        pattern = f"(?<!{WORD_LETTER})(?<![{ACCENTS}]){pattern}"
    if whole and _LETTER.match(letters[-1:]):
        pattern = f"{pattern}(?!{WORD_LETTER})"
    return re.compile(pattern)


def _letters(text: str) -> str:
    """Folds words, but for what is beyond U+FFFF: with it every pattern would be slow."""
    composed = unicodedata.normalize("NFC", " ".join(text.split()))
    return "".join(map(_folded, composed))


def _folded(character: str) -> str:
    into = folded(character) if character <= "\uffff" else character
    return character if " " in into else into


def _pieces(letters: str) -> Iterator[str]:
    """Yields the patterns of letters, one by one or of several that one character can stand for."""
    known = unfolded()
    at = 0
    while at < len(letters):
        sizes = range(min(_MOST_LETTERS, len(letters) - at), 1, -1)
        size = next((each for each in sizes if letters[at : at + each] in known), 1)
        part = letters[at : at + size]
        piece = _MARKS_WITHIN.join(map(_one, part))
        yield f"(?:{piece}|[{re.escape(known[part])}])" if size > 1 else piece
        at += size


def _one(letter: str) -> str:
    """Returns a pattern of one letter, with what accents follow it."""
    if letter == " ":
        return _SPACE
    if letter > "\uffff":
        return f"(?i:{re.escape(letter)})"
    alike = re.escape(unfolded().get(letter, letter))
    pattern = f"[{alike}]"
    parts = unicodedata.normalize("NFD", letter)
    if parts != letter:
        pattern = f"(?:{pattern}|{re.escape(parts)})"
    return f"{pattern}[{ACCENTS}]*+"
