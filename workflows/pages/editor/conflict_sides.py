"""The sides of conflicts in the words of forms, with the changes marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from pydantic import Field

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.diff_folds import shortened
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.forms.boxes import (
    Box,
    FieldBox,
    GroupBox,
    RowsBox,
    VariantBox,
    fields_in,
    is_active,
)
from ctxadmin.ui.forms.fields import LeafField
from ctxadmin.ui.forms.shape import LeafKind
from workflows.domain.document.graph import Edge, Node
from workflows.pages.editor.document_parts import AnyElement
from workflows.pages.editor.editor_call import editor_call, json_answer, json_body, workflow_named
from workflows.pages.elements import edge_fields, node_fields
from workflows.pages.elements.forms import EdgeForm, PanelNodeForm


class SideRequest(Contract):
    """An element, and texts by label that no form has."""

    element: AnyElement = None
    texts: dict[str, str] = {}


class ConflictRequest(Contract):
    """The base of a conflict and the edits of two designers; a side can be missing."""

    kind: Literal["node", "edge", "text"]
    base: SideRequest | None = None
    mine: SideRequest | None = None
    theirs: SideRequest | None = None

    @property
    def sides(self) -> tuple[SideRequest | None, ...]:
        return self.base, self.mine, self.theirs


class SidesRequest(Contract):
    """A few conflicts, with the names of the nodes at the ends of edges, by id."""

    conflicts: Annotated[list[ConflictRequest], Field(max_length=20)]
    names: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class FieldText:
    """The text of one field, or of one list with a line for each row; ``is_json`` has no words."""

    label: str
    lines: tuple[str, ...]
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field in which the sides differ: its text in base, mine and theirs."""

    label: str
    is_json: bool
    sides: Sequence[Sequence[TextPiece]]


@dataclass(frozen=True, slots=True)
class _End:
    id: str
    name: str


@editor_call
def sides(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns ``{conflicts}``: for each the fields in which its sides differ.

    Null without words.

    The words that mine and theirs removed and added are marked.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    workflow_named(actor, slug)
    asked = json_body(request, SidesRequest)
    ends = [_End(key, name) for key, name in asked.names.items()]
    return json_answer({"conflicts": [_side_rows(conflict, ends) for conflict in asked.conflicts]})


def _side_rows(conflict: ConflictRequest, ends: Sequence[_End]) -> list[FieldRow] | None:
    try:
        texts = [
            None if side is None else _texts_of(conflict, side, ends) for side in conflict.sides
        ]
    except ValidationFailed:
        return None
    return list(differing_rows(texts))


def _texts_of(
    conflict: ConflictRequest, side: SideRequest, ends: Sequence[_End]
) -> list[FieldText]:
    """Returns the texts of a side; raises ValidationFailed for an element that cannot be read."""
    form: PanelNodeForm | EdgeForm | None = None
    if conflict.kind == "node":
        fields = node_fields.fields_of(parse(Node, side.element))
        form = PanelNodeForm(initial=fields, root="node")
    elif conflict.kind == "edge":
        form = EdgeForm(initial=edge_fields.fields_of(parse(Edge, side.element)), nodes=ends)
    texts = [FieldText(label, tuple(text.split("\n"))) for label, text in side.texts.items()]
    return [*(field_texts(form.box) if form else ()), *texts]


def differing_rows(sides: Sequence[Sequence[FieldText] | None]) -> Iterator[FieldRow]:
    """Returns the fields that are to be decided; the first side is the base.

    In these the other sides differ, or a single one differs from the base.
    """
    rows_by_label = [
        None if side is None else {each.label: each for each in side} for side in sides
    ]
    there = [side for side in rows_by_label if side is not None]
    edits = [side for side in rows_by_label[1:] if side is not None]
    compared = edits if len(edits) > 1 else there
    for label in dict.fromkeys(label for side in there for label in side):
        found = [side.get(label) for side in compared]
        if len({each.lines if each else () for each in found}) > 1:
            is_json = any(each.is_json for each in found if each)
            texts = [None if side is None else _text(side.get(label)) for side in rows_by_label]
            before, *others = texts
            marked = [_marked(before, text) for text in others]
            yield FieldRow(label, is_json, [_marked(None, before), *marked])


def _text(field_text: FieldText | None) -> str:
    return "\n".join(field_text.lines) if field_text else ""


def _marked(before: str | None, now: str | None) -> list[TextPiece]:
    """Returns the text of a side, shortened where it is unchanged; a new one has no differences."""
    if now is None:
        return []
    if before is None:
        return text_diff(now, now)
    return shortened(text_diff(before, now))


def field_texts(box: GroupBox | VariantBox, *around: str) -> Iterator[FieldText]:
    """Returns all fields of a form with a text, those of lists in a line for each row."""
    inner: Sequence[Box] = box.boxes if isinstance(box, GroupBox) else _chosen(box)
    for child in inner:
        if not is_active(child):
            continue
        match child:
            case FieldBox():
                lines = tuple(_lines(child))
                if lines:
                    yield FieldText(_path(around, _label(child)), lines, _is_json(child))
            case RowsBox():
                yield from _row_lines(child, *around)
            case GroupBox() | VariantBox():
                yield from field_texts(child, *around, str(child.legend))


def _row_lines(box: RowsBox, *around: str) -> Iterator[FieldText]:
    """Returns a line for each row; a row that has lists itself is listed field by field."""
    plain: list[str] = []
    for row in box.rows:
        if _has_rows(row):
            yield from field_texts(row, *around, str(row.legend))
        else:
            plain.append(_line(row))
    if plain:
        yield FieldText(_path(around, str(box.legend)), tuple(plain))


def _has_rows(box: Box) -> bool:
    match box:
        case RowsBox():
            return bool(box.rows)
        case GroupBox():
            return any(_has_rows(child) for child in box.boxes if is_active(child))
        case VariantBox():
            return any(_has_rows(child) for child in _chosen(box) if is_active(child))
    return False


def _chosen(box: VariantBox) -> list[Box]:
    return [box.choice, *(panel for panel in box.panels.values() if is_active(panel))]


def _line(box: Box) -> str:
    found = ((_label(field), ", ".join(_lines(field))) for field in fields_in(box))
    return " · ".join(f"{label}: {text}" for label, text in found if text)


def _label(box: FieldBox) -> str:
    return str(box.bound.label or "")


def _path(around: tuple[str, ...], label: str) -> str:
    return " › ".join(part for part in (*around, label) if part)


def _is_json(box: FieldBox) -> bool:
    field = box.bound.field
    return bool(box.marker) or (isinstance(field, LeafField) and field.leaf.kind is LeafKind.JSON)


def _lines(box: FieldBox) -> list[str]:
    """Returns the value as the form shows it: of a choice its words, of a text its lines."""
    value: object = box.bound.value()
    widget = box.bound.field.widget
    if isinstance(widget, forms.CheckboxInput):
        return [_("yes")] if value else []
    given = value if isinstance(value, list) else [value]
    if isinstance(widget, forms.widgets.ChoiceWidget):
        named = {str(key): str(name) for key, name in widget.choices}
        return [named.get(str(each), str(each)) for each in given if each not in ("", None)]
    return [line for each in given if each not in ("", None) for line in str(each).split("\n")]
