"""Finding words in one view of a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.reading import view_window
from conversations.pages.reading.url_parameters import number_in, requested_view
from conversations.pages.reading.view_window import SECTION, ShownView
from conversations.reading import message_search
from conversations.reading.message_search import SearchHit
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show


@dataclass(frozen=True, slots=True)
class FindPage:
    """The hits of a search in one view, each with the start of its section.

    ``hit_url`` is the page of the messages, to which a place is added.

    ``next`` is where an unfinished search of the ``total`` messages continues.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    wanted: ShownView
    hits: Sequence[tuple[SearchHit, int]]
    is_phrase: bool
    hit_url: str
    next: int | None
    next_url: str
    total: int
    first: bool


@require_safe
@page
def find(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Searches a view: as a page, or only the hits for the page of the messages."""
    head = find_head(actor.workspace, conversation_id)
    wanted = requested_view(request)
    start = number_in(request, "from", 0)
    view = view_window.view_shown(head, wanted)
    found = message_search.find(head, view, wanted.words, start, whole=wanted.whole)
    here = view_window.messages_url(head, wanted) + wanted.find_query
    shown = FindPage(
        title=_("Find in the conversation"),
        crumbs=presenters.crumbs(head, Crumb(_("Find"))),
        head=head,
        wanted=wanted,
        is_phrase=message_search.is_phrase(wanted.words),
        hits=[(hit, hit.position // SECTION * SECTION) for hit in found.hits],
        hit_url=f"{here}&",
        next=found.next,
        next_url=f"{reverse('conversations:find', args=[conversation_id])}{wanted.query}"
        f"{wanted.find_query}&from={found.next or 0}",
        total=found.total,
        first=start == 0,
    )
    if request.headers.get("HX-Request"):
        return render(request, "conversations/_hits.html", {"page": shown})
    return show(request, "conversations/find.html", shown)
