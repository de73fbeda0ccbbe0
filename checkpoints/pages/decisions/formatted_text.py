"""A text of the review card as its reader wants it: formatted, and folded if it is long."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conversations.pages.reading.blocks import Block, blocks_of, lines_of, within_budget
from ctxadmin.lib.diff_folds import fold_parts
from ctxadmin.lib.text_diff import text_diff
from ctxadmin.ui.markdown_diff import MarkedBlock, markdown_diff

_MOST_MARKDOWN: Final = 16_000  # of one text; a card has a few of them
_MOST_IN_SIGHT: Final = 1_600  # characters of an edited text, about a screen
_LONG_LINES: Final = 14
_LONG_REQUEST: Final = 6  # at the width of a desk; its column is half as wide
_NARROW_LINE: Final = 40  # characters of a line on a phone
_FORMATTED: Final = frozenset({"markdown", "code"})
_SIGNS: Final = frozenset("*_`#>|[~")


@dataclass(frozen=True, slots=True)
class FormattedText:
    """The pieces of a text, and how it folds: "long", "narrow" (only on a phone) or "".

    ``is_marked`` is True if its source can differ from what is drawn.
    """

    text: str
    blocks: Sequence[Block]
    fold: str
    is_marked: bool

    @property
    def length(self) -> int:
        return len(self.text)

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1


def formatted_text(text: str, role: str) -> FormattedText:
    """Returns the text of a message, or of a value that says the same."""
    blocks, _left = within_budget(blocks_of(text, role=role), _MOST_MARKDOWN)
    is_marked = any(each.kind != "text" for each in blocks) and not _SIGNS.isdisjoint(text)
    return FormattedText(text, blocks, _fold_of(text, blocks, role), is_marked)


def formatted_diff(before: str, after: str, role: str) -> Sequence[MarkedBlock]:
    """Returns a text that was edited with its changed words marked; nothing if its source has to
    be compared.

    That is so of JSON, of long texts, if only signs of Markdown differ, and if the formatted text
    folds much less of what is unchanged, as in one long list.
    """
    if max(len(before), len(after)) > _MOST_MARKDOWN or not (before.strip() and after.strip()):
        return ()
    drawn = {block.kind for text in (before, after) for block in blocks_of(text, role=role)}
    marked = (markdown_diff(before, after) or ()) if drawn <= _FORMATTED else ()
    return () if marked and _folds_less(marked, before, after) else marked


def _folds_less(marked: Sequence[MarkedBlock], before: str, after: str) -> bool:
    pieces = text_diff(before, after)
    folded = sum(block.characters for block in marked if block.folded)
    in_sight = sum(len(piece.text) for piece in pieces) - folded
    in_source = sum(len(part.text) for part in fold_parts(pieces) if not part.folded)
    return in_sight > _MOST_IN_SIGHT and 2 * in_source < in_sight


def _fold_of(text: str, blocks: Sequence[Block], role: str) -> str:
    is_answer = role == "assistant"
    if lines_of(blocks) > (_LONG_LINES if is_answer else _LONG_REQUEST):
        return "long"
    takes_three = len(text) > 2 * _NARROW_LINE or text.strip().count("\n") > 1
    return "narrow" if takes_three and not is_answer else ""
