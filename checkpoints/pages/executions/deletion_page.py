"""The page that confirms the permanent deletion of a version."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints.pages import presenters
from checkpoints.pages.executions import execution_pages
from checkpoints.pages.expected_version_fields import execution_field, execution_in, require_seen
from checkpoints.reading import queries
from checkpoints.services import deletions
from conversations.pages.changes.single_submit import submit_once
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.confirm_page import Confirm, Redirection, confirm_page
from ctxadmin.ui.pages import page


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def delete(request: HttpRequest, actor: Actor, conversation_id: str, number: int) -> HttpResponse:
    """Deletes a version. It never changes, so only its execution must still be the same."""
    actor.require(Action.CHECKPOINT_DELETE)
    head = find_head(actor.workspace, conversation_id)

    def write(_reason: str) -> Redirection:
        require_seen(head, request)
        deletions.delete(actor, conversation_id, number, seen=execution_in(request))
        done = _("Deleted version %(n)s.") % {"n": number}
        return Redirection(reverse("checkpoints:timeline", args=[conversation_id]), done)

    def question(_refusal: ContextError | None) -> Confirm:
        require_seen(head, request)
        now = queries.find_moment(actor, conversation_id)
        queries.find_moment(actor, conversation_id, number)  # what is not there is not asked for
        title = _("Delete version %(n)s") % {"n": number}
        return Confirm(
            title=title,
            text=_(
                "State, metadata and pending writes of this version are removed for good. "
                "Messages, comments and all other versions stay."
            ),
            submit=_("Delete"),
            back=reverse("checkpoints:version", args=[conversation_id, number]),
            crumbs=presenters.crumbs(head, Crumb(title)),
            hidden=execution_field(now),
            danger=True,
            once=True,
        )

    def refused(error: ContextError) -> HttpResponse:
        return execution_pages.show_execution(request, actor, head, refusal=error)

    return confirm_page(request, question, write, refused=refused)
