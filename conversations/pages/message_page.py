"""The page of one message that is too long for a list."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations import message_search, pin_rows, queries, recalls
from conversations.models import Conversation
from conversations.pages import presenters, view_window
from conversations.pages.cards import MessageCard, message_card
from conversations.pages.view_window import ShownView
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show


@dataclass(frozen=True, slots=True)
class MessagePage:
    """One message as it is; ``messages_url`` is the view that has it in its place."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    card: MessageCard
    messages_url: str


@require_safe
@page
def message(request: HttpRequest, actor: Actor, conversation_id: str, index: int) -> HttpResponse:
    """The whole message; for a list that has it short, only what is ``around`` some words."""
    head = find_head(actor.workspace, conversation_id)
    view_window.place_of(head, ShownView("all"), index)  # NotFound without it
    shown = ShownView()
    found = queries.messages_at(head, [index], view_window.view_shown(head, shown))
    if words := request.GET.get("around", "")[: message_search.LONGEST]:
        hit = message_search.passage(index, found[0].role, found[0].body, words)
        return render(request, "conversations/_passage.html", {"hit": hit})
    title = _("Message #%(n)s") % {"n": index}
    return show(
        request,
        "conversations/message.html",
        MessagePage(
            title=title,
            crumbs=presenters.crumbs(head, Crumb(title)),
            head=head,
            card=message_card(
                found[0],
                queries.results_of(head, [index]),
                None,
                pin=pin_rows.pins_among(head.key, [index]).get(index),
                recalled=recalls.recalls_among(head, [index]).get(index),
                alone=True,
            ),
            messages_url=view_window.messages_url(head, shown),
        ),
    )
