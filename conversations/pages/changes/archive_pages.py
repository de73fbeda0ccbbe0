"""The pages that archive and unarchive a conversation."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from conversations.lifecycle import archival
from conversations.pages import presenters
from conversations.pages.changes.single_submit import submit_once
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.confirm_page import REASON, Confirm, Redirection, confirm_page
from ctxadmin.ui.pages import page


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def archive(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.CONVERSATION_ARCHIVE)
    head = find_head(actor.workspace, conversation_id)
    back = reverse("conversations:detail", args=[conversation_id])

    def write(reason: str) -> Redirection:
        archival.archive(actor, conversation_id, reason=reason or None)
        return Redirection(back, _("Archived. Any new message unarchives it."))

    confirm = Confirm(
        title=_("Archive the conversation %(id)s") % {"id": conversation_id},
        text=_(
            "It is hidden from lists and nothing is lost. Any new message unarchives it. The "
            "retention policy may erase conversations that have been archived for long."
        ),
        submit=_("Archive"),
        back=back,
        crumbs=presenters.crumbs(head, Crumb(_("Archive"))),
        once=True,
    )
    return confirm_page(request, confirm, write, entry=REASON)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def unarchive(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.CONVERSATION_UNARCHIVE)
    head = find_head(actor.workspace, conversation_id)
    back = reverse("conversations:detail", args=[conversation_id])

    def write(_reason: str) -> Redirection:
        archival.unarchive(actor, conversation_id)
        return Redirection(back, _("Unarchived."))

    confirm = Confirm(
        title=_("Unarchive the conversation %(id)s") % {"id": conversation_id},
        text=_("It is shown in lists again."),
        submit=_("Unarchive"),
        back=back,
        crumbs=presenters.crumbs(head, Crumb(_("Unarchive"))),
        once=True,
    )
    return confirm_page(request, confirm, write)
