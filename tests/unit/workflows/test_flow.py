"""What a node sees: by its type and filters, along edges, and on a way through several nodes."""

import pytest

from conversations.domain.view import View
from ctxadmin.lib.errors import Duplicate, NotFound, ValidationFailed
from tests.unit.workflows.plans import (
    include,
    node_input,
    plan,
    put_in,
    seen,
    selective,
    texts,
    user,
)
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.running.flow import enter, preview, walk_path


def test_without_edges_the_state_reaches_the_node_as_it_is() -> None:
    entered = enter(plan({"a": {}}), "a", node_input({"x": 1}, user("hi")))
    assert (seen(entered), texts(entered.node_input.messages)) == ({"x": 1}, ["hi"])


def test_the_template_is_the_nodes() -> None:
    workflow = plan({"a": {"config": {"template": "own"}}, "b": {}})
    assert enter(workflow, "a", node_input(template="given")).node_input.context.template == "own"
    assert enter(workflow, "b", node_input(template="given")).node_input.context.template == "given"


def test_the_node_type_chooses_the_context_type() -> None:
    workflow = plan({"a": {"type": "llm"}})
    entered = enter(workflow, "a", node_input({"llm.model": 1, "tool.name": 2, "model": 3}))
    assert seen(entered) == {"llm.model": 1, "model": 3}


def test_the_type_applies_first_and_then_the_nodes_own_filter() -> None:
    workflow = plan({"a": {"type": "llm", "context_filter": include("llm.a", "tool.*")}})
    assert seen(enter(workflow, "a", node_input({"llm.a": 1, "llm.b": 2, "tool.x": 3}))) == {
        "llm.a": 1
    }


def test_several_filters_of_a_node_are_merged_by_priority() -> None:
    filters = [
        {"rules": [{"type": "include", "pattern": "a"}], "default_behavior": "block"},
        {
            "rules": [{"type": "exclude", "pattern": "b"}],
            "default_behavior": "pass",
            "priority": 5,
        },
    ]
    workflow = plan({"n": {"context_filter": filters}})
    assert seen(enter(workflow, "n", node_input({"a": 1, "b": 2, "c": 3}))) == {"a": 1, "c": 3}


def test_a_node_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        enter(plan({"a": {}}), "b", node_input())


def test_a_node_with_a_problem_is_refused_at_its_place_and_others_are_not() -> None:
    workflow = plan({"a": {"context_type": "unknown"}, "b": {}})
    with pytest.raises(ValidationFailed) as caught:
        enter(workflow, "a", node_input())
    assert caught.value.problems[0].pointer == "/nodes/0/context_type"
    assert enter(workflow, "b", node_input({"x": 1})).lack is None


def test_an_edges_own_filter_applies() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": selective("x.*", exclude=["x.secret"])})
    state = node_input({"x.a": 1, "x.secret": 2, "y": 3})
    assert seen(enter(workflow, "b", state, ["a-b"])) == {"x.a": 1}


def test_a_sequence_edge_passes_all_by_default() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": {}})
    assert seen(enter(workflow, "b", node_input({"x": 1}), ["a-b"])) == {"x": 1}


def test_an_error_edge_passes_what_speaks_of_errors_by_default() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": {"type": "error"}})
    state = node_input({"error.kind": 1, "exception.x": 2, "result.y": 3, "other": 4})
    assert seen(enter(workflow, "b", state, ["a-b"])) == {"error.kind": 1, "exception.x": 2}


def test_a_conditional_edge_passes_all_or_the_template_by_default() -> None:
    workflow = plan(
        {"a": {}, "b": {"config": {"template": "T"}}},
        {"a-b": {"type": "conditional", "condition": "context.go === true"}},
    )
    assert seen(enter(workflow, "b", node_input({"go": True, "x": 1}), ["a-b"])) == {
        "go": True,
        "x": 1,
    }
    closed = enter(workflow, "b", node_input({"go": False}, user("hi")), ["a-b"])
    assert (seen(closed), closed.node_input.context.template) == ({}, "T")
    assert texts(closed.node_input.messages) == []


def test_the_outgoing_filter_of_the_source_applies_before_the_edges() -> None:
    workflow = plan(
        {"a": {"outgoing_filter": include("x.*")}, "b": {}}, {"a-b": selective("x.a", "y")}
    )
    assert seen(enter(workflow, "b", node_input({"x.a": 1, "x.b": 2, "y": 3}), ["a-b"])) == {
        "x.a": 1
    }


def test_the_outgoing_filter_of_a_node_does_not_narrow_what_it_sees_itself() -> None:
    workflow = plan({"a": {"outgoing_filter": include("x")}})
    assert seen(enter(workflow, "a", node_input({"y": 1}))) == {"y": 1}


@pytest.mark.parametrize(
    ("edges", "pointers"),
    [
        (["gone"], ["/edges/0"]),
        (["a-b", "b-a"], ["/edges/1"]),
        (["a-b", "a-b"], ["/edges/1"]),
    ],
)
def test_an_edge_that_does_not_lead_to_the_node_is_refused(
    edges: list[str], pointers: list[str]
) -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": {}, "b-a": {}})
    with pytest.raises(ValidationFailed) as caught:
        enter(workflow, "b", node_input(), edges)
    assert [problem.pointer for problem in caught.value.problems] == pointers


def test_messages_are_narrowed_by_an_edge_and_no_batch_is_opened() -> None:
    last = {"operation": "truncate", "truncate": {"keep_last": 1}}
    workflow = plan(
        {"a": {}, "b": {}}, {"a-b": {"context_filter": {"type": "pass_all", "messages": [last]}}}
    )
    state = node_input({}, user("one"), user("two"))
    assert texts(enter(workflow, "b", state, ["a-b"]).node_input.messages) == ["two"]
    assert texts(state.messages) == ["one", "two"]


def test_a_rename_that_collides_is_refused() -> None:
    rules = [{"pattern": "x.*", "rename": "y"}]
    workflow = plan(
        {"a": {}, "b": {}},
        {"a-b": {"context_filter": {"type": "transform", "transform_rules": rules}}},
    )
    with pytest.raises(Duplicate):
        enter(workflow, "b", node_input({"x.a": 1, "x.b": 2}), ["a-b"])


def test_enough_is_not_refused() -> None:
    enter(plan({"a": {}}), "a", node_input()).require_compatible()


def test_each_node_on_a_way_sees_the_whole_state_again() -> None:
    workflow = plan(
        {"a": {}, "b": {"context_filter": include("x")}, "c": {}},
        {"a-b": selective("x", "y"), "b-c": selective("y", "z")},
    )
    steps = walk_path(workflow, ["a-b", "b-c"], node_input({"x": 1, "y": 2, "z": 3}))
    assert [(each.node_id, each.edges, seen(each)) for each in steps] == [
        ("a", (), {"x": 1, "y": 2, "z": 3}),
        ("b", ("a-b",), {"x": 1}),
        ("c", ("b-c",), {"y": 2, "z": 3}),
    ]


@pytest.mark.parametrize("edges", [[], ["gone"], ["a-b", "a-b"]])
def test_edges_that_do_not_lead_on_are_no_way(edges: list[str]) -> None:
    with pytest.raises(ValidationFailed):
        walk_path(plan({"a": {}, "b": {}}, {"a-b": {}}), edges, node_input())


def per_message(start: int, stop: int) -> int:
    return (stop - start) * 10


def test_a_preview_tells_tokens_and_what_of_the_cached_prefix_is_lost() -> None:
    cut = {"operation": "truncate", "truncate": {"range": {"start": 1, "end": 3}}}
    workflow = plan({"a": {"context_filter": {"rules": [], "messages": [cut]}}})
    state = node_input({}, *(user(str(number)) for number in range(4)))
    found = preview(workflow, "a", state, tokens=per_message)
    assert (found.tokens_before, found.tokens_after, found.cached_prefix_lost) == (40, 20, 40)
    assert found.entered.explanation


def test_a_preview_counts_messages_that_filters_put_in() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": put_in("A long instruction.", -1)})
    state = node_input({}, user("one"))
    found = preview(workflow, "b", state, ["a-b"], tokens=per_message)
    assert found.tokens_before == 10
    assert 10 < found.tokens_after < 30
    assert found.cached_prefix_lost == 0


def test_a_changed_text_ends_the_cached_prefix() -> None:
    rule = {"type": "transform", "pattern": "user", "target": "messages", "transform": "uppercase"}
    workflow = plan({"a": {"context_filter": {"rules": [rule], "default_behavior": "pass"}}})
    state = node_input({}, {"role": "system", "content": "s"}, user("one"), user("two"))
    assert preview(workflow, "a", state, tokens=per_message).cached_prefix_lost == 20


def test_a_view_may_show_less_than_the_log() -> None:
    state = node_input({}, user("one"), user("two"))
    hidden = NodeInput(state.context, state.messages.with_view(View([(1, 2)])))
    found = preview(plan({"a": {}}), "a", hidden, tokens=per_message)
    assert (found.tokens_before, found.tokens_after) == (10, 10)
