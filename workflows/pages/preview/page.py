"""The page that previews a node before anything is published or stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from conversations.domain.message import read_messages
from conversations.models import Conversation
from conversations.reading import queries as conversation_queries
from conversations.reading.display_names import read_display_names
from conversations.store.conversation import find_head
from conversations.workspace.matching import ConversationFilter
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, FieldProblem, NotFound, ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, Tab, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import as_sentence, translated
from workflows.costs.calibrations import calibrations_of
from workflows.costs.calls import call_cost
from workflows.domain.context.prompt_context import PromptContext
from workflows.domain.document.graph import Document, Edge, Node
from workflows.domain.document.topology import graph_of, usual_edges
from workflows.domain.running.plan import Plan
from workflows.models import Workflow
from workflows.pages.definition.links import crumbs
from workflows.pages.drawing.svg import edge_sentence
from workflows.pages.preview.preview_result import PreviewView, preview_view
from workflows.previews import conversation as previews
from workflows.previews.conversation import NodePreview, PreviewRequest
from workflows.previews.dry_run import GivenContext
from workflows.reading import queries
from workflows.store.workflow import find_workflow

_SUGGESTED: Final = 30
_EXAMPLE: Final = """{
  "variables": {"llm.model": "small", "user.name": "Ada"},
  "history": [],
  "metadata": {}
}"""
_EXAMPLE_MESSAGES: Final = """[
  {"role": "system", "content": "Be kind."},
  {"role": "user", "content": "Where is my order?"}
]"""


@dataclass(frozen=True, slots=True)
class EdgeChoice:
    """An edge that leads to the node, to be used or not."""

    id: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class PreviewQuestion:
    """The input; ``pasted`` is True if context and messages are given by hand.

    ``edges`` is None until some are selected: then the node is entered along its usual ones.
    ``turned`` is True if another node was chosen than the one that was shown.
    """

    which: str
    node: str
    edges: Sequence[str] | None
    conversation: str
    at: str
    pasted: bool
    context: str = _EXAMPLE
    messages: str = _EXAMPLE_MESSAGES
    turned: bool = False


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """The form and, once it is complete, the preview."""

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    tabs: Sequence[Tab]
    asked: PreviewQuestion
    nodes: Sequence[Node]
    choices: Sequence[EdgeChoice]
    versions: Sequence[str]
    conversations: Sequence[Conversation]
    seen: PreviewView | None
    problem: str
    problems: Sequence[str] = field(default=())


@require_http_methods(["GET", "HEAD", "POST"])
@page
def preview(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Previews with a conversation from the address, or a pasted context from the body."""
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    data = request.POST if request.method == "POST" else request.GET
    which = data.get("of", queries.DRAFT)
    document = queries.document_of(row, which, "of")
    conversations = suggested_conversations(actor, slug)
    usual = next((each.public_id for each in conversations if each.workflow == slug), "")
    pasted = request.method == "POST" or "paste" in data
    asked = _read_question(data, document, which, usual, pasted=pasted)
    seen: PreviewView | None = None
    taken: Sequence[str] = usual_edges(graph_of(document), asked.node)
    problem, problems = "", []
    if document.nodes and (request.method == "POST" or (asked.conversation and not pasted)):
        try:
            node_preview = _try(actor, slug, asked)
            cost = call_cost(
                actor.workspace,
                slug,
                Plan(document),
                node_preview,
                calibrations_of(actor.workspace),
            )
            seen, taken = preview_view(node_preview, call=cost), node_preview.entered.edges
        except ContextError as error:
            problem = translated(error.detail)
            problems = [_sentence(each) for each in error.problems if each.message != error.detail]
    if asked.edges is not None:
        taken = asked.edges
    title = _("Context preview")
    if asked.node:
        title = _("Context preview: %(node)s") % {"node": _name_of(document, asked.node)}
    shown = PreviewPage(
        title=title,
        crumbs=crumbs(row, Crumb(_("Preview"))),
        row=row,
        tabs=_tabs(request.path, asked, taken),
        asked=asked,
        nodes=document.nodes,
        choices=_choices(document, asked.node, taken),
        versions=[queries.DRAFT, *map(str, range(row.published_version or 0, 0, -1))][:50],
        conversations=conversations,
        seen=seen,
        problem=problem,
        problems=problems,
    )
    wrong = bool(problem) and (request.method == "POST" or "conversation" in data)
    return show(request, "workflows/preview.html", shown, status=422 if wrong else 200)


def _name_of(document: Document, node_id: str) -> str:
    names = (node.name for node in document.nodes if node.id == node_id)
    return next(names, None) or node_id


def _read_question(
    data: QueryDict, document: Document, which: str, usual: str, *, pasted: bool
) -> PreviewQuestion:
    """Reads the form; the default node is the first one that sees anything.

    ``usual`` is the default conversation. Edges that were shown for another node are ignored.
    """
    names = [node.id for node in document.nodes]
    node = data.get("node", "")
    if not node and names:
        node = next((each.id for each in document.nodes if each.type == "llm"), names[0])
    edges = data.getlist("edges")
    of_another = data.get("edges_of", node) != node
    usual_ones = of_another or (not edges and "chosen" not in data)
    known = {edge.id for edge in _incoming(document, node)}
    return PreviewQuestion(
        which=which,
        node=node,
        edges=None if usual_ones else [edge for edge in edges if edge in known],
        conversation=data.get("conversation", usual).strip(),
        at=data.get("at", "").strip(),
        pasted=pasted,
        context=data.get("context", _EXAMPLE),
        messages=data.get("messages", _EXAMPLE_MESSAGES),
        turned=of_another,
    )


def _incoming(document: Document, node: str) -> list[Edge]:
    return [edge for edge in document.edges if edge.to_node == node]


def _choices(document: Document, node: str, taken: Sequence[str]) -> list[EdgeChoice]:
    names = {each.id: each.name or "" for each in document.nodes}
    return [
        EdgeChoice(edge.id, edge_sentence(edge, "", 0, names), edge.id in taken)
        for edge in _incoming(document, node)
    ]


def _try(actor: Actor, slug: str, asked: PreviewQuestion) -> NodePreview:
    wanted = PreviewRequest(
        node=asked.node,
        edges=asked.edges,
        version=None if asked.which == queries.DRAFT else int(asked.which),
    )
    if asked.pasted:
        return _of_pasted(actor, slug, wanted, asked)
    return _of_conversation(actor, slug, wanted, asked)


def _of_pasted(
    actor: Actor, slug: str, wanted: PreviewRequest, asked: PreviewQuestion
) -> NodePreview:
    context = PromptContext.read(_json(asked.context, "/context", {}), "/context")
    given = _json(asked.messages, "/messages", [])
    if not isinstance(given, list):
        raise ValidationFailed.at("/messages", _("Enter a list of messages."))
    drafts = read_messages(given, "/messages") if given else ()
    asked_for = PreviewRequest(
        node=wanted.node,
        edges=wanted.edges,
        version=wanted.version,
        given=GivenContext(context, drafts),
    )
    return previews.preview_one_node(actor, slug, asked_for)


def _of_conversation(
    actor: Actor, slug: str, wanted: PreviewRequest, asked: PreviewQuestion
) -> NodePreview:
    try:
        find_head(actor.workspace, asked.conversation)
    except NotFound:
        message = _("There is no conversation %(id)s.") % {"id": asked.conversation[:64]}
        raise ValidationFailed.at("/conversation", message) from None
    asked_for = PreviewRequest(
        node=wanted.node,
        edges=wanted.edges,
        version=wanted.version,
        conversation=asked.conversation,
        at=_version(asked.at),
    )
    return previews.preview_one_node(actor, slug, asked_for)


def _version(text: str) -> int | None:
    if not text:
        return None
    version = whole_number(text)
    if version is None:
        raise ValidationFailed.at("/at", _("Enter the version as a whole number."))
    return version


def _json(text: str, pointer: str, missing: JsonValue) -> JsonValue:
    if not text.strip():
        return missing
    try:
        return loads_strict(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass"))
    except ValidationFailed as error:
        raise ValidationFailed.at(pointer, f"{pointer[1:]}: {translated(error.detail)}") from None


def _sentence(problem: FieldProblem) -> str:
    message = as_sentence(problem.message)
    return f"{problem.pointer}: {message}" if problem.pointer else message


def suggested_conversations(actor: Actor, slug: str) -> Sequence[Conversation]:
    """Returns the conversations with the latest changes, those of this workflow first."""
    asked = PageRequest(limit=_SUGGESTED)
    own, newest = (
        conversation_queries.list_conversations(actor, wanted, asked).items
        for wanted in (
            ConversationFilter(workflow=slug),
            ConversationFilter(),
        )
    )
    found = [*own, *(each for each in newest if each.workflow != slug)][:_SUGGESTED]
    read_display_names(found)
    return found


def _tabs(path: str, asked: PreviewQuestion, taken: Sequence[str]) -> list[Tab]:
    kept = [("of", asked.which), ("node", asked.node), ("chosen", "1")]
    kept += [("edges", edge) for edge in taken]
    return [
        Tab(_("Conversation"), f"{path}?{urlencode(kept)}", not asked.pasted),
        Tab(
            _("Pasted context"),
            f"{path}?{urlencode([*kept, ('paste', '1')])}",
            asked.pasted,
        ),
    ]
