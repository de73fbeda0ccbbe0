"""Putting a policy into a node of a document."""

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from workflows.domain.document.graph import Document, dump, read


def with_policy(document: Document, node_id: str, operations: Sequence[JsonValue]) -> Document:
    """The document whose node has these operations on messages, instead of those that it had.

    Its rules and everything else stay. Of several filters the last gets them, where they run last;
    the others lose theirs, so that nothing is cut twice.
    """
    return _changed(document, node_id, lambda node: _set_operations(node, list(operations)))


def with_filter(document: Document, node_id: str, context_filter: JsonValue) -> Document:
    """The document whose node has this ``context_filter``; None for none."""

    def put(node: dict[str, Any]) -> None:
        node.pop("context_filter", None)
        if context_filter is not None:
            node["context_filter"] = context_filter

    return _changed(document, node_id, put)


def filter_of(document: Document, node_id: str) -> JsonValue:
    """The ``context_filter`` of a node as it stands in the document, None if it has none."""
    return _node_of(dump(document), node_id).get("context_filter")


def _changed(document: Document, node_id: str, change: Any) -> Document:
    data = dump(document)
    change(_node_of(data, node_id))
    return read(data)


def _node_of(data: dict[str, Any], node_id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in data["nodes"] if each["id"] == node_id)
    return found


def _set_operations(node: dict[str, Any], operations: list[JsonValue]) -> None:
    source = node.get("context_filter")
    listed = source if isinstance(source, list) else [source or {}]
    if not listed:
        listed = [{}]
    made = [
        {name: value for name, value in each.items() if name != "messages"}
        for each in listed
        if isinstance(each, dict)
    ]
    # Of several filters the one with the lowest priority runs last; of equal ones the last.
    lowest = min(range(len(made)), key=lambda place: (made[place].get("priority", 0), -place))
    made[lowest]["messages"] = operations
    node["context_filter"] = made if isinstance(source, list) else made[0]
