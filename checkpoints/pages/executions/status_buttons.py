"""The buttons of an execution: pause, resume, approve, reject, cancel."""

from collections.abc import Mapping
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from checkpoints.domain.move_commands import MoveExecution
from checkpoints.domain.status import Status
from checkpoints.pages import presenters
from checkpoints.pages.decisions.decision import unconfirmed_claim
from checkpoints.pages.decisions.edits_of_others import unconfirmed_edits
from checkpoints.pages.decisions.queue_step import QueueStep, short_name
from checkpoints.pages.executions import execution_pages
from checkpoints.pages.expected_version_fields import (
    execution_field,
    execution_in,
    expected_fields,
    expected_in,
    require_seen,
)
from checkpoints.reading import queries
from checkpoints.services import status_changes
from checkpoints.services.status_changes import Moved, MoveService
from checkpoints.store.executions import find_current
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from conversations.pages.changes.single_submit import submit_once
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import (
    ContextError,
    Forbidden,
    NotFound,
    ValidationFailed,
)
from ctxadmin.ui.components import Crumb, Text, join_list, label_of_status
from ctxadmin.ui.confirm_page import REASON, Confirm, Redirection, confirm_page
from ctxadmin.ui.pages import page

_SERVICES: Final[Mapping[str, MoveService]] = {
    "pause": status_changes.pause,
    "resume": status_changes.resume,
    "resume_from": status_changes.resume,
    "approve": status_changes.approve,
    "reject": status_changes.reject,
}
_DONE: Final[Mapping[str, Text]] = {
    "pause": gettext_lazy("Pause requested. The execution pauses at the next checkpoint."),
    "resume": gettext_lazy("Resumed."),
    "resume_from": gettext_lazy("Resumed from another node."),
    "approve": gettext_lazy("Approved."),
    "reject": gettext_lazy("Rejected. The execution has failed with your reason."),
}
# The next page is about another review, so these name the one that was decided.
_DONE_IN_QUEUE: Final[Mapping[str, Text]] = {
    "approve": gettext_lazy("Approved: %(title)s"),
    "reject": gettext_lazy("Rejected: %(title)s"),
    "resume": gettext_lazy("Resumed without approving: %(title)s"),
    "resume_from": gettext_lazy("Resumed from another node: %(title)s"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def move(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Handles one of the buttons; shows a refusal on the page, with the input.

    A reader comes here by GET after signing in, or by the address of a refusal, and is redirected
    to the page of the execution, which has the buttons.
    """
    if request.method != "POST":
        return redirect("checkpoints:detail", conversation_id)
    head = find_head(actor.workspace, conversation_id)
    name = request.POST.get("move", "")
    step = QueueStep.before_decision(actor, request)
    fields = ("reason", "from_node")
    try:
        require_seen(head, request)
        if name in _DONE_IN_QUEUE and _is_asked(actor, head, request):
            return execution_pages.show_execution(request, actor, head, fields=fields, asks=name)
        moved = _move(actor, head, name, request)
    except Forbidden:
        raise
    except ContextError as error:
        return execution_pages.show_execution(
            request, actor, head, refusal=_as_shown(error), fields=fields
        )
    moment = queries.find_moment(actor, conversation_id)
    if step.queue is None or moment.row is None:
        flash.success(request, _success_words(moment, name, moved))
        return redirect("checkpoints:detail", conversation_id)
    decided = (moment.row.conversation, moment.row.number)
    flash.success(request, _DONE_IN_QUEUE.get(name, "%(title)s") % {"title": short_name(head)})
    return redirect(step.after_decision(actor, conversation_id, decided))


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def cancel(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.EXECUTION_CANCEL)
    head = find_head(actor.workspace, conversation_id)

    def write(_reason: str) -> Redirection:
        require_seen(head, request)
        seen = execution_in(request)
        status_changes.cancel(actor, conversation_id, _command(request.POST), execution=seen)
        return Redirection(reverse("checkpoints:detail", args=[conversation_id]), _("Cancelled."))

    def question(_refusal: ContextError | None) -> Confirm:
        require_seen(head, request)
        moment = queries.find_moment(actor, conversation_id)
        # What runs has another version before the question is read.
        runs = moment.status is Status.RUNNING
        title = _("Cancel the execution")
        return Confirm(
            title=title,
            text=_(
                "It cannot be resumed afterwards. Messages, state and history stay, and any version"
                " can be forked into a new conversation."
            ),
            submit=_("Cancel the execution"),
            back=reverse("checkpoints:detail", args=[conversation_id]),
            crumbs=presenters.crumbs(head, Crumb(title)),
            stay=_("Keep it running") if runs else _("Keep it as it is"),
            danger=True,
            hidden=execution_field(moment) if runs else expected_fields(moment),
            once=True,
        )

    def refused(error: ContextError) -> HttpResponse:
        return execution_pages.show_execution(
            request, actor, head, refusal=error, fields=("reason",)
        )

    return confirm_page(request, question, write, entry=REASON, refused=refused)


def _is_asked(actor: Actor, head: Conversation, request: HttpRequest) -> bool:
    """Returns True if someone else claimed or edits it, and the form does not confirm that."""
    row, sent = find_current(head.key), request.POST
    return bool(
        unconfirmed_claim(actor, row, sent).holder or unconfirmed_edits(actor, row, sent).who
    )


def _move(actor: Actor, head: Conversation, name: str, request: HttpRequest) -> Moved:
    service = _SERVICES.get(name)
    if service is None:
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    command = _command(request.POST, jumps=name == "resume_from")
    if name == "reject" and command.reason is None:
        text = _("Enter a reason for rejecting. The people who run the engine see it.")
        raise ValidationFailed.at("/reason", text)
    if name == "resume_from" and command.from_node is None:
        raise ValidationFailed.at("/from_node", _("Select the node to resume from."))
    return service(actor, head.public_id, command, execution=execution_in(request))


def _command(sent: QueryDict, *, jumps: bool = False) -> MoveExecution:
    return parse(
        MoveExecution,
        {
            "reason": sent.get("reason", "").replace("\r\n", "\n").strip() or None,
            **expected_in(sent),
            "from_node": (sent.get("from_node", "").strip() or None) if jumps else None,
        },
    )


def _as_shown(error: ContextError) -> ContextError:
    """Returns the refusal as shown: a missing node is an invalid choice, not a missing page."""
    if isinstance(error, NotFound):
        return ValidationFailed.at("/from_node", error.detail)
    return error


def _success_words(moment: StoredSnapshot, name: str, moved: Moved) -> str:
    text = str(_DONE[name])
    if name == "pause" or moved.status is Status.RUNNING:
        nodes = join_list(presenters.name_of(moment.pinned, each) for each in moved.ready_nodes)
        where = _("The engine continues at %(nodes)s.") % {"nodes": nodes} if nodes else ""
        return text if name == "pause" or not where else f"{text} {where}"
    if moved.status is Status.FAILED:
        return text
    return f"{text} " + _("The execution is now %(status)s.") % {
        "status": label_of_status(moved.status)
    }
