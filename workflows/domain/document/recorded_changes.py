"""What a saved draft changed, short enough for the audit: ids and fields, no content."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import orjson
from pydantic import JsonValue

from workflows.domain.document.graph import Document, Edge, Node

MOST: Final = 30  # changes on record; more are only counted
Kind = Literal["added", "removed", "changed", "moved"]
Element = Literal["node", "edge"]
ElementKey: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One element that a saved draft changed; ``ends`` are the ids of an edge's nodes.

    ``element`` is also ``workflow``, whose ``id`` is then the name of a field.
    """

    kind: Kind
    element: str
    id: str
    ends: tuple[str, str] = ("", "")
    fields: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """What a saved draft changed, and how many further changes are not on record by name."""

    changes: Sequence[RecordedChange] = ()
    further: int = 0

    def __bool__(self) -> bool:
        return bool(self.changes)


def read_changes(detail: bytes) -> DraftRecord:
    """Returns the changes in the JSON of an entry; none for one of an earlier release."""
    recorded = orjson.loads(detail)
    changes = [
        RecordedChange(
            kind=each["kind"],
            element=each["element"],
            id=each["id"],
            ends=(each.get("from", ""), each.get("to", "")),
            fields=frozenset(each.get("fields", ())),
        )
        for each in recorded.get("changes", ())
    ]
    return DraftRecord(changes, recorded.get("further_changes", 0))


def net_changes(changes: Iterable[RecordedChange]) -> Sequence[RecordedChange]:
    """Returns what several changes did in all, given from first to last.

    An element that was added and removed again is left out.
    """
    net: dict[tuple[str, str], RecordedChange] = {}
    for change in changes:
        key = (change.element, change.id)
        earlier = net.get(key)
        if earlier is None:
            net[key] = change
        elif change.kind != "removed":
            net[key] = _both(earlier, change)
        elif earlier.kind != "added":
            net[key] = change
        else:
            del net[key]
    return list(net.values())


def _both(earlier: RecordedChange, later: RecordedChange) -> RecordedChange:
    """Returns two changes of an element that is still there as one."""
    if earlier.kind == "added":
        return replace(later, kind="added", fields=frozenset())
    if earlier.kind == later.kind == "moved":
        return later
    return replace(later, kind="changed", fields=earlier.fields | later.fields)


def recorded_changes(before: Document, after: Document) -> dict[str, JsonValue]:
    """Returns what differs, as ``changes`` and, of more than ``MOST``, ``further_changes``.

    ``moved`` are nodes that only stand elsewhere. Edges have the ids of their nodes, because a
    removed one can be named by nothing else. Elements that both documents share cost nothing.
    """
    changes = [
        *_elements("node", before.nodes, after.nodes),
        *_elements("edge", before.edges, after.edges),
    ]
    for name in ("name", "reducers"):
        if getattr(before, name) != getattr(after, name):
            changes.append({"kind": "changed", "element": "workflow", "id": name})
    recorded: dict[str, JsonValue] = {}
    if changes:
        recorded["changes"] = list[JsonValue](changes[:MOST])
    if len(changes) > MOST:
        recorded["further_changes"] = len(changes) - MOST
    return recorded


def _elements(
    element: Element, before: Sequence[Node | Edge], after: Sequence[Node | Edge]
) -> Iterator[dict[str, JsonValue]]:
    old, new = _by_id(before), _by_id(after)
    for key, each in old.items():
        if key not in new:
            yield _change("removed", element, each)
        elif each is not new[key] and (fields := _fields(each, new[key])):
            kind: Kind = "moved" if fields == ["position"] else "changed"
            yield _change(kind, element, new[key], fields if kind == "changed" else ())
    for key, each in new.items():
        if key not in old:
            yield _change("added", element, each)


def _by_id(elements: Iterable[Node | Edge]) -> Mapping[ElementKey, Node | Edge]:
    """Returns elements by id and occurrence, because drafts can use an id twice."""
    seen: Counter[str] = Counter()
    found: dict[ElementKey, Node | Edge] = {}
    for each in elements:
        found[each.id, seen[each.id]] = each
        seen[each.id] += 1
    return found


def _fields(before: Node | Edge, after: Node | Edge) -> list[str]:
    names = type(after).model_fields
    return [name for name in names if getattr(before, name) != getattr(after, name)]


def _change(
    kind: Kind, element: Element, subject: Node | Edge, fields: Sequence[str] = ()
) -> dict[str, JsonValue]:
    change: dict[str, JsonValue] = {"kind": kind, "element": element, "id": subject.id}
    if isinstance(subject, Edge):
        change |= {"from": subject.from_node, "to": subject.to_node}
    if fields:
        change["fields"] = list[JsonValue](fields)
    return change
