"""What elements say, field by field in the words of their forms, to be read beside each other."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.web.forms.boxes import Box, FieldBox, GroupBox, RowsBox, VariantBox, counts, fields_in
from ctxadmin.web.forms.fields import LeafField
from ctxadmin.web.forms.shape import Kind
from workflows.domain.graph import Edge, Node
from workflows.pages import edge_fields, node_fields
from workflows.pages.editor_calls import answered, editor_call, json_body, workflow_named
from workflows.pages.editor_words import WordsAsked
from workflows.pages.forms import EdgeForm, PanelNodeForm
from workflows.pages.parts import Part, parts_of


@dataclass(frozen=True, slots=True)
class Said:
    """What one field says, or one list with a line for each row; ``is_json`` has no words."""

    label: str
    lines: tuple[str, ...]
    is_json: bool = False


class SidesAsked(WordsAsked):
    """A few elements, with the names of the nodes that their edges lead from and to, by id."""

    names: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class _End:
    id: str
    name: str


@editor_call
def sides(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """``{nodes, edges}``: what each element of a document says; null for one that cannot be read.

    The document is what two designers made of a few elements, so its ids may come several times.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    workflow_named(actor, slug)
    asked = json_body(request, SidesAsked)
    parts = parts_of(asked.document)
    ends = [_End(key, name) for key, name in asked.names.items()]
    told = {
        "nodes": [_node_said(part) for part in parts.nodes],
        "edges": [_edge_said(part, ends) for part in parts.edges],
    }
    return answered(told)


def _node_said(part: Part[Node]) -> list[dict[str, Any]] | None:
    if part.element is None:
        return None
    form = PanelNodeForm(initial=node_fields.fields_of(part.element), root="node")
    return [asdict(each) for each in said_in(form.box)]


def _edge_said(part: Part[Edge], ends: Sequence[_End]) -> list[dict[str, Any]] | None:
    if part.element is None:
        return None
    form = EdgeForm(initial=edge_fields.fields_of(part.element), nodes=ends)
    return [asdict(each) for each in said_in(form.box)]


def said_in(box: GroupBox | VariantBox, *around: str) -> Iterator[Said]:
    """All fields of a form that say something, those of lists in a line for each row."""
    inner: Sequence[Box] = box.boxes if isinstance(box, GroupBox) else _chosen(box)
    for child in inner:
        if not counts(child):
            continue
        match child:
            case FieldBox():
                lines = tuple(_lines(child))
                if lines:
                    yield Said(_path(around, _label(child)), lines, _is_json(child))
            case RowsBox():
                yield from _said_in_rows(child, *around)
            case GroupBox() | VariantBox():
                yield from said_in(child, *around, str(child.legend))


def _said_in_rows(box: RowsBox, *around: str) -> Iterator[Said]:
    """A line for each row; a row that has lists itself is told field by field."""
    plain: list[str] = []
    for row in box.rows:
        if _has_rows(row):
            yield from said_in(row, *around, str(row.legend))
        else:
            plain.append(_line(row))
    if plain:
        yield Said(_path(around, str(box.legend)), tuple(plain))


def _has_rows(box: Box) -> bool:
    match box:
        case RowsBox():
            return bool(box.rows)
        case GroupBox():
            return any(_has_rows(child) for child in box.boxes if counts(child))
        case VariantBox():
            return any(_has_rows(child) for child in _chosen(box) if counts(child))
    return False


def _chosen(box: VariantBox) -> list[Box]:
    return [box.choice, *(panel for panel in box.panels.values() if counts(panel))]


def _line(box: Box) -> str:
    found = ((_label(field), ", ".join(_lines(field))) for field in fields_in(box))
    return " · ".join(f"{label}: {text}" for label, text in found if text)


def _label(box: FieldBox) -> str:
    return str(box.bound.label or "")


def _path(around: tuple[str, ...], label: str) -> str:
    return " › ".join(part for part in (*around, label) if part)


def _is_json(box: FieldBox) -> bool:
    field = box.bound.field
    return bool(box.marker) or (isinstance(field, LeafField) and field.leaf.kind is Kind.JSON)


def _lines(box: FieldBox) -> list[str]:
    """The value as the form shows it: of a choice its words, of a text its lines."""
    value: object = box.bound.value()
    widget = box.bound.field.widget
    if isinstance(widget, forms.CheckboxInput):
        return [_("yes")] if value else []
    given = value if isinstance(value, list) else [value]
    if isinstance(widget, forms.widgets.ChoiceWidget):
        named = {str(key): str(name) for key, name in widget.choices}
        return [named.get(str(each), str(each)) for each in given if each not in ("", None)]
    return [line for each in given if each not in ("", None) for line in str(each).split("\n")]
