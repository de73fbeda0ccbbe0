"""What a saved draft leaves in the audit, and what several of them did in all."""

from collections.abc import Sequence

from pydantic import JsonValue

from ctxadmin.lib.json_bytes import dumps
from workflows.domain.document.graph import Document, read
from workflows.domain.document.recorded_changes import (
    MOST,
    RecordedChange,
    net_changes,
    read_changes,
    recorded_changes,
)


def document(nodes: Sequence[dict[str, JsonValue]], edges: Sequence[JsonValue] = ()) -> Document:
    return read({"name": "Support", "nodes": list(nodes), "edges": list(edges)})


def node(node_id: str, **fields: JsonValue) -> dict[str, JsonValue]:
    return {"id": node_id, "type": "llm", **fields}


EDGE: dict[str, JsonValue] = {"id": "a-b", "type": "sequence", "from": "a", "to": "b"}


def between(before: Document, after: Document) -> Sequence[RecordedChange]:
    return read_changes(dumps(recorded_changes(before, after))).changes


def test_each_element_says_what_happened_to_it_and_no_text_but_names() -> None:
    before = document(
        [
            node("a", description="secret"),
            node("b"),
            node("c", position={"x": 1, "y": 1}),
        ]
    )
    after = document(
        [node("a", description="other"), node("c", position={"x": 2, "y": 1}), node("d")], [EDGE]
    )
    new_edge: dict[str, tuple[JsonValue, JsonValue]] = {"type": (None, "sequence")}
    assert between(before, after) == [
        RecordedChange("changed", "node", "a", fields=frozenset({"description"})),
        RecordedChange("removed", "node", "b", values={"type": ("llm", None)}),
        RecordedChange("moved", "node", "c"),
        RecordedChange("added", "node", "d", values={"type": (None, "llm")}),
        RecordedChange("added", "edge", "a-b", ends=("a", "b"), values=new_edge),
    ]
    assert b"secret" not in dumps(recorded_changes(before, after))
    assert recorded_changes(before, before) == {}


def test_nodes_have_the_names_of_that_time_and_the_one_before() -> None:
    before = document([node("a", name="Draft"), node("b", name="Answer"), node("c", name="Else")])
    after = document(
        [node("a", name="Write"), node("b", name="Answer"), node("c", name="Else")], [EDGE]
    )
    record = read_changes(dumps(recorded_changes(before, after)))
    assert record.names == {"a": "Write", "b": "Answer"}
    assert record.changes[0].former_name == "Draft"
    later = RecordedChange("changed", "node", "a", fields=frozenset({"name"}), former_name="Write")
    assert net_changes([record.changes[0], later])[0].former_name == "Draft"
    removed = read_changes(dumps(recorded_changes(after, document([]))))
    assert removed.names == {"a": "Write", "b": "Answer", "c": "Else"}


def test_policies_have_their_values_before_and_after() -> None:
    last: JsonValue = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 6}}]}
    before = document([node("a", context_filter=last), node("b")], [EDGE])
    edge = {**EDGE, "condition": "context.score > 3", "weight": 2}
    after = document([node("a", type="tool"), node("b")], [edge])
    of_node, of_edge = between(before, after)
    assert of_node.values == {"type": ("llm", "tool"), "context_filter": (last, None)}
    assert of_edge.values == {"condition": (None, "context.score > 3"), "weight": (None, 2)}


def test_an_added_or_removed_element_has_the_values_of_its_policies() -> None:
    last: JsonValue = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 6}}]}
    edge = {**EDGE, "condition": "context.score > 3"}
    whole = document([node("a", context_filter=last, description="secret"), node("b")], [edge])
    of_node, _, of_edge = between(whole, document([]))
    assert of_node.values == {"type": ("llm", None), "context_filter": (last, None)}
    assert of_edge.values == {"type": ("sequence", None), "condition": ("context.score > 3", None)}
    assert between(document([]), whole)[0].values["context_filter"] == (None, last)
    assert b"secret" not in dumps(recorded_changes(whole, document([])))


def test_long_values_and_those_beyond_the_room_of_an_entry_are_not_on_record() -> None:
    edges = [{**EDGE, "id": f"e{n}", "condition": "c" * 400} for n in range(40)]
    edges[0]["condition"] = "c" * 501
    nodes = [node("a"), node("b")]
    plain = [{**EDGE, "id": f"e{n}"} for n in range(40)]
    found = between(document(nodes, plain), document(nodes, edges))
    assert found[0] == RecordedChange(
        "changed", "edge", "e0", ends=("a", "b"), fields=frozenset({"condition"})
    )
    assert found[1].values == {"condition": (None, "c" * 400)}
    assert sum(bool(each.values) for each in found) == 19


def test_a_workflow_has_its_former_name_and_its_reducers() -> None:
    before, after = document([]), document([])
    before = before.model_copy(update={"name": "Support", "reducers": {}})
    after = after.model_copy(update={"name": "Help", "reducers": {"total": "sum"}})
    named, reduced = between(before, after)
    assert (named.id, named.former_name) == ("name", "Support")
    assert [*reduced.values] == ["reducers"]


def test_a_first_position_moves_nothing() -> None:
    place: dict[str, JsonValue] = {"x": 1, "y": 1}
    before, after = document([node("a")]), document([node("a", position=place)])
    assert recorded_changes(before, after) == {}
    changed = between(before, document([node("a", position=place, name="Draft")]))
    assert changed == [RecordedChange("changed", "node", "a", fields=frozenset({"name"}))]


def test_many_changes_are_counted_beyond_a_limit() -> None:
    found = recorded_changes(document([]), document([node(f"n{n}") for n in range(MOST + 5)]))
    assert len(read_changes(dumps(found)).changes) == MOST
    assert read_changes(dumps(found)).further == 5


def test_an_entry_of_an_earlier_release_has_no_changes() -> None:
    assert not read_changes(b'{"what": "draft", "nodes": 3, "edges": 2}')


def test_several_drafts_are_said_by_what_they_did_in_all() -> None:
    fields = frozenset({"name"})
    net = net_changes(
        [
            RecordedChange("added", "node", "a"),
            RecordedChange("changed", "node", "a", fields=fields),
            RecordedChange("added", "node", "b"),
            RecordedChange("removed", "node", "b"),
            RecordedChange("moved", "node", "c"),
            RecordedChange("changed", "node", "c", fields=fields),
            RecordedChange("changed", "node", "d", fields=fields),
            RecordedChange("removed", "node", "d"),
        ]
    )
    assert net == [
        RecordedChange("added", "node", "a"),
        RecordedChange("changed", "node", "c", fields=fields),
        RecordedChange("removed", "node", "d"),
    ]
