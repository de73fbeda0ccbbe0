"""Differences of workflow documents as rows for a reader."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import JsonValue

from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind, Value
from ctxadmin.ui.components import DiffRow, Text
from workflows.domain.document.compare import ElementChange
from workflows.domain.document.flow_changes import FlowChanges

MOST_CHANGES: Final = 500

_ELEMENTS: Final[Mapping[str, Text]] = {
    "workflow": gettext_lazy("workflow"),
    "node": gettext_lazy("node"),
    "edge": gettext_lazy("edge"),
    "reducer": gettext_lazy("reducer"),
}


def diff_rows_of(changes: Iterable[ElementChange]) -> list[DiffRow]:
    """Returns a row for each added or removed element, and for each changed field."""
    return [row for change in changes for row in _rows(change)]


def moved_line(found: FlowChanges) -> str:
    """Returns that cards were moved, which is no change of the flow; "" if none was."""
    if found.moved:
        text = ngettext(
            "%(n)s card was moved; the flow does not depend on it.",
            "%(n)s cards were moved; the flow does not depend on it.",
            found.moved,
        )
        return text % {"n": found.moved}
    return _("Cards were moved; the flow does not depend on it.") if found.placed else ""


def _rows(change: ElementChange) -> Iterator[DiffRow]:
    label = f"{_ELEMENTS[change.element]} {change.id}"
    match change.kind:
        case "added":
            yield DiffRow("added", label, after=_text(change.whole), note=_("new"))
        case "removed":
            yield DiffRow("removed", label, before=_text(change.whole), note=_("removed"))
        case "changed":
            for field in change.fields:
                yield _field_row(label, field)


def _field_row(label: str, field: Difference) -> DiffRow:
    where = f"{label} {field.path}".strip()
    before, after = _side(field.before), _side(field.after)
    match field.kind:
        case DifferenceKind.ADDED:
            return DiffRow("added", where, after=after)
        case DifferenceKind.REMOVED:
            return DiffRow("removed", where, before=before)
        case DifferenceKind.MOVED:
            note = _("moved from position %(a)s to %(b)s") % {"a": before, "b": after}
            return DiffRow("moved", where, note=note)
    return DiffRow("changed", where, before, after)


def _side(value: Value) -> str:
    return "" if value is ABSENT else _text(value)


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
