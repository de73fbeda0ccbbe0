"""Differences of states as rows for a reader."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import orjson
from django.utils.translation import gettext as _

from checkpoints.domain.mismatches import kind_of
from checkpoints.pages.state.place_names import PlaceNames, joined
from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind, Value
from ctxadmin.ui.components import DiffRow

_MOST_TEXT: Final = 4000


def state_rows(differences: Sequence[Difference], after: Value) -> list[DiffRow]:
    """Returns differences of two states as rows, by the names of their places in the later one.

    Text is shown as it is, everything else as JSON.
    """
    names = PlaceNames(after, differences)
    rows: list[DiffRow] = []
    for each in differences:
        steps = names.steps(each)
        rows.append(replace(state_row(each, joined(steps)), group=steps[0].name if steps else ""))
    return rows


def state_row(each: Difference, place: str) -> DiffRow:
    """Returns one difference as a row."""
    if isinstance(each.before, str) and isinstance(each.after, str):
        return DiffRow("changed", place, each.before or '""', each.after or '""')
    before, after = whole_value(each.before), whole_value(each.after)
    match each.kind:
        case DifferenceKind.ADDED:
            return DiffRow("added", place, after=after)
        case DifferenceKind.REMOVED:
            return DiffRow("removed", place, before=before)
        case DifferenceKind.MOVED:
            places = {"a": _counted(each.before), "b": _counted(each.after)}
            note = _("moved from position %(a)s to %(b)s") % places
            return DiffRow("moved", place, note=note)
        case DifferenceKind.TYPE_CHANGED:
            kinds = {"a": _kind(each.before), "b": _kind(each.after)}
            note = _("type changed from %(a)s to %(b)s") % kinds
            return DiffRow("changed", place, before, after, note, whole=True)
    return DiffRow("changed", place, before, after)


def _counted(index: Value) -> Value:
    """Returns an index of a list as people count."""
    return index + 1 if isinstance(index, int) else index


def _kind(value: Value) -> str:
    return "" if value is ABSENT else kind_of(value)


def whole_value(value: Value) -> str:
    """Returns a value for a row, which folds a long one; "" without a value."""
    if value is ABSENT:
        return ""
    if isinstance(value, str):
        return value or '""'
    indent = orjson.OPT_INDENT_2 if isinstance(value, dict | list) else 0
    return orjson.dumps(value, option=indent).decode()


def shown_value(value: Value) -> str:
    """Returns a value beside others, shortened if it is too long."""
    text = whole_value(value)
    if len(text) <= _MOST_TEXT:
        return text
    return text[:_MOST_TEXT] + " … " + _("(%(n)s characters)") % {"n": len(text)}
