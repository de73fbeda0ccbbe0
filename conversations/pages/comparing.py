"""The pages that compare: every revision ever opened, and what differs between two."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations import queries
from conversations.domain.bodies import StoredMessage
from conversations.domain.diff import Change, ChangeKind
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.address import number_in
from conversations.pages.cards import plain_body
from conversations.pages.hunks import Line, Skip, lines_of
from conversations.pages.presenters import BatchLine
from conversations.pages.windows import is_number
from conversations.store import find_head, find_revision, lineage, view_of
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.text_diff import Piece, TextPiece, text_diff, without_long
from ctxadmin.web.components import Crumb, Text
from ctxadmin.web.pages import page, show

_MOST_TEXT: Final = 2000
_CONTEXT: Final = 200


@dataclass(frozen=True, slots=True)
class RevisionsPage:
    """Every revision ever opened and every move between them."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    lines: Sequence[BatchLine]
    moves: Sequence[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a comparison: a message with what happened to it, or how many are left out.

    ``sides`` are the pieces of its text, with the words marked that an edit took or brought;
    ``note`` says more, ``number`` is that of a message in the log, None for what is left out.
    """

    kind: str
    number: int | None
    role: str = ""
    sides: Sequence[TextPiece] = ()
    note: Text = ""
    count: int = 0
    long: bool = False


@dataclass(frozen=True, slots=True)
class DiffPage:
    """What differs between the views of two revisions, in its place; ``counts`` by kind."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    before: int
    after: int
    places: Sequence[Place]
    counts: Sequence[tuple[str, int]]
    shown: int
    total: int
    log_url: str
    revisions: Sequence[BatchLine]


@require_safe
@page
def revisions(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    branch = frozenset(row.number for row in lineage(head.key, head.current_revision))
    may_move = actor.may(Action.BATCH_ROLLBACK) and head.status != "RUNNING"
    rows = queries.all_revisions(head)
    shown = RevisionsPage(
        title=_("Batches and revisions"),
        crumbs=presenters.crumbs(head, Crumb(_("Batches"))),
        head=head,
        lines=presenters.batch_lines(head, rows, branch=branch, may_move=may_move),
        moves=[(presenters.move_words(move), move) for move in reversed(queries.moves_of(head))],
    )
    return show(request, "conversations/revisions.html", shown)


@require_safe
@page
def diff(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    before, after = _pair_in(request, head)
    first, last = (find_revision(head.key, number) for number in (before, after))
    changes = queries.diff_between(head.key, before, after)
    lines = lines_of(view_of(first), view_of(last), changes)
    places = places_of(head, lines)
    rows = queries.all_revisions(head)
    shown = DiffPage(
        title=_("Revision %(a)s against %(b)s") % {"a": before, "b": after},
        crumbs=presenters.crumbs(head, Crumb(_("Difference"))),
        head=head,
        before=before,
        after=after,
        places=places,
        counts=counts_of(changes),
        shown=shown_of(places),
        total=len(changes),
        log_url=reverse("conversations:detail", args=[conversation_id]) + "?view=all&",
        revisions=presenters.batch_lines(head, rows, branch=frozenset(), may_move=False),
    )
    return show(request, "conversations/diff.html", shown)


def counts_of(changes: Sequence[Change]) -> list[tuple[str, int]]:
    """How many changes there are of each kind."""
    counted = Counter(change.kind for change in changes)
    return [(kind, counted[kind]) for kind in get_args(ChangeKind) if counted[kind]]


def shown_of(places: Sequence[Place]) -> int:
    """How many changes the places tell of."""
    return sum(place.count or 1 for place in places if place.kind != "same")


def _pair_in(request: HttpRequest, head: Conversation) -> tuple[int, int]:
    """Which revisions are compared: ``from`` and ``to``, or the two that were ticked.

    One that was ticked alone is compared with the current one; of the current one by itself,
    what its operation did is asked for.
    """
    ticked = request.GET.getlist("revision")
    if ticked:
        if not all(is_number(text) for text in ticked):
            raise ValidationFailed.at("?revision", _("A revision is a whole number."))
        numbers = sorted({int(text) for text in ticked})
        if len(numbers) == 1 and numbers[0] != head.current_revision:
            numbers = [numbers[0], head.current_revision]
        if len(numbers) > 1:
            return numbers[0], numbers[-1]
    after = number_in(request, "to", head.current_revision)
    parent = find_revision(head.key, head.current_revision).parent
    return number_in(request, "from", 0 if parent is None else parent), after


def places_of(head: Conversation, lines: Sequence[Line | Skip]) -> list[Place]:
    """The lines with the texts of their messages."""
    wanted = {line.index for line in lines if isinstance(line, Line)}
    changes = [line.change for line in lines if isinstance(line, Line) and line.change]
    wanted |= {each.previous_index for each in changes if each.previous_index is not None}
    found = queries.messages_at(head, wanted, View())
    messages = {message.index: message for message in found}
    return [
        Place(line.kind, None, count=line.count)
        if isinstance(line, Skip)
        else _place(line, messages)
        for line in lines
    ]


def _place(line: Line, messages: Mapping[int, StoredMessage]) -> Place:
    message, change = messages[line.index], line.change
    text = _words(message)
    if change is not None and change.kind == "edited" and change.previous_index is not None:
        sides = without_long(text_diff(_words(messages[change.previous_index]), text))
        note = _("instead of #%(n)s") % {"n": change.previous_index}
        return Place("edited", line.index, message.role, sides, note)
    note = ""
    if change is not None and change.kind == "moved":
        ends = {"a": change.previous_position, "b": change.position}
        note = _("from position %(a)s to %(b)s") % ends
    cut = text[: _CONTEXT if line.kind == "same" else _MOST_TEXT]
    sides = [TextPiece(Piece.SAME, cut)] if cut else []
    return Place(line.kind, line.index, message.role, sides, note, long=len(cut) < len(text))


def _words(message: StoredMessage) -> str:
    return plain_body(message.body)
