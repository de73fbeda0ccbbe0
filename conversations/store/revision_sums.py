"""The checksums of a revision: of what never changes in its row, and of what grows."""

from collections.abc import Mapping
from typing import Final

from conversations.models import Revision
from conversations.store.damage import ALTERED, damaged
from ctxadmin.lib import clock
from ctxadmin.lib.row_sums import row_sum

_FACTS: Final = (
    *("number", "parent", "batch", "operation", "boundary", "patches", "branched_at"),
    *("author", "reason"),
)
_GROWN: Final = ("number", "log_length", "last_talk", "visible_count", "tokens")

GROWING: Final = ("grown", "log_length", "last_talk", "visible_count", "tokens")
_CHANGING: Final = (*GROWING, "has_children", "grown_sum")


def sum_of_revision(row: Revision) -> int:
    """Returns the checksum of the row as it was written, its opened view included."""
    config, opened = bytes(row.config), bytes(row.opened)
    facts = [getattr(row, name) for name in _FACTS]
    own = f"{facts}|{row.starts_line:d}|{clock.iso(row.created_at)}|{len(config)}|"
    return row_sum(own, config, opened)


def sum_of_growth(row: Revision) -> int:
    """Returns the checksum of what appends and the revisions opened from it change."""
    facts = [getattr(row, name) for name in _GROWN]
    return row_sum(f"{facts}|{row.has_children:d}|", bytes(row.grown))


def growth_of(row: Revision) -> Mapping[str, object]:
    """Returns the columns that change after the row is written; older rows have no checksum."""
    names = _CHANGING if row.grown_sum is not None else _CHANGING[:-1]
    return {name: getattr(row, name) for name in names}


def add_checksums(row: Revision) -> Revision:
    """Returns a new row with both of its checksums."""
    row.sum, row.grown_sum = sum_of_revision(row), sum_of_growth(row)
    return row


def check_parent(row: Revision) -> Revision:
    """Returns the row.

    Damaged unless its parent was opened before it, so that walks of parents end.
    """
    parent = -1 if row.parent is None else row.parent
    if (parent != -1) if row.number == 0 else not 0 <= parent < row.number:
        raise damaged(row.conversation, "revision", row.number, ALTERED)
    return row


def check_revision(row: Revision, *, with_view: bool = True) -> Revision:
    """Returns the row; raises Damaged if a checksum differs.

    Without its view checks what was read.
    """
    grew = row.grown_sum is None or row.grown_sum == sum_of_growth(row)
    if not grew or (with_view and row.sum is not None and row.sum != sum_of_revision(row)):
        raise damaged(row.conversation, "revision", row.number, ALTERED)
    return check_parent(row)
