"""Reads the boxes of a sent form into the JSON object of the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.forms.boxes import Box, FieldBox, GroupBox, RowsBox, VariantBox, is_active
from ctxadmin.ui.forms.fields import MISSING, Missing
from ctxadmin.ui.forms.places import FormPath
from ctxadmin.ui.forms.shape import member_of


@dataclass(slots=True)
class Collected:
    """The result: the value, the places of its parts, and what could not be read.

    ``inner`` are values that the outer model takes as free JSON and a model of their own reads.
    """

    value: JsonValue = None
    places: dict[str, FormPath] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    inner: list[tuple[type[Contract], JsonValue, str]] = field(default_factory=list)


def collect(
    root: GroupBox, cleaned: Mapping[str, JsonValue | Missing], before: JsonValue
) -> Collected:
    """Returns the object in the fields of ``root``; ``cleaned`` are their values by name.

    Values that equal their default are omitted. Members that the form does not show stay as they
    are in ``before``.
    """
    reader = _Reader(cleaned)
    value = reader.group(root, "", before)
    reader.found.value = value
    return reader.found


class _Reader:
    def __init__(self, cleaned: Mapping[str, JsonValue | Missing]) -> None:
        self.cleaned = cleaned
        self.found = Collected()

    def group(self, box: GroupBox, pointer: str, before: JsonValue) -> dict[str, JsonValue]:
        self.found.places[pointer] = FormPath(box=box)
        known = before if isinstance(before, dict) else {}
        shown = {part.member.name for part in box.boxes} | set(box.constants)
        result = dict(box.constants)
        for part in box.boxes:
            if is_active(part):
                name = part.member.name
                old = member_of(known, name)
                value = self._box(part, f"{pointer}/{_escaped(name)}", old)
                if not isinstance(value, Missing):
                    result[name] = value
        return _kept(box, known, shown) | result

    def _box(self, box: Box, pointer: str, before: JsonValue) -> JsonValue | Missing:
        match box:
            case FieldBox():
                return self._field(box, pointer)
            case GroupBox():
                value = self.group(box, pointer, before)
                if not value and not box.member.required and box.shown is None:
                    return MISSING
                if box.contract is not None:
                    self.found.inner.append((box.contract, value, pointer))
                return value
            case VariantBox():
                return self._variant(box, pointer, before)
            case RowsBox():
                return self._rows(box, pointer)

    def _field(self, box: FieldBox, pointer: str) -> JsonValue | Missing:
        name = box.bound.name
        self.found.places[pointer] = FormPath(field_name=name)
        if name not in self.cleaned:
            self.found.unread.add(name)
            return MISSING
        value = self.cleaned[name]
        return MISSING if value == box.member.default and not box.member.required else value

    def _variant(self, box: VariantBox, pointer: str, before: JsonValue) -> JsonValue | Missing:
        tag = self._field(box.choice, f"{pointer}/{_escaped(box.tag)}")
        panel = box.panels.get(tag) if isinstance(tag, str) else None
        result: JsonValue | Missing
        if panel is not None:
            result = {box.tag: _plain(tag)} | self.group(panel, pointer, before)
        elif isinstance(tag, Missing):
            result = {} if box.member.required else MISSING
        else:
            result = {box.tag: tag}
        # What is wrong with the whole is nearly always the choice.
        self.found.places[pointer] = FormPath(field_name=box.choice.bound.name)
        return result

    def _rows(self, box: RowsBox, pointer: str) -> JsonValue | Missing:
        self.found.places[pointer] = FormPath(box=box)
        items = [
            _plain(self._box(row, f"{pointer}/{index}", None)) for index, row in enumerate(box.rows)
        ]
        empty = box.member.default or []
        return MISSING if items == empty and not box.member.required else items


def _kept(box: GroupBox, known: Mapping[str, JsonValue], shown: set[str]) -> dict[str, JsonValue]:
    """Returns members of ``before`` that the form leaves out, and free ones where the model
    keeps them.
    """
    kept = {name: member_of(known, name) for name in box.left_out}
    if box.is_open:
        spellings = {to_camel(name) for name in shown}
        kept |= {name: value for name, value in known.items() if name not in shown | spellings}
    return {name: value for name, value in kept.items() if value is not None}


def _plain(value: JsonValue | Missing) -> JsonValue:
    return {} if isinstance(value, Missing) else value


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
