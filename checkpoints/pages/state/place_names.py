"""The names of places in a state, for readers who do not know JSON pointers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind, Value

SEPARATOR: Final = " / "
_OWN_NAMES: Final = ("name", "title", "label", "id", "key")
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class PlaceStep:
    """One step of a JSON pointer, as the ``path`` that ends with it, and its name.

    ``removed`` is True for a removed item of a list: its index counts in the state before.
    """

    path: str
    removed: bool
    name: str


class PlaceNames:
    """Names places in a state: ``facts / item 2 / text`` for the JSON pointer ``/facts/1/text``.

    An item of a list has its own name or id if no other item of the list has it, or else its place,
    counted from 1. ``differences`` are those that led to the state: they tell which items the lists
    had before.
    """

    def __init__(self, state: Value, differences: Sequence[Difference] = ()) -> None:
        self._state = state
        self._removed: dict[str, list[Value]] = {}
        self._added: set[str] = set()
        for each in differences:
            if each.kind is DifferenceKind.REMOVED:
                self._removed.setdefault(each.path.rpartition("/")[0], []).append(each.before)
            elif each.kind is DifferenceKind.ADDED:
                self._added.add(each.path)
        self._now: dict[str, Counter[str]] = {}
        self._before: dict[str, Counter[str]] = {}

    def name(self, path: str) -> str:
        """Returns the name of a place in the state."""
        return joined(self._steps(path, ABSENT))

    def steps(self, each: Difference) -> list[PlaceStep]:
        """Returns the steps to the place of a difference."""
        removed = each.before if each.kind is DifferenceKind.REMOVED else ABSENT
        return self._steps(each.path, removed)

    def _steps(self, path: str, removed: Value) -> list[PlaceStep]:
        """Returns the steps of a path whose last one leads to ``removed``, if there is such."""
        parts = path.split("/")[1:]
        here, above = self._state, ""
        found: list[PlaceStep] = []
        for place, part in enumerate(parts, 1):
            step = _unescaped(part)
            gone = removed is not ABSENT and place == len(parts) and isinstance(here, list)
            item = removed if gone else _inside(here, step)
            name = step
            if isinstance(here, list) and item is not ABSENT:
                name = _item_name(item, int(step), self._counts(above, here, before=gone))
            above = f"{above}/{part}"
            found.append(PlaceStep(above, gone, name))
            here = item
        return found

    def _counts(self, path: str, items: Sequence[Value], *, before: bool) -> Counter[str]:
        """Returns how many items of a list have each name, now or before; counts them once."""
        known = self._before if before else self._now
        counts = known.get(path)
        if counts is None:
            if before:
                kept = [item for n, item in enumerate(items) if f"{path}/{n}" not in self._added]
                items = [*kept, *self._removed.get(path, ())]
            counts = known[path] = _count_names(items)
        return counts


def joined(steps: Iterable[PlaceStep]) -> str:
    """Returns the names of steps as one text."""
    return SEPARATOR.join(each.name for each in steps)


def _count_names(items: Iterable[Value]) -> Counter[str]:
    return Counter(name for item in items for name in set(_own_names(item)))


def _own_names(item: Value) -> list[str]:
    """Returns the names and ids of an item of a list that can be shown, best first."""
    if not isinstance(item, dict):
        return []
    values = [item.get(field) for field in _OWN_NAMES]
    return [
        each for each in values if isinstance(each, str) and each.strip() and len(each) <= _LONGEST
    ]


def _item_name(item: Value, index: int, counts: Counter[str]) -> str:
    for own in _own_names(item):
        if counts[own] == 1:
            return own
    return _("item %(n)s") % {"n": index + 1}


def _inside(value: Value, step: str) -> Value:
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return ABSENT


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def key_of(path: str) -> str:
    """Returns the key of the state that a JSON pointer leads into."""
    return _unescaped(path.split("/", 2)[1])
