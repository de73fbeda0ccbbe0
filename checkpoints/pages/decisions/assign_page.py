"""The page on which a pause is given to a colleague."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints.pages import presenters
from checkpoints.pages.expected_version_fields import bound_to, execution_in, require_seen
from checkpoints.services.assignments import assign, reviewers
from conversations.models import Conversation
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState
from ctxadmin.ui.components import Confirm, Crumb, Text
from ctxadmin.ui.form_idempotency import once_per_form
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated


@dataclass(frozen=True, slots=True)
class AssignPage:
    """Whom to choose from, by the names with which they sign in."""

    title: Text
    crumbs: Sequence[Crumb]
    names: Sequence[str]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def assign_page(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.REVIEW_CLAIM)
    head = find_head(actor.workspace, conversation_id)
    if request.method == "POST":
        try:
            return once_per_form(request, actor, head.key, lambda: _assign(request, actor, head))
        except InvalidState as error:  # it went on meanwhile
            flash.warning(request, translated(error.detail))
        return redirect("checkpoints:detail", conversation_id)
    require_seen(head, request)
    title = _("Assign this review")
    shown = AssignPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(title)),
        names=[user.username for user in reviewers(actor.workspace)],
    )
    confirm = Confirm(
        title=title,
        text=_("The reviewer claims it and is notified if they asked for that."),
        action=request.path,
        submit=_("Assign"),
        back=reverse("checkpoints:detail", args=[conversation_id]),
        once=True,
        hidden=bound_to(head, request),
    )
    return show(request, "checkpoints/assign.html", shown, confirm=confirm)


def _assign(request: HttpRequest, actor: Actor, head: Conversation) -> HttpResponse:
    name = request.POST.get("assignee", "")
    assign(actor, head.public_id, name, over=True, execution=execution_in(request))
    flash.success(request, _("Assigned to %(name)s.") % {"name": name})
    return redirect("checkpoints:detail", head.public_id)
