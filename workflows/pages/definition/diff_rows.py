"""Differences of workflow documents as rows for a reader, in words where there are some."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from textwrap import indent
from typing import Final

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import JsonValue

from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind, Value
from ctxadmin.ui.components import DiffRow, Text
from workflows.domain.document.compare import ElementChange
from workflows.domain.document.flow_changes import FlowChanges
from workflows.domain.document.graph import Document, title_of
from workflows.pages.drawing.diff_drawing import row_id
from workflows.pages.field_words import field_labels, policy_words

_ELEMENTS: Final[Mapping[str, Text]] = {
    "workflow": gettext_lazy("workflow"),
    "node": gettext_lazy("node"),
    "edge": gettext_lazy("edge"),
    "reducer": gettext_lazy("reducer"),
}
_OF_WORKFLOW: Final[Mapping[str, Text]] = {
    "name": gettext_lazy("name"),
    "nodes": gettext_lazy("order of the nodes"),
    "edges": gettext_lazy("order of the edges"),
}
_ENDS: Final[Mapping[str, str]] = {"from": "from_node", "to": "to_node"}
# Fields with values in words; of all others the paths that differ are listed.
_POLICIES: Final = frozenset(
    {"type", "context_type", "context_filter", "outgoing_filter", "condition"}
)
_UNSAID: Final = frozenset({"id", "name", "position", "from", "to"})

Link = Callable[[ElementChange], str]


def diff_rows_of(
    changes: Iterable[ElementChange],
    before: Document,
    after: Document,
    link: Link | None = None,
) -> list[DiffRow]:
    """Returns a row for each added or removed element, and for each changed field.

    ``link`` says where the name of an element leads. The first row of a node or an edge has the
    ``row_id`` of it.
    """
    writer = _Rows(before, after)
    rows: list[DiffRow] = []
    for change in changes:
        url = link(change) if link is not None else ""
        own = [replace(row, url=url) for row in writer.rows(change)]
        if own and change.element in ("node", "edge"):
            own[0] = replace(own[0], anchor=row_id(change.element, change.id))
        rows += own
    return rows


def element_name(change: ElementChange, before: Document, after: Document) -> Text:
    """Returns what an element is called in rows."""
    return _Rows(before, after).label(change)


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


class _Rows:
    """Writes rows with the names that nodes have, in the later document if they are in it."""

    def __init__(self, before: Document, after: Document) -> None:
        self._names = {node.id: title_of(node) for node in (*before.nodes, *after.nodes)}
        self._edges = {edge.id: edge for edge in (*before.edges, *after.edges)}
        counts = Counter(self._names.values())
        self._shared = {name for name, count in counts.items() if count > 1}

    def rows(self, change: ElementChange) -> Iterator[DiffRow]:
        label = self.label(change)
        if change.kind == "changed":
            yield from self._fields(change, label)
        else:
            text, field = self._whole(change), _ELEMENTS[change.element]
            if change.kind == "added":
                yield DiffRow("added", label, after=text, field=field)
            else:
                yield DiffRow("removed", label, before=text, field=field)

    def label(self, change: ElementChange) -> Text:
        if change.element == "workflow":
            return _ELEMENTS["workflow"]
        if change.element == "node":
            return self._name(change.id)
        edge = self._edges.get(change.id) if change.element == "edge" else None
        if edge is None:
            return change.id
        return f"{self._name(edge.from_node)} → {self._name(edge.to_node)}"

    def _name(self, node_id: str) -> str:
        name = self._names.get(node_id, node_id)
        return f"{name} ({node_id})" if name in self._shared else name

    def _fields(self, change: ElementChange, label: Text) -> Iterator[DiffRow]:
        if change.element == "reducer":
            for each in change.fields:
                yield _row(label, _ELEMENTS["reducer"], each)
            return
        if change.element == "workflow":
            for each in change.fields:
                was, now = (self._listed(change.id, side) for side in (each.before, each.after))
                yield DiffRow("changed", label, was, now, field=_OF_WORKFLOW[change.id])
            return
        told: set[str] = set()
        for each in change.fields:
            name, path = _top(each)
            if name in told:
                continue
            named = field_labels(change.element).get(_ENDS.get(name, name), name)
            row = self._in_words(change, label, name, named)
            if row is None:
                yield _row(label, f"{named} · {path}" if path else named, each)
            else:
                told.add(name)
                yield row

    def _in_words(
        self, change: ElementChange, label: Text, name: str, named: Text
    ) -> DiffRow | None:
        """Returns the row of a field whose values have words; None for any other."""
        was, now = (side.get(name) if isinstance(side, dict) else None for side in change.sides)
        before, after = self._words(change, name, was), self._words(change, name, now)
        if before is None or after is None or before == after:
            return None
        if not before:
            return DiffRow("added", label, after=after, field=named)
        if not after:
            return DiffRow("removed", label, before=before, field=named)
        return DiffRow("changed", label, before, after, field=named)

    def _words(self, change: ElementChange, name: str, value: JsonValue) -> str | None:
        if name in _POLICIES:
            return policy_words(change.element, name, value)
        if change.element == "edge" and name in _ENDS and isinstance(value, str):
            return self._name(value)
        return None

    def _listed(self, name: str, value: Value) -> str:
        """Returns a field of the workflow: its name, or names of nodes or edges in their order."""
        if not isinstance(value, list):
            return _side(value)
        if name == "nodes":
            return ", ".join(self._name(str(each)) for each in value)
        edges = (ElementChange("edge", str(each), "changed") for each in value)
        return ", ".join(str(self.label(each)) for each in edges)

    def _whole(self, change: ElementChange) -> str:
        """Returns an added or removed element: a line for each of its fields."""
        if not isinstance(change.whole, dict):
            return _text(change.whole)
        labels = field_labels(change.element)
        lines: list[str] = []
        for name, value in change.whole.items():
            if name in _UNSAID or value in (None, {}, []):
                continue
            words = self._words(change, name, value)
            said = words if words is not None else _text(value)
            if "\n" in said:
                said = "\n" + indent(said, "  ")
            lines.append(
                _("%(field)s: %(value)s") % {"field": labels.get(name, name), "value": said}
            )
        return "\n".join(lines)


def _top(field: Difference) -> tuple[str, str]:
    """Returns the field of the element in which a difference is, and the path in it."""
    name, _slash, path = field.path.removeprefix("/").partition("/")
    return name, path.replace("/", ".").replace("~1", "/").replace("~0", "~")


def _row(label: Text, named: Text, field: Difference) -> DiffRow:
    before, after = _side(field.before), _side(field.after)
    if before == after and field.kind is DifferenceKind.TYPE_CHANGED:  # a number and its text
        before, after = (
            _json(value) for value in (field.before, field.after) if value is not ABSENT
        )
    match field.kind:
        case DifferenceKind.ADDED:
            return DiffRow("added", label, after=after, field=named)
        case DifferenceKind.REMOVED:
            return DiffRow("removed", label, before=before, field=named)
        case DifferenceKind.MOVED:
            note = _("moved from position %(a)s to %(b)s") % {"a": before, "b": after}
            return DiffRow("moved", label, note=note, field=named)
    return DiffRow("changed", label, before, after, field=named)


def _side(value: Value) -> str:
    return "" if value is ABSENT else _text(value)


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and value:
        return "\n".join(_lines(value))
    return _json(value)


def _lines(fields: Mapping[str, JsonValue], margin: str = "") -> Iterator[str]:
    """Writes an object as lines, objects and long texts in it indented below their names."""
    for name, value in fields.items():
        if isinstance(value, dict) and value:
            yield f"{margin}{name}:"
            yield from _lines(value, f"{margin}  ")
        elif isinstance(value, str) and "\n" in value:
            yield f"{margin}{name}:"
            yield from (f"{margin}  {line}" for line in value.split("\n"))
        elif isinstance(value, list) and value and all(map(_is_word, value)):
            yield f"{margin}{name}: {', '.join(map(str, value))}"
        else:
            yield f"{margin}{name}: {value if _is_plain(value) else _json(value, indented=False)}"


def _is_plain(value: JsonValue) -> bool:
    """Whether a value is a text that is not read as another value: "true" and "1" are."""
    if not isinstance(value, str) or value.strip() != value:
        return False
    try:
        orjson.loads(value)
    except orjson.JSONDecodeError:
        return bool(value)
    return False


def _is_word(value: JsonValue) -> bool:
    """Whether a value can stand in a list that is separated by commas."""
    return _is_plain(value) and "," not in str(value)


def _json(value: JsonValue, *, indented: bool = True) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indented else None).decode()
