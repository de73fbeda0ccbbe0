"""The page that assigns a review to a colleague."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints.pages import presenters
from checkpoints.pages.expected_version_fields import execution_in, require_seen, version_fields
from checkpoints.services.assignments import assign, reviewers
from conversations.pages.changes.single_submit import submit_once
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.confirm_page import Confirm, Redirection, confirm_page
from ctxadmin.ui.pages import page


@dataclass(frozen=True, slots=True)
class AssignDetails:
    """The people to choose from, by their usernames."""

    names: Sequence[str]


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def assign_page(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.REVIEW_CLAIM)
    head = find_head(actor.workspace, conversation_id)
    back = reverse("checkpoints:detail", args=[conversation_id])

    def write(_reason: str) -> Redirection:
        name = request.POST.get("assignee", "")
        assign(actor, conversation_id, name, over=True, execution=execution_in(request))
        return Redirection(back, _("Assigned to %(name)s.") % {"name": name})

    def question(refusal: ContextError | None) -> Confirm:
        if refusal is None:
            require_seen(head, request)
        title = _("Assign this review")
        return Confirm(
            title=title,
            text=_("The reviewer claims it and is notified if they asked for that."),
            submit=_("Assign"),
            back=back,
            crumbs=presenters.crumbs(head, Crumb(title)),
            once=True,
            hidden=version_fields(head, request),
            template="checkpoints/assign.html",
            details=AssignDetails([user.username for user in reviewers(actor.workspace)]),
        )

    return confirm_page(request, question, write)
