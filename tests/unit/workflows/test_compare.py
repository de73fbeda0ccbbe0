"""The difference of two workflow documents."""

from pydantic import JsonValue

from workflows.domain.document.compare import compare
from workflows.domain.document.graph import Document, read


def node(name: str, /, **fields: object) -> dict[str, object]:
    return {"id": name, "type": "llm", **fields}


def edge(name: str, /, **fields: object) -> dict[str, object]:
    return {"id": name, "type": "sequence", "from": "a", "to": "b", **fields}


def document(
    nodes: list[dict[str, object]] | None = None,
    edges: list[dict[str, object]] | None = None,
    **fields: object,
) -> Document:
    nodes = [node("a"), node("b")] if nodes is None else nodes
    return read({"name": "w", "nodes": nodes, "edges": edges or [], **fields})


def changes(before: Document, after: Document) -> list[dict[str, JsonValue]]:
    return [change.as_json() for change in compare(before, after)]


def test_equal_documents_have_no_difference() -> None:
    assert compare(document(), document()) == []


def test_an_added_and_a_removed_node_are_reported_whole() -> None:
    assert changes(document([node("a")]), document([node("b")])) == [
        {"element": "node", "id": "a", "kind": "removed", "before": node("a")},
        {"element": "node", "id": "b", "kind": "added", "after": node("b")},
    ]


def test_a_changed_node_tells_its_changed_fields_with_both_values() -> None:
    rules = {"rules": [{"type": "include", "pattern": "llm.*"}]}
    other = {"rules": [{"type": "include", "pattern": "tool.*"}]}
    before = document([node("a", name="A", context_filter=rules)])
    after = document([node("a", context_filter=other, config={"template": "x"})])
    (change,) = compare(before, after)
    assert (change.element, change.id, change.kind) == ("node", "a", "changed")
    fields = [field.as_json() for field in change.fields]
    assert sorted(fields, key=lambda field: str(field["path"])) == [
        {"path": "/config", "kind": "added", "after": {"template": "x"}},
        {
            "path": "/context_filter/rules/0/pattern",
            "kind": "changed",
            "before": "llm.*",
            "after": "tool.*",
        },
        {"path": "/name", "kind": "removed", "before": "A"},
    ]


def test_edges_are_compared_by_their_id() -> None:
    before = document(edges=[edge("e"), edge("f")])
    after = document(edges=[edge("f", to="a"), edge("g")])
    assert [(c["element"], c["id"], c["kind"]) for c in changes(before, after)] == [
        ("edge", "e", "removed"),
        ("edge", "f", "changed"),
        ("edge", "g", "added"),
    ]


def test_reducers_are_compared_by_their_pattern() -> None:
    before = document(reducers={"*_n": "increment", "a": "max"})
    after = document(reducers={"*_n": "max", "b": "max"})
    found = changes(before, after)
    assert [(c["element"], c["id"], c["kind"]) for c in found] == [
        ("reducer", "*_n", "changed"),
        ("reducer", "a", "removed"),
        ("reducer", "b", "added"),
    ]
    assert found[0]["fields"] == [
        {"path": "", "kind": "changed", "before": "increment", "after": "max"}
    ]


def test_another_name_of_the_workflow_is_a_change_of_the_workflow() -> None:
    (change,) = compare(document(), document().model_copy(update={"name": "v"}))
    assert (change.element, change.id, change.kind) == ("workflow", "name", "changed")


def test_another_order_is_reported_because_the_later_edge_wins() -> None:
    before = document(edges=[edge("e"), edge("f")])
    after = document(edges=[edge("f"), edge("x"), edge("e")])
    first, second = changes(before, after)
    assert (first["element"], first["id"]) == ("workflow", "edges")
    assert first["fields"] == [
        {"path": "", "kind": "changed", "before": ["e", "f"], "after": ["f", "e"]}
    ]
    assert (second["id"], second["kind"]) == ("x", "added")


def test_a_draft_that_uses_an_id_twice_is_compared_in_order() -> None:
    before = document([node("a"), node("a", name="x")])
    after = document([node("a"), node("a", name="y")])
    (change,) = compare(before, after)
    assert [field.path for field in change.fields] == ["/name"]


def test_one_and_true_are_not_the_same() -> None:
    before = document([node("a", config={"x": 1})])
    after = document([node("a", config={"x": True})])
    assert [field.path for field in compare(before, after)[0].fields] == ["/config/x"]
