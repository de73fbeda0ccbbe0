"""What a saved draft changed, short enough for the audit: names, fields, and values of policies."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, cast

import orjson
from pydantic import BaseModel, JsonValue

from workflows.domain.document.graph import Document, Edge, Node

MOST: Final = 30  # changes on record; more are only counted
LONGEST_NAME: Final = 80  # characters of a name on record
# What decides which context flows; texts such as templates are never on record.
_POLICIES: Final = frozenset(
    {"type", "context_type", "context_filter", "outgoing_filter", "condition", "weight"}
)
_LONGEST_VALUE: Final = 500  # bytes of a value before or after, as JSON
_ROOM: Final = 8_000  # bytes of all values of an entry
Kind = Literal["added", "removed", "changed", "moved"]
Element = Literal["node", "edge"]
ElementKey: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One element that a saved draft changed; ``ends`` are the ids of an edge's nodes.

    ``element`` is also ``workflow``, whose ``id`` is then the name of a field. ``former_name`` is
    that of a node or workflow that was given another. ``values`` are those before and after of
    changed fields that are policies, as JSON, all of them if the element was added or removed; None
    is no value.
    """

    kind: Kind
    element: str
    id: str
    ends: tuple[str, str] = ("", "")
    fields: frozenset[str] = frozenset()
    former_name: str = ""
    values: Mapping[str, tuple[JsonValue, JsonValue]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """What a saved draft changed, and how many further changes are only counted.

    ``names`` are those that the nodes of the changes had at that time, by id. ``former_name`` is
    the workflow's name before its details were changed.
    """

    changes: Sequence[RecordedChange] = ()
    further: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    former_name: str = ""

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
            former_name=each.get("former_name", ""),
            values={name: (was, now) for name, (was, now) in each.get("values", {}).items()},
        )
        for each in recorded.get("changes", ())
    ]
    return DraftRecord(
        changes,
        recorded.get("further_changes", 0),
        recorded.get("names", {}),
        recorded.get("former_name", ""),
    )


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
        return replace(later, kind="added", fields=frozenset(), former_name="")
    if earlier.kind == later.kind == "moved":
        return later
    return replace(
        later,
        kind="changed",
        fields=earlier.fields | later.fields,
        former_name=earlier.former_name or later.former_name,
    )


def recorded_changes(before: Document, after: Document) -> dict[str, JsonValue]:
    """Returns what differs, as ``changes`` and, of more than ``MOST``, ``further_changes``.

    ``moved`` are nodes that only stand elsewhere; a first position is none. Edges have the ids of
    their nodes, because a removed one can be named by nothing else, and ``names`` are those of the
    nodes, which may be called otherwise by the time somebody reads them. Of a changed policy, such
    as a filter, ``values`` has what it was and is, also of the policies of added and removed
    elements. Elements that both documents share cost nothing.
    """
    changes = [
        *_elements("node", before.nodes, after.nodes),
        *_elements("edge", before.edges, after.edges),
    ]
    changes += _of_workflow(before, after)
    recorded: dict[str, JsonValue] = {}
    if changes:
        _limit_values(changes[:MOST])
        recorded["changes"] = list[JsonValue](changes[:MOST])
        if names := _names(changes[:MOST], (*before.nodes, *after.nodes)):
            recorded["names"] = names
    if len(changes) > MOST:
        recorded["further_changes"] = len(changes) - MOST
    return recorded


def _of_workflow(before: Document, after: Document) -> Iterator[dict[str, JsonValue]]:
    if before.name != after.name:
        former: JsonValue = before.name[:LONGEST_NAME]
        yield {"kind": "changed", "element": "workflow", "id": "name", "former_name": former}
    if before.reducers != after.reducers:
        values: JsonValue = {"reducers": [_plain(before, "reducers"), _plain(after, "reducers")]}
        yield {"kind": "changed", "element": "workflow", "id": "reducers", "values": values}


def _plain(subject: BaseModel, name: str) -> JsonValue:
    dumped = subject.model_dump(mode="json", by_alias=True, exclude_unset=True, include={name})
    value: JsonValue = dumped.get(name)
    return value


def _limit_values(changes: Iterable[dict[str, JsonValue]]) -> None:
    """Drops values that are too long, and those of later changes once the room is used up."""
    room = _ROOM
    for change in changes:
        values = cast("dict[str, list[JsonValue]]", change.pop("values", {}))
        kept: dict[str, JsonValue] = {}
        for name, pair in values.items():
            sizes = [len(orjson.dumps(value)) for value in pair]
            if max(sizes) <= _LONGEST_VALUE and sum(sizes) <= room:
                kept[name] = list[JsonValue](pair)
                room -= sum(sizes)
        if kept:
            change["values"] = kept


def _names(
    changes: Iterable[Mapping[str, JsonValue]], nodes: Iterable[Node]
) -> dict[str, JsonValue]:
    """Returns the names of the nodes that changes are about, by id; later nodes count."""
    ids = {
        change[key]
        for change in changes
        for key in (("from", "to") if change["element"] == "edge" else ("id",))
        if change["element"] != "workflow"
    }
    names: dict[str, JsonValue] = {}
    for node in nodes:
        if node.id in ids and (node.name or node.id in names):
            names[node.id] = (node.name or node.id)[:LONGEST_NAME]
    return names


def _elements(
    element: Element, before: Sequence[Node | Edge], after: Sequence[Node | Edge]
) -> Iterator[dict[str, JsonValue]]:
    old, new = _by_id(before), _by_id(after)
    for key, each in old.items():
        if key not in new:
            yield _whole("removed", element, each)
        elif each is not new[key] and (fields := _fields(each, new[key])):
            kind: Kind = "moved" if fields == ["position"] else "changed"
            change = _change(kind, element, new[key], fields if kind == "changed" else ())
            if isinstance(each, Node) and each.name and "name" in fields:
                change["former_name"] = each.name[:LONGEST_NAME]
            policies = [name for name in fields if name in _POLICIES]
            if policies:
                change["values"] = {
                    name: [_plain(each, name), _plain(new[key], name)] for name in policies
                }
            yield change
    for key, each in new.items():
        if key not in old:
            yield _whole("added", element, each)


def _by_id(elements: Iterable[Node | Edge]) -> Mapping[ElementKey, Node | Edge]:
    """Returns elements by id and occurrence, because drafts can use an id twice."""
    seen: Counter[str] = Counter()
    found: dict[ElementKey, Node | Edge] = {}
    for each in elements:
        found[each.id, seen[each.id]] = each
        seen[each.id] += 1
    return found


def _fields(before: Node | Edge, after: Node | Edge) -> list[str]:
    names = [
        name for name in type(after).model_fields if getattr(before, name) != getattr(after, name)
    ]
    if isinstance(before, Node) and before.position is None and "position" in names:
        names.remove("position")  # the canvas placed it, nobody moved it
    return names


def _whole(
    kind: Literal["added", "removed"], element: Element, subject: Node | Edge
) -> dict[str, JsonValue]:
    """Returns the change of an element that was added or removed, with its policies."""
    change, values = _change(kind, element, subject), dict[str, JsonValue]()
    for name in type(subject).model_fields:
        value = _plain(subject, name) if name in _POLICIES else None
        if value not in (None, {}, []):
            values[name] = [None, value] if kind == "added" else [value, None]
    if values:
        change["values"] = values
    return change


def _change(
    kind: Kind, element: Element, subject: Node | Edge, fields: Sequence[str] = ()
) -> dict[str, JsonValue]:
    change: dict[str, JsonValue] = {"kind": kind, "element": element, "id": subject.id}
    if isinstance(subject, Edge):
        change |= {"from": subject.from_node, "to": subject.to_node}
    if fields:
        change["fields"] = list[JsonValue](fields)
    return change
