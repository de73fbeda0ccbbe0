"""Fields of nodes and edges in words, and their values where those have words."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import JsonValue, ValidationError

from ctxadmin.ui.components import Text
from workflows.domain.document.graph import Edge, Node
from workflows.domain.processors.registries import standard
from workflows.pages.drawing.summaries import (
    CONTEXT_TYPE_WORDS,
    EDGE_TYPE_WORDS,
    NODE_TYPE_WORDS,
    edge_filter_line,
    node_filters_line,
)

_FILTERS: Final = frozenset({"context_filter", "outgoing_filter"})

# The filter of an edge that passes everything, of which a card says nothing.
_WHOLE: Final = {"type": "pass_all"}

_NODE_FIELDS: Final[Mapping[str, Text]] = {
    "type": gettext_lazy("type"),
    "name": gettext_lazy("name"),
    "description": gettext_lazy("description"),
    "position": gettext_lazy("position"),
    "context_type": gettext_lazy("context type"),
    "context_filter": gettext_lazy("input filters"),
    "outgoing_filter": gettext_lazy("output filters"),
    "config": gettext_lazy("settings"),
    "properties": gettext_lazy("properties"),
}
_EDGE_FIELDS: Final[Mapping[str, Text]] = {
    "type": gettext_lazy("type"),
    "from_node": gettext_lazy("start"),
    "to_node": gettext_lazy("end"),
    "context_filter": gettext_lazy("edge filter"),
    "condition": gettext_lazy("condition"),
    "weight": gettext_lazy("weight"),
    "properties": gettext_lazy("properties"),
}
OF_WORKFLOW: Final[Mapping[str, Text]] = {
    "name": gettext_lazy("the workflow's name"),
    "reducers": gettext_lazy("the reducers"),
}


def field_labels(element: str) -> Mapping[str, Text]:
    """Returns the fields that a node, an edge or the workflow can have, in words."""
    if element == "workflow":
        return OF_WORKFLOW
    return _EDGE_FIELDS if element == "edge" else _NODE_FIELDS


def policy_words(element: str, name: str, value: JsonValue) -> str | None:
    """Returns the value of a policy in words, "" for none; None if only JSON says it all."""
    if value is None:
        return ""
    if name in _FILTERS:
        return _filter_words(element, value)
    if not isinstance(value, str):
        return None
    if name == "type":
        words = EDGE_TYPE_WORDS if element == "edge" else NODE_TYPE_WORDS
        return str(words.get(value, value))
    return str(CONTEXT_TYPE_WORDS.get(value, value)) if name == "context_type" else value


def _filter_words(element: str, value: JsonValue) -> str | None:
    if element == "edge" and value == _WHOLE:
        return _("everything")
    try:
        if element == "edge":
            ends = {"from": "a", "to": "b", "type": "sequence"}
            edge = Edge.model_validate({"id": "e", **ends, "context_filter": value})
            return edge_filter_line(edge, standard()) or None
        node = Node.model_validate({"id": "n", "type": "llm", "context_filter": value})
        return node_filters_line(node, standard()) or None
    except ValidationError:  # of another release
        return None
