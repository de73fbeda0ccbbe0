"""Template tags that draw forms; ``templates/README.md`` is their catalog."""

from collections.abc import Sequence
from typing import Any

from django import forms, template
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.forms import BoundField
from django.forms.boundfield import BoundWidget
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ctxadmin.ui.forms import ContractForm
from ctxadmin.ui.forms.boxes import Box, FieldBox, GroupBox, Shown, VariantBox
from ctxadmin.ui.forms.places import BoxError
from ctxadmin.ui.forms.tiles import TileSelect, other_name

register = template.Library()


@register.inclusion_tag("components/form/field.html")
def field(
    bound: BoundField,
    wide: bool = False,
    label: str = "",
    hide_label: bool = False,
    mark_required: bool = True,
) -> dict[str, object]:
    """Draws a field of any Django form: label, widget, help, errors, linked for screen readers."""
    drawn = _drawn(bound, wide=wide) | {"label": label or bound.label, "hide_label": hide_label}
    return drawn if mark_required else drawn | {"marked_required": False}


@register.inclusion_tag("components/form/box.html")
def form_box(box: Box) -> dict[str, object]:
    """Draws a field, group, list or variant of a ContractForm, with everything in it."""
    context: dict[str, object] = {"box": box, "kind": box.kind}
    if isinstance(box, FieldBox):
        context |= _drawn(box.bound, wide=box.wide, suggestions=box.suggestions)
        context |= {"label": box.bound.label, "marked_required": box.marked_required}
    return context


@register.inclusion_tag("components/form/contract_form.html")
def contract_form(form: ContractForm[Any]) -> dict[str, object]:
    """Draws a ContractForm without the ``<form>`` and its buttons: errors, fields, lists."""
    return {"form": form}


@register.inclusion_tag("components/form/errors.html")
def form_errors(form: forms.BaseForm) -> dict[str, object]:
    """Draws the summary of a form's errors with links to the fields; nothing without errors."""
    whole = form.errors.as_data().get(NON_FIELD_ERRORS, [])
    listed = [_of_whole(form, error) for error in whole]
    for bound in form:
        for error in bound.errors:
            label = getattr(bound.field, "long_label", bound.label)
            listed.append({"label": label, "message": str(error), "anchor": _anchor(bound)})
    opened = getattr(form, "is_opened", False)
    return {"errors": listed, "is_opened": opened}


def _of_whole(form: forms.BaseForm, error: ValidationError) -> dict[str, object]:
    """Returns the error of no field; for a box the link goes to its first field."""
    if not isinstance(error, BoxError):
        return {"label": "", "message": " ".join(error.messages), "anchor": ""}
    first = next(iter(error.place.fields), "")
    anchor = _anchor(form[first]) if first else ""
    return {"label": error.place.label, "message": error.sentence, "anchor": anchor}


@register.inclusion_tag("components/form/file.html")
def file_field(
    name: str,
    label: str,
    accept: str = "",
    help: str = "",
    errors: Sequence[str] = (),
    multiple: bool = False,
) -> dict[str, object]:
    """Draws a file upload; the form needs ``enctype="multipart/form-data"``."""
    return {
        "name": name,
        "label": label,
        "accept": accept,
        "help": help,
        "errors": errors,
        "multiple": multiple,
    }


@register.simple_tag
def shown_attributes(shown: Shown | str | None) -> SafeString:
    """Returns the attributes by which forms.js shows and hides a box."""
    if not isinstance(shown, Shown):  # a field of a plain Django form has no box
        return SafeString("")
    return format_html(
        ' data-shown-by="{}" data-shown-for="{}"{}',
        shown.name,
        shown.values,
        SafeString("" if shown.now else ' data-shown-not=""'),
    )


@register.filter
def shape_of_row(row: GroupBox | VariantBox) -> str:
    """Returns ``flat`` for a row of plain fields, which are side by side; else ``deep``."""
    if isinstance(row, GroupBox) and all(isinstance(box, FieldBox) for box in row.boxes):
        return "flat"
    return "deep"


def _drawn(bound: BoundField, *, wide: bool, suggestions: Sequence[str] = ()) -> dict[str, object]:
    widget = bound.field.widget
    many = isinstance(widget, forms.CheckboxSelectMultiple | forms.RadioSelect)
    single = isinstance(widget, forms.CheckboxInput)
    attrs: dict[str, Any] = {}
    if many:
        widget.attrs["class"] = "form-check-input"
    else:
        attrs["class"] = _css(widget, invalid=bool(bound.errors))
    if suggestions:
        attrs["list"] = f"{bound.auto_id}_list"
    return {
        **(_tiles(bound, widget) if isinstance(widget, TileSelect) else {}),
        "bound": bound,
        "input": "" if many else bound.as_widget(attrs=attrs),
        "options": list(bound.subwidgets) if many else [],
        "suggestions": suggestions,
        "is_check": single,
        "is_many": many,
        "is_file": isinstance(widget, forms.FileInput),
        "wide": wide or many,
        "label": bound.label,
        "marked_required": bound.field.required and not single,
    }


def _tiles(bound: BoundField, widget: TileSelect) -> dict[str, object]:
    """Returns the tiles with their radio buttons, and the text beside them."""
    options: list[BoundWidget] = list(bound.subwidgets)
    drawn = [(widget.tiles.get(str(option.data["value"])), option) for option in options]
    last = options[-1]
    return {
        "tiles": [
            {
                "option": option,
                "icon": tile.icon if tile else "pencil",
                "tone": tile.tone if tile else "secondary",
            }
            for tile, option in drawn
        ],
        "change_label": widget.change_label,
        "other": {
            "name": other_name(bound.html_name),
            "value": widget.other(bound.value()),
            "label": last.choice_label,
            "chooses": last.id_for_label,
        },
    }


def _css(widget: forms.Widget, *, invalid: bool) -> str:
    if isinstance(widget, forms.CheckboxInput):
        css = "form-check-input"
    elif isinstance(widget, forms.Select):
        css = "form-select"
    else:
        css = "form-control"
    own = str(widget.attrs.get("class", ""))
    return f"{css} {own}{' is-invalid' if invalid else ''}".strip()


def _anchor(bound: BoundField) -> str:
    """Returns the id to jump to: a group of boxes has only that of its first one."""
    subwidgets: list[BoundWidget] = list(bound.subwidgets)
    many = isinstance(bound.field.widget, forms.CheckboxSelectMultiple | forms.RadioSelect)
    return str(subwidgets[0].id_for_label) if many and subwidgets else str(bound.auto_id)
