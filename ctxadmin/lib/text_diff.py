"""The differences of two texts, word by word."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby
from typing import Final

from ctxadmin.lib.alignment import MOST_PAIRS, Pair, align

# A longer stretch without an unchanged line is shown as a whole before and a whole after: nobody
# reads such a diff, and comparing its words would take seconds.
LONGEST_TEXT: Final = 400_000
_AROUND: Final = (
    64  # characters around what differs in them, so that it begins and ends with a word
)
_BLANKS: Final = " \t"
_LETTER: Final = re.compile(r"\w")


class DiffSide(StrEnum):
    """The side to which a piece of text belongs."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text; SAME and REMOVED joined are the one text, SAME and ADDED the other."""

    kind: DiffSide
    text: str


def text_diff(before: str, after: str) -> list[TextPiece]:
    """Returns the pieces of two texts in reading order; removed ones come before added ones.

    Unchanged lines are found first, then words between them. No piece ends within a sign that is
    written with several characters. A stretch of over 400,000 characters without an unchanged line
    is not compared: its texts are shown one after the other.
    """
    if before == after:
        return [TextPiece(DiffSide.SAME, before)] if before else []
    start, end = _unchanged_ends(before, after)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    middle = _in_lines(old.splitlines(True), new.splitlines(True))
    head, tail = before[:start], before[len(before) - end :]
    same = [TextPiece(DiffSide.SAME, text) for text in (head, tail)]
    return list(_merge_pieces([same[0], *middle, same[1]]))


def _unchanged_ends(before: str, after: str) -> tuple[int, int]:
    """Returns how many characters of long texts are the same at their starts and ends."""
    if max(len(before), len(after)) <= LONGEST_TEXT:
        return 0, 0
    start = common_start(before, after)
    end = _longest(
        min(len(before), len(after)) - start, lambda n: before.endswith(after[len(after) - n :])
    )
    return max(start - _AROUND, 0), max(end - _AROUND, 0)


def common_start(before: str, after: str) -> int:
    """Returns how many characters two texts begin with in common."""
    return _longest(min(len(before), len(after)), lambda n: before.startswith(after[:n]))


def _longest(most: int, is_same: Callable[[int], bool]) -> int:
    """Returns the largest number up to one for which something is true, as for all below it."""
    least = 0
    while least < most:
        half = (least + most + 1) // 2
        least, most = (half, most) if is_same(half) else (least, half - 1)
    return least


def _in_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[TextPiece]:
    landmarks = [*_landmarks(before, after), (len(before), len(after))]
    here = there = 0
    for left, right in landmarks:
        old, new = "".join(before[here:left]), "".join(after[there:right])
        yield from _in_words(old, new, MOST_PAIRS // len(landmarks))
        yield TextPiece(DiffSide.SAME, "".join(before[left : left + 1]))
        here, there = left + 1, right + 1


def _landmarks(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Returns the positions of unchanged lines, without lines that have no letter and match
    anything.
    """
    old, new = (
        [place for place, line in enumerate(lines) if _LETTER.search(line)]
        for lines in (before, after)
    )
    pairs = align([before[place] for place in old], [after[place] for place in new])
    return [(old[left], new[right]) for left, right in pairs]


def _in_words(before: str, after: str, most_pairs: int) -> Sequence[TextPiece]:
    if before == after:
        return [TextPiece(DiffSide.SAME, before)]
    if not before or not after or max(len(before), len(after)) > LONGEST_TEXT:
        return _replaced(before, after)
    pieces = list(_woven(_word().findall(before), _word().findall(after), most_pairs))
    common = "".join(piece.text for piece in pieces if piece.kind is DiffSide.SAME)
    # Two texts that have nothing but signs in common are easier to read one after the other.
    if not _LETTER.search(common) and _LETTER.search(before) and _LETTER.search(after):
        return _replaced(before, after)
    return pieces


def _woven(old: Sequence[str], new: Sequence[str], most_pairs: int) -> Iterator[TextPiece]:
    pairs = align([_bare(word) for word in old], [_bare(word) for word in new], most_pairs)
    here = there = 0
    for left, right in (*pairs, (len(old), len(new))):
        yield from _replaced("".join(old[here:left]), "".join(new[there:right]))
        if left < len(old):
            bare = _bare(old[left])
            yield TextPiece(DiffSide.SAME, bare)
            yield from _blanks(old[left][len(bare) :], new[right][len(bare) :])
        here, there = left + 1, right + 1


def _blanks(before: str, after: str) -> list[TextPiece]:
    return [TextPiece(DiffSide.SAME, before)] if before == after else _replaced(before, after)


def _replaced(before: str, after: str) -> list[TextPiece]:
    return [TextPiece(DiffSide.REMOVED, before), TextPiece(DiffSide.ADDED, after)]


def _merge_pieces(pieces: Iterable[TextPiece]) -> Iterator[TextPiece]:
    """Returns one removed and one added piece between two unchanged stretches, if there are any."""
    for _, group in groupby(
        (piece for piece in pieces if piece.text), lambda each: each.kind is DiffSide.SAME
    ):
        found = list(group)
        for kind in DiffSide:
            text = "".join(piece.text for piece in found if piece.kind is kind)
            if text:
                yield TextPiece(kind, text)


def _bare(word: str) -> str:
    """Returns the part of a word that is compared, without the blanks after it."""
    return word.rstrip(_BLANKS) or word


@cache
def _word() -> re.Pattern[str]:
    """Returns a pattern of words and signs, which joined are the text.

    A word includes the blanks after it; Chinese, Japanese and Korean characters are words of their
    own, and a number is one with its point. Accents, vowel signs, joiners and skin tones stay with
    their characters, and so do the two halves of a flag.
    """
    east_asian = "぀-ヿ㐀-鿿가-힯豈-﫿"
    letters = rf"[^\W{east_asian}]"
    marks = "".join(
        chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == "M"
    )
    marks = f"[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e01ef{marks}]"
    return re.compile(
        rf"[{east_asian}]{marks}*|\d++(?:[.,]\d++)+[{_BLANKS}]*|(?:{letters}++|{marks}++)+[{_BLANKS}]*|\s+"
        rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[^\w\s](?:{marks}|(?<=\u200d)[^\w\s])*"
    )
