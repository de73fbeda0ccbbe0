"""The differences of two texts, word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from ctxadmin.lib.alignment import aligned

# A word takes the white space behind it along; Chinese, Japanese and Korean characters are
# words of their own.
_WORD: Final = re.compile(r"[぀-ヿ㐀-鿿가-힯豈-﫿]|[^\W぀-ヿ㐀-鿿가-힯豈-﫿]+[ \t]*|\s+|[^\w\s]")
# Longer texts are shown as a whole before and a whole after: nobody reads such a diff, and
# the page that shows it should stay small.
LONGEST_TEXT: Final = 200_000


class Piece(StrEnum):
    """To which side a piece of text belongs."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text; SAME and REMOVED joined are the one text, SAME and ADDED the other."""

    kind: Piece
    text: str


def text_diff(before: str, after: str) -> list[TextPiece]:
    """The pieces of two texts in reading order; what was removed stands before what was added.

    Texts over 200,000 characters are not compared, but shown one after the other.
    """
    if before == after:
        return [TextPiece(Piece.SAME, before)] if before else []
    if max(len(before), len(after)) > LONGEST_TEXT:
        pieces = iter([TextPiece(Piece.REMOVED, before), TextPiece(Piece.ADDED, after)])
    else:
        pieces = _pieces(_WORD.findall(before), _WORD.findall(after))
    joined = []
    for kind, group in groupby((piece for piece in pieces if piece.text), lambda each: each.kind):
        joined.append(TextPiece(kind, "".join(piece.text for piece in group)))
    return joined


def _pieces(before: list[str], after: list[str]) -> Iterator[TextPiece]:
    here = there = 0
    for left, right in (*aligned(before, after), (len(before), len(after))):
        yield TextPiece(Piece.REMOVED, "".join(before[here:left]))
        yield TextPiece(Piece.ADDED, "".join(after[there:right]))
        yield TextPiece(Piece.SAME, "".join(before[left : left + 1]))
        here, there = left + 1, right + 1
