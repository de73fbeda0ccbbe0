"""What a node sees where several edges come together."""

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from tests.unit.workflows.plans import (
    THREE,
    Message,
    entry,
    node_input,
    plan,
    put_in,
    seen,
    selective,
    texts,
    user,
)
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.running.flow import Arrival, enter, join


def test_what_came_along_several_edges_is_united() -> None:
    workflow = plan(THREE, {"a-J": selective("x"), "b-J": selective("y")})
    entered = enter(workflow, "J", node_input({"x": 1, "y": 2, "z": 3}), ["a-J", "b-J"])
    assert (seen(entered), entered.conflicts) == ({"x": 1, "y": 2}, ())


def test_on_a_clash_the_later_edge_wins_and_the_clash_is_reported() -> None:
    upper = {
        "type": "transform",
        "transform_rules": [{"pattern": "x", "transform": "uppercase"}],
    }
    workflow = plan(THREE, {"a-J": {"context_filter": upper}, "b-J": {}})
    entered = enter(workflow, "J", node_input({"x": "v", "y": 2}), ["a-J", "b-J"])
    assert seen(entered) == {"x": "v", "y": 2}
    (conflict,) = entered.conflicts
    assert conflict.as_json() == {
        "section": "variables",
        "name": "x",
        "winner": "b-J",
        "loser": "a-J",
    }
    turned = enter(workflow, "J", node_input({"x": "v"}), ["b-J", "a-J"])
    assert seen(turned) == {"x": "V"}


def test_history_and_messages_keep_their_order_at_a_join() -> None:
    keep_first = {"operation": "truncate", "truncate": {"keep_first": 1}}
    keep_last = {"operation": "truncate", "truncate": {"keep_last": 1}}
    late = {**selective("n2")["context_filter"], "messages": [keep_last]}  # type: ignore[dict-item]
    early = {**selective("n1", "n3")["context_filter"], "messages": [keep_first]}  # type: ignore[dict-item]
    workflow = plan(THREE, {"a-J": {"context_filter": late}, "b-J": {"context_filter": early}})
    state = node_input(
        {},
        *(user(text) for text in ("one", "two", "three")),
        history=[entry("n1"), entry("n2"), entry("n3"), entry("n4")],
    )
    joined = enter(workflow, "J", state, ["a-J", "b-J"]).node_input
    assert [each.node_id for each in joined.context.history] == ["n1", "n2", "n3"]
    assert texts(joined.messages) == ["one", "three"]


def arrival(edge: str, state: NodeInput) -> Arrival:
    return Arrival(edge, state)


def test_the_template_of_a_join_is_the_first_ones() -> None:
    joined = join([arrival("a", node_input(template="A")), arrival("b", node_input(template="B"))])
    assert joined.node_input.context.template == "A"


def test_equal_values_are_no_clash_and_one_is_not_true() -> None:
    same = join([arrival("a", node_input({"x": [1]})), arrival("b", node_input({"x": [1]}))])
    assert same.conflicts == ()
    other = join([arrival("a", node_input({"x": 1})), arrival("b", node_input({"x": True}))])
    assert [conflict.name for conflict in other.conflicts] == ["x"]


def test_three_clashing_arrivals_are_reported_pair_by_pair() -> None:
    joined = join([arrival(name, node_input({"x": name})) for name in "abc"])
    assert joined.node_input.context.variables == {"x": "c"}
    assert [(each.winner, each.loser) for each in joined.conflicts] == [("b", "a"), ("c", "b")]


def test_metadata_clashes_like_variables() -> None:
    joined = join(
        [arrival("a", node_input(metadata={"k": 1})), arrival("b", node_input(metadata={"k": 2}))]
    )
    assert joined.node_input.context.metadata == {"k": 2}
    assert joined.conflicts[0].section == "metadata"


def test_history_entries_of_one_node_and_time_are_one_and_the_later_wins() -> None:
    first = [entry("n", "1", "t1"), entry("n", "2", "t2")]
    second = [entry("n", "two", "t2"), entry("n", "3", "t3")]
    joined = join(
        [arrival("a", node_input(history=first)), arrival("b", node_input(history=second))]
    )
    assert [each.response for each in joined.node_input.context.history] == ["1", "two", "3"]
    assert [(each.section, each.name) for each in joined.conflicts] == [("history", "n")]


def test_messages_of_logs_of_their_own_are_united_by_id_and_else_by_body() -> None:
    first = node_input({}, user("hi"), user("same", id="m1"), user("x"))
    second = node_input({}, user("hi"), user("new"), user("same", id="m1"), user("end"))
    joined = join([arrival("a", first), arrival("b", second)])
    assert texts(joined.node_input.messages) == ["hi", "new", "same", "x", "end"]
    assert joined.conflicts == ()


def test_two_messages_of_one_id_clash() -> None:
    joined = join(
        [
            arrival("a", node_input({}, user("old", id="m"))),
            arrival("b", node_input({}, user("new", id="m"))),
        ]
    )
    assert texts(joined.node_input.messages) == ["new"]
    assert [each.as_json() for each in joined.conflicts] == [
        {"section": "messages", "name": "m", "winner": "b", "loser": "a"}
    ]


def test_a_call_and_its_result_stay_a_pair_in_united_messages() -> None:
    call: Message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    first, second = node_input({}, user("hi")), node_input({}, user("hi"), call, result)
    joined = join([arrival("a", first), arrival("b", second)])
    workflow = plan({"n": {"type": "llm"}})
    assert enter(workflow, "n", joined.node_input).lack is None


def test_one_arrival_is_what_it_is() -> None:
    state = node_input({"x": 1}, user("hi"))
    assert join([arrival("a", state)]).node_input is state


def test_nothing_cannot_be_joined() -> None:
    with pytest.raises(ValidationFailed):
        join([])


def test_messages_that_two_edges_put_in_are_both_there() -> None:
    workflow = plan(THREE, {"a-J": put_in("A"), "b-J": put_in("B", -1)})
    entered = enter(workflow, "J", node_input({}, user("one")), ["a-J", "b-J"], explain=True)
    messages = entered.node_input.messages
    assert texts(messages) == ["A", "one", "B"]
    assert [each.index for each in messages.inserted] == [1, 2]
    told = [each for each in entered.explanation if each.section == "messages"]
    assert [(each.index, each.verdict) for each in told] == [
        (0, "kept"),
        (1, "added"),
        (2, "added"),
    ]


def test_messages_put_into_an_empty_conversation_are_reported_by_their_new_indices() -> None:
    twice: Mapping[str, list[JsonValue]] = {
        "messages": [
            {
                "operation": "insert",
                "insert": {"position": 0, "messages": [{"role": "system", "content": text}]},
            }
            for text in ("second", "first")
        ]
    }
    workflow = plan(THREE, {"a-J": {"context_filter": {"type": "pass_all", **twice}}, "b-J": {}})
    entered = enter(workflow, "J", node_input(), ["a-J", "b-J"], explain=True)
    assert texts(entered.node_input.messages) == ["first", "second"]
    assert list(entered.node_input.messages.view) == [0, 1]
    assert sorted(each.index or 0 for each in entered.explanation) == [0, 1]


def test_the_same_message_put_in_by_two_edges_is_there_once() -> None:
    workflow = plan(THREE, {"a-J": put_in("A"), "b-J": put_in("A")})
    assert texts(
        enter(workflow, "J", node_input({}, user("one")), ["a-J", "b-J"]).node_input.messages
    ) == [
        "A",
        "one",
    ]


def test_a_text_changed_on_one_edge_only_is_a_clash() -> None:
    rule = {"pattern": "user", "target": "messages", "transform": "uppercase"}
    upper = {"context_filter": {"type": "transform", "transform_rules": [rule]}}
    workflow = plan(THREE, {"a-J": {}, "b-J": upper})
    entered = enter(workflow, "J", node_input({}, user("one")), ["a-J", "b-J"])
    assert [(each.section, each.name) for each in entered.conflicts] == [("messages", "0")]
    assert list(entered.node_input.messages.rewrites) == [0]
