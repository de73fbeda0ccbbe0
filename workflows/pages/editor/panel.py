"""The form of one element beside the editor's canvas, and the element in a sent form."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, assert_never, get_args

from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from pydantic import Field, JsonValue

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError, FieldProblem, NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.ui.components import Text
from ctxadmin.ui.forms import ContractForm
from ctxadmin.ui.forms.contract_form import ROWS_BUTTON
from ctxadmin.ui.forms.flat import join_names
from ctxadmin.ui.forms.places import BoxError, FieldError
from workflows.domain.checks.problems import REDUCERS
from workflows.domain.document.graph import Edge, Node, title_of
from workflows.domain.selection.patterns import pattern_fault
from workflows.models import Workflow
from workflows.pages.definition.links import OutlineLinks, compare_url_of
from workflows.pages.editor.canvas_document import CanvasRequest
from workflows.pages.editor.document_parts import DocumentParts
from workflows.pages.editor.editor_call import (
    JSON,
    editor_call,
    json_answer,
    json_body,
    json_field,
    workflow_named,
)
from workflows.pages.elements import edge_fields, node_fields
from workflows.pages.elements.checks import (
    Neighbour,
    edge_problems,
    neighbours,
    repeated_patterns,
)
from workflows.pages.elements.forms import (
    DocumentForm,
    EdgeForm,
    PanelNodeForm,
    ReducerFields,
    ReducersForm,
)
from workflows.pages.elements.problem_places import (
    ProblemPlaces,
    ends_of,
    field_and_message,
    is_of_unknown_field,
)
from workflows.pages.elements.unchanged_values import with_unchanged

Kind = Literal["node", "edge", "reducers", "workflow"]
_ROOTS: dict[Kind, str] = {"node": "node", "edge": "edge", "reducers": "", "workflow": "workflow"}


class PanelRequest(CanvasRequest):
    """An element of a document; the id of the reducers and of the workflow is empty."""

    kind: Kind
    id: Annotated[str, Field(max_length=10_000)] = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """The fragment: a form that a script sends, with its document."""

    title: Text
    kind: Kind
    id: str
    form: ContractForm[Any]
    neighbours: Sequence[Neighbour]
    faults: Sequence[str]
    compare_url: str


@editor_call
def panel(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns the form of an element of a document; a sent form as it was typed.

    The buttons of lists send the form here: it comes back with a row added, removed or moved.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    row = workflow_named(actor, slug)
    if request.content_type == JSON:
        opened = _Opened(row, json_body(request, PanelRequest))
        form = opened.filled()
    else:
        opened = _Opened(row, _request_of_form(request.POST))
        form = opened.form(request.POST)
    opened.read(form)
    shown = Panel(
        title=opened.title,
        kind=opened.asked.kind,
        id=opened.asked.id,
        form=form,
        neighbours=neighbours(
            opened.parts.document, opened.asked.kind, opened.asked.id, OutlineLinks()
        ),
        faults=opened.faults,
        compare_url=compare_url_of(slug, opened.asked.kind, opened.asked.id),
    )
    answer = render(request, "workflows/_panel.html", {"panel": shown})
    answer["Cache-Control"] = "no-store"
    return answer


@editor_call
def read(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns ``{element, id, errors}`` of a form of the panel.

    ``element`` is null if it is invalid.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    opened = _Opened(workflow_named(actor, slug), _request_of_form(request.POST))
    root = _ROOTS[opened.asked.kind]
    sent = request.POST.copy()
    sent.pop(join_names(root, ROWS_BUTTON), None)
    form = opened.form(sent)
    element = opened.read(form)
    if element is None:  # a row that was only added does not keep the rest from being saved
        form = opened.form(form.without_new_rows())
        element = opened.read(form)
    return json_answer({"element": element, "id": opened.asked.id, "errors": _errors(form)})


def _request_of_form(sent: QueryDict) -> PanelRequest:
    given: dict[str, JsonValue] = {"kind": sent.get("kind", ""), "id": sent.get("id", "")}
    if given["kind"] not in get_args(Kind):
        raise ValidationFailed.at("/kind", _("The form is incomplete. Reload the page."))
    draft = json_field(sent.get("draft", ""), "/draft")
    return parse(PanelRequest, {**draft, **given} if isinstance(draft, dict) else draft)


class _Opened:
    """An element of a document while its form is shown or read."""

    def __init__(self, row: Workflow, asked: PanelRequest) -> None:
        self.asked = asked
        self.parts: DocumentParts = asked.parts(row)
        self._node = self.parts.node(asked.id) if asked.kind == "node" else None
        self._edge = self.parts.edge(asked.id) if asked.kind == "edge" else None

    @property
    def title(self) -> str:
        match self.asked.kind:
            case "node":
                return title_of(self._node.named) if self._node else self.asked.id
            case "edge":
                edge = self._edge
                return ends_of(self.parts.named, edge.named) if edge else self.asked.id
            case "reducers":
                return _("Reducers")
        return _("Workflow")

    @property
    def faults(self) -> list[str]:
        """Returns what cannot be read of the element in the document; its form omits that."""
        part = self._node or self._edge
        found = part.findings.problems[: len(part.wrong)] if part else []
        places = ProblemPlaces(self.parts.named)
        # Their pointers begin at the element.
        whole = [replace(each, pointer=f"/{self.asked.kind}s/-{each.pointer}") for each in found]
        return [field_and_message(each, places) for each in whole]

    def filled(self) -> ContractForm[Any]:
        """Returns the form with the values of the document, and its errors."""
        self._require_element()
        return self.form(self.form(None).as_sent)

    def _require_element(self) -> None:
        missing = {"node": self._node, "edge": self._edge}
        if self.asked.kind in missing and missing[self.asked.kind] is None:
            raise NotFound(
                say(
                    "The document has no {kind} {id}.",
                    kind=self.asked.kind,
                    id=repr(self.asked.id[:64]),
                )
            )

    def form(self, data: QueryDict | None) -> ContractForm[Any]:
        kind = self.asked.kind
        match kind:
            case "node":
                return PanelNodeForm(data, initial=self._initial_node(), root=_ROOTS[kind])
            case "edge":
                known = self.parts.document.nodes
                return EdgeForm(data, initial=self._initial_edge(), nodes=known)
            case "reducers":
                listed = self.parts.document.reducers.items()
                rows: list[JsonValue] = [{"pattern": key, "reducer": name} for key, name in listed]
                return ReducersForm(data, initial={"reducers": rows})
            case "workflow":
                own: JsonValue = {"name": self.parts.document.name}
                return DocumentForm(data, initial=own, root=_ROOTS[kind])
            case _:
                assert_never(kind)

    def _initial_node(self) -> JsonValue:
        part = self._node
        if part is None or part.shown is None:
            return {"id": self.asked.id, "operation": {"pairing": "keep"}}
        fields = node_fields.fields_of(part.shown)
        return {**fields, "id": part.id} if isinstance(fields, dict) else fields

    def _initial_edge(self) -> JsonValue:
        part = self._edge
        if part is None or part.shown is None:
            return {"id": self.asked.id, "type": "sequence"}
        fields = edge_fields.fields_of(part.shown)
        return {**fields, "id": part.id} if isinstance(fields, dict) else fields

    def read(self, form: ContractForm[Any]) -> JsonValue:
        """Returns the element in the form, or None; problems are then in the form."""
        faults = form.faults(self._problems)
        element: JsonValue = None
        if form.is_valid():
            try:
                element = self._as_written(self._made(form))
            except ContextError as error:
                form.add_problems(error.problems or [FieldProblem("", error.detail, error.code)])
        form.add_problems([*faults, *self._unknown_fields(element)])
        return element

    def _unknown_fields(self, element: JsonValue) -> list[FieldProblem]:
        """Returns the fields that no form has and that the element still has, at their group."""
        part = self._node or self._edge
        if part is None or not any(map(is_of_unknown_field, part.findings.problems)):
            return []
        found: list[FieldProblem] = []
        made = part if element is None else part.again(element)
        for problem in filter(is_of_unknown_field, made.findings.problems):
            pointer = problem.pointer
            if isinstance(made.shown, Node):
                pointer = node_fields.pointer_in_form(made.shown, pointer)
            elif isinstance(made.shown, Edge):
                pointer = edge_fields.pointer_in_form(pointer)
            found.append(replace(problem.as_field_problem(), pointer=pointer))
        return found

    def _as_written(self, element: JsonValue) -> JsonValue:
        """Returns the element with what the form left unchanged as the document writes it."""
        part = self._node or self._edge
        if part is None or part.element is None or element == part.raw:
            return element
        shown = self.form(self.form(None).as_sent)
        try:
            before = self._made(shown) if shown.is_valid() else None
        except ContextError:
            before = None
        if isinstance(part.raw, dict) and isinstance(before, dict) and isinstance(element, dict):
            return with_unchanged(part.raw, before, element)
        return element

    def _made(self, form: ContractForm[Any]) -> JsonValue:
        match self.asked.kind:
            case "node":
                before = self._node.element if self._node else None
                node = node_fields.node_of(form.model, before, self.asked.id)
                self._refuse_taken(node.id, [part.id for part in self.parts.nodes])
                return node.model_dump(mode="json", by_alias=True, exclude_unset=True)
            case "edge":
                edge = edge_fields.edge_of(form.model, self.asked.id)
                self._refuse_taken(edge.id, [part.id for part in self.parts.edges])
                return edge.model_dump(mode="json", by_alias=True, exclude_unset=True)
            case "reducers":
                rows = form.model.reducers
                twice = repeated_patterns(rows)
                if twice:
                    raise ValidationFailed(twice[0].message, problems=twice)
                return {each.pattern: each.reducer for each in rows}
        return {"name": form.model.name}

    def _refuse_taken(self, name: str, known: Sequence[str]) -> None:
        if name != self.asked.id and name in known:
            raise ValidationFailed.at("/id", _("The id %(id)s is taken.") % {"id": name})

    def _problems(self, fields: Any) -> list[FieldProblem]:
        """Returns the problems that a draft can have, with pointers into the fields."""
        match self.asked.kind:
            case "node":
                before = self._node.element if self._node else None
                return node_fields.form_problems(node_fields.node_of(fields, before))
            case "edge":
                return edge_problems(self.parts.document, edge_fields.edge_of(fields))
            case "reducers":
                return _reducer_problems(fields)
        return []


def _reducer_problems(fields: ReducerFields) -> list[FieldProblem]:
    found: list[FieldProblem] = []
    for place, row in enumerate(fields.reducers):
        fault = pattern_fault(row.pattern)
        if fault is not None:
            found.append(FieldProblem(f"/reducers/{place}/pattern", fault))
        if row.reducer not in REDUCERS:
            message = _("There is no reducer %(name)s.") % {"name": row.reducer}
            found.append(FieldProblem(f"/reducers/{place}/reducer", message))
    return found


def _errors(form: ContractForm[Any]) -> list[dict[str, object]]:
    """Returns each error with the name and the label of its field.

    That of a list or group with its first field; its message says which list or group.
    """
    listed: list[dict[str, object]] = []
    for name, found in form.errors.as_data().items():
        for error in found:
            field = "" if name == NON_FIELD_ERRORS else name
            label = str(form[field].label) if field else ""
            if isinstance(error, BoxError):
                field = next(iter(error.place.fields), "")
            column = error.column if isinstance(error, FieldError) else None
            message = " ".join(error.messages)
            entry: dict[str, object] = {"field": field, "label": label, "message": message}
            listed.append(entry if column is None else {**entry, "column": column})
    return listed
