"""Where a problem of a draft is, in the words of the forms."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.json_bytes import dumps
from workflows.pages.editor.document_parts import DocumentParts, parts_of, problems_in
from workflows.pages.elements.problem_places import ProblemPlaces, message_at

TIMEOUT: dict[str, JsonValue] = {"seconds": 3, "outcome": "cancel"}
FILTERS = "node-context_filters-0-messages-0"


def _places(nodes: list[JsonValue], edges: list[JsonValue]) -> list[tuple[str, str, str]]:
    """The text, the input and the message of each error of a document."""
    parts: DocumentParts = parts_of(dumps({"name": "x", "nodes": nodes, "edges": edges}))
    places = ProblemPlaces(parts.named)
    errors = [each for each in problems_in(parts) if each.severity == "error"]
    found = [(each, places.of(each)) for each in errors]
    return [(place.text, place.input, message_at(each, place)) for each, place in found]


def _filter(**parts: JsonValue) -> dict[str, JsonValue]:
    return {"context_filter": parts}


@pytest.mark.parametrize(
    ("node", "text", "field", "message"),
    [
        (
            _filter(messages=[{"operation": "truncate", "truncate": {"keep_lst": 3}}]),
            "Draft › Input filter 1 › Operation 1 › What stays › keep_lst",
            f"{FILTERS}-truncate-keep_first",
            "Unknown field “keep_lst”. Did you mean “keep_last”?",
        ),
        (
            _filter(messages=[{"operation": "clear", "xyz": 3}]),
            "Draft › Input filter 1 › Operation 1 › xyz",
            f"{FILTERS}-operation",
            "Unknown field “xyz”",
        ),
        (
            _filter(rules=[{"type": "include", "pattern": "x", "targt": "y"}]),
            "Draft › Input filter 1 › Rule 1 › targt",
            "node-context_filters-0-rules-0-type",
            "Unknown field “targt”. Did you mean “target”?",
        ),
        ({"typ": "tool"}, "Draft › typ", "", "Unknown field “typ”. Did you mean “type”?"),
        (
            {"config": {"pause": "before", "timeout": {**TIMEOUT, "zone": 3}}},
            "Draft › Other config › timeout › zone",
            "node-config",
            "Unknown field “zone”",
        ),
    ],
)
def test_an_unknown_field_of_a_node_is_named_with_the_whole_way_to_it(
    node: dict[str, JsonValue], text: str, field: str, message: str
) -> None:
    named: JsonValue = {"id": "draft", "name": "Draft", "type": "llm", **node}
    assert (text, field, message) in _places([named], [])


def test_an_unknown_field_of_an_edge_filter_leads_to_its_type() -> None:
    nodes: list[JsonValue] = [{"id": "a", "type": "start"}, {"id": "b", "type": "end"}]
    own: JsonValue = {"type": "selective", "include_patterns": ["a"], "include_pattrn": ["b"]}
    edge: JsonValue = {"id": "e", "type": "sequence", "from": "a", "to": "b"}
    assert isinstance(edge, dict)
    message = "Unknown field “include_pattrn”. Did you mean “include_patterns”?"
    found = _places(nodes, [edge | {"context_filter": own}])
    assert ("a → b › Edge filter › include_pattrn", "edge-filter_type", message) in found


def test_an_edge_filter_without_patterns_leads_to_the_field_that_is_to_be_filled() -> None:
    nodes: list[JsonValue] = [{"id": "a", "type": "start"}, {"id": "b", "type": "end"}]
    bare: JsonValue = {"type": "selective"}
    edge: JsonValue = {"id": "e", "type": "sequence", "from": "a", "to": "b"}
    assert isinstance(edge, dict)
    message = "Enter at least one pattern to include or to exclude"
    found = _places(nodes, [edge | {"context_filter": bare}])
    assert found == [("a → b › Include", "edge-include_patterns", message)]


def test_a_field_in_the_spelling_of_json_is_called_as_in_the_form() -> None:
    operation: JsonValue = {"operation": "truncate", "truncate": {"keepLast": -1}}
    node: JsonValue = {"id": "a", "type": "llm", "contextFilter": {"messages": [operation]}}
    ((text, field, message), *_others) = _places([node], [])
    assert text == "a › Input filter 1 › Operation 1 › What stays › Keep the last"
    assert (field, message) == (f"{FILTERS}-truncate-keep_last", "This must be 0 or more")
