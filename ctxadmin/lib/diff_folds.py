"""The pieces of a difference for a reader, with long parts of their text folded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.lib.text_diff import DiffSide, TextPiece

# Characters of long text that stay in sight on either side of what is folded.
_NEAR: Final = 160
_LEAST: Final = 200  # a fold that hides less costs more than it saves
_MOST_LINES: Final = 8
_LINES_NEAR: Final = 2
# Added text is what a reader is here for: as many lines stay in sight as of a long message.
_NEAR_ADDED: Final = 1_200
_LINES_ADDED: Final = 12
# Changes within one key or list that stay in sight, of more than a few.
_MOST_ROWS: Final = 12
_ROWS_NEAR: Final = 8
_MOST_FOLDED: Final = 20_000  # characters of a fold that are part of the page


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A part of a text; one that is ``folded`` is shown on demand.

    ``characters`` and ``lines`` are those of the part; its ``text`` has fewer if it ``is_cut``. A
    folded ``rest`` belongs to a text that is shown alone, without its other side.
    """

    kind: DiffSide
    text: str
    folded: bool = False
    characters: int = 0
    lines: int = 0
    rest: bool = False

    @property
    def is_cut(self) -> bool:
        return len(self.text) < self.characters


def fold_parts(pieces: Sequence[TextPiece]) -> list[DiffPart]:
    """Returns the pieces in order; of long ones only the ends show.

    Text next to a change stays in sight, and of added text the first lines.
    """
    last = len(pieces) - 1
    found: list[DiffPart] = []
    for place, piece in enumerate(pieces):
        if piece.kind is DiffSide.ADDED:
            head = _head(piece.text, _NEAR_ADDED, _LINES_ADDED)
            found += _split(piece, head, len(piece.text) - _tail(piece.text), rest=False)
            continue
        is_removed, is_alone = piece.kind is DiffSide.REMOVED, last == 0
        head = _head(piece.text) if place or is_removed or is_alone else 0
        tail = _tail(piece.text) if place < last or is_removed else 0
        found += _split(piece, head, len(piece.text) - tail, rest=is_alone and not is_removed)
    return found


def fold_new(text: str) -> list[DiffPart]:
    """Returns a text that had no earlier one, with the rest behind its first lines folded."""
    head = _head(text, _NEAR_ADDED, _LINES_ADDED)
    return _split(TextPiece(DiffSide.SAME, text), head, len(text), rest=True)


def rows_in_sight(count: int) -> int:
    """Returns how many of so many changes within one key stay in sight; the others are folded."""
    return count if count <= _MOST_ROWS else _ROWS_NEAR


def shortened(pieces: Sequence[TextPiece]) -> list[TextPiece]:
    """Returns the pieces with an ellipsis for what ``fold_parts`` folds."""
    return [
        TextPiece(each.kind, " … " if each.folded else each.text) for each in fold_parts(pieces)
    ]


def _split(piece: TextPiece, start: int, stop: int, *, rest: bool) -> list[DiffPart]:
    hidden = piece.text[start:stop]
    lines = hidden.count("\n") + (not hidden.endswith("\n"))
    if len(hidden) < _LEAST and lines <= _MOST_LINES:
        return [DiffPart(piece.kind, piece.text)]
    fold = DiffPart(piece.kind, hidden[:_MOST_FOLDED], True, len(hidden), lines, rest)
    ends = [DiffPart(piece.kind, text) for text in (piece.text[:start], piece.text[stop:])]
    return [each for each in (ends[0], fold, ends[1]) if each.text]


def _head(text: str, most: int = _NEAR, most_lines: int = _LINES_NEAR) -> int:
    """Returns where the first lines of a text end; within a long line, behind a word.

    Empty lines before them do not count: a fold behind nothing shows nothing.
    """
    start = len(text) - len(text.lstrip("\n"))
    near = text[start : start + most]
    lines = near.split("\n", most_lines)
    if len(lines) > most_lines:
        return start + len(near) - len(lines[-1])
    if len(lines) > 1:
        return start + near.rindex("\n") + 1
    return start + (near.rfind(" ") + 1 or len(near))


def _tail(text: str) -> int:
    """Returns the length of the last lines of a text; within a long line, from a word on.

    Empty lines behind them do not count.
    """
    end = len(text.rstrip("\n"))
    blank = len(text) - end
    near = text[max(end - _NEAR, 0) : end]
    lines = near.rsplit("\n", _LINES_NEAR)
    if len(lines) > _LINES_NEAR:
        return blank + len(near) - len(lines[0]) - 1
    if len(lines) > 1:
        return blank + len(near) - near.index("\n") - 1
    return blank + len(near) - near.find(" ") - 1
