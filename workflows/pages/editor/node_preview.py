"""Previews a node of an unsaved document, while it is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from pydantic import Field, JsonValue, SkipValidation, ValidationInfo, field_validator

from conversations.domain.message import read_messages
from conversations.models import Conversation
from conversations.reading.display_names import display_name
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import FieldProblem, NotFound, ValidationFailed
from ctxadmin.ui.sentences import as_sentence
from workflows.costs.calibrations import known_calibrations
from workflows.costs.calls import CallCost, call_cost
from workflows.domain.context.prompt_context import PromptContext
from workflows.domain.document.topology import Graph, shortest_path
from workflows.domain.running.plan import Plan
from workflows.pages.editor.canvas_document import CanvasRequest
from workflows.pages.editor.document_parts import DocumentParts
from workflows.pages.editor.editor_call import editor_call, json_answer, json_body, workflow_named
from workflows.pages.elements.problem_places import ProblemPlaces
from workflows.pages.preview.preview_result import PreviewView, preview_view
from workflows.pages.preview.result_line import result_line, result_problem
from workflows.previews import conversation as previews
from workflows.previews.conversation import NodePreview, PreviewRequest
from workflows.previews.dry_run import GivenContext

_MOST_STEPS: Final = 50
_MOST_IN_A_STEP: Final = 40

Name = Annotated[str, Field(max_length=10_000)]


class EditorPreviewRequest(CanvasRequest):
    """A node of a document, and its input: a conversation, or a context and messages.

    Without ``edges`` it is entered as by an engine, along the edges with tokens for it; else along
    all of a merge, or the first that leads to it. With ``path`` every node on a path to it is
    shown: the path of ``edges`` if they form one, else a shortest one from a start, along the first
    of them if there are any. With ``assume_conditions`` the conditions of the edges that are used
    count as true.
    """

    node: Name
    edges: Annotated[list[Name], Field(max_length=1_000)] | None = None
    assume_conditions: bool = False
    path: bool = False
    conversation: Name | None = None
    at: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    context: Annotated[JsonValue, SkipValidation] = None
    messages: Annotated[list[JsonValue], Field(max_length=100_000)] = []

    @field_validator("at", "context", "messages")
    @classmethod
    def _goes_together(cls, value: object, info: ValidationInfo) -> object:
        named = info.data.get("conversation") is not None
        if info.field_name == "at" and value is not None and not named:
            raise ValueError("a version of an execution needs its conversation")
        if info.field_name != "at" and value and named:
            raise ValueError("either this or a conversation, not both")
        return value

    def question(self) -> PreviewRequest:
        context = PromptContext.read(self.context or {}, "/context")
        drafts = read_messages(self.messages, "/messages") if self.messages else ()
        return PreviewRequest(
            node=self.node,
            conversation=self.conversation,
            at=self.at,
            given=GivenContext(context, drafts),
        )


@dataclass(frozen=True, slots=True)
class PathStep:
    """The context of one node on a path; ``edge`` is empty for the first."""

    node: str
    edge: str
    seen: PreviewView


Stop = tuple[str, Sequence[str]]


@editor_call
def preview(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns ``{html, line, lacks, title, edges, tokens_before, tokens_after, cached_prefix_lost,
    problems, is_reached, steps?}``: ``line`` is the result in one line, ``lacks`` what is wrong
    with it, ``title`` the name of the conversation, "" of a pasted context. Not ``is_reached``: the
    condition of its edge is false, also where it is assumed to be true.
    """
    actor.require(Action.PREVIEW)
    row = workflow_named(actor, slug)
    body = json_body(request, EditorPreviewRequest)
    parts = body.parts(row)
    _require_readable(parts, body.node)
    try:
        return _preview_of(actor, slug, parts, body)
    except ValidationFailed as error:
        raise _placed(error, parts) from None


def _preview_of(
    actor: Actor, slug: str, parts: DocumentParts, body: EditorPreviewRequest
) -> HttpResponse:
    plan = Plan(parts.document)
    origin = previews.preview_source_of(actor, slug, body.question())
    edges = origin.edges_to(plan, body.node) if body.edges is None else body.edges
    if not body.path:
        stop = (body.node, edges)
        used = plan.assuming(edges) if body.assume_conditions else plan
        (node_preview,) = previews.preview_path(actor, used, [stop], origin)
        # Where something waits the edge was taken, whatever its condition says by now.
        taken = body.edges or [each for each in edges if each not in origin.waiting]
        node_preview = previews.with_false_condition(
            plan,
            node_preview,
            taken,
            of_edge=bool(body.edges),
            is_assumed=body.assume_conditions,
        )
        known = known_calibrations(actor.workspace)
        cost = call_cost(actor.workspace, slug, used, node_preview, known)
        return _answer(node_preview, call=cost)
    stops = _stops(plan.graph, body.node, edges)
    if body.assume_conditions:
        plan = plan.assuming([edge for _, used in stops for edge in used])
    steps = previews.preview_path(actor, plan, stops[-_MOST_STEPS:], origin)
    return _answer(*steps, left_out=len(stops) - len(steps))


def _require_readable(parts: DocumentParts, name: str) -> None:
    """Requires a readable node; others can be faulty as long as nothing comes from them."""
    part = parts.node(name)
    if part is None:
        raise NotFound(_("The workflow has no node %(id)s.") % {"id": name[:64]})
    if part.element is None:
        problems = part.findings.problems[: len(part.wrong)]
        head = f"/nodes/{parts.nodes.index(part)}"
        found = [replace(each, pointer=f"{head}{each.pointer}") for each in problems]
        listed = [each.as_field_problem() for each in found]
        places = ProblemPlaces(parts.named)
        raise ValidationFailed(
            as_sentence(problems[0].message),
            problems=[_with_place(each, places) for each in listed],
        )


def _placed(error: ValidationFailed, parts: DocumentParts) -> ValidationFailed:
    """Returns the error with the element and the field of each problem in the document."""
    places = ProblemPlaces(parts.document)
    problems = [_with_place(each, places) for each in error.problems]
    return ValidationFailed(error.detail, problems=problems)


def _with_place(problem: FieldProblem, places: ProblemPlaces) -> FieldProblem:
    place = places.of_input(problem.pointer)
    if not place.element:
        return problem
    words = {"element": place.element, "field": place.field, "input": place.input}
    kind, name = places.element_at(problem.pointer)
    return replace(problem, extra=(*problem.extra, (kind, name), *words.items()))


def _stops(graph: Graph, node: str, edges: Sequence[str]) -> list[Stop]:
    """Returns the nodes on a path to ``node`` with the edges along which they are entered."""
    known = [graph.edges[name] for name in edges if name in graph.edges]
    into = [edge for edge in known if edge.to_node == node]
    leads_on = all(a.to_node == b.from_node for a, b in pairwise(known))
    if len(known) > 1 and leads_on and known[-1].to_node == node:
        ways = tuple(known)
    elif into:
        before = shortest_path(graph, graph.starts, into[0].from_node)
        ways = (*(before or ()), into[0])
    else:
        found = shortest_path(graph, graph.starts, node)
        if found is None:
            text = _("No path leads from a start node to %(id)s.")
            raise ValidationFailed.at("/node", text % {"id": node[:64]})
        ways = found
    first = ways[0].from_node if ways else node
    stops: list[Stop] = [(first, ()), *((edge.to_node, (edge.id,)) for edge in ways)]
    if len(into) > 1:
        stops[-1] = (node, tuple(edge.id for edge in into))
    return stops


def _answer(
    *node_previews: NodePreview, left_out: int | None = None, call: CallCost | None = None
) -> HttpResponse:
    """Returns the answer for one node, or for a path whose first ``left_out`` nodes are not
    shown.
    """
    last = node_previews[-1]
    data: dict[str, object] = {}
    if left_out is not None:
        steps = [_step(each, last is each) for each in node_previews]
        data["steps"] = [
            {"node": each.node, "edge": each.edge, "tokens_after": each.seen.tokens_after}
            for each in steps
        ]
        shown = {"steps": steps, "left_out": left_out, "is_beside_form": True}
        data["html"] = render_to_string("workflows/_steps.html", shown)
        seen = steps[-1].seen
    else:
        seen = preview_view(last, call=call)
        data["html"] = render_to_string(
            "workflows/_seen.html", {"seen": seen, "is_beside_form": True}
        )
    problems = [problem.as_json() for each in node_previews for problem in each.problems]
    return json_answer(
        {
            **data,
            "line": result_line(seen),
            "lacks": result_problem(seen),
            "title": _title_of(last),
            "edges": last.entered.edges,
            "tokens_before": last.tokens_before,
            "tokens_after": last.tokens_after,
            "cached_prefix_lost": last.cached_prefix_lost,
            "problems": problems,
            "is_reached": not last.false_condition,
        }
    )


def _title_of(node_preview: NodePreview) -> str:
    source = node_preview.source
    return display_name(source) if isinstance(source, Conversation) else ""


def _step(node_preview: NodePreview, is_last: bool) -> PathStep:
    seen = preview_view(node_preview) if is_last else preview_view(node_preview, _MOST_IN_A_STEP)
    entered = node_preview.entered
    return PathStep(entered.node_id, next(iter(entered.edges), ""), seen)
