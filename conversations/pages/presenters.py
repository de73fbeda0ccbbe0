"""What the conversation pages show, built from rows and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

import orjson
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from conversations.models import Conversation, Move, Revision
from conversations.pages.batch_words import batch_options, batch_words, pin_of
from conversations.reading.batch_changes import changes_of
from conversations.reading.display_names import display_name
from conversations.store.conversation import metadata_of_head
from ctxadmin.ui.components import Crumb, Text, inside_quotes

BUDGET_KEY: Final = "token_budget"


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A revision in the list: what opened it, who and why, and the possible actions.

    One that ``pins`` has the batch number of the view before it, and is no view to go back to:
    pins are of the messages, whichever batch is current.
    """

    revision: int
    number: int
    operation: Text
    summary: str
    visible_count: int
    tokens: int
    author: str
    reason: str
    created_at: datetime
    current: bool
    on_branch: bool
    url: str
    action_url: str
    action: str
    pins: bool


def batch_lines(
    head: Conversation,
    rows: Sequence[Revision],
    *,
    branch: frozenset[int],
    may_move: bool,
    without: frozenset[int] = frozenset(),
) -> list[BatchLine]:
    """Returns the list, latest first, ``without`` some.

    Those on the branch are rolled back to, those beside it restored.
    """
    found = changes_of(rows)
    current = _current_view(head, rows)
    return [
        _batch_line(head, row, batch_words(row, found), branch, current, may_move=may_move)
        for row in reversed(rows)
        if row.number not in without
    ]


def _current_view(head: Conversation, rows: Sequence[Revision]) -> int:
    """Returns the revision that opened the current view: those that only pinned are passed over."""
    by_number = {row.number: row for row in rows}
    number = head.current_revision
    while (row := by_number.get(number)) and row.parent is not None and pin_of(row):
        number = row.parent
    return number


def batch_title(line: BatchLine) -> str:
    """Returns what tells a batch from others of its number: ``1 (Replaced #1, rolled back)``."""
    names = {"n": line.number, "words": line.operation}
    if not line.on_branch:
        return _("%(n)s (%(words)s, rolled back)") % names
    return pgettext("a batch and what opened it", "%(n)s (%(words)s)") % names


def batch_named(number: int, words: Text) -> str:
    """Names a batch in a sentence: ``1 “Hid #5”``; after a rollback others have its number."""
    return f"{number} “{inside_quotes(words)}”"


def group_lines(lines: Sequence[BatchLine]) -> list[tuple[int, list[BatchLine]]]:
    """Returns the list in groups, each with how many rolled-back batches it folds; 0 folds none."""
    groups = [list(group) for _, group in groupby(lines, key=lambda line: line.on_branch)]
    return [
        (0 if group[0].on_branch else sum(not line.pins for line in group), group)
        for group in groups
    ]


def _batch_line(
    head: Conversation,
    row: Revision,
    words: Text,
    branch: frozenset[int],
    current: int,
    *,
    may_move: bool,
) -> BatchLine:
    on_branch = row.number in branch
    pins = pin_of(row) is not None
    is_here = on_branch and row.batch == head.current_batch  # as one that only pinned a message
    action = "" if is_here or pins or not may_move else "rollback" if on_branch else "restore"
    target = row.batch if on_branch else row.number
    urls = {
        "": "",
        "rollback": reverse("conversations:rollback", args=[head.public_id, target]),
        "restore": reverse("conversations:restore", args=[head.public_id, target]),
    }
    return BatchLine(
        revision=row.number,
        number=row.batch,
        operation=words,
        summary=batch_options(row),
        visible_count=row.visible_count,
        tokens=row.tokens,
        author=row.author,
        reason=row.reason,
        created_at=row.created_at,
        current=row.number == current,
        on_branch=on_branch,
        url=reverse("conversations:detail", args=[head.public_id]) + f"?view={row.number}",
        action_url=urls[action],
        action=action,
        pins=pins,
    )


def move_label(move: Move, batches: Mapping[int, str]) -> str:
    """Returns a move in words: ``rolled back from batch 4 “Hid #5” to 1 “Hid #2”``.

    ``batches`` are the batches by revision, as sentences name them.
    """
    text = (
        _("rolled back from batch %(a)s to %(b)s")
        if move.kind == "rollback"
        else _("restored batch %(b)s in place of batch %(a)s")
    )
    return text % {"a": batches[move.from_revision], "b": batches[move.to_revision]}


def crumbs(head: Conversation | None = None, *more: Crumb) -> tuple[Crumb, ...]:
    """Returns the breadcrumbs of a page of a conversation."""
    first = Crumb(_("Conversations"), reverse("conversations:list"))
    if head is None:
        return (first, *more)
    here = Crumb(display_name(head), reverse("conversations:detail", args=[head.public_id]))
    return (first, here, *more)


def token_budget(head: Conversation) -> int | None:
    """Returns the positive whole number under ``token_budget`` in the metadata, if there is one."""
    found = orjson.loads(metadata_of_head(head)).get(BUDGET_KEY)
    known = isinstance(found, int) and not isinstance(found, bool)
    return found if known and found > 0 else None
