"""The pages that compare: every revision ever opened, and what differs between two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations import queries
from conversations.domain.diff import Change
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.address import number_in
from conversations.pages.cards import plain_text
from conversations.pages.presenters import BatchLine
from conversations.store import find_head, find_revision, lineage
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.web.components import Crumb, DiffRow, Text
from ctxadmin.web.pages import page, show

_MOST_DIFFERENCES: Final = 500


@dataclass(frozen=True, slots=True)
class RevisionsPage:
    """Every revision ever opened and every move between them."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    lines: Sequence[BatchLine]
    moves: Sequence[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class DiffPage:
    """What differs between the views of two revisions."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    before: int
    after: int
    rows: Sequence[DiffRow]
    total: int
    revisions: Sequence[int]


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
    after = number_in(request, "to", head.current_revision)
    # Of the current one by itself, what its operation did is asked for.
    parent = find_revision(head.key, head.current_revision).parent
    before = number_in(request, "from", 0 if parent is None else parent)
    changes = queries.diff_of(actor, conversation_id, before, after)
    shown = DiffPage(
        title=_("Revision %(a)s against %(b)s") % {"a": before, "b": after},
        crumbs=presenters.crumbs(head, Crumb(_("Difference"))),
        head=head,
        before=before,
        after=after,
        rows=_diff_rows(head, changes[:_MOST_DIFFERENCES]),
        total=len(changes),
        revisions=range(head.revision_count),
    )
    return show(request, "conversations/diff.html", shown)


def _diff_rows(head: Conversation, changes: Sequence[Change]) -> list[DiffRow]:
    """The differences with the texts of their messages; an edit has both of them."""
    wanted = {change.index for change in changes}
    wanted |= {change.previous_index for change in changes if change.previous_index is not None}
    found = queries.messages_at(head, wanted, View())
    texts = {message.index: plain_text(message) for message in found}
    return [_diff_row(change, texts) for change in changes]


def _diff_row(change: Change, texts: dict[int, str]) -> DiffRow:
    text, place = texts[change.index], f"#{change.index}"
    match change.kind:
        case "hidden":
            return DiffRow("removed", place, before=text, note=_("hidden"))
        case "edited" if change.previous_index is not None:
            label = f"#{change.previous_index} → #{change.index}"
            return DiffRow("changed", label, texts[change.previous_index], text, _("edited"))
        case "moved":
            note = _("from position %(a)s to %(b)s")
            places = {"a": change.previous_position, "b": change.position}
            return DiffRow("moved", place, text, text, note % places)
    return DiffRow(
        "added", place, after=text, note=_("new") if change.kind == "added" else _("back")
    )
