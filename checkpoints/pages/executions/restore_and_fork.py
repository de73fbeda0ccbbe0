"""The pages that continue from an earlier version: restore here, or fork a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from checkpoints.domain.move_commands import ForkCheckpoint, RestoreCheckpoint
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import KeysCompared, compare_keys
from checkpoints.pages import presenters
from checkpoints.pages.executions import execution_pages
from checkpoints.pages.expected_version_fields import (
    execution_in,
    expected_fields,
    expected_in,
    require_seen,
)
from checkpoints.pages.presenters import NamedNode
from checkpoints.reading import queries
from checkpoints.reading.state_values import heads_by_name
from checkpoints.services import forks, restores
from checkpoints.store.snapshots import StoredSnapshot
from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.models import Conversation
from conversations.pages.changes.single_submit import submit_once
from conversations.reading.display_names import display_name
from conversations.store.conversation import find_head, find_revision, view_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError, Duplicate, FieldProblem, InvalidState, NotFound
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.confirm_page import REASON, Confirm, Redirection, confirm_page
from ctxadmin.ui.forms import ContractForm, FieldHint
from ctxadmin.ui.pages import page, show


@dataclass(frozen=True, slots=True)
class RestoreDetails:
    """What a restore changes."""

    node: NamedNode | None
    keys: KeysCompared
    visible_count: int
    visible_now: int
    comes: int
    goes: int
    diff_url: str


class ForkForm(ContractForm[ForkCheckpoint]):
    contract = ForkCheckpoint
    hints = {
        "id": FieldHint(
            label=gettext_lazy("Id of the new conversation"),
            help=gettext_lazy("Letters, digits, - and _. Leave empty to generate one."),
        ),
        "title": FieldHint(label=gettext_lazy("Title"), wide=True),
    }


@dataclass(frozen=True, slots=True)
class ForkPage:
    """The form of a fork."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    form: ForkForm
    execution: str
    version: int
    node: NamedNode | None
    visible_count: int


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def restore(request: HttpRequest, actor: Actor, conversation_id: str, number: int) -> HttpResponse:
    """Shows the changes of a restore, then restores if nobody wrote in between."""
    actor.require(Action.CHECKPOINT_RESTORE)
    head = find_head(actor.workspace, conversation_id)

    def write(_reason: str) -> Redirection:
        require_seen(head, request)
        command, seen = _command(request.POST), execution_in(request)
        done = restores.restore(actor, conversation_id, number, command, execution=seen)
        text = _("Restored version %(old)s as version %(n)s. The execution is paused.")
        there = reverse("checkpoints:detail", args=[conversation_id])
        return Redirection(there, text % {"n": done.version, "old": number})

    def question(_refusal: ContextError | None) -> Confirm:
        require_seen(head, request)
        return _question(actor, head, number)

    def refused(error: ContextError) -> HttpResponse:
        return execution_pages.show_execution(
            request, actor, head, refusal=error, fields=("reason",)
        )

    return confirm_page(request, question, write, entry=REASON, refused=refused)


def _question(actor: Actor, head: Conversation, number: int) -> Confirm:
    name = head.public_id
    now = queries.find_moment(actor, name)
    to = queries.find_moment(actor, name, number)
    if now.status not in (Status.PAUSED, Status.FAILED):
        raise InvalidState(
            _("Only a paused or failed execution can be restored. Fork this version instead."),
            status=now.status,
        )
    title = _("Restore version %(n)s") % {"n": number}
    details = RestoreDetails(
        node=presenters.named_node(to.pinned, to.node_id),
        keys=_keys(now, to),
        visible_count=to.visible_count,
        visible_now=now.visible_count,
        comes=run_sets.count(run_sets.difference(_visible(to), _visible(now))),
        goes=run_sets.count(run_sets.difference(_visible(now), _visible(to))),
        diff_url=reverse("checkpoints:diff", args=[name]) + f"?from={now.version}&to={number}",
    )
    return Confirm(
        title=title,
        text=_(
            "State, executed nodes and visible messages go back to what they were, as a new, "
            "paused version. Nothing is lost: version %(n)s can be restored too."
        )
        % {"n": now.version},
        submit=_("Restore"),
        back=reverse("checkpoints:version", args=[name, number]),
        crumbs=presenters.crumbs(head, Crumb(title)),
        hidden=expected_fields(now),
        once=True,
        template="checkpoints/restore.html",
        details=details,
    )


def _visible(moment: StoredSnapshot) -> Runs:
    """Returns an identification of the messages visible then; a count alone is not enough."""
    row = find_revision(moment.head.key, moment.revision)
    return view_of(row).slice(0, moment.visible_count).indices_as_runs()


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def fork(request: HttpRequest, actor: Actor, conversation_id: str, number: int) -> HttpResponse:
    """Forks a version. It never changes, so only its execution must still be the same."""
    actor.require(Action.CHECKPOINT_FORK)
    head = find_head(actor.workspace, conversation_id)
    try:
        require_seen(head, request)
        return _fork(request, actor, head, number)
    except (InvalidState, NotFound) as error:
        if request.method != "POST" and isinstance(error, NotFound):
            raise
        return execution_pages.show_execution(
            request, actor, head, refusal=error, fields=("id", "title")
        )


def _fork(request: HttpRequest, actor: Actor, head: Conversation, number: int) -> HttpResponse:
    """Forks; raises NotFound for a missing version, or one thinned since the form was opened."""
    moment = queries.find_moment(actor, head.public_id, number)
    if request.method == "POST":
        form = ForkForm(request.POST)
        if form.is_valid():
            try:
                made = forks.fork(
                    actor, head.public_id, number, form.model, execution=execution_in(request)
                )
            except Duplicate as error:
                form.add_problems([FieldProblem("/id", error.detail, error.code)])
            else:
                text = _("Forked from %(id)s, version %(n)s. The fork is paused.")
                flash.success(request, text % {"id": head.public_id, "n": number})
                return redirect("checkpoints:detail", made.head.public_id)
    else:
        form = ForkForm(initial={"title": _fork_title(head)})
    shown = ForkPage(
        title=_("Fork version %(n)s") % {"n": number},
        crumbs=presenters.crumbs(head, Crumb(_("Fork"))),
        head=head,
        form=form,
        execution=moment.row.public_id if moment.row else "",
        version=number,
        node=presenters.named_node(moment.pinned, moment.node_id),
        visible_count=moment.visible_count,
    )
    status = 422 if request.method == "POST" else 200
    return show(request, "checkpoints/fork.html", shown, status=status)


def _command(sent: QueryDict) -> RestoreCheckpoint:
    return parse(
        RestoreCheckpoint,
        {"reason": sent.get("reason", "").strip() or None, **expected_in(sent)},
    )


def _fork_title(head: Conversation) -> str:
    return (_("Fork of %(title)s") % {"title": display_name(head)})[:200]


def _keys(now: StoredSnapshot, to: StoredSnapshot) -> KeysCompared:
    sides = [
        {name: held.head for name, held in heads_by_name(each).items() if held.head}
        for each in (now, to)
    ]
    return compare_keys(sides[0], sides[1])
