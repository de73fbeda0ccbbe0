"""The page on which a message is pinned or unpinned."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from conversations import pin_rows, pins
from conversations.api.schemas import ChangeMessage
from conversations.pages import presenters
from conversations.pages.cards import PinView
from conversations.pages.single_submit import done_once
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import InvalidState, NotFound, ValidationFailed
from ctxadmin.ui.components import Confirm, Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated


@dataclass(frozen=True, slots=True)
class PinPage:
    """The form with the reason; ``pin`` is that of a message that is to be unpinned."""

    title: Text
    crumbs: Sequence[Crumb]
    pin: PinView | None
    reason: str
    problem: str


def _back(request: HttpRequest, name: str, index: int) -> str:
    """The page that the message was pinned on: of its execution, or of its conversation."""
    if request.GET.get("back") == "execution":
        return f"{reverse('checkpoints:detail', args=[name])}#m{index}"
    return f"{reverse('conversations:detail', args=[name])}?at={index}#m{index}"


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def pin(request: HttpRequest, actor: Actor, conversation_id: str, index: int) -> HttpResponse:
    """Pin a message, or unpin one that is pinned; the address says which is meant."""
    actor.require(Action.MESSAGES_PIN)
    head = find_head(actor.workspace, conversation_id)
    if index >= head.log_count:
        raise NotFound(_("There is no message #%(n)s.") % {"n": index})
    unpins = request.GET.get("do") == "unpin"
    found = pin_rows.pins_among(head.key, [index]).get(index)
    back, problem = _back(request, head.public_id, index), ""
    reason = request.POST.get("reason", "").strip()
    if request.method == "POST":
        try:
            wanted = parse(ChangeMessage, {"pinned": not unpins, "reason": reason or None})
            pins.pin(actor, conversation_id, str(index), pinned=not unpins, reason=wanted.reason)
            flash.success(request, _("Message unpinned.") if unpins else _("Message pinned."))
            return redirect(back)
        except ValidationFailed:
            problem = _("Enter a reason of at most %(n)s characters.") % {"n": 2000}
        except InvalidState as error:
            problem = translated(error.detail)
    title = _("Unpin message #%(n)s") if unpins else _("Pin message #%(n)s")
    confirm = Confirm(
        title=title % {"n": index},
        text=_("Operations and filters can hide it again.")
        if unpins
        else _("Operations, filters and budgets keep it, whatever else they hide."),
        action=request.get_full_path(),
        submit=_("Unpin") if unpins else _("Pin"),
        back=back,
        once=True,
    )
    shown = PinPage(
        title=confirm.title,
        crumbs=presenters.crumbs(head, Crumb(confirm.title)),
        pin=None if found is None else PinView(found.author, found.reason, found.created_at),
        reason=reason,
        problem=problem,
    )
    status = 422 if problem else 200
    return show(request, "conversations/pin.html", shown, status=status, confirm=confirm)
