"""The difference of two workflow documents, element by element."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from ctxadmin.lib import structural_diff
from ctxadmin.lib.structural_diff import Difference
from workflows.domain.document.graph import Document, dump

Element = Literal["workflow", "node", "edge", "reducer"]
_Elements = dict[tuple[str, int], JsonValue]


@dataclass(frozen=True, slots=True)
class ElementChange:
    """One node, edge, reducer or field of the workflow itself that differs.

    ``id`` is the element's id, a reducer's pattern, or the name of a field of the document:
    ``name``, or ``nodes`` and ``edges`` if the remaining ones are in another order. ``fields`` are
    the differences within the element, which is in ``sides`` as it was and is; an added or removed
    one is in ``whole``.
    """

    element: Element
    id: str
    kind: Literal["added", "removed", "changed"]
    fields: tuple[Difference, ...] = ()
    whole: JsonValue = None
    sides: tuple[JsonValue, JsonValue] = (None, None)

    def as_json(self) -> dict[str, JsonValue]:
        side: dict[str, JsonValue] = {}
        if self.kind == "added":
            side = {"after": self.whole}
        elif self.kind == "removed":
            side = {"before": self.whole}
        else:
            side = {"fields": [change.as_json() for change in self.fields]}
        return {"element": self.element, "id": self.id, "kind": self.kind, **side}


def compare(before: Document, after: Document) -> list[ElementChange]:
    """Returns the changes from ``before`` to ``after``, empty for equal documents.

    The workflow's own fields come first, then nodes, edges and reducers; of each, removed or
    changed ones in the order of ``before``, then added ones. O(size of both documents).
    """
    old, new = dump(before), dump(after)
    nodes = _by_id(old["nodes"]), _by_id(new["nodes"])
    edges = _by_id(old["edges"]), _by_id(new["edges"])
    changes = _field_change("name", old["name"], new["name"])
    changes += _field_change("nodes", *_orders(*nodes))
    changes += _field_change("edges", *_orders(*edges))
    changes += _elements("node", *nodes)
    changes += _elements("edge", *edges)
    changes += _elements("reducer", _reducers(before), _reducers(after))
    return changes


def _by_id(elements: JsonValue) -> _Elements:
    """Returns elements by id and occurrence, because drafts can use an id twice."""
    found: _Elements = {}
    seen: Counter[str] = Counter()
    for element in elements if isinstance(elements, list) else ():
        if isinstance(element, dict):
            name = str(element["id"])
            found[name, seen[name]] = element
            seen[name] += 1
    return found


def _reducers(document: Document) -> _Elements:
    return {(pattern, 0): reducer for pattern, reducer in document.reducers.items()}


def _orders(old: _Elements, new: _Elements) -> tuple[JsonValue, JsonValue]:
    """Compares the order of elements: of conflicting edges the later one wins."""
    return [key[0] for key in old if key in new], [key[0] for key in new if key in old]


def _field_change(name: str, old: JsonValue, new: JsonValue) -> list[ElementChange]:
    if old == new:
        return []
    difference = Difference("", structural_diff.DifferenceKind.CHANGED, old, new)
    return [ElementChange("workflow", name, "changed", (difference,))]


def _elements(kind: Element, old: _Elements, new: _Elements) -> Iterator[ElementChange]:
    for key, element in old.items():
        if key not in new:
            yield ElementChange(kind, key[0], "removed", whole=element)
        elif fields := structural_diff.diff(element, new[key]):
            sides = (element, new[key])
            yield ElementChange(kind, key[0], "changed", tuple(fields), sides=sides)
    for key, element in new.items():
        if key not in old:
            yield ElementChange(kind, key[0], "added", whole=element)
