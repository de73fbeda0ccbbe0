"""The pages on which a message is pinned or unpinned, selected ones pinned, and this undone."""

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from conversations.api.schemas import ChangeMessage
from conversations.domain import runs as run_sets
from conversations.domain.revisions import PinnedBy, Seen
from conversations.pages import presenters
from conversations.pages.changes import selection
from conversations.pages.changes.operation_page import seen_view
from conversations.pages.changes.single_submit import submit_once
from conversations.pages.message_numbers import format_runs
from conversations.pages.pin_changes import reason_of_pin
from conversations.pages.reading.cards import PinView
from conversations.pages.redo import redo_own_url
from conversations.pages.undo import not_undone, shown_in, undo_pins_url
from conversations.services import pins
from conversations.store import pin_rows
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import InvalidState, NotFound, ValidationFailed, VersionConflict
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import REDO, Crumb
from ctxadmin.ui.confirm_page import REASON, Confirm, Redirection, confirm_page
from ctxadmin.ui.forms.seen_numbers import seen_number
from ctxadmin.ui.pages import page


def _back(request: HttpRequest, name: str, index: int) -> str:
    """The page that the message was pinned on: its own, of its execution or its conversation."""
    if request.GET.get("back") == "execution":
        return f"{reverse('checkpoints:detail', args=[name])}#m{index}"
    if request.GET.get("back") == "message":
        return reverse("conversations:message", args=[name, index])
    return f"{reverse('conversations:detail', args=[name])}?at={index}#m{index}"


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def pin(request: HttpRequest, actor: Actor, conversation_id: str, index: int) -> HttpResponse:
    """Pins or unpins a message; the address says which is meant."""
    actor.require(Action.MESSAGES_PIN)
    head = find_head(actor.workspace, conversation_id)
    if index >= head.log_count:
        raise NotFound(_("There is no message #%(n)s.") % {"n": index})
    unpins = request.GET.get("do") == "unpin"
    found = pin_rows.pins_among(head.key, [index]).get(index)
    back = _back(request, head.public_id, index)

    def write(reason: str) -> Redirection:
        wanted = parse(ChangeMessage, {"pinned": not unpins, "reason": reason or None})
        pins.pin(actor, conversation_id, str(index), pinned=not unpins, reason=wanted.reason)
        now = find_head(actor.workspace, conversation_id)
        is_done = now.current_revision != head.current_revision and "back" not in request.GET
        undo = undo_pins_url(now, [index], pinned=not unpins) if is_done else ""
        return Redirection(back, _("Message unpinned.") if unpins else _("Message pinned."), undo)

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


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def pin_selected(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Pins the messages that are selected in the current view, all or none.

    Without a selection, as the address alone has none, it leads to the conversation.
    """
    actor.require(Action.MESSAGES_PIN)
    head = find_head(actor.workspace, conversation_id)
    if request.method != "POST" and not request.GET:
        return redirect("conversations:detail", conversation_id)
    sent = request.POST if request.method == "POST" else request.GET
    seen = Seen(seen_number(sent, "revision"), seen_number(sent, "count"))
    selection.require_current(head, sent)
    chosen = selection.selected_runs(head, sent)
    indices = [index for start, stop in chosen for index in range(start, stop)]
    count = run_sets.count(chosen)
    too_many = not 0 < count <= pins.MOST_AT_ONCE
    here = reverse("conversations:detail", args=[head.public_id])

    def write(reason: str) -> Redirection:
        model = parse(ChangeMessage, {"pinned": True, "reason": reason or None})
        pinned = pin_rows.find_pinned(head.key, indices)
        done = pins.pin_several(actor, conversation_id, indices, reason=model.reason, seen=seen)
        text = ngettext("Pinned %(n)s message.", "Pinned %(n)s messages.", done) % {"n": done}
        added = [index for index in indices if index not in pinned]
        now = find_head(actor.workspace, conversation_id)
        return Redirection(
            f"{here}?at={indices[0]}#m{indices[0]}",
            text if done else _("These messages were pinned before."),
            undo_pins_url(now, added, pinned=True) if done else "",
        )

    title = ngettext("Pin %(n)s message", "Pin %(n)s messages", count) % {"n": count}
    confirm = Confirm(
        title=title,
        text=_("Pinned messages stay when operations, filters and budgets hide others: %(places)s.")
        % {"places": format_runs(chosen)},
        submit="" if too_many else _("Pin"),
        refusal=_("Select 1 to %(n)s messages to pin.") % {"n": pins.MOST_AT_ONCE}
        if too_many
        else None,
        back=here,
        crumbs=presenters.crumbs(head, Crumb(title)),
        hidden={
            "positions": selection.positions_of(sent),
            "revision": str(seen.revision),
            "count": str(seen.count),
        },
        once=True,
    )
    return confirm_page(request, confirm, write, entry=REASON)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def undo_pins(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Unpins what was pinned, or pins it again, unless the view changed since.

    The address names the messages; opened by itself it leads to the conversation.
    """
    actor.require(Action.MESSAGES_PIN)
    head = find_head(actor.workspace, conversation_id)
    here = reverse("conversations:detail", args=[head.public_id])
    if request.method != "POST":
        return redirect(here)
    found = [whole_number(text) for text in request.GET.getlist("message")[: pins.MOST_AT_ONCE]]
    indices = [index for index in found if index is not None]
    if not indices:
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    pinned, seen = request.GET.get("do") == "pin", seen_view(request, head)
    by: PinnedBy = "redo" if request.POST.get("undo") == "redo" else "undo"
    try:
        reason = reason_of_pin(head, indices[0]) if pinned else None
        pins.pin_several(
            actor, conversation_id, indices, pinned=pinned, reason=reason, seen=seen, by=by
        )
    except (InvalidState, VersionConflict) as error:
        return not_undone(request, actor, conversation_id, error)
    shown = shown_in(request)
    now = find_head(actor.workspace, conversation_id)
    undo = undo_pins_url(now, indices, shown, pinned=pinned)
    more = redo_own_url(now, actor, shown) if by == "redo" else undo
    text = _("Redone.") if by == "redo" else _("Undone. The messages are as before.")
    flash.success(request, text, extra_tags=REDO + more if more else undo)
    view = f"{shown}&" if shown else ""
    return redirect(f"{here}?{view}near={indices[0]}#m{indices[0]}")
