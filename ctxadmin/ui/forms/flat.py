"""Converts between a JSON object and the flat names and texts of an HTML form.

The name of a leaf is its path with ``-``: ``rules-0-pattern``. ``rules-count`` is the number of
rows of a list. The members of a variant are under its tag: ``step-retry-times``.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from pydantic import JsonValue

from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.forms.fields import LeafField, field_for
from ctxadmin.ui.forms.shape import (
    FormMember,
    Group,
    Leaf,
    LeafKind,
    Rows,
    Shape,
    Variants,
    find_rows,
    member_of,
)

MOST_ROWS: Final = 1000
_EDIT: Final = re.compile(r"(add|remove|up|down):([A-Za-z0-9_-]+?)(?::([0-9]{1,4}))?")

Texts: TypeAlias = MultiValueDict[str, str]
EditAction: TypeAlias = Literal["add", "remove", "up", "down"]


def join_names(prefix: str, name: str) -> str:
    return f"{prefix}-{name}" if prefix else name


def count_name(rows: str) -> str:
    """Returns the name of the hidden input with the number of rows of ``rows``."""
    return f"{rows}-count"


def marker_name(name: str) -> str:
    """Returns the name of the hidden input that marks a mixed content as JSON."""
    return f"{name}-as"


def count_rows(data: Mapping[str, object], rows: str) -> int:
    """Returns how many rows the form was sent with; an invalid number counts as none."""
    return min(whole_number(str(data.get(count_name(rows), "")), digits=5) or 0, MOST_ROWS)


def texts_of(shape: Shape, member: FormMember, value: JsonValue, name: str) -> Texts:
    """Returns the texts of the form of ``member`` for ``value`` (None: missing), by field name."""
    texts: Texts = MultiValueDict()
    _write(shape, member, value, name, texts)
    return texts


def _write(shape: Shape, member: FormMember, value: JsonValue, name: str, texts: Texts) -> None:
    match shape:
        case Leaf(LeafKind.CONSTANT):
            return
        case Leaf():
            if shape.mixed and not isinstance(value, str | None):
                texts[marker_name(name)] = "json"
                shape = Leaf(LeafKind.JSON)
            _write_leaf(field_for(member, shape), value, name, texts)
        case Group():
            known = value if isinstance(value, dict) else {}
            for part in shape.members:
                given = member_of(known, part.name)
                if given is None:
                    given = (part.hint.initial or part.default) if value is None else part.default
                _write(part.shape, part, given, join_names(name, part.name), texts)
        case Rows():
            items = value if isinstance(value, list) else []
            texts[count_name(name)] = str(len(items))
            for index, item in enumerate(items):
                _write(shape.item, member, item, join_names(name, str(index)), texts)
        case Variants():
            _write_variants(shape, member, value, name, texts)


def _write_leaf(field: LeafField, value: JsonValue, name: str, texts: Texts) -> None:
    written = field.write(value)
    if isinstance(written, list):
        texts.setlist(name, [str(item) for item in written])
    elif isinstance(written, bool):
        if written:
            texts[name] = "on"
    else:
        texts[name] = str(written)


def _write_variants(
    shape: Variants, member: FormMember, value: JsonValue, name: str, texts: Texts
) -> None:
    known = value if isinstance(value, dict) else {}
    chosen = str(known.get(shape.tag, "" if not member.required else next(iter(shape.options))))
    texts[join_names(name, shape.tag)] = chosen
    for tag, group in shape.options.items():
        given: JsonValue = known if tag == chosen else None
        _write(group, member, given, join_names(name, tag), texts)


@dataclass(frozen=True, slots=True)
class RowEdit:
    """A button of a list: adds a row at the end, or removes or moves row ``index``."""

    action: EditAction
    rows: str
    index: int = 0

    @classmethod
    def read(cls, text: str) -> "RowEdit | None":
        """Parses a button's value, ``up:rules:2``; returns None for any other."""
        match = _EDIT.fullmatch(text)
        if match is None:
            return None
        action, rows, index = match.groups()
        return cls(cast(EditAction, action), rows, int(index or 0))

    def focus(self, count: int) -> tuple[str, int]:
        """Returns where the focus goes: the action, and the row it now concerns."""
        match self.action:
            case "add":
                return "add", count - 1
            case "remove":
                return "remove", min(self.index, count - 1)
            case "up":
                return "up", max(self.index - 1, 0)
            case _:
                return "down", min(self.index + 1, count - 1)


def edit_rows(data: Texts, edit: RowEdit, new_row: Callable[[str], Texts], most: int) -> QueryDict:
    """Returns the sent form with one list changed; everything that was typed stays.

    ``new_row(name)`` returns the texts of an added row. An impossible edit changes nothing.
    """
    count = count_rows(data, edit.rows)
    order = list(range(count))
    match edit.action:
        case "remove" if edit.index < count:
            del order[edit.index]
        case "up" if 0 < edit.index < count:
            order[edit.index - 1 : edit.index + 1] = [edit.index, edit.index - 1]
        case "down" if edit.index + 1 < count:
            order[edit.index : edit.index + 2] = [edit.index + 1, edit.index]
    result = _reordered(data, edit.rows, order)
    if edit.action == "add" and count < most:
        for name, values in new_row(join_names(edit.rows, str(count))).lists():
            result.setlist(name, values)
        order.append(count)
    result[count_name(edit.rows)] = str(len(order))
    return result


def without_new_rows(data: Texts, shape: Shape, root: str) -> QueryDict:
    """Returns the sent form without the last rows of each list that are as they were added.

    Nothing was typed into them, so that they say nothing yet. The names of all others stay.
    """
    result = QueryDict(mutable=True)
    for name, values in data.lists():
        result.setlist(name, list(values))
    ends = count_name("")
    inner_first = sorted((name for name in data if name.endswith(ends)), key=len, reverse=True)
    for counted in inner_first:
        rows = counted.removesuffix(ends)
        found = find_rows(shape, rows.removeprefix(f"{root}-" if root else "").split("-"))
        while found is not None and (count := count_rows(result, rows)):
            name = join_names(rows, str(count - 1))
            added = texts_of(found[0].item, found[1], None, name)
            sent = {each: result.getlist(each) for each in result if each.startswith(f"{name}-")}
            if sent != dict(added.lists()):
                break
            for each in sent:
                del result[each]
            result[counted] = str(count - 1)
    return result


def _reordered(data: Texts, rows: str, order: list[int]) -> QueryDict:
    new_place = {str(old): str(new) for new, old in enumerate(order)}
    result = QueryDict(mutable=True)
    start = f"{rows}-"
    for name, values in data.lists():
        if not name.startswith(start):
            result.setlist(name, list(values))
            continue
        old, separator, rest = name[len(start) :].partition("-")
        if not old.isdigit():
            result.setlist(name, list(values))
        elif old in new_place:
            result.setlist(f"{start}{new_place[old]}{separator}{rest}", list(values))
    return result
