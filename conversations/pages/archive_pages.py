"""The pages that take a conversation out of the lists and bring it back."""

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from conversations import archival
from conversations.pages import presenters
from conversations.pages.single_submit import done_once
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Confirm, Crumb
from ctxadmin.ui.pages import ask, page


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def archive(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.CONVERSATION_ARCHIVE)
    head = find_head(actor.workspace, conversation_id)
    if request.method == "POST":
        archival.archive(actor, conversation_id, reason=request.POST.get("reason") or None)
        flash.success(request, _("Archived. Any new message unarchives it."))
        return redirect("conversations:detail", conversation_id)
    confirm = Confirm(
        title=_("Archive the conversation %(id)s") % {"id": conversation_id},
        text=_(
            "It is hidden from lists and nothing is lost. Any new message unarchives it. The "
            "retention policy may erase conversations that have been archived for long."
        ),
        action=request.path,
        submit=_("Archive"),
        back=reverse("conversations:detail", args=[conversation_id]),
        asks_reason=True,
        once=True,
    )
    crumbs = presenters.crumbs(head, Crumb(_("Archive")))
    return ask(request, confirm, crumbs)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def unarchive(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.CONVERSATION_UNARCHIVE)
    head = find_head(actor.workspace, conversation_id)
    if request.method == "POST":
        archival.unarchive(actor, conversation_id)
        flash.success(request, _("Unarchived."))
        return redirect("conversations:detail", conversation_id)
    confirm = Confirm(
        title=_("Unarchive the conversation %(id)s") % {"id": conversation_id},
        text=_("Unarchived."),
        action=request.path,
        submit=_("Unarchive"),
        back=reverse("conversations:detail", args=[conversation_id]),
        once=True,
    )
    crumbs = presenters.crumbs(head, Crumb(_("Unarchive")))
    return ask(request, confirm, crumbs)
