"""The page on which a message is pinned or unpinned."""

from django.http import HttpRequest, HttpResponse
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
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.confirm_page import REASON, Confirm, Done, confirm_page
from ctxadmin.ui.pages import page


def _back(request: HttpRequest, name: str, index: int) -> str:
    """The page that the message was pinned on: of its execution, or of its conversation."""
    if request.GET.get("back") == "execution":
        return f"{reverse('checkpoints:detail', args=[name])}#m{index}"
    return f"{reverse('conversations:detail', args=[name])}?at={index}#m{index}"


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def pin(request: HttpRequest, actor: Actor, conversation_id: str, index: int) -> HttpResponse:
    """Pins or unpins a message; the address says which is meant."""
    actor.require(Action.MESSAGES_PIN)
    head = find_head(actor.workspace, conversation_id)
    if index >= head.log_count:
        raise NotFound(_("There is no message #%(n)s.") % {"n": index})
    unpins = request.GET.get("do") == "unpin"
    found = pin_rows.pins_among(head.key, [index]).get(index)
    back = _back(request, head.public_id, index)

    def write(reason: str) -> Done:
        wanted = parse(ChangeMessage, {"pinned": not unpins, "reason": reason or None})
        pins.pin(actor, conversation_id, str(index), pinned=not unpins, reason=wanted.reason)
        return Done(back, _("Message unpinned.") if unpins else _("Message pinned."))

    title = (_("Unpin message #%(n)s") if unpins else _("Pin message #%(n)s")) % {"n": index}
    confirm = Confirm(
        title=title,
        text=_("Operations and filters can hide it again.")
        if unpins
        else _("Operations, filters and budgets keep it, whatever else they hide."),
        submit=_("Unpin") if unpins else _("Pin"),
        back=back,
        crumbs=presenters.crumbs(head, Crumb(title)),
        action=request.get_full_path(),
        once=True,
        template="conversations/pin.html",
        details=None if found is None else PinView(found.author, found.reason, found.created_at),
    )
    return confirm_page(request, confirm, write, entry=REASON)
