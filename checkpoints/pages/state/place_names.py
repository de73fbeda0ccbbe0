"""The names of places in a state, for readers who do not know JSON pointers."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from pydantic import JsonValue

from ctxadmin.lib.structural_diff import ABSENT, Value

SEPARATOR: Final = " / "
_OWN_NAMES: Final = ("name", "title", "label", "id", "key")
_LONGEST: Final = 60


def place_name(path: str, *values: Value) -> str:
    """Returns ``facts / item 2 / text`` for the JSON pointer ``/facts/1/text``.

    ``values`` are those that the path leads into, the one that has it first. An item of a list has
    its own name or id, or else its place, counted from 1.
    """
    return SEPARATOR.join(place_steps(path, *values))


def place_steps(path: str, *values: Value) -> list[str]:
    """Returns the name of each step of a JSON pointer."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
    here: Sequence[Value] = values
    names: list[str] = []
    for step in steps:
        names.append(_name(step, here))
        here = [_inside(each, step) for each in here]
    return names


def _name(step: str, values: Sequence[Value]) -> str:
    for each in values:
        item = _inside(each, step)
        if isinstance(each, list) and item is not ABSENT:
            return _item_name(item, int(step))
        if isinstance(each, dict) and item is not ABSENT:
            return step
    return step


def _item_name(item: Value, index: int) -> str:
    if isinstance(item, dict):
        for field in _OWN_NAMES:
            own: JsonValue = item.get(field)
            if isinstance(own, str) and own.strip() and len(own) <= _LONGEST:
                return own
    return _("item %(n)s") % {"n": index + 1}


def _inside(value: Value, step: str) -> Value:
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return ABSENT


def key_of(path: str) -> str:
    """Returns the key of the state that a JSON pointer leads into."""
    return path.split("/", 2)[1].replace("~1", "/").replace("~0", "~")
