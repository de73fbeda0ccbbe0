"""The workflow that an execution runs: its name, and its published version."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.pages import presenters
from checkpoints.reading import queries
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, part_of, show
from workflows.pages.definition.links import OutlineLinks
from workflows.pages.definition.outline import Outline, outline_of
from workflows.pages.definition.workflow_pages import outline_page
from workflows.pages.drawing.svg import Drawing, draw
from workflows.pages.editor.drawn_canvas import drawn_answer
from workflows.reading.queries import slug_of
from workflows.store.workflow import workflow_exists


@dataclass(frozen=True, slots=True)
class WorkflowName:
    """An execution's workflow; ``url`` is "" without a page, ``title`` without a name."""

    slug: str
    version: int | None
    url: str
    deleted: bool
    title: str = ""


@dataclass(frozen=True, slots=True)
class PinnedPage:
    """The version that an execution is pinned to; ``url`` is that of the current workflow."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    name: WorkflowName
    drawing: Drawing | None
    outline: Outline
    next: str | None
    url: str


def workflow_name(moment: StoredSnapshot) -> WorkflowName | None:
    """Returns the name of an execution's workflow; None for a free execution.

    Uses what the execution is pinned to, because the slug can belong to another workflow by now.
    """
    row, head = moment.row, moment.head
    if row is None:
        if not head.workflow:
            return None
        known = workflow_exists(head.workspace, head.workflow)
        url = reverse("workflows:detail", args=[head.workflow]) if known else ""
        return WorkflowName(head.workflow, None, url, deleted=False)
    if row.workflow_key is None:
        return None
    url = reverse("checkpoints:workflow", args=[head.public_id])
    deleted = slug_of(row.workflow_key) is None
    title = moment.pinned.workflow.document.name if moment.pinned is not None else ""
    return WorkflowName(row.workflow, row.workflow_version, url, deleted, title)


@require_safe
@page
def workflow(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Shows graph, outline and reducers of the pinned version, even if the workflow was deleted."""
    head = find_head(actor.workspace, conversation_id)
    moment = queries.find_moment(actor, conversation_id)
    row, pinned, name = moment.row, moment.pinned, workflow_name(moment)
    if row is None or pinned is None or name is None:
        raise NotFound(_("This execution runs without a workflow."))
    document, links = pinned.workflow.document, OutlineLinks()
    start, following = outline_page(request, document)
    slug = slug_of(pinned.workflow.key)
    title = _("%(name)s, version %(n)s") % {"name": document.name or name.slug, "n": name.version}
    shown = PinnedPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(_("Workflow"))),
        head=head,
        name=name,
        drawing=draw(document, (), links),
        outline=outline_of(document, (), links, start),
        next=following,
        url="" if slug is None else reverse("workflows:version", args=[slug, name.version]),
    )
    return show(request, "checkpoints/workflow.html", shown)


@require_safe
@part_of("checkpoints:workflow", "conversation_id")
@page
def drawn(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Returns the data of the canvas of the pinned version, whose cards lead to its outline."""
    pinned = queries.find_moment(actor, conversation_id).pinned
    if pinned is None:
        raise NotFound(_("This execution runs without a workflow."))
    document = pinned.workflow.document
    return drawn_answer(actor, document, document.name, OutlineLinks())
