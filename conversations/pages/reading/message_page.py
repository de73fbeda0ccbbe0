"""The page of one message, and its text as a page of a conversation shows it on demand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, cast

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.domain.bodies import StoredMessage
from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.reading import view_window
from conversations.pages.reading.blocks import MOST_MARKDOWN, Block, within_budget
from conversations.pages.reading.cards import MessageCard, message_card
from conversations.pages.reading.message_changes import MessageChanges, changes_of
from conversations.pages.reading.view_window import ShownView
from conversations.reading import message_search, queries
from conversations.reading.node_names import names_of_nodes
from conversations.services import recalls
from conversations.services.pins import may_pin
from conversations.store import pin_rows
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import Crumb, Tab, Text
from ctxadmin.ui.pages import page, show

TextForm = Literal["formatted", "plain", "raw"]
_FORMS: Final = ("formatted", "plain", "raw")


@dataclass(frozen=True, slots=True)
class MessagePage:
    """One message as it is; ``messages_url`` is the view that has it in its place.

    ``form`` is that of its text: formatted, plain, or the stored JSON; ``forms`` leads to all.
    ``may_audit`` if the reader may open the audit; ``may_pin`` and ``may_comment`` as they say.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    card: MessageCard
    messages_url: str
    form: TextForm
    forms: Sequence[Tab]
    changes: MessageChanges
    may_audit: bool
    may_pin: bool
    may_comment: bool


@require_safe
@page
def message(request: HttpRequest, actor: Actor, conversation_id: str, index: int) -> HttpResponse:
    """Returns the whole message.

    For a list with a shortened one, the part ``around`` some words.
    """
    head = find_head(actor.workspace, conversation_id)
    view_window.place_of(head, ShownView("all"), index)  # NotFound without it
    shown = ShownView()
    found = queries.messages_at(head, [index], view_window.view_shown(head, shown))
    if words := request.GET.get("around", "")[: message_search.LONGEST]:
        text = message_search.searched_text(orjson.loads(found[0].body))
        hit = message_search.passage_in(text, words, whole=request.GET.get("whole") == "1")
        more = {"hit": hit, "title": _("More in this message:")}
        return render(request, "conversations/_passage.html", more)
    form = _form_in(request)
    card = _in_form(
        message_card(
            found[0],
            queries.results_of(head, [index]),
            None,
            pin=pin_rows.pins_among(head.key, [index]).get(index),
            recalled=recalls.recalls_among(head, [index]).get(index),
            alone=True,
            nodes=names_of_nodes(head, [found[0].node_id]),
        ),
        found[0],
        form,
    )
    if request.headers.get("HX-Request"):
        context = {"card": card, "name": head.public_id, "form": form}
        return render(request, "conversations/_text.html", context)
    title = _("Message #%(n)s") % {"n": index}
    return show(
        request,
        "conversations/message.html",
        MessagePage(
            title=title,
            crumbs=presenters.crumbs(head, Crumb(title)),
            head=head,
            card=card,
            messages_url=view_window.messages_url(head, shown),
            form=form,
            forms=_forms(head, index, form),
            changes=changes_of(head, index),
            may_audit=actor.may(Action.AUDIT_READ),
            may_pin=may_pin(actor, head),
            may_comment=actor.may(Action.COMMENT_WRITE),
        ),
    )


def _forms(head: Conversation, index: int, shown: TextForm) -> list[Tab]:
    here = reverse("conversations:message", args=[head.public_id, index])
    names = {"formatted": _("Formatted"), "plain": _("Plain text"), "raw": _("Raw")}
    return [Tab(label, f"{here}?as={name}", name == shown) for name, label in names.items()]


def _form_in(request: HttpRequest) -> TextForm:
    asked = request.GET.get("as", "formatted")
    if asked not in _FORMS:
        raise ValidationFailed.at("?as", _("Use formatted, plain or raw."))
    return cast(TextForm, asked)


def _in_form(card: MessageCard, stored: StoredMessage, form: TextForm) -> MessageCard:
    if form == "raw":
        raw = orjson.dumps(orjson.loads(stored.body), option=orjson.OPT_INDENT_2).decode()
        return replace(card, blocks=[Block("code", text=raw, name="json")])
    if form == "plain":
        return replace(card, blocks=[_plain(block) for block in card.blocks])
    return replace(card, blocks=within_budget(card.blocks, MOST_MARKDOWN)[0])


def _plain(block: Block) -> Block:
    textual = block.kind in ("markdown", "json")
    return replace(block, kind="text") if textual else block
