"""The workflow document: its shape, its spellings, its limits."""

import pytest

from ctxadmin.lib.errors import ValidationFailed
from workflows.domain.document.graph import MAX_NODES, dump, filters_in, read, settings_of

MINIMAL = {"name": "w", "nodes": [], "edges": []}


def node(**fields: object) -> dict[str, object]:
    return {"id": "a", "type": "llm", **fields}


def document(*nodes: dict[str, object], edges: list[object] | None = None) -> dict[str, object]:
    return {"name": "w", "nodes": list(nodes), "edges": edges or []}


def problems_of(data: object, pointer: str = "") -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        read(data, pointer)
    return {problem.pointer: problem.message for problem in caught.value.problems}


def test_a_document_comes_back_as_it_was() -> None:
    data = document(
        node(
            name="Model",
            description="",
            position={"x": 1, "y": -2.5},
            context_type="llm_context",
            context_filter=[{"rules": []}, {"filterRules": [], "priority": 3}],
            outgoing_filter={"rules": []},
            config={"template": "Hi", "toolTimeout": 3, "nested": {"keepFirst": None}},
            properties={"colour": None},
        ),
        edges=[
            {
                "id": "e",
                "type": "conditional",
                "from": "a",
                "to": "a",
                "context_filter": {"type": "pass_all"},
                "condition": "context.x === true",
                "weight": 2,
                "properties": {},
            }
        ],
    )
    data["reducers"] = {"*_count": "increment"}
    assert dump(read(data)) == data


def test_numbers_keep_their_kind() -> None:
    position = dump(read(document(node(position={"x": 1, "y": 2.0}))))["nodes"][0]["position"]  # type: ignore[index, call-overload]
    assert [type(number) for number in position.values()] == [int, float]  # type: ignore[union-attr]


def test_camel_case_is_read_and_snake_case_is_written() -> None:
    data = document(
        node(contextType="merge", contextFilter={"rules": []}),
        edges=[{"id": "e", "type": "sequence", "fromNodeId": "a", "toNodeId": "a"}],
    )
    written = dump(read(data))
    assert written["nodes"] == [node(context_type="merge", context_filter={"rules": []})]
    assert written["edges"] == [{"id": "e", "type": "sequence", "from": "a", "to": "a"}]


def test_two_spellings_of_one_end_of_an_edge_are_refused() -> None:
    edge = {"id": "e", "type": "sequence", "from": "a", "fromNodeId": "a", "to": "a"}
    assert "two spellings" in problems_of(document(node(), edges=[edge]))["/edges/0"]


def test_null_means_missing() -> None:
    assert dump(read(document(node(name=None, config=None)))) == document(node())


def test_unknown_fields_are_refused_with_their_place() -> None:
    assert problems_of(document(node(contex_type="merge"))) == {
        "/nodes/0/contex_type": "unknown field"
    }


@pytest.mark.parametrize("bad", ["", "a b", "x" * 65, "ä", "a/b"])
def test_an_id_that_breaks_the_pattern_is_refused(bad: str) -> None:
    assert "/nodes/0/id" in problems_of(document(node(id=bad)))


@pytest.mark.parametrize("name", ["name", "nodes", "edges"])
def test_a_document_needs_a_name_nodes_and_edges(name: str) -> None:
    data = {key: value for key, value in MINIMAL.items() if key != name}
    assert problems_of(data) == {f"/{name}": "this field is required"}


def test_pointers_begin_where_the_document_stands() -> None:
    assert list(problems_of({"name": "w", "nodes": []}, "/document")) == ["/document/edges"]


@pytest.mark.parametrize("bad", ["x", 3, [1], [[]], [{"rules": []}] * 33])
def test_a_filter_is_an_object_or_a_short_list_of_objects(bad: object) -> None:
    assert (
        "list of at most 32"
        in problems_of(document(node(context_filter=bad)))["/nodes/0/context_filter"]
    )


def test_a_filter_with_a_wrong_content_is_kept_for_the_draft() -> None:
    wrong = {"rules": [{"type": "inclde"}]}
    assert read(document(node(context_filter=wrong))).nodes[0].context_filter == wrong


def test_filters_are_always_listed() -> None:
    assert filters_in(None) == []
    assert filters_in({"rules": []}) == [{"rules": []}]
    assert filters_in([{}, {"priority": 1}]) == [{}, {"priority": 1}]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 10**13, 10**400, "1", True])
def test_a_coordinate_is_a_number_within_bounds(bad: object) -> None:
    assert problems_of(document(node(position={"x": bad, "y": 0})))


def test_ten_thousand_nodes_are_read() -> None:
    many = [{"id": f"n{number}", "type": "llm"} for number in range(MAX_NODES)]
    assert len(read({**MINIMAL, "nodes": many}).nodes) == MAX_NODES


def test_more_nodes_than_the_limit_are_refused() -> None:
    many = [{"id": f"n{number}", "type": "llm"} for number in range(MAX_NODES + 1)]
    assert list(problems_of({**MINIMAL, "nodes": many})) == ["/nodes"]


def settings(**config: object) -> object:
    return settings_of(read(document(node(config=config))).nodes[0], "/nodes/0/config")


def test_a_node_without_a_config_has_an_empty_template_and_no_pause() -> None:
    found = settings_of(read(document(node())).nodes[0])
    assert (found.template, found.pause, found.timeout) == ("", None, None)


def test_a_pause_has_a_reason_and_a_timeout_with_an_outcome() -> None:
    found = settings_of(
        read(
            document(
                node(
                    config={
                        "pause": "before",
                        "pauseReason": "money moves",
                        "timeout": {"seconds": 60, "outcome": "reject"},
                        "model": "m",
                    }
                )
            )
        ).nodes[0]
    )
    assert (found.pause, found.pause_reason) == ("before", "money moves")
    assert found.timeout is not None
    assert (found.timeout.seconds, found.timeout.outcome) == (60, "reject")


def test_a_timeout_without_a_pause_belongs_to_the_engine() -> None:
    found = settings_of(read(document(node(config={"timeout": 30}))).nodes[0])
    assert found.timeout is None


@pytest.mark.parametrize(
    ("config", "pointer"),
    [
        ({"pause": "during"}, "/nodes/0/config/pause"),
        ({"pause": True}, "/nodes/0/config/pause"),
        ({"template": 3}, "/nodes/0/config/template"),
        ({"pause": "after", "timeout": 30}, "/nodes/0/config/timeout"),
        (
            {"pause": "after", "timeout": {"seconds": 0, "outcome": "approve"}},
            "/nodes/0/config/timeout/seconds",
        ),
        ({"pause": "after", "timeout": {"seconds": 1}}, "/nodes/0/config/timeout/outcome"),
        (
            {"pause": "after", "timeout": {"seconds": 1, "outcome": "retry"}},
            "/nodes/0/config/timeout/outcome",
        ),
        ({"pause": "after", "pause_reason": "a", "pauseReason": "b"}, "/nodes/0/config"),
    ],
)
def test_a_wrong_setting_is_refused_at_its_place(config: dict[str, object], pointer: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        settings(**config)
    assert [problem.pointer for problem in caught.value.problems] == [pointer]
