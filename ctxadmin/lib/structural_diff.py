"""The differences of two JSON values, as a short list of operations."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, Literal

import msgspec
from pydantic import JsonValue

from ctxadmin.lib.alignment import Pair, align, longest_increasing

# Of one comparison: 1.2 to 3.2 s of processor time at the most, for megabytes of tiny values.
MOST_LOOKS: Final = 400_000
_LOOKS_OF_ONE: Final = 5  # a list or an object costs about as much as five of its items
_IDENTITIES: Final = ("id", "key")
_packed: Final = msgspec.msgpack.Encoder().encode
_canonical: Final = msgspec.msgpack.Encoder(order="deterministic").encode


class Absent(Enum):
    """The one value that stands for no value at all, which null does not."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
Value = JsonValue | Literal[Absent.ABSENT]


class DifferenceKind(StrEnum):
    """The change at a path; TYPE_CHANGED if the JSON type differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"
    TYPE_CHANGED = "type_changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference; ``path`` is a JSON pointer (RFC 6901), "" for the whole.

    Indices of a path count in ``after``, except the last one of a REMOVED item, which counts in
    ``before``. A MOVED item has its former index as ``before`` and its new one as ``after``; other
    changes in it follow as differences of their own.
    """

    path: str
    kind: DifferenceKind
    before: Value
    after: Value

    def as_json(self) -> dict[str, JsonValue]:
        """Returns the contract's form: a side without a value is omitted."""
        sides = {"before": self.before, "after": self.after}
        present = {side: value for side, value in sides.items() if value is not ABSENT}
        return {"path": self.path, "kind": str(self.kind), **present}


class Looks:
    """The number of keys and items that can still be compared, in all comparisons with it."""

    __slots__ = ("left",)

    def __init__(self, most: int = MOST_LOOKS) -> None:
        self.left = most

    def can_compare(self, before: JsonValue, after: JsonValue) -> bool:
        """Returns True if the content of two lists or objects can be compared, and counts it."""
        if not isinstance(before, dict | list) or not isinstance(after, dict | list):
            return True
        needed = _LOOKS_OF_ONE + len(before) + len(after)
        if needed > self.left:
            return False
        self.left -= needed
        return True


def diff(
    before: JsonValue, after: JsonValue, path: str = "", looks: Looks | None = None
) -> list[Difference]:
    """Returns all differences of two JSON values at ``path``.

    Objects are compared key by key. Lists of objects with ids of their own (``id`` or ``key``) are
    aligned by it and detect moves; other lists by a longest common subsequence, with the items
    between two common ones in pairs. Equal parts cost one comparison. What exceeds ``looks`` is one
    change of the whole list or object.
    """
    found: list[Difference] = []
    _compare(path, before, after, _Report(found, looks or Looks()))
    return found


def equal(left: JsonValue, right: JsonValue) -> bool:
    """Returns True if both are the same JSON: true is not 1, 1 is not 1.0, keys have any order."""
    if left is right:
        return True
    # Python's own comparison is fast but takes 1, 1.0 and True for one; of the exact ones
    # MessagePack is the fastest (10 MB of texts or of numbers 10 ms, as JSON 20 and 40 ms).
    if left != right:
        return False
    return _packed(left) == _packed(right) or _canonical(left) == _canonical(right)


def pointer(path: str, step: str | int) -> str:
    """Returns a JSON pointer one step further."""
    if isinstance(step, int):
        return f"{path}/{step}"
    return f"{path}/{step.replace('~', '~0').replace('/', '~1')}"


@dataclass(frozen=True, slots=True)
class _Report:
    """The differences found so far, and the remaining looks."""

    found: list[Difference]
    looks: Looks


def _compare(path: str, before: JsonValue, after: JsonValue, report: _Report) -> None:
    if equal(before, after):
        return
    inside = report.looks.can_compare(before, after)
    if inside and isinstance(before, dict) and isinstance(after, dict):
        _compare_objects(path, before, after, report)
    elif inside and isinstance(before, list) and isinstance(after, list):
        _compare_lists(path, before, after, report)
    else:
        kind = (
            DifferenceKind.CHANGED if _type(before) is _type(after) else DifferenceKind.TYPE_CHANGED
        )
        report.found.append(Difference(path, kind, before, after))


def _type(value: JsonValue) -> type:
    return float if type(value) is int else type(value)


def _compare_objects(
    path: str,
    before: dict[str, JsonValue],
    after: dict[str, JsonValue],
    report: _Report,
) -> None:
    for key, value in before.items():
        if key not in after:
            report.found.append(
                Difference(pointer(path, key), DifferenceKind.REMOVED, value, ABSENT)
            )
    for key, value in after.items():
        if key in before:
            _compare(pointer(path, key), before[key], value, report)
        else:
            report.found.append(Difference(pointer(path, key), DifferenceKind.ADDED, ABSENT, value))


def _compare_lists(
    path: str, before: list[JsonValue], after: list[JsonValue], report: _Report
) -> None:
    for name in _IDENTITIES:
        befores, afters = identities(before, name), identities(after, name)
        if befores is not None and afters is not None:
            places = {identity: index for index, identity in enumerate(befores)}
            pairs = [(places[each], index) for index, each in enumerate(afters) if each in places]
            break
    else:
        common = align([*map(_canonical, before)], [*map(_canonical, after)])
        pairs = _with_gaps(common, len(before), len(after))
    _report_pairs(path, before, after, pairs, report)


def identities(items: list[JsonValue], name: str) -> list[str | int] | None:
    """Returns the ids of a list's items if all are objects with one of their own, else None."""
    found: list[str | int] = []
    for item in items:
        identity = item.get(name) if isinstance(item, dict) else None
        if not isinstance(identity, str | int) or isinstance(identity, bool):
            return None
        found.append(identity)
    return found if len(set(found)) == len(found) else None


def _with_gaps(pairs: list[Pair], before: int, after: int) -> list[Pair]:
    """Returns the pairs, and pairs of the items between two of them in order, as far as
    possible.
    """
    complete: list[Pair] = []
    here = there = 0
    for left, right in (*pairs, (before, after)):
        complete += zip(range(here, left), range(there, right), strict=False)
        complete.append((left, right))
        here, there = left + 1, right + 1
    return complete[:-1]


def _report_pairs(
    path: str,
    before: list[JsonValue],
    after: list[JsonValue],
    pairs: list[Pair],
    report: _Report,
) -> None:
    """Reports what was removed, then in the order of ``after`` what was added, moved, changed."""
    found = report.found
    kept = {left for left, _ in pairs}
    for index, item in enumerate(before):
        if index not in kept:
            found.append(Difference(pointer(path, index), DifferenceKind.REMOVED, item, ABSENT))
    in_place = longest_increasing([left for left, _ in pairs])
    partners = {right: (order, left) for order, (left, right) in enumerate(pairs)}
    for index, item in enumerate(after):
        order, left = partners.get(index, (-1, -1))
        here = pointer(path, index)
        if left < 0:
            found.append(Difference(here, DifferenceKind.ADDED, ABSENT, item))
            continue
        if order not in in_place:
            found.append(Difference(here, DifferenceKind.MOVED, left, index))
        _compare(here, before[left], item, report)
