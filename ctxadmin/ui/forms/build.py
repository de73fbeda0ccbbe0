"""Builds the fields and the tree of boxes of a form from its shape and its values."""

from dataclasses import replace

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from ctxadmin.ui.components import Text
from ctxadmin.ui.forms.boxes import Box, FieldBox, GroupBox, RowsBox, Shown, VariantBox
from ctxadmin.ui.forms.fields import ChoiceLeaf, LeafField, field_for, label_of
from ctxadmin.ui.forms.flat import (
    RowEdit,
    Texts,
    count_name,
    count_rows,
    join_names,
    marker_name,
)
from ctxadmin.ui.forms.hints import ShownWhen
from ctxadmin.ui.forms.shape import FormMember, Group, Leaf, LeafKind, Rows, Shape, Variants


class Builder:
    """Adds the fields to ``form`` and returns the boxes; ``texts`` are the shown values."""

    def __init__(
        self, form: forms.Form, texts: Texts, edit: RowEdit | None, rows_button: str
    ) -> None:
        self.form = form
        self.texts = texts
        self.edit = edit
        self.rows_button = rows_button
        self.inside: list[Text] = []  # legends of the rows and groups around what is being made
        self.optional = 0  # how many groups around it may be left empty

    def group(self, group: Group, member: FormMember, name: str, legend: Text = "") -> GroupBox:
        box = GroupBox(
            member,
            name,
            legend,
            place=self._legends(),
            contract=group.contract,
            left_out=group.left_out,
            is_open=group.is_open,
        )
        constants = {
            part.name: part.shape.constant
            for part in group.members
            if isinstance(part.shape, Leaf) and part.shape.kind is LeafKind.CONSTANT
        }
        box.constants = constants
        may_be_empty = not member.required and member.hint.shown_when is None
        self.inside.append(legend)
        self.optional += may_be_empty
        box.boxes = [
            self._member(part, name) for part in group.members if part.name not in constants
        ]
        self.optional -= may_be_empty
        self.inside.pop()
        return box

    def _member(self, member: FormMember, parent: str) -> Box:
        name = join_names(parent, member.name)
        legend = member.hint.label or label_of(member.name)
        box = self._box(member.shape, member, name, legend)
        if member.hint.shown_when is not None:
            box.shown = self._shown_box(member.hint.shown_when, parent)
        return box

    def _box(self, shape: Shape, member: FormMember, name: str, legend: Text) -> Box:
        match shape:
            case Leaf():
                return self._field(member, shape, name)
            case Group():
                return self.group(shape, member, name, legend)
            case Variants():
                return self._variants(shape, member, name, legend)
            case Rows():
                return self._rows(shape, member, name, legend)

    def _field(self, member: FormMember, leaf: Leaf, name: str) -> FieldBox:
        marker = marker_name(name) if leaf.mixed and marker_name(name) in self.texts else ""
        field = field_for(member, Leaf(LeafKind.JSON) if marker else leaf)
        value = self.texts.get(name, "")
        if isinstance(field, ChoiceLeaf):
            _keep_unknown_choice(field, value)
        if "\n" in value and isinstance(field.widget, forms.TextInput):
            field.widget = forms.Textarea(attrs=field.widget.attrs | {"rows": 3})
        field.place = self._legends()
        self.form.fields[name] = field
        return FieldBox(
            member,
            self.form[name],
            wide=field.wide,
            marked_required=field.marked_required and not self.optional,
            suggestions=field.suggestions,
            marker=marker,
        )

    def _variants(
        self, variants: Variants, member: FormMember, name: str, legend: Text
    ) -> VariantBox:
        choice_member = FormMember(
            variants.tag, Leaf(LeafKind.CHOICE, tuple(variants.options)), required=member.required
        )
        choice = self._field(
            choice_member,
            Leaf(LeafKind.CHOICE, tuple(variants.options)),
            join_names(name, variants.tag),
        )
        panels: dict[str, GroupBox] = {}
        for tag, group in variants.options.items():
            panel = self.group(group, member, join_names(name, tag), label_of(tag))
            panel.shown = self._shown_box(ShownWhen.is_(variants.tag, tag), name)
            panels[tag] = panel
        return VariantBox(member, name, legend, variants.tag, choice, panels)

    def _rows(self, rows: Rows, member: FormMember, name: str, legend: Text) -> RowsBox:
        box = RowsBox(
            member,
            name,
            legend,
            place=self._legends(),
            add_label=member.hint.add_label or _("Add"),
            button=self.rows_button,
            count_name=count_name(name),
            most=rows.most,
        )
        count = count_rows(self.texts, name)
        row_member = replace(member, required=True)  # a row that is there has to be filled in
        around, self.optional = self.optional, 0
        if self.edit is not None and self.edit.rows == name:
            box.focus = self.edit.focus(count)
        for index in range(count):
            row_name = join_names(name, str(index))
            row_legend = format_lazy("{} {}", member.hint.row_label or legend, index + 1)
            row = self._box(rows.item, row_member, row_name, row_legend)
            if isinstance(row, GroupBox | VariantBox):
                box.rows.append(row)
                if box.focus == ("add", index):
                    _focus_first_field(row)
        self.optional = around
        return box

    def _legends(self) -> list[Text]:
        return [legend for legend in self.inside if legend]

    def _shown_box(self, rule: ShownWhen, parent: str) -> Shown:
        chooser = join_names(parent, rule.member)
        now = self.texts.get(chooser, "") in rule.values
        return Shown(chooser, " ".join(sorted(rule.values)), now)


def _keep_unknown_choice(field: LeafField, value: str) -> None:
    """Keeps a value that is not offered, e.g. of a removed transform, until it is changed."""
    widget = field.widget
    if isinstance(widget, forms.Select) and value not in {key for key, _name in widget.choices}:
        widget.choices = [*widget.choices, (value, value)]


def _focus_first_field(row: Box) -> bool:
    """Gives the first field of a row the focus; returns False if it has none."""
    if isinstance(row, FieldBox):
        row.bound.field.widget.attrs["autofocus"] = True
        return True
    if isinstance(row, VariantBox):
        return _focus_first_field(row.choice)
    inner = row.boxes if isinstance(row, GroupBox) else []
    return any(_focus_first_field(box) for box in inner)
