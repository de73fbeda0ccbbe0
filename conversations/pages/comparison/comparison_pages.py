"""The pages that compare: every revision ever opened, and the differences of two."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Protocol, get_args

import orjson
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.domain.bodies import StoredMessage
from conversations.domain.diff import ChangeKind, ViewDifference
from conversations.domain.view import View
from conversations.models import Conversation, Revision
from conversations.pages import presenters
from conversations.pages.batch_words import batch_words
from conversations.pages.comparison.hunks import DiffLine, Skip
from conversations.pages.comparison.hunks import lines_of as hunks_of
from conversations.pages.presenters import BatchLine
from conversations.pages.reading.blocks import (
    MOST_MARKDOWN,
    Block,
    blocks_of,
    excerpt,
    lines_of,
    within_budget,
)
from conversations.pages.reading.cards import plain_body
from conversations.pages.reading.tool_calls import call_of
from conversations.pages.reading.url_parameters import number_in
from conversations.pages.reading.view_window import is_number
from conversations.reading import queries
from conversations.reading.batch_changes import changes_of
from conversations.store.conversation import find_head, find_revision, lineage, view_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.diff_folds import DiffPart, fold_parts
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show

_MOST_TEXT: Final = 2000
_LONG_LINES: Final = 14  # two more than a fold shows
_CONTEXT_LINES: Final = 4
_MOST_BLOCKS: Final = 20
_MOST_FOLDED: Final = 400  # messages of a page that are unfolded on demand
_NO_DRAFTS: Final[Mapping[int, "WrittenContent"]] = {}


class WrittenContent(Protocol):
    """A message to compare, logged or about to be."""

    @property
    def role(self) -> str: ...

    @property
    def body(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class RevisionsPage:
    """Every revision ever opened and every move between them."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    lines: Sequence[BatchLine]
    moves: Sequence[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    """A line of a comparison: a message with its change, or the number of messages left out.

    ``blocks`` are its content as the conversation shows it, or ``sides`` the pieces of an edited
    text, with the removed and added words marked. ``note`` says more, ``number`` is that of a
    message in the log, None for a gap. ``more`` are the first messages of a gap, to unfold, and
    ``next`` is the first one after them.
    """

    kind: str
    number: int | None
    role: str = ""
    sides: Sequence[TextPiece] = ()
    blocks: Sequence[Block] = ()
    note: Text = ""
    count: int = 0
    long: bool = False
    logged: bool = True
    more: Sequence["ComparisonLine"] = ()
    next: int | None = None

    @property
    def parts(self) -> list[DiffPart]:
        """Returns an edited text as it is drawn."""
        return fold_parts(self.sides)

    @property
    def folded(self) -> bool:
        """Returns True if only the beginning is in sight until someone unfolds it."""
        most = _CONTEXT_LINES if self.kind == "same" else _LONG_LINES
        return lines_of(self.blocks) > most


@dataclass(frozen=True, slots=True)
class ViewDifferences:
    """The differences of two views, in place; ``counts`` by kind."""

    places: Sequence[ComparisonLine]
    counts: Sequence[tuple[str, int]]
    shown: int
    total: int
    log_url: str


@dataclass(frozen=True, slots=True)
class DiffPage:
    """The differences of the views of two revisions."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    before: int
    after: int
    changes: ViewDifferences
    revisions: Sequence[BatchLine]


@require_safe
@page
def revisions(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    branch = frozenset(row.number for row in lineage(head.key, head.current_revision))
    may_move = actor.may(Action.BATCH_ROLLBACK) and head.status != "RUNNING"
    rows = queries.all_revisions(head)
    opened = changes_of(rows)
    batches = {
        row.number: presenters.batch_named(row.batch, batch_words(row, opened)) for row in rows
    }
    shown = RevisionsPage(
        title=_("Batches"),
        crumbs=presenters.crumbs(head, Crumb(_("Batches"))),
        head=head,
        lines=presenters.batch_lines(head, rows, branch=branch, may_move=may_move),
        moves=[
            (presenters.move_label(move, batches), move)
            for move in reversed(queries.moves_of(head))
        ],
    )
    return show(request, "conversations/revisions.html", shown)


@require_safe
@page
def diff(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    before, after = _pair_in(request, head)
    first, last = (find_revision(head.key, number) for number in (before, after))
    changes = queries.diff_between(head.key, before, after)
    rows = queries.all_revisions(head)
    branch = frozenset(row.number for row in lineage(head.key, head.current_revision))
    lines = presenters.batch_lines(head, rows, branch=branch, may_move=False)
    names = {line.revision: presenters.batch_title(line) for line in lines}
    within = _is_batch_of(rows, first, last)
    shown = DiffPage(
        title=_changes_title(names[before], names[after], within=within),
        crumbs=presenters.crumbs(head, Crumb(_("Difference"))),
        head=head,
        before=before,
        after=after,
        changes=message_changes(head, view_of(first), view_of(last), changes),
        revisions=lines,
    )
    return show(request, "conversations/diff.html", shown)


def _is_batch_of(rows: Sequence[Revision], first: Revision, last: Revision) -> bool:
    """Returns True if two revisions are of one batch; after a rollback others have its number."""
    parents = {row.number: row.parent for row in rows}
    older, number = sorted((first.number, last.number))
    while number > older and (parent := parents.get(number)) is not None:
        number = parent
    return number == older and first.batch == last.batch


def _changes_title(before: str, after: str, *, within: bool) -> str:
    """Returns the title of a comparison; appends and pins have the number of their batch."""
    if within:
        return _("Changes within batch %(n)s") % {"n": after}
    return _("Changes from batch %(a)s to %(b)s") % {"a": before, "b": after}


def message_changes(
    head: Conversation,
    before: View,
    after: View,
    changes: Sequence[ViewDifference],
    drafts: Mapping[int, WrittenContent] = _NO_DRAFTS,
) -> ViewDifferences:
    """Returns the changes for a reader; ``drafts`` are messages not logged yet, by log index."""
    places = _places_of(head, hunks_of(before, after, changes), drafts) if changes else []
    counted = Counter(change.kind for change in changes)
    return ViewDifferences(
        places=places,
        counts=[(kind, counted[kind]) for kind in get_args(ChangeKind) if counted[kind]],
        shown=sum(place.count or 1 for place in places if place.kind != "same"),
        total=len(changes),
        log_url=reverse("conversations:detail", args=[head.public_id]) + "?view=all&",
    )


def _pair_in(request: HttpRequest, head: Conversation) -> tuple[int, int]:
    """Returns the revisions to compare: ``from`` and ``to``, or the two that were selected.

    One that was selected alone is compared with the current one; the current one alone is compared
    with the one before its operation.
    """
    selected = request.GET.getlist("revision")
    if selected:
        if not all(is_number(text) for text in selected):
            raise ValidationFailed.at("?revision", _("Enter a revision as a whole number."))
        numbers = sorted({int(text) for text in selected})
        if len(numbers) == 1 and numbers[0] != head.current_revision:
            numbers = [numbers[0], head.current_revision]
        if len(numbers) > 1:
            return numbers[0], numbers[-1]
    after = number_in(request, "to", head.current_revision)
    parent = find_revision(head.key, head.current_revision).parent
    return number_in(request, "from", 0 if parent is None else parent), after


def _places_of(
    head: Conversation, lines: Sequence[DiffLine | Skip], drafts: Mapping[int, WrittenContent]
) -> list[ComparisonLine]:
    """Returns the lines with the texts of their messages."""
    folded = _folded(lines)
    shown = [*(line for line in lines if isinstance(line, DiffLine)), *chain(*folded.values())]
    wanted = {line.index for line in shown}
    wanted |= {
        line.change.previous_index
        for line in shown
        if line.change and line.change.previous_index is not None
    }
    found = queries.messages_at(head, wanted - drafts.keys(), View())
    messages: dict[int, WrittenContent] = {message.index: message for message in found}
    messages |= drafts
    return _within_budget(
        _skipped(line, folded[place], messages)
        if isinstance(line, Skip)
        else _line_of(line, messages)
        for place, line in enumerate(lines)
    )


def _within_budget(lines: Iterable[ComparisonLine]) -> list[ComparisonLine]:
    """Returns the lines with no more Markdown than a page may have."""
    found: list[ComparisonLine] = []
    left = MOST_MARKDOWN
    for line in lines:
        blocks, left = within_budget(line.blocks, left)
        more: list[ComparisonLine] = []
        for each in line.more:
            inner, left = within_budget(each.blocks, left)
            more.append(replace(each, blocks=inner))
        found.append(replace(line, blocks=blocks, more=more))
    return found


def _folded(lines: Sequence[DiffLine | Skip]) -> dict[int, Sequence[DiffLine]]:
    """Returns the lines of gaps that a page includes, by the position of the gap."""
    left = _MOST_FOLDED
    folded: dict[int, Sequence[DiffLine]] = {}
    for place, line in enumerate(lines):
        if isinstance(line, Skip):
            folded[place] = line.lines[:left]
            left -= len(folded[place])
    return folded


def _skipped(
    skip: Skip, folded: Sequence[DiffLine], messages: Mapping[int, WrittenContent]
) -> ComparisonLine:
    rest = skip.lines[len(folded) :]
    return ComparisonLine(
        skip.kind,
        None,
        count=skip.count,
        more=[_line_of(line, messages) for line in folded],
        next=rest[0].index if rest else None,
    )


def _line_of(line: DiffLine, messages: Mapping[int, WrittenContent]) -> ComparisonLine:
    message, change = messages[line.index], line.change
    logged = isinstance(message, StoredMessage)
    if change is not None and change.kind == "edited" and change.previous_index is not None:
        before, after = messages[change.previous_index].body, message.body
        sides = text_diff(plain_body(before), plain_body(after))
        note = _("replaces #%(n)s") % {"n": change.previous_index}
        return ComparisonLine("edited", line.index, message.role, sides, note=note, logged=logged)
    note = ""
    if change is not None and change.kind == "moved":
        ends = {"a": change.previous_position, "b": change.position}
        note = _("moved from position %(a)s to %(b)s") % ends
    blocks, long = _beginning_of(message)
    return ComparisonLine(
        line.kind, line.index, message.role, blocks=blocks, note=note, long=long, logged=logged
    )


def _beginning_of(message: WrittenContent) -> tuple[list[Block], bool]:
    """Returns the content of a message and its calls, and whether that is not all of it."""
    body = orjson.loads(message.body)
    calls = [call_of(call) for call in body.get("tool_calls") or ()]
    every = blocks_of(body.get("content"), role=message.role)
    every += [
        Block("text", text=f"{call.name}({call.arguments.text or call.brief})") for call in calls
    ]
    blocks: list[Block] = []
    left = _MOST_TEXT
    for block in every[:_MOST_BLOCKS]:
        if left <= 0:
            break
        blocks.append(excerpt(block, left))
        left -= len(block.text)
    return blocks, len(every) > len(blocks) or left < 0
