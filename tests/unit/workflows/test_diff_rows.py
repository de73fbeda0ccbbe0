"""Differences of two documents in the words of their readers."""

from ctxadmin.ui.components import DiffRow
from tests.unit.workflows.test_compare import document, edge, node
from workflows.domain.document.compare import compare
from workflows.domain.document.graph import Document
from workflows.pages.definition.diff_rows import diff_rows_of


def rows_of(before: Document, after: Document) -> list[DiffRow]:
    return diff_rows_of(compare(before, after), before, after)


def said(before: Document, after: Document) -> list[tuple[str, str, str, str]]:
    rows = rows_of(before, after)
    return [(str(row.label), str(row.field), row.before, row.after) for row in rows]


NAMED = [node("a", name="Ask"), node("b", name="Send")]
LAST = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 4}}]}
FIRST = {"messages": [{"operation": "truncate", "truncate": {"keep_first": 2}}]}


def test_policies_are_said_in_words_by_the_names_of_nodes() -> None:
    before = document([node("a", name="Ask", context_filter=FIRST), NAMED[1]], [edge("e")])
    after = document(
        [node("a", name="Ask", context_filter=LAST, context_type="isolate"), NAMED[1]],
        [edge("e", condition="context.ok", type="conditional")],
    )
    assert sorted(said(before, after)) == [
        ("Ask", "context type", "", "its template only"),
        ("Ask", "input filters", "first 2", "last 4"),
        ("Ask → Send", "condition", "", "context.ok"),
        ("Ask → Send", "type", "sequence", "conditional"),
    ]


def test_an_edge_that_passes_everything_says_so() -> None:
    before, after = (
        document(NAMED, [edge("e", context_filter={"type": kind})])
        for kind in ("pass_all", "pass_none")
    )
    ((_, field, was, now),) = said(before, after)
    assert (field, was, now) == ("edge filter", "everything", "template only")


def test_a_filter_whose_words_are_the_same_is_listed_by_what_differs_in_it() -> None:
    names = [f"v{number}" for number in range(9)]
    rules = [
        {"rules": [{"type": "include", "pattern": name} for name in some]}
        for some in (names, [*names[:8], "other"])
    ]
    before, after = (document([node("a", context_filter=each)]) for each in rules)
    assert said(before, after) == [("a", "input filters · rules.8.pattern", "v8", "other")]


def test_settings_without_words_are_listed_by_their_path() -> None:
    before, after = (
        document([node("a", name="Ask", config={"model": {"name": name}})]) for name in "xy"
    )
    assert said(before, after) == [("Ask", "settings · model.name", "x", "y")]


def test_an_added_node_has_a_line_for_each_field_and_no_place() -> None:
    added = node("n", name="Log", context_filter=LAST, position={"x": 1, "y": 2})
    assert said(document(NAMED), document([*NAMED, added])) == [
        ("Log", "node", "", "type: Model\ninput filters: last 4")
    ]


def test_settings_of_an_added_node_are_lines() -> None:
    settings = {
        "model": "small",
        "tools": ["search", "book"],
        "retry": {"times": 3, "after": "3"},
        "prompt": "Be kind.\nBe short.",
        "stop": [],
    }
    (row,) = said(document(NAMED), document([*NAMED, node("n", name="Log", config=settings)]))
    assert row[3].split("\n") == [
        "type: Model",
        "settings: ",
        "  model: small",
        "  tools: search, book",
        "  retry:",
        "    times: 3",
        '    after: "3"',
        "  prompt:",
        "    Be kind.",
        "    Be short.",
        "  stop: []",
    ]


def test_a_number_and_its_text_look_different() -> None:
    before, after = (document([node("a", config={"times": times})]) for times in (3, "3"))
    assert said(before, after) == [("a", "settings · times", "3", '"3"')]


def test_a_moved_edge_says_the_names_of_its_nodes() -> None:
    before = document(NAMED, [edge("e")])
    after = document(NAMED, [edge("e", to="a")])
    assert said(before, after) == [("Ask → Ask", "end", "Send", "Ask")]


def test_nodes_of_one_name_have_their_ids_too() -> None:
    before = document([node("a", name="Ask"), node("b", name="Ask")])
    after = document([node("a", name="Ask"), node("b", name="Ask", description="x")])
    assert said(before, after) == [("Ask (b)", "description", "", "x")]


def test_the_workflow_itself_and_reducers_have_words() -> None:
    before = document(NAMED, reducers={"notes": "append"})
    after = document(NAMED[::-1], reducers={"notes": "merge"}, name="x")
    assert said(before, after) == [
        ("workflow", "name", "w", "x"),
        ("workflow", "order of the nodes", "Ask, Send", "Send, Ask"),
        ("notes", "reducer", "append", "merge"),
    ]


def test_the_first_row_of_an_element_can_be_led_to() -> None:
    before = document([node("a", name="Ask")])
    after = document([node("a", name="Answer", description="x")])
    rows = rows_of(before, after)
    assert sorted(row.anchor for row in rows) == ["", "change-node-a"]
