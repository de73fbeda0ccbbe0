"""Rule 1: what a node's filter does to the visible messages."""

import json

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import OutOfRange
from tests.unit.workflows.contexts import (
    GIVEN,
    REGISTRIES,
    applied,
    block,
    chat,
    let_pass,
    node_input,
    of_filter,
    rule,
    shown,
)
from workflows.domain.filters.context_filter import (
    filter_step,
    read_filter,
)


@pytest.mark.parametrize(
    ("pattern", "left"),
    [("user", [1, 5]), ("*", [0, 1, 2, 3, 4, 5]), ("s*", [0]), ("assistant", [2, 4])],
)
def test_rules_on_messages_match_roles(pattern: str, left: list[int]) -> None:
    step = of_filter(block(rule("include", pattern, target="messages")))
    assert shown(applied(step, GIVEN)) == left


def test_a_developer_counts_as_system() -> None:
    given = node_input(
        messages=chat({"role": "developer", "content": "d"}, {"role": "user", "content": "u"})
    )
    assert shown(
        applied(of_filter(let_pass(rule("exclude", "system", target="messages"))), given)
    ) == [1]


def test_operations_narrow_the_view_and_open_no_batch() -> None:
    last: JsonValue = {"operation": "truncate", "truncate": {"keepLast": 2}}
    given = applied(of_filter(let_pass(messages=[last])), GIVEN)
    assert shown(given) == [4, 5]
    assert given.messages.log is GIVEN.messages.log
    assert len(GIVEN.messages.log) == 6


def test_rules_come_before_operations_and_operations_in_their_order() -> None:
    step = of_filter(
        let_pass(
            rule("exclude", "user", target="messages"),
            messages=[
                {"operation": "truncate", "truncate": {"keep_last": 3}},
                {"operation": "filter", "filter": {"roles": ["assistant"]}},
            ],
        )
    )
    assert shown(applied(step, GIVEN)) == [2, 4]


def test_an_inserted_message_is_seen_but_not_logged() -> None:
    insert: JsonValue = {
        "operation": "insert",
        "insert": {"position": 0, "messages": [{"role": "system", "content": "Be brief."}]},
    }
    given = applied(of_filter(let_pass(messages=[insert, insert])), GIVEN)
    assert shown(given) == [7, 6, 0, 1, 2, 3, 4, 5]
    assert len(GIVEN.messages.log) == 6
    inserted = given.messages.inserted_at(6)
    assert inserted is not None
    assert json.loads(inserted.draft.body) == {"role": "system", "content": "Be brief."}
    assert given.messages.inserted_at(5) is None
    assert given.messages.logged == 6


def test_a_replaced_message_is_seen_instead() -> None:
    replace: JsonValue = {
        "operation": "replace",
        "replace": {"index": 0, "message": {"role": "system", "content": "Be brief."}},
    }
    roles: JsonValue = {"operation": "filter", "filter": {"roles": ["system"]}}
    given = applied(of_filter(let_pass(messages=[replace, roles])), GIVEN)
    assert shown(given) == [6]


def test_a_clear_shows_the_description_of_the_tools() -> None:
    clear: JsonValue = {"operation": "clear"}
    given = applied(
        of_filter(let_pass(messages=[clear])), node_input(messages=chat(), tools="Tools: search")
    )
    assert shown(given) == [0, 6]
    assert given.messages.inserted[0].draft.tool_description


def test_operations_know_the_pairs_of_calls_and_results() -> None:
    last: dict[str, JsonValue] = {"operation": "truncate", "truncate": {"keep_last": 3}}
    warned = of_filter(let_pass(messages=[last]))(GIVEN, "filter", False)
    assert [(each.code, each.step) for each in warned.warnings] == [
        ("split_pair", "filter"),
        ("system_hidden", "filter"),
    ]
    kept = applied(of_filter(let_pass(messages=[{**last, "pairing": "keep"}])), GIVEN)
    assert shown(kept) == [2, 3, 4, 5]
    dropped = applied(of_filter(let_pass(messages=[{**last, "pairing": "drop"}])), GIVEN)
    assert shown(dropped) == [4, 5]


def test_a_rule_that_splits_a_pair_warns() -> None:
    result = of_filter(let_pass(rule("exclude", "tool", target="messages")))(GIVEN, 0, False)
    assert [each.code for each in result.warnings] == ["split_pair"]


def test_a_failing_operation_names_itself_and_changes_nothing() -> None:
    replace: JsonValue = {
        "operation": "replace",
        "replace": {"index": 99, "message": {"role": "user", "content": "x"}},
    }
    step = filter_step(
        [read_filter(let_pass(messages=[replace]))], REGISTRIES, pointer="/context_filter"
    )
    with pytest.raises(OutOfRange) as caught:
        step(GIVEN, 0, False)
    assert caught.value.problems[0].pointer == "/context_filter/messages/0/replace/index"
    assert shown(GIVEN) == [0, 1, 2, 3, 4, 5]
