"""What a node sees: along edges, at a join, by its type and its own filters."""

from collections.abc import Mapping, Sequence

import pytest
from pydantic import JsonValue

from conversations.domain.message import read_messages
from conversations.domain.view import View
from ctxadmin.lib.errors import Duplicate, IncompatibleContext, NotFound, ValidationFailed
from workflows.domain.context import HistoryEntry, Messages, PromptContext, Sight
from workflows.domain.flow import Arrival, Entered, enter, join, preview, walk
from workflows.domain.graph import read
from workflows.domain.plan import Plan

Fields = Mapping[str, object]


def plan(nodes: Mapping[str, Fields], edges: Mapping[str, Fields] | None = None) -> Plan:
    """Nodes by id (type ``step`` by default), edges by ``a-b`` (type ``sequence``)."""
    return Plan(
        read(
            {
                "name": "w",
                "nodes": [{"id": name, "type": "step", **fields} for name, fields in nodes.items()],
                "edges": [
                    {
                        "id": name,
                        "type": "sequence",
                        "from": name.split("-")[0],
                        "to": name.split("-")[1],
                        **fields,
                    }
                    for name, fields in (edges or {}).items()
                ],
            }
        )
    )


Message = Mapping[str, JsonValue]


def user(text: str, **more: JsonValue) -> Message:
    return {"role": "user", "content": text, **more}


def sight(
    variables: Mapping[str, JsonValue] | None = None,
    *messages: Message,
    history: Sequence[HistoryEntry] = (),
    metadata: Mapping[str, JsonValue] | None = None,
    template: str = "",
) -> Sight:
    context = PromptContext(template, variables or {}, tuple(history), metadata or {})
    return Sight(
        context,
        Messages.of(read_messages([dict(message) for message in messages]) if messages else ()),
    )


def entry(node: str, response: str = "r", time: str | None = None) -> HistoryEntry:
    return HistoryEntry(node, "p", response, time, {})


def seen(entered: Entered) -> dict[str, JsonValue]:
    return dict(entered.sight.context.variables)


def selective(*include: str, exclude: Sequence[str] = ()) -> dict[str, object]:
    chosen = {"type": "selective", "include_patterns": list(include)}
    return {"context_filter": {**chosen, "exclude_patterns": list(exclude)}}


def include(*patterns: str, **more: object) -> dict[str, object]:
    rules = [{"type": "include", "pattern": pattern} for pattern in patterns]
    return {"rules": rules, "default_behavior": "block", **more}


def texts(messages: Messages) -> list[str]:
    """The texts of visible messages, wherever they are kept."""
    found = dict(messages.log.texts(messages.view.indices_as_runs()))
    return [found[index] for index in messages.view]


# Into a node


def test_without_edges_the_state_reaches_the_node_as_it_is() -> None:
    entered = enter(plan({"a": {}}), "a", sight({"x": 1}, user("hi")))
    assert (seen(entered), texts(entered.sight.messages)) == ({"x": 1}, ["hi"])


def test_the_template_is_the_nodes() -> None:
    workflow = plan({"a": {"config": {"template": "own"}}, "b": {}})
    assert enter(workflow, "a", sight(template="given")).sight.context.template == "own"
    assert enter(workflow, "b", sight(template="given")).sight.context.template == "given"


def test_the_node_type_chooses_the_context_type() -> None:
    workflow = plan({"a": {"type": "llm"}})
    entered = enter(workflow, "a", sight({"llm.model": 1, "tool.name": 2, "model": 3}))
    assert seen(entered) == {"llm.model": 1, "model": 3}


def test_the_type_applies_first_and_then_the_nodes_own_filter() -> None:
    workflow = plan({"a": {"type": "llm", "context_filter": include("llm.a", "tool.*")}})
    assert seen(enter(workflow, "a", sight({"llm.a": 1, "llm.b": 2, "tool.x": 3}))) == {"llm.a": 1}


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
    assert seen(enter(workflow, "n", sight({"a": 1, "b": 2, "c": 3}))) == {"a": 1, "c": 3}


def test_a_node_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        enter(plan({"a": {}}), "b", sight())


def test_a_node_with_a_problem_is_refused_at_its_place_and_others_are_not() -> None:
    workflow = plan({"a": {"context_type": "unknown"}, "b": {}})
    with pytest.raises(ValidationFailed) as caught:
        enter(workflow, "a", sight())
    assert caught.value.problems[0].pointer == "/nodes/0/context_type"
    assert enter(workflow, "b", sight({"x": 1})).lack is None


# Along edges


def test_an_edges_own_filter_applies() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": selective("x.*", exclude=["x.secret"])})
    state = sight({"x.a": 1, "x.secret": 2, "y": 3})
    assert seen(enter(workflow, "b", state, ["a-b"])) == {"x.a": 1}


def test_a_sequence_edge_passes_all_by_default() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": {}})
    assert seen(enter(workflow, "b", sight({"x": 1}), ["a-b"])) == {"x": 1}


def test_an_error_edge_passes_what_speaks_of_errors_by_default() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": {"type": "error"}})
    state = sight({"error.kind": 1, "exception.x": 2, "result.y": 3, "other": 4})
    assert seen(enter(workflow, "b", state, ["a-b"])) == {"error.kind": 1, "exception.x": 2}


def test_a_conditional_edge_passes_all_or_the_template_by_default() -> None:
    workflow = plan(
        {"a": {}, "b": {"config": {"template": "T"}}},
        {"a-b": {"type": "conditional", "condition": "context.go === true"}},
    )
    assert seen(enter(workflow, "b", sight({"go": True, "x": 1}), ["a-b"])) == {"go": True, "x": 1}
    closed = enter(workflow, "b", sight({"go": False}, user("hi")), ["a-b"])
    assert (seen(closed), closed.sight.context.template) == ({}, "T")
    assert texts(closed.sight.messages) == []


def test_the_outgoing_filter_of_the_source_applies_before_the_edges() -> None:
    workflow = plan(
        {"a": {"outgoing_filter": include("x.*")}, "b": {}}, {"a-b": selective("x.a", "y")}
    )
    assert seen(enter(workflow, "b", sight({"x.a": 1, "x.b": 2, "y": 3}), ["a-b"])) == {"x.a": 1}


def test_the_outgoing_filter_of_a_node_does_not_narrow_what_it_sees_itself() -> None:
    workflow = plan({"a": {"outgoing_filter": include("x")}})
    assert seen(enter(workflow, "a", sight({"y": 1}))) == {"y": 1}


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
        enter(workflow, "b", sight(), edges)
    assert [problem.pointer for problem in caught.value.problems] == pointers


def test_messages_are_narrowed_by_an_edge_and_no_batch_is_opened() -> None:
    last = {"operation": "truncate", "truncate": {"keep_last": 1}}
    workflow = plan(
        {"a": {}, "b": {}}, {"a-b": {"context_filter": {"type": "pass_all", "messages": [last]}}}
    )
    state = sight({}, user("one"), user("two"))
    assert texts(enter(workflow, "b", state, ["a-b"]).sight.messages) == ["two"]
    assert texts(state.messages) == ["one", "two"]


def test_a_rename_that_collides_is_refused() -> None:
    rules = [{"pattern": "x.*", "rename": "y"}]
    workflow = plan(
        {"a": {}, "b": {}},
        {"a-b": {"context_filter": {"type": "transform", "transform_rules": rules}}},
    )
    with pytest.raises(Duplicate):
        enter(workflow, "b", sight({"x.a": 1, "x.b": 2}), ["a-b"])


# Together


THREE: Mapping[str, Fields] = {"a": {}, "b": {}, "J": {"type": "join"}}


def test_what_came_along_several_edges_is_united() -> None:
    workflow = plan(THREE, {"a-J": selective("x"), "b-J": selective("y")})
    entered = enter(workflow, "J", sight({"x": 1, "y": 2, "z": 3}), ["a-J", "b-J"])
    assert (seen(entered), entered.conflicts) == ({"x": 1, "y": 2}, ())


def test_on_a_clash_the_later_edge_wins_and_the_clash_is_reported() -> None:
    upper = {
        "type": "transform",
        "transform_rules": [{"pattern": "x", "transform": "uppercase"}],
    }
    workflow = plan(THREE, {"a-J": {"context_filter": upper}, "b-J": {}})
    entered = enter(workflow, "J", sight({"x": "v", "y": 2}), ["a-J", "b-J"])
    assert seen(entered) == {"x": "v", "y": 2}
    (conflict,) = entered.conflicts
    assert conflict.as_json() == {
        "section": "variables",
        "name": "x",
        "winner": "b-J",
        "loser": "a-J",
    }
    turned = enter(workflow, "J", sight({"x": "v"}), ["b-J", "a-J"])
    assert seen(turned) == {"x": "V"}


def test_history_and_messages_keep_their_order_at_a_join() -> None:
    keep_first = {"operation": "truncate", "truncate": {"keep_first": 1}}
    keep_last = {"operation": "truncate", "truncate": {"keep_last": 1}}
    late = {**selective("n2")["context_filter"], "messages": [keep_last]}  # type: ignore[dict-item]
    early = {**selective("n1", "n3")["context_filter"], "messages": [keep_first]}  # type: ignore[dict-item]
    workflow = plan(THREE, {"a-J": {"context_filter": late}, "b-J": {"context_filter": early}})
    state = sight(
        {},
        *(user(text) for text in ("one", "two", "three")),
        history=[entry("n1"), entry("n2"), entry("n3"), entry("n4")],
    )
    joined = enter(workflow, "J", state, ["a-J", "b-J"]).sight
    assert [each.node_id for each in joined.context.history] == ["n1", "n2", "n3"]
    assert texts(joined.messages) == ["one", "three"]


def arrival(edge: str, state: Sight) -> Arrival:
    return Arrival(edge, state)


def test_the_template_of_a_join_is_the_first_ones() -> None:
    joined = join([arrival("a", sight(template="A")), arrival("b", sight(template="B"))])
    assert joined.sight.context.template == "A"


def test_equal_values_are_no_clash_and_one_is_not_true() -> None:
    same = join([arrival("a", sight({"x": [1]})), arrival("b", sight({"x": [1]}))])
    assert same.conflicts == ()
    other = join([arrival("a", sight({"x": 1})), arrival("b", sight({"x": True}))])
    assert [conflict.name for conflict in other.conflicts] == ["x"]


def test_three_clashing_arrivals_are_told_pair_by_pair() -> None:
    joined = join([arrival(name, sight({"x": name})) for name in "abc"])
    assert joined.sight.context.variables == {"x": "c"}
    assert [(each.winner, each.loser) for each in joined.conflicts] == [("b", "a"), ("c", "b")]


def test_metadata_clashes_like_variables() -> None:
    joined = join([arrival("a", sight(metadata={"k": 1})), arrival("b", sight(metadata={"k": 2}))])
    assert joined.sight.context.metadata == {"k": 2}
    assert joined.conflicts[0].section == "metadata"


def test_history_entries_of_one_node_and_time_are_one_and_the_later_wins() -> None:
    first = [entry("n", "1", "t1"), entry("n", "2", "t2")]
    second = [entry("n", "two", "t2"), entry("n", "3", "t3")]
    joined = join([arrival("a", sight(history=first)), arrival("b", sight(history=second))])
    assert [each.response for each in joined.sight.context.history] == ["1", "two", "3"]
    assert [(each.section, each.name) for each in joined.conflicts] == [("history", "n")]


def test_messages_of_logs_of_their_own_are_united_by_id_and_else_by_body() -> None:
    first = sight({}, user("hi"), user("same", id="m1"), user("x"))
    second = sight({}, user("hi"), user("new"), user("same", id="m1"), user("end"))
    joined = join([arrival("a", first), arrival("b", second)])
    assert texts(joined.sight.messages) == ["hi", "new", "same", "x", "end"]
    assert joined.conflicts == ()


def test_two_messages_of_one_id_clash() -> None:
    joined = join(
        [
            arrival("a", sight({}, user("old", id="m"))),
            arrival("b", sight({}, user("new", id="m"))),
        ]
    )
    assert texts(joined.sight.messages) == ["new"]
    assert [each.as_json() for each in joined.conflicts] == [
        {"section": "messages", "name": "m", "winner": "b", "loser": "a"}
    ]


def test_a_call_and_its_result_stay_a_pair_in_united_messages() -> None:
    call: Message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    first, second = sight({}, user("hi")), sight({}, user("hi"), call, result)
    joined = join([arrival("a", first), arrival("b", second)])
    workflow = plan({"n": {"type": "llm"}})
    assert enter(workflow, "n", joined.sight).lack is None


def test_one_arrival_is_what_it_is() -> None:
    state = sight({"x": 1}, user("hi"))
    assert join([arrival("a", state)]).sight is state


def test_nothing_cannot_be_joined() -> None:
    with pytest.raises(ValidationFailed):
        join([])


def put_in(text: str, position: int = 0) -> dict[str, object]:
    message = {"role": "system", "content": text}
    operation = {"operation": "insert", "insert": {"position": position, "messages": [message]}}
    return {"context_filter": {"type": "pass_all", "messages": [operation]}}


def test_messages_that_two_edges_put_in_are_both_there() -> None:
    workflow = plan(THREE, {"a-J": put_in("A"), "b-J": put_in("B", -1)})
    entered = enter(workflow, "J", sight({}, user("one")), ["a-J", "b-J"], explain=True)
    messages = entered.sight.messages
    assert texts(messages) == ["A", "one", "B"]
    assert [each.index for each in messages.inserted] == [1, 2]
    told = [each for each in entered.explanation if each.section == "messages"]
    assert [(each.index, each.verdict) for each in told] == [
        (0, "kept"),
        (1, "added"),
        (2, "added"),
    ]


def test_messages_put_into_an_empty_conversation_are_told_by_their_new_indices() -> None:
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
    entered = enter(workflow, "J", sight(), ["a-J", "b-J"], explain=True)
    assert texts(entered.sight.messages) == ["first", "second"]
    assert list(entered.sight.messages.view) == [0, 1]
    assert sorted(each.index or 0 for each in entered.explanation) == [0, 1]


def test_the_same_message_put_in_by_two_edges_is_there_once() -> None:
    workflow = plan(THREE, {"a-J": put_in("A"), "b-J": put_in("A")})
    assert texts(enter(workflow, "J", sight({}, user("one")), ["a-J", "b-J"]).sight.messages) == [
        "A",
        "one",
    ]


def test_a_text_changed_on_one_edge_only_is_a_clash() -> None:
    rule = {"pattern": "user", "target": "messages", "transform": "uppercase"}
    upper = {"context_filter": {"type": "transform", "transform_rules": [rule]}}
    workflow = plan(THREE, {"a-J": {}, "b-J": upper})
    entered = enter(workflow, "J", sight({}, user("one")), ["a-J", "b-J"])
    assert [(each.section, each.name) for each in entered.conflicts] == [("messages", "0")]
    assert list(entered.sight.messages.rewrites) == [0]


# Why


def told(entered: Entered) -> dict[str, tuple[str, str | int]]:
    return {
        str(each.name): (each.verdict, each.step)
        for each in entered.explanation
        if each.section == "variables"
    }


def test_every_name_is_explained_by_the_step_that_decided_it() -> None:
    workflow = plan(
        {"a": {"outgoing_filter": include("*.*")}, "b": {"context_filter": include("x.*")}},
        {"a-b": selective("x.*", "y.*")},
    )
    state = sight({"x.a": 1, "y.a": 2, "z.a": 3, "w": 4})
    entered = enter(workflow, "b", state, ["a-b"], explain=True)
    assert told(entered) == {
        "x.a": ("kept", "filter"),
        "y.a": ("dropped", "filter"),
        "z.a": ("dropped", "edge:a-b"),
        "w": ("dropped", "outgoing:a"),
    }


def test_at_a_join_a_name_is_dropped_only_if_no_edge_brought_it() -> None:
    workflow = plan(THREE, {"a-J": selective("x"), "b-J": selective("y")})
    entered = enter(workflow, "J", sight({"x": 1, "y": 2, "z": 3}), ["a-J", "b-J"], explain=True)
    assert {name: verdict for name, (verdict, _) in told(entered).items()} == {
        "x": "kept",
        "y": "kept",
        "z": "dropped",
    }
    assert told(entered)["z"] == ("dropped", "edge:b-J")


def test_a_history_entry_is_followed_through_a_join() -> None:
    workflow = plan(
        {
            "a": {},
            "b": {},
            "J": {
                "context_filter": {
                    "rules": [{"type": "exclude", "pattern": "n3", "target": "history"}]
                }
            },
        },
        {"a-J": selective("n3"), "b-J": selective("n2")},
    )
    state = sight(history=[entry("n1"), entry("n2"), entry("n3")])
    entered = enter(workflow, "J", state, ["a-J", "b-J"], explain=True)
    assert [(each.index, each.name, each.verdict, each.step) for each in entered.explanation] == [
        (0, "n1", "dropped", "edge:b-J"),
        (1, "n2", "kept", "filter"),
        (2, "n3", "dropped", "filter"),
    ]


def test_nothing_is_explained_unasked() -> None:
    workflow = plan(THREE, {"a-J": {}, "b-J": {}})
    assert enter(workflow, "J", sight({"x": 1}), ["a-J", "b-J"]).explanation == ()


def test_warnings_of_messages_name_their_step() -> None:
    call: Message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    cut = {"operation": "truncate", "truncate": {"remove_last": 1}}
    workflow = plan(
        {"a": {}, "b": {"type": "llm"}},
        {"a-b": {"context_filter": {"type": "pass_all", "messages": [cut]}}},
    )
    entered = enter(workflow, "b", sight({}, user("hi"), call, result), ["a-b"])
    assert [(each.code, each.step) for each in entered.warnings] == [("split_pair", "edge:a-b")]
    with pytest.raises(IncompatibleContext) as caught:
        entered.require_compatible()
    assert caught.value.indices == (1,)


def test_enough_is_not_refused() -> None:
    enter(plan({"a": {}}), "a", sight()).require_compatible()


# A way, and what it costs


def test_each_node_on_a_way_sees_the_whole_state_again() -> None:
    workflow = plan(
        {"a": {}, "b": {"context_filter": include("x")}, "c": {}},
        {"a-b": selective("x", "y"), "b-c": selective("y", "z")},
    )
    steps = walk(workflow, ["a-b", "b-c"], sight({"x": 1, "y": 2, "z": 3}))
    assert [(each.node_id, each.edges, seen(each)) for each in steps] == [
        ("a", (), {"x": 1, "y": 2, "z": 3}),
        ("b", ("a-b",), {"x": 1}),
        ("c", ("b-c",), {"y": 2, "z": 3}),
    ]


@pytest.mark.parametrize("edges", [[], ["gone"], ["a-b", "a-b"]])
def test_edges_that_do_not_lead_on_are_no_way(edges: list[str]) -> None:
    with pytest.raises(ValidationFailed):
        walk(plan({"a": {}, "b": {}}, {"a-b": {}}), edges, sight())


def per_message(start: int, stop: int) -> int:
    return (stop - start) * 10


def test_a_preview_tells_tokens_and_what_of_the_cached_prefix_is_lost() -> None:
    cut = {"operation": "truncate", "truncate": {"range": {"start": 1, "end": 3}}}
    workflow = plan({"a": {"context_filter": {"rules": [], "messages": [cut]}}})
    state = sight({}, *(user(str(number)) for number in range(4)))
    found = preview(workflow, "a", state, tokens=per_message)
    assert (found.tokens_before, found.tokens_after, found.cached_prefix_lost) == (40, 20, 40)
    assert found.entered.explanation


def test_a_preview_counts_messages_that_filters_put_in() -> None:
    workflow = plan({"a": {}, "b": {}}, {"a-b": put_in("A long instruction.", -1)})
    state = sight({}, user("one"))
    found = preview(workflow, "b", state, ["a-b"], tokens=per_message)
    assert found.tokens_before == 10
    assert 10 < found.tokens_after < 30
    assert found.cached_prefix_lost == 0


def test_a_changed_text_ends_the_cached_prefix() -> None:
    rule = {"type": "transform", "pattern": "user", "target": "messages", "transform": "uppercase"}
    workflow = plan({"a": {"context_filter": {"rules": [rule], "default_behavior": "pass"}}})
    state = sight({}, {"role": "system", "content": "s"}, user("one"), user("two"))
    assert preview(workflow, "a", state, tokens=per_message).cached_prefix_lost == 20


def test_a_view_may_show_less_than_the_log() -> None:
    state = sight({}, user("one"), user("two"))
    hidden = Sight(state.context, state.messages.showing(View([(1, 2)])))
    found = preview(plan({"a": {}}), "a", hidden, tokens=per_message)
    assert (found.tokens_before, found.tokens_after) == (10, 10)
