"""The page of a conversation: its messages with the rail of its batches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.lifecycle.archival import GOING_ON
from conversations.models import Conversation, Revision
from conversations.pages import presenters
from conversations.pages.pin_changes import undone_pins
from conversations.pages.presenters import BatchLine
from conversations.pages.reading import view_window
from conversations.pages.reading.cards import Gap, MessageCard
from conversations.pages.reading.filter_form import (
    COUNTED_AT_ONCE,
    ChosenFilter,
    FilterForm,
    chosen_filters,
    filter_form,
)
from conversations.pages.reading.reading_pages import (
    DETAILS,
    Detail,
    Outline,
    detail_in,
    outline_of,
    remember_detail,
)
from conversations.pages.reading.url_parameters import number_in, requested_start, requested_view
from conversations.pages.reading.view_window import SECTION, Section, ShownView, is_number
from conversations.pages.reading.workflow_names import workflow_names
from conversations.pages.redo import redo_own_url
from conversations.pages.undo import undo_own_url, why_no_undo
from conversations.reading import queries
from conversations.reading.display_names import display_name
from conversations.reading.navigation import narrowed
from conversations.reading.pause_requests import is_pause_requested
from conversations.services.pins import may_pin
from conversations.store.conversation import find_head, find_revision, find_with_details, lineage
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Crumb, Tab, Text
from ctxadmin.ui.pages import page, part_of, show

_RAIL: Final = 40
_BRINGING: Final = ("insert", "replace", "summarize")  # operations
_CHAPTER: Final = 20  # sections that a browser skips as one: 1,000 of them took it long to lay out


@dataclass(frozen=True, slots=True)
class DetailPage:
    """A conversation as a reader wants it, with the rail of its batches.

    ``messages_url`` is the view that is shown; a message of it is at ``at=index#mindex``.
    ``hides`` tells that the log has more than the view, ``budget`` is None if none is set.
    ``first`` and ``last`` are the log indices of its ends, None without messages; ``filter`` is
    None as long as nobody opens it in a long conversation, ``view_count`` counts without it.
    ``undo`` undoes the reader's own last change by POST, ``redo`` does again what was undone last;
    each "" if nothing is left. ``pauses`` tells that the execution is to
    pause at its next checkpoint. ``came`` is the message that the change
    brought to which the address leads; ``no_undo`` says why nothing can be undone. ``is_placed``
    tells that the address names a message: it is scrolled to before anything is painted.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    workflow: str
    tabs: Sequence[Tab]
    wanted: ShownView
    chapters: Sequence[Sequence[Section]]
    messages_url: str
    hides: bool
    budget: int | None
    groups: Sequence[tuple[int, Sequence[BatchLine]]]
    more_batches: bool
    shown_count: int
    old_batch: int | None
    selectable: bool
    may_review: bool
    may_comment: bool
    may_pin: bool
    may_operate: bool
    may_change: bool
    may_archive: bool
    may_erase: bool
    running: bool
    pauses: bool
    detail: Detail
    details: Sequence[tuple[Detail, Text, str]]
    outline: Outline
    filter: FilterForm | None
    chosen: Sequence[ChosenFilter]
    first: int | None
    last: int | None
    view_count: int
    undo: str
    redo: str
    came: int | None
    is_placed: bool
    no_undo: Text


def _comment_words(request: HttpRequest) -> str:
    """Returns the parameters by which the page marks words in the comment of its address."""
    given = {each: request.GET[each] for each in ("words", "whole") if each in request.GET}
    return f"&{urlencode(given)}" if given else ""


@require_safe
@page
def detail(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_with_details(actor.workspace, conversation_id, checked=True)
    wanted, start = requested_view(request), requested_start(request)
    near: int | None = None
    if "at" in request.GET:
        index = number_in(request, "at", 0)
        place = view_window.place_of(head, wanted, index)
        if place is None and request.headers.get("HX-Request"):  # a page that follows what happens
            place = view_window.place_near(head, wanted, index)
        if place is None:
            # It is hidden there; the browser keeps the fragment of a link over a redirect.
            here = reverse("conversations:detail", args=[conversation_id])
            words = f"&{wanted.find_query}" if wanted.words else _comment_words(request)
            return redirect(f"{here}?view=all&at={index}{words}")
        start = place // SECTION * SECTION
    elif "near" in request.GET:  # an address of one's own change, which stays in its view
        near = view_window.place_near(head, wanted, number_in(request, "near", 0))
        start = near // SECTION * SECTION
    window = view_window.window_of(head, wanted, start)
    windows = {start: window}
    # What stood in sight before the change stands there again when the page is first painted.
    if (
        near is not None
        and (beside := view_window.start_beside(near, window.view_count)) is not None
    ):
        windows[beside] = view_window.window_of(head, wanted, beside)
    which, count = wanted.which, wanted.count
    grown = count is not None and count < head.visible_count
    other = is_number(which) and (int(which) != head.current_revision or grown)
    shown_batch = _batch_of(head, which)
    rows = lineage(head.key, head.current_revision)
    branch = frozenset(row.number for row in rows)
    may_move = actor.may(Action.BATCH_ROLLBACK) and head.status != "RUNNING"
    newest = queries.newest_revisions(head, _RAIL)
    if head.current_revision < newest[0].number:  # it was gone back to long ago
        newest = [*reversed(rows[:1]), *newest]
    lines = presenters.batch_lines(
        head, newest, branch=branch, may_move=may_move, without=undone_pins(newest)
    )
    whole = view_window.whole_view(head, wanted)
    view = narrowed(head, whole, wanted.only)
    sections = view_window.sections_of(actor, head, wanted, windows, view)
    running = head.status == "RUNNING" and not actor.is_engine
    back_to = _view_to_come_back_to(actor, head, wanted)
    opens = head.log_count <= COUNTED_AT_ONCE or "filter" in request.GET
    shown = DetailPage(
        title=display_name(head),
        crumbs=presenters.crumbs(),
        head=head,
        workflow=workflow_names(actor, [head]).get(head.workflow, head.workflow),
        tabs=_tabs(head, which, shown_batch),
        wanted=wanted,
        chapters=[sections[at : at + _CHAPTER] for at in range(0, len(sections), _CHAPTER)],
        messages_url=view_window.messages_url(head, wanted),
        hides=which != "all"
        and count is None
        and not wanted.only
        and head.log_count > window.view_count,
        budget=presenters.token_budget(head),
        groups=presenters.group_lines(lines),
        more_batches=head.revision_count > len(newest),
        shown_count=window.view_count,
        old_batch=shown_batch if other else None,
        selectable=_selectable(actor, head, wanted),
        may_review=actor.may(Action.EXECUTION_APPROVE),
        may_comment=actor.may(Action.COMMENT_WRITE),
        may_pin=may_pin(actor, head),
        may_operate=actor.may(Action.MESSAGES_OPERATE) and not other,
        may_change=actor.may(Action.CONVERSATION_UPDATE),
        may_archive=actor.may(Action.CONVERSATION_ARCHIVE) and head.status not in GOING_ON,
        may_erase=actor.may(Action.CONVERSATION_ERASE),
        running=running,
        pauses=running and is_pause_requested(head),
        detail=detail_in(request),
        details=DETAILS,
        outline=outline_of(head, wanted, whole, window.messages[0].index if window.messages else 0),
        filter=filter_form(head, wanted) if opens else None,
        chosen=chosen_filters(head, wanted),
        first=view.index_at(0) if view else None,
        last=view.index_at(len(view) - 1) if view else None,
        view_count=len(whole),
        undo="" if back_to is None else undo_own_url(head, rows, newest, actor, back_to),
        redo="" if back_to is None else redo_own_url(head, actor, back_to, newest),
        came=_came(request, rows),
        is_placed=not request.GET.keys().isdisjoint(("at", "near")),
        no_undo=_no_undo(actor, rows, newest, lines),
    )
    return remember_detail(request, show(request, "conversations/detail.html", shown))


def _no_undo(
    actor: Actor,
    rows: Sequence[Revision],
    latest: Sequence[Revision],
    lines: Sequence[BatchLine],
) -> Text:
    """Says whose the last change is; the list of batches has its words."""
    words = {line.revision: line.operation for line in lines}
    return why_no_undo(rows, latest, actor, lambda row: words.get(row.number, ""))


def _came(request: HttpRequest, rows: Sequence[Revision]) -> int | None:
    """Returns the message that the address leads to if the current revision brought it."""
    if "near" not in request.GET or len(rows) < 2 or rows[0].operation not in _BRINGING:
        return None
    near = number_in(request, "near", 0)
    return near if near >= rows[1].log_length else None


def _view_to_come_back_to(actor: Actor, head: Conversation, wanted: ShownView) -> str | None:
    """Returns the query of the shown view for who undoes or redoes in it, "" for the current one.

    None where that cannot be done: only from the current view and the log.
    """
    current = replace(wanted, which="current")
    if wanted.which not in ("current", "all") or not _selectable(actor, head, current):
        return None
    return "" if wanted == ShownView() else wanted.query.strip("?&")


def _selectable(actor: Actor, head: Conversation, wanted: ShownView) -> bool:
    """Returns whether messages can be selected: only in the view that operations change."""
    waits = head.status != "RUNNING" or actor.is_engine
    current = wanted.which == "current" and wanted.count is None
    return current and waits and actor.may(Action.MESSAGES_OPERATE)


@require_safe
@part_of("conversations:detail", "conversation_id")
@page
def section(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns fifty messages for a page that is scrolled to them."""
    head = find_head(actor.workspace, conversation_id)
    wanted, start = requested_view(request), requested_start(request)
    window = view_window.window_of(head, wanted, start)
    gaps = view_window.gaps_of(head, wanted)
    cards = view_window.cards_of(actor, head, wanted, window, gaps)
    first = view_window.gap_behind(head, wanted, gaps, -1) if start == 0 else None
    selectable = _selectable(actor, head, wanted)
    return _messages(request, actor, head, wanted, cards, first, selectable=selectable)


@require_safe
@part_of("conversations:detail", "conversation_id")
@page
def hidden(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns hidden messages for their place in a view: fifty of them and a gap for the rest."""
    head = find_head(actor.workspace, conversation_id)
    wanted = requested_view(request)
    start, stop = number_in(request, "start", 0), number_in(request, "stop", 0)
    middle = min(start + SECTION, stop)
    cards = view_window.hidden_cards(actor, head, wanted, start, middle)
    if cards and middle < min(stop, head.log_count):
        rest = view_window.gap_of(head, wanted, middle, stop)
        cards[-1] = replace(cards[-1], gap=rest)
    return _messages(request, actor, head, wanted, cards, None)


def _messages(
    request: HttpRequest,
    actor: Actor,
    head: Conversation,
    wanted: ShownView,
    cards: Sequence[MessageCard],
    gap: Gap | None,
    *,
    selectable: bool = False,
) -> HttpResponse:
    context = {
        "detail": detail_in(request),
        "selectable": selectable,
        "may_comment": actor.may(Action.COMMENT_WRITE),
        "may_pin": may_pin(actor, head),
        "cards": cards,
        "gap": gap,
        "wanted": wanted,
        "name": head.public_id,
        "messages_url": view_window.messages_url(head, wanted),
    }
    return render(request, "conversations/_messages.html", context)


def _batch_of(head: Conversation, which: str) -> int:
    """Returns the batch number of the shown view."""
    if not is_number(which) or int(which) == head.current_revision:
        return head.current_batch
    return find_revision(head.key, int(which), with_view=False).batch


def _tabs(head: Conversation, which: str, batch: int) -> list[Tab]:
    here = reverse("conversations:detail", args=[head.public_id])
    tabs = [
        Tab(_("Current view"), here, which == "current", head.visible_count),
        Tab(_("Whole log"), f"{here}?view=all", which == "all", head.log_count),
    ]
    if is_number(which):
        tabs.append(Tab(_("Batch %(n)s") % {"n": batch}, f"{here}?view={which}", current=True))
    return tabs
