"""The pages on which conversations are read: list, messages, batches, differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations import queries, transfers
from conversations.archiving import GOING_ON
from conversations.domain.diff import Change
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.presenters import BatchLine, MessageCard
from conversations.queries import MessageWindow
from conversations.store import find_head, find_revision, lineage, view_of
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.web.components import STATUSES, Crumb, DiffRow, Tab, Text
from ctxadmin.web.pages import page, show
from ctxadmin.web.pagination import PageRequest

SECTION: Final = 50
_RAIL: Final = 40
_MOST_DIFFERENCES: Final = 500


@dataclass(frozen=True, slots=True)
class ListPage:
    """The list of conversations; ``wanted`` is what the filter bar shows."""

    title: Text
    crumbs: Sequence[Crumb]
    conversations: Sequence[Conversation]
    next: str | None
    wanted: queries.ConversationFilter
    statuses: Sequence[str]
    may_import: bool
    filtered: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of messages; only the one that was asked for comes with its cards.

    ``url`` gives the cards alone, ``query`` is that of the page that has them loaded.
    """

    start: int
    stop: int
    url: str
    query: str
    cards: Sequence[MessageCard]


@dataclass(frozen=True, slots=True)
class DetailPage:
    """A conversation as a reader wants it, with the rail of its batches.

    ``messages_url`` is the view that is shown; a message of it is at ``at=index#mindex``.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    tabs: Sequence[Tab]
    sections: Sequence[Section]
    messages_url: str
    lines: Sequence[BatchLine]
    more_batches: bool
    shown_count: int
    old_revision: int | None
    may_operate: bool
    may_change: bool
    may_archive: bool
    may_erase: bool
    running: bool


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
def conversation_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    wanted = queries.ConversationFilter(
        status=request.GET.get("status", ""),
        workflow=request.GET.get("workflow", ""),
        text=request.GET.get("q", "").strip(),
        archived=request.GET.get("archived") == "true",
    )
    asked = PageRequest.of(request.GET)
    found = queries.list_conversations(actor, wanted, asked)
    shown = ListPage(
        title=_("Conversations"),
        crumbs=(),
        conversations=found.items,
        next=found.next,
        wanted=wanted,
        statuses=tuple(STATUSES),
        may_import=actor.may(Action.CONVERSATION_IMPORT),
        filtered=wanted != queries.ConversationFilter(),
    )
    return show(request, "conversations/list.html", shown)


@require_safe
@page
def detail(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    which, start, count = request.GET.get("view", "current"), _start(request), _count(request)
    if "at" in request.GET:
        index = _number(request, "at", 0)
        place = _place(head, which, index, count)
        if place is None:
            # It is hidden there; the browser keeps the fragment of a link over a redirect.
            here = reverse("conversations:detail", args=[conversation_id])
            return redirect(f"{here}?view=all&at={index}")
        start = place // SECTION * SECTION
    window = _window(head, which, start, count)
    grown = count is not None and count < head.visible_count
    other = _is_number(which) and (int(which) != head.current_revision or grown)
    old = int(which) if other else None
    rows = lineage(head.key, head.current_revision)
    branch = frozenset(row.number for row in rows)
    may_move = actor.may(Action.BATCH_ROLLBACK) and head.status != "RUNNING"
    newest = list(reversed(rows[:_RAIL]))
    shown = DetailPage(
        title=head.title or head.public_id,
        crumbs=(*presenters.crumbs(), Crumb(head.title or head.public_id)),
        head=head,
        tabs=_tabs(head, which),
        sections=_sections(head, which, start, window, count),
        messages_url=_messages_url(head, which, count),
        lines=presenters.batch_lines(head, newest, branch=branch, may_move=may_move),
        more_batches=len(rows) > _RAIL or head.revision_count > len(rows),
        shown_count=window.view_count,
        old_revision=old,
        may_operate=actor.may(Action.MESSAGES_OPERATE) and old is None,
        may_change=actor.may(Action.CONVERSATION_UPDATE),
        may_archive=actor.may(Action.CONVERSATION_ARCHIVE) and head.status not in GOING_ON,
        may_erase=actor.may(Action.CONVERSATION_ERASE),
        running=head.status == "RUNNING" and not actor.is_engine,
    )
    return show(request, "conversations/detail.html", shown)


@require_safe
@page
def section(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Fifty messages for a page that is scrolled to them."""
    head = find_head(actor.workspace, conversation_id)
    which, start, count = request.GET.get("view", "current"), _start(request), _count(request)
    cards = _cards(head, which, _window(head, which, start, count))
    context = {"cards": cards, "messages_url": _messages_url(head, which, count)}
    return render(request, "conversations/_messages.html", context)


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
    after = _number(request, "to", head.current_revision)
    # Of the current one by itself, what its operation did is asked for.
    parent = find_revision(head.key, head.current_revision).parent
    before = _number(request, "from", 0 if parent is None else parent)
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


@require_safe
@page
def export(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    document = transfers.export(actor, conversation_id)
    name = f'attachment; filename="{conversation_id}.json"'
    headers = {"Content-Disposition": name}
    return HttpResponse(document, content_type="application/json", headers=headers)


def _window(head: Conversation, which: str, start: int, count: int | None) -> MessageWindow:
    if which not in ("all", "current") and not _is_number(which):
        text = _("There is no such view: it is current, all, or the number of a revision.")
        raise ValidationFailed.at("?view", text)
    if which == "all":
        return queries.log_window(head, start, SECTION)
    name = f"revision:{which}" if _is_number(which) else which
    row = queries.shown_revision(head, name)
    return queries.visible_window(head, row, start, SECTION, count=count)


def _place(head: Conversation, which: str, index: int, count: int | None) -> int | None:
    """The position of a message in a view, None if it is hidden there; NotFound without it."""
    if index >= head.log_count:
        raise NotFound(_("There is no message #%(n)s.") % {"n": index})
    if which == "all":
        return index
    name = f"revision:{which}" if _is_number(which) else "current"
    place = view_of(queries.shown_revision(head, name)).position_of(index)
    return place if place is None or count is None or place < count else None


def _messages_url(head: Conversation, which: str, count: int | None) -> str:
    then = "" if count is None else f"count={count}&"
    return reverse("conversations:detail", args=[head.public_id]) + f"?view={which}&{then}"


def _cards(head: Conversation, which: str, window: MessageWindow) -> list[MessageCard]:
    results = queries.results_of(head, [message.index for message in window.messages])
    places = [None] * len(window.messages) if which == "all" else window.positions
    return [
        presenters.message_card(message, results, position)
        for message, position in zip(window.messages, places, strict=True)
    ]


def _sections(
    head: Conversation, which: str, start: int, window: MessageWindow, count: int | None
) -> list[Section]:
    """The stretch that was asked for with its messages, the others as places to fill."""
    base = reverse("conversations:section", args=[head.public_id])
    then = "" if count is None else f"&count={count}"
    found: list[Section] = []
    for first in range(0, window.view_count, SECTION):
        stop = min(first + SECTION, window.view_count)
        cards = _cards(head, which, window) if first == start else ()
        query = f"?view={which}{then}&start={first}"
        found.append(Section(first, stop, f"{base}{query}", f"{query}#s{first}", cards))
    return found


def _tabs(head: Conversation, which: str) -> list[Tab]:
    here = reverse("conversations:detail", args=[head.public_id])
    tabs = [
        Tab(_("What the model sees"), here, which == "current", head.visible_count),
        Tab(_("Whole log"), f"{here}?view=all", which == "all", head.log_count),
    ]
    if _is_number(which):
        tabs.append(Tab(_("Revision %(n)s") % {"n": which}, f"{here}?view={which}", current=True))
    return tabs


def _count(request: HttpRequest) -> int | None:
    """How many messages the view had at the moment that is asked for."""
    return _number(request, "count", 0) if "count" in request.GET else None


def _start(request: HttpRequest) -> int:
    return _number(request, "start", 0) // SECTION * SECTION


def _number(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name, str(default))
    if not _is_number(text):
        message = _("In the address, %(name)s must be a whole number.") % {"name": name}
        raise ValidationFailed.at(f"?{name}", message)
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _diff_rows(head: Conversation, changes: Sequence[Change]) -> list[DiffRow]:
    """The differences with the texts of their messages; an edit has both of them."""
    wanted = {change.index for change in changes}
    wanted |= {change.previous_index for change in changes if change.previous_index is not None}
    found = queries.messages_at(head, wanted, View())
    texts = {message.index: presenters.plain_text(message) for message in found}
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
