"""Differences of states as rows for a reader."""

from collections.abc import Sequence
from typing import Final

import orjson
from django.utils.translation import gettext as _

from checkpoints.domain.mismatches import kind_of
from ctxadmin.lib.structural_diff import ABSENT, Difference, Kind, Value
from ctxadmin.ui.components import DiffRow

_MOST_TEXT: Final = 4000


def state_rows(differences: Sequence[Difference]) -> list[DiffRow]:
    """Returns differences of states as rows; text is shown as it is, everything else as JSON."""
    return [state_row(each) for each in differences]


def state_row(each: Difference) -> DiffRow:
    """Returns one difference as a row."""
    before, after = shown_value(each.before), shown_value(each.after)
    match each.kind:
        case Kind.ADDED:
            return DiffRow("added", each.path, after=after)
        case Kind.REMOVED:
            return DiffRow("removed", each.path, before=before)
        case Kind.MOVED:
            places = {"a": each.before, "b": each.after}
            note = _("moved from position %(a)s to %(b)s") % places
            return DiffRow("moved", each.path, note=note)
        case Kind.TYPE_CHANGED:
            kinds = {"a": _kind(each.before), "b": _kind(each.after)}
            note = _("type changed from %(a)s to %(b)s") % kinds
            return DiffRow("changed", each.path, before, after, note, whole=True)
    return DiffRow("changed", each.path, before, after)


def _kind(value: Value) -> str:
    return "" if value is ABSENT else kind_of(value)


def shown_value(value: Value) -> str:
    """Returns a value for a row, shortened if it is too long; "" without a value."""
    if value is ABSENT:
        return ""
    if isinstance(value, str):
        text = value or '""'
    else:
        indent = orjson.OPT_INDENT_2 if isinstance(value, dict | list) else 0
        text = orjson.dumps(value, option=indent).decode()
    if len(text) <= _MOST_TEXT:
        return text
    return text[:_MOST_TEXT] + " … " + _("(%(n)s characters)") % {"n": len(text)}
