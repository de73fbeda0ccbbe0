"""Backtests: what each call of a recorded conversation would have sent, and what it would cost."""

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.message import read_message
from conversations.domain.prices import Price
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ValidationFailed
from workflows.domain.backtests.policies import (
    FULL,
    RECORDED,
    Policies,
    PolicyConfig,
    policies_of,
)
from workflows.domain.backtests.presets import PRESETS
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.replay import Call, replay, seen_at
from workflows.domain.backtests.sums import PolicySums, add_conversation, compare
from workflows.domain.document.graph import Document
from workflows.domain.running.plan import Plan

TEN = {"tokens": 10}
PRICE = Price(Decimal(1), Decimal("0.1"), Decimal("1.25"), Decimal(5))
FREE = Price(Decimal(0), Decimal(0), Decimal(0), Decimal(0))


def talk(*roles: str, **options: Any) -> Recorded:
    """A conversation of messages of ten tokens; ``call`` and ``tool`` belong together."""
    messages: list[dict[str, JsonValue]] = []
    for place, role in enumerate(roles):
        match role:
            case "call":
                listed: JsonValue = [{"id": "c"}]
                messages.append({"role": "assistant", "content": None, "tool_calls": listed})
            case "tool":
                messages.append({"role": "tool", "tool_call_id": "c", "content": "found"})
            case _:
                messages.append({"role": role, "content": f"say {place}"})
    drafts = [read_message({**message, **TEN}) for message in messages]
    return Recorded.of_drafts("talk", drafts, **options)


def configs(*policies: JsonValue) -> list[PolicyConfig]:
    return parse(Policies, list(policies), "/policies")


def last(count: int, **options: JsonValue) -> JsonValue:
    return {"messages": [{"operation": "truncate", "truncate": {"keep_last": count}, **options}]}


def calls_of(recorded: Recorded, policy: JsonValue, **options: Any) -> list[Call]:
    """The calls of one policy."""
    rows = policies_of(configs(policy))
    return [call.by_policy[2] for call in replay(recorded, rows, **options)]


def test_the_full_history_is_cached_but_for_what_is_new() -> None:
    recorded = talk("system", "user", "assistant", "user", "assistant")
    found = [call.by_policy[0] for call in replay(recorded, policies_of([]))]
    assert found == [Call(sent=20, messages=2), Call(sent=40, cached=20, messages=4)]


def test_a_moving_beginning_loses_what_was_cached() -> None:
    recorded = talk("user", "assistant", "user", "assistant")
    first, second = calls_of(recorded, last(2))
    assert (first.sent, first.fresh) == (10, 10)
    assert (second.sent, second.fresh, second.lost, second.unseen) == (20, 20, 10, 1)


def test_pairs_are_not_completed_with_messages_that_came_later() -> None:
    recorded = talk("user", "call", "assistant", "tool", "user", "assistant")
    found = calls_of(recorded, last(1, pairing="keep"))
    assert [call.messages for call in found] == [1, 1, 1]


def test_a_call_without_its_result_is_invalid() -> None:
    recorded = talk("user", "call", "tool", "user", "assistant")
    assert [call.split for call in calls_of(recorded, last(2))] == [False, True]
    assert [call.split for call in calls_of(recorded, last(2, pairing="drop"))] == [False, False]


def test_a_call_that_no_one_answered_at_the_end_makes_no_call_invalid() -> None:
    assert [call.split for call in calls_of(talk("user", "call"), last(5))] == [False]


def test_tool_schemas_are_sent_with_every_call_and_cached_after_the_first() -> None:
    schemas: JsonValue = [{"name": "find", "parameters": {"type": "object"}}]
    recorded = talk("user", "assistant", "user", "assistant", schemas=schemas)
    first, second = calls_of(recorded, last(1))
    assert first.sent == recorded.tool_tokens + 10 > 10
    assert second.cached == recorded.tool_tokens


def test_inserted_messages_are_the_same_at_the_next_call() -> None:
    note: JsonValue = {"role": "system", "content": "Be brief.", **TEN}
    policy: JsonValue = {
        "messages": [{"operation": "insert", "insert": {"position": 0, "messages": [note]}}]
    }
    found = calls_of(talk("user", "assistant", "user", "assistant"), policy)
    assert [(call.sent, call.cached) for call in found] == [(20, 0), (40, 20)]


def test_a_line_about_hidden_messages_stays_cached_until_the_next_cut() -> None:
    recorded = talk("system", *["user", "assistant"] * 60)
    block: JsonValue = {"max_tokens": 300, "target_tokens": 150}
    policy: JsonValue = {
        "messages": [{"operation": "budget", "budget": block, "leave_pointer": True}]
    }
    found = calls_of(recorded, policy)
    cuts = [call for call in found if call.lost]
    assert 2 <= len(cuts) <= 8
    assert all(call.sent <= 300 and not call.split for call in found)
    quiet = [call for before, call in pairwise(found) if not call.lost and before.messages > 1]
    assert all(call.fresh == 20 for call in quiet)


def test_emptied_results_break_the_prefix_where_they_stand() -> None:
    recorded = talk("user", "call", "tool", "assistant", "user", "assistant")
    block: JsonValue = {
        "max_tokens": 45,
        "target_tokens": 20,
        "drop": "tool_results",
        "keep_last_results": 0,
        "placeholder": "",
    }
    found = calls_of(recorded, {"messages": [{"operation": "budget", "budget": block}]})
    assert found[2].cached == 20  # the question and the call
    assert found[2].sent == 44


def test_an_operation_that_cannot_run_fails_the_call_and_says_why() -> None:
    message: JsonValue = {"role": "user", "content": "?"}
    policy: JsonValue = {
        "messages": [{"operation": "replace", "replace": {"index": 1, "message": message}}]
    }
    first, second = calls_of(talk("user", "assistant", "user", "assistant"), policy)
    assert "after the last one" in first.problem
    assert (second.problem, second.messages) == ("", 3)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_conversation_without_messages_has_no_calls(preset: str) -> None:
    rows = policies_of(configs({"preset": preset}))
    sums = [PolicySums(row.key, row.title) for row in rows]
    add_conversation(sums, replay(Recorded("empty", ()), rows))
    assert [each.calls for each in sums] == [0, 0, 0]
    assert [each.cost_change for each in compare(sums, PRICE)] == [None, None, None]


@pytest.mark.parametrize("preset", PRESETS)
def test_chinese_and_long_texts_are_replayed(preset: str) -> None:
    drafts = [
        read_message({"role": "user", "content": "退货政策是什么？" * 1_000}),
        read_message({"role": "assistant", "content": "x" * 1_000_000}),
        read_message({"role": "user", "content": "谢谢"}),
        read_message({"role": "assistant", "content": "不客气"}),
    ]
    found = calls_of(Recorded.of_drafts("long", drafts), {"preset": preset})
    assert [bool(call.sent) for call in found] == [True, True]


def test_prices_of_zero_cost_nothing_and_compare_with_nothing() -> None:
    rows = policies_of(configs(last(1)))
    sums = [PolicySums(row.key, row.title) for row in rows]
    add_conversation(sums, replay(talk("user", "assistant", "user", "assistant"), rows))
    found = compare(sums, FREE)
    assert [each.cost for each in found] == [0, 0, 0]
    assert [each.cost_change for each in found] == [None, None, None]
    assert not any(each.raises_cost or each.is_best for each in found)


def test_a_policy_that_sends_less_and_costs_more_says_so() -> None:
    rows = policies_of(configs(last(6)))
    sums = [PolicySums(row.key, row.title) for row in rows]
    add_conversation(sums, replay(talk(*["user", "assistant"] * 20), rows))
    found = compare(sums, PRICE)[2]
    assert found.sent_change is not None
    assert found.sent_change < 0
    assert found.raises_cost
    assert not found.is_best


def test_the_best_policy_is_valid_at_every_call() -> None:
    rows = policies_of(configs(last(1), {"preset": "budget"}))
    full, recorded, naive, budget = [PolicySums(row.key, row.title) for row in rows]
    full.calls = naive.calls = budget.calls = 2
    full.sent, naive.sent, budget.sent = 100, 10, 90
    naive.split_calls = 1
    assert [each.is_best for each in compare([full, recorded, naive, budget], PRICE)] == [
        False,
        False,
        False,
        True,
    ]


def test_sums_of_two_parts_are_those_of_the_whole() -> None:
    rows = policies_of(configs(last(2)))
    talks = [talk(*["user", "assistant"] * count) for count in (1, 5, 3)]
    whole, first, second = ([PolicySums(row.key, row.title) for row in rows] for _ in range(3))
    for each in talks:
        add_conversation(whole, replay(each, rows))
    add_conversation(first, replay(talks[0], rows))
    for each in talks[1:]:
        add_conversation(second, replay(each, rows))
    for mine, theirs in zip(first, second, strict=True):
        mine.merge(theirs)
    assert first == whole
    assert [PolicySums.read(each.as_json()) for each in whole] == whole


def test_nodes_have_prompts_of_their_own() -> None:
    drafts = [
        read_message({"role": role, "content": "x", "node_id": node, **TEN})
        for role, node in (("user", None), ("assistant", "a"), ("assistant", "b"))
    ]
    recorded = Recorded.of_drafts("nodes", drafts)
    rows = policies_of([])
    assert [call.by_policy[0].cached for call in replay(recorded, rows)] == [0, 0]
    assert [call.node for call in replay(recorded, rows, node="b")] == ["b"]


def test_a_node_is_replayed_with_the_filters_on_the_way_to_it() -> None:
    document = Document.model_validate(
        {
            "name": "x",
            "nodes": [
                {"id": "begin", "type": "start"},
                {"id": "ask", "type": "llm", "context_filter": last(3)},
            ],
            "edges": [
                {
                    "id": "go",
                    "type": "sequence",
                    "from": "begin",
                    "to": "ask",
                    "context_filter": {"type": "pass_all", **last(1)},  # type: ignore[dict-item]
                }
            ],
        }
    )
    rows = policies_of(configs({"node": "ask"}), Plan(document))
    recorded = talk("user", "assistant", "user", "assistant")
    assert [call.by_policy[2].messages for call in replay(recorded, rows)] == [1, 1]
    assert list(seen_at(recorded, rows[2], 3).view) == [2]


def reached(*edges: tuple[str, str, str | None], node: str = "deep") -> list[bool]:
    """At which calls of a conversation the node is reached from ``begin``."""
    names = sorted({name for edge in edges for name in edge[:2]} - {"begin"})
    document = Document.model_validate(
        {
            "name": "x",
            "nodes": [
                {"id": "begin", "type": "start"},
                *({"id": name, "type": "llm"} for name in names),
            ],
            "edges": [
                {
                    "id": f"e{place}",
                    "type": "conditional" if condition else "sequence",
                    "from": source,
                    "to": target,
                    "condition": condition,
                }
                for place, (source, target, condition) in enumerate(edges)
            ],
        }
    )
    rows = policies_of(configs({"node": node}), Plan(document))
    calls = replay(talk("user", "assistant", "user", "assistant"), rows)
    return [call.by_policy[2].is_reached for call in calls]


NEVER = "context.nope === 'yes'"
LATER = "context.messages > 2"


def test_a_node_is_reached_if_one_way_to_it_is_open() -> None:
    assert reached(("begin", "deep", NEVER)) == [False, False]
    assert reached(("begin", "ask", NEVER), ("ask", "deep", None)) == [False, False]
    assert reached(("begin", "ask", None), ("ask", "deep", LATER)) == [False, True]
    assert reached(("begin", "deep", NEVER), ("begin", "ask", None), ("ask", "deep", None)) == [
        True,
        True,
    ]
    around = [("begin", "ask", LATER), ("ask", "deep", None), ("deep", "ask", None)]
    assert reached(*around) == [False, True]


def test_what_was_seen_is_replayed_where_it_is_recorded() -> None:
    recorded = talk("user", "assistant", "user", "assistant")
    known = Recorded("x", recorded.messages, seen={1: ((0, 1),), 3: ((2, 3),)})
    found = [call.by_policy[1] for call in replay(known, policies_of([]))]
    assert [(call.sent, call.cached) for call in found] == [(10, 0), (10, 0)]


@pytest.mark.parametrize(
    ("policy", "pointer"),
    [
        ({}, "/policies/0"),
        ({"preset": "unheard"}, "/policies/0"),
        ({"preset": "budget", "node": "ask"}, "/policies/0"),
        (
            {
                "messages": [
                    {"operation": "budget", "budget": {"max_tokens": 10, "target_tokens": 10}}
                ]
            },
            "/policies/0/messages/0/budget/target_tokens",
        ),
    ],
)
def test_a_policy_that_says_nothing_clear_is_refused(policy: JsonValue, pointer: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        configs(policy)
    assert refused.value.problems[0].pointer == pointer


def test_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValidationFailed) as refused:
        policies_of(configs({"node": "ask"}))
    assert refused.value.problems[0].pointer == "/policies/0/node"


def test_the_full_history_and_what_was_seen_are_always_there() -> None:
    assert [row.key for row in policies_of([])] == [FULL, RECORDED]


def test_a_node_of_no_workflow_and_a_misspelled_one_are_told_apart() -> None:
    document = Document.model_validate(
        {"name": "w", "nodes": [{"id": "draft", "type": "llm"}], "edges": []}
    )
    found = []
    for name, plan in (("draft", None), ("drafft", Plan(document))):
        with pytest.raises(ValidationFailed) as refused:
            policies_of(configs({"node": name}), plan)
        (problem,) = refused.value.problems
        found.append((problem.pointer, problem.message))
    assert found == [
        ("/policies/0/node", "name the workflow that has this node"),
        ("/policies/0/node", "there is no node 'drafft'; did you mean 'draft'?"),
    ]
