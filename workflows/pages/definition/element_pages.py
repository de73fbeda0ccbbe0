"""The forms of nodes, edges and reducers: each save is one change of the draft that was shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, Duplicate, FieldProblem, Forbidden, NotFound
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.forms import ContractForm
from ctxadmin.ui.pages import page, show
from workflows.domain.document.graph import Document, title_of
from workflows.models import Workflow
from workflows.pages.definition import draft_conflicts
from workflows.pages.definition.draft_conflicts import (
    Conflict,
    DraftConflict,
    change_draft,
    conflict_of,
)
from workflows.pages.definition.form_costs import FormCost, form_cost
from workflows.pages.definition.links import FormLinks, compare_url_of, crumbs
from workflows.pages.elements import document_edits, edge_fields, node_fields
from workflows.pages.elements.checks import (
    Neighbour,
    edge_problems,
    neighbours,
    repeated_patterns,
)
from workflows.pages.elements.edge_fields import EdgeFields
from workflows.pages.elements.element_ids import new_edge_id, new_node_id
from workflows.pages.elements.forms import EdgeForm, NodeForm, ReducersForm
from workflows.pages.elements.node_fields import NodeFields
from workflows.pages.elements.problem_places import ends_of
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

FormT = TypeVar("FormT", bound=ContractForm[Any])


@dataclass(frozen=True, slots=True)
class ElementPage:
    """The form of a node, an edge or the reducers.

    ``element`` is ``node``, ``edge`` or ``reducer``, ``name`` its id ("" for a new one).
    ``may_force`` offers to save it with its problems. ``cost`` is that of the saved element.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    element: str
    name: str
    form: ContractForm[Any]
    seen: str
    conflict: Conflict | None
    may_force: bool
    delete_url: str
    preview_url: str
    compare_url: str
    neighbours: Sequence[Neighbour]
    cost: FormCost | None


@dataclass(slots=True)
class _Attempt:
    """The result of a form: where to continue, or what the page shows."""

    done: bool = False
    conflict: Conflict | None = None
    may_force: bool = False


@dataclass(frozen=True, slots=True)
class _Element(Generic[FormT]):
    """How the form of a node or an edge is made, checked and written into the draft.

    ``name`` is its id, "" for a new one. ``saved`` is said after it, with what ``called`` returns
    for its id: what people call it in the changed draft. ``change`` writes it under an id, for
    which ``new_id`` is called where a form has none.
    """

    kind: Literal["node", "edge"]
    name: str
    title: str
    saved: str
    called: Callable[[Document, str], str]
    made_of: Callable[[QueryDict | None], FormT]
    check: Callable[[Any], list[FieldProblem]]
    change: Callable[[Document, Any, str], Document]
    new_id: Callable[[Document, Any], str]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def node(request: HttpRequest, actor: Actor, slug: str, node_id: str) -> HttpResponse:
    return _node(request, actor, slug, node_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def new_node(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    return _node(request, actor, slug, "")


def _node(request: HttpRequest, actor: Actor, slug: str, node_id: str) -> HttpResponse:
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    initial: JsonValue = {"operation": {"pairing": "keep"}}
    document = definition(bytes(row.draft)).document
    if node_id and request.method != "POST":
        initial = node_fields.fields_of(document_edits.find(document.nodes, node_id))

    def made_of(data: QueryDict | None) -> NodeForm:
        return NodeForm(data, initial=initial, root="node")

    def check(fields: NodeFields) -> list[FieldProblem]:
        return node_fields.form_problems(node_fields.node_of(fields))

    def new_id(document: Document, fields: NodeFields) -> str:
        return new_node_id(document, fields.name, fields.type)

    def change(document: Document, fields: NodeFields, made_id: str) -> Document:
        old = next((each for each in document.nodes if each.id == node_id), None)
        made = node_fields.node_of(fields, old, made_id)
        return document_edits.with_node(document, node_id, made)

    drawn = next((each for each in document.nodes if each.id == node_id), None)
    title = title_of(drawn) if drawn else node_id or _("New node")

    def called(document: Document, saved_id: str) -> str:
        return title_of(document_edits.find(document.nodes, saved_id))

    saved = _("Node “%(name)s” saved.")
    element = _Element("node", node_id, title, saved, called, made_of, check, change, new_id)
    return _element(request, actor, row, element)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edge(request: HttpRequest, actor: Actor, slug: str, edge_id: str) -> HttpResponse:
    return _edge(request, actor, slug, edge_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def new_edge(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    return _edge(request, actor, slug, "")


def _edge(request: HttpRequest, actor: Actor, slug: str, edge_id: str) -> HttpResponse:
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    document = definition(bytes(row.draft)).document
    ends = {name: request.GET.get(name) for name in ("from", "to")}
    initial: JsonValue = {"type": "sequence", **ends}
    if edge_id and request.method != "POST":
        initial = edge_fields.fields_of(document_edits.find(document.edges, edge_id))

    def made_of(data: QueryDict | None) -> EdgeForm:
        return EdgeForm(data, initial=initial, nodes=document.nodes)

    def check(fields: EdgeFields) -> list[FieldProblem]:
        return edge_problems(document, edge_fields.edge_of(fields))

    def new_id(document: Document, fields: EdgeFields) -> str:
        return new_edge_id(document, fields.from_node, fields.to_node)

    def change(document: Document, fields: EdgeFields, made_id: str) -> Document:
        return document_edits.with_edge(document, edge_id, edge_fields.edge_of(fields, made_id))

    drawn = next((each for each in document.edges if each.id == edge_id), None)
    title = ends_of(document, drawn) if drawn else edge_id or _("New edge")

    def called(document: Document, saved_id: str) -> str:
        return ends_of(document, document_edits.find(document.edges, saved_id))

    saved = _("Edge %(name)s saved.")
    element = _Element("edge", edge_id, title, saved, called, made_of, check, change, new_id)
    return _element(request, actor, row, element)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def reducers(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    listed = definition(bytes(row.draft)).document.reducers.items()
    rows: list[JsonValue] = [{"pattern": key, "reducer": name} for key, name in listed]
    sent = request.method == "POST"
    form = ReducersForm(request.POST if sent else None, initial={"reducers": rows})
    attempt = _Attempt()

    def make(document: Document) -> Document:
        given = form.model.reducers
        twice = repeated_patterns(given)
        if twice:
            raise Duplicate(twice[0].message, problems=twice)
        return document.model_copy(
            update={"reducers": {each.pattern: each.reducer for each in given}}
        )

    if form.is_valid():
        attempt = _try(request, actor, slug, form, make, ("reducer", ""))
        if attempt.done:
            flash.success(request, _("Reducers saved."))
            return redirect("workflows:detail", slug)
    return _show_form(request, actor, row, form, attempt, "reducer", "", _("Reducers"))


def _element(
    request: HttpRequest, actor: Actor, row: Workflow, element: _Element[Any]
) -> HttpResponse:
    """Shows the form, or writes the input and redirects to the element in the graph."""
    slug, sent = row.slug or "", request.method == "POST"
    if sent:
        form = element.made_of(request.POST)
    else:
        form = _stored_form(element.made_of, element.check if element.name else None)
    attempt = _Attempt()
    faults = form.faults(element.check)
    saved_id = called = element.name

    def make(document: Document) -> Document:
        nonlocal saved_id, called
        saved_id = form.model.id or element.name or element.new_id(document, form.model)
        made = element.change(document, form.model, saved_id)
        called = element.called(made, saved_id)
        _refuse_problems(request, faults)
        return made

    if sent and form.is_valid():
        attempt = _try(request, actor, slug, form, make, (element.kind, element.name))
        if attempt.done:
            flash.success(request, element.saved % {"name": called})
            here = reverse("workflows:detail", args=[slug])
            return redirect(f"{here}#{element.kind}-{saved_id}")
    elif form.errors:
        form.add_problems(faults)
    return _show_form(request, actor, row, form, attempt, element.kind, element.name, element.title)


def _stored_form(
    made_of: Callable[[QueryDict | None], FormT], check: Callable[[Any], list[FieldProblem]] | None
) -> FormT:
    """Returns the form of what is stored, with its errors if ``check`` or the form itself finds
    any.
    """
    shown = made_of(None)
    if check is None:
        return shown
    checked = made_of(shown.as_sent)
    checked.is_opened = True
    checked.add_problems(checked.faults(check))
    return checked if checked.errors else shown


class _Faulty(ContextError):
    """The element has problems that a draft can have: it can be saved with them."""


def _refuse_problems(request: HttpRequest, problems: Sequence[FieldProblem]) -> None:
    if problems and "force" not in request.POST:
        raise _Faulty(problems[0].message, problems=problems)


def _try(
    request: HttpRequest,
    actor: Actor,
    slug: str,
    form: ContractForm[Any],
    make: Callable[[Document], Document],
    about: tuple[str, str],
) -> _Attempt:
    """Saves, shows problems at their fields, or shows a conflict."""
    try:
        change_draft(request, actor, slug, make)
    except DraftConflict as found:
        return _Attempt(conflict=conflict_of(found, *about))
    except (NotFound, Forbidden):
        raise
    except ContextError as error:
        form.add_problems(error.problems or [FieldProblem("", error.detail, error.code)])
        return _Attempt(may_force=isinstance(error, _Faulty))
    return _Attempt(done=True)


def _show_form(
    request: HttpRequest,
    actor: Actor,
    row: Workflow,
    form: ContractForm[Any],
    attempt: _Attempt,
    element: str,
    name: str,
    title: str,
) -> HttpResponse:
    """Returns the form.

    After a conflict it carries the latest draft, so that a second save is deliberate.
    """
    conflict = attempt.conflict
    seen = request.POST.get(draft_conflicts.FIELD, "")
    if request.method != "POST" or conflict is not None:
        row = find_workflow(row.workspace, row.slug or "")
        seen = draft_conflicts.draft_token(row)
    document = definition(bytes(row.draft)).document
    urls = {"node": "workflows:delete-node", "edge": "workflows:delete-edge"}
    shown = ElementPage(
        title=title,
        crumbs=crumbs(row, Crumb(title)),
        row=row,
        element=element,
        name=name,
        form=form,
        seen=seen,
        conflict=conflict,
        may_force=attempt.may_force,
        delete_url=reverse(urls[element], args=[row.slug, name]) if name else "",
        preview_url=_preview_url(row, document, element, name),
        compare_url=compare_url_of(row.slug or "", element, name),
        neighbours=neighbours(document, element, name, FormLinks(row.slug or "", may_change=True)),
        cost=form_cost(actor, row, element, name),
    )
    status = 409 if conflict else 422 if form.errors and not form.is_opened else 200
    return show(request, "workflows/element.html", shown, status=status)


def _preview_url(row: Workflow, document: Document, element: str, name: str) -> str:
    """Returns the preview address: of a node itself, of an edge at the node that it leads to."""
    url = reverse("workflows:preview", args=[row.slug])
    if element == "node" and name:
        return f"{url}?node={name}"
    found = next((each for each in document.edges if each.id == name), None)
    if element == "edge" and found is not None:
        return f"{url}?node={found.to_node}&edges={found.id}"
    return ""
