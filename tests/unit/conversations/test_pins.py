"""Pinned messages, which operations keep (semantics 4.2)."""

from dataclasses import replace

import pytest
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.message import read_logged, read_message
from conversations.domain.view import View
from ctxadmin.lib.errors import ValidationFailed
from tests.unit.conversations.chats import (
    assistant,
    calls,
    message,
    problems,
    result,
    run,
    shown,
    system,
    user,
)


def chat() -> MemoryLog:
    return MemoryLog(
        [
            system(),  # 0
            user("the order is A-1042", pinned=True),  # 1
            assistant("thank you"),  # 2
            user("and now?"),  # 3
        ]
    )


@pytest.mark.parametrize(
    ("name", "block", "left"),
    [
        ("truncate", {"keep_last": 1}, [1, 3]),
        ("truncate", {"keep_last": 0}, [1]),
        ("truncate", {"remove_ranges": [{"start": 0, "end": 3}]}, [1, 3]),
        ("filter", {"roles": ["assistant"]}, [1, 2]),
        ("filter", {"content_excludes": ["order"]}, [0, 1, 2, 3]),
        ("clear", {"keep_system_message": False}, [1]),
        ("clear", None, [0, 1]),
    ],
)
def test_an_operation_keeps_what_is_pinned_in_its_place_and_says_so(
    name: str, block: JsonValue, left: list[int]
) -> None:
    outcome = run(chat(), name, block)
    assert list(outcome.view) == left
    (kept,) = [each for each in outcome.warnings if each.code == "kept_pinned"]
    assert kept.indices == (1,)
    assert "include_pinned" in kept.message


def test_pins_that_an_operation_keeps_anyway_are_no_warning() -> None:
    assert run(chat(), "truncate", {"keep_first": 2}).warnings == ()


def test_include_pinned_treats_them_like_all_others() -> None:
    outcome = run(chat(), "truncate", {"keep_last": 1}, include_pinned=True)
    assert list(outcome.view) == [3]
    assert [each.code for each in outcome.warnings] == ["system_hidden"]


def test_a_pinned_message_is_replaced_only_by_name() -> None:
    said: JsonValue = {"index": 1, "message": {"role": "user", "content": "new"}}
    with pytest.raises(ValidationFailed) as caught:
        run(chat(), "replace", said)
    assert [each.pointer for each in caught.value.problems] == ["/replace/index"]
    assert shown(chat(), "replace", said, include_pinned=True) == [0, 4, 2, 3]


def test_what_is_pinned_and_hidden_stays_hidden() -> None:
    view = View.of_indices([0, 2, 3])
    assert list(run(chat(), "truncate", {"keep_last": 1}, view=view).view) == [3]


@pytest.mark.parametrize("pinned", [1, 2, 3])
def test_a_pinned_call_or_result_keeps_its_whole_group(pinned: int) -> None:
    drafts = [user(), calls("a", "b"), result("a"), result("b"), user("on"), assistant()]
    drafts[pinned] = replace(drafts[pinned], pinned=True)
    log = MemoryLog(drafts)
    outcome = run(log, "truncate", {"keep_last": 1})
    assert list(outcome.view) == [1, 2, 3, 5]
    assert [(each.code, each.indices) for each in outcome.warnings] == [("kept_pinned", (pinned,))]


def test_a_pinned_call_that_waits_for_its_result_stays_and_is_no_split() -> None:
    half = message("assistant", None, tool_calls=[{"id": "a"}], pinned=True)
    outcome = run(MemoryLog([user(), half]), "truncate", {"keep_first": 0})
    assert list(outcome.view) == [1]
    assert [each.code for each in outcome.warnings] == ["kept_pinned"]


def test_a_budget_cuts_around_pins_and_names_those_that_it_kept() -> None:
    log = MemoryLog(
        [user("long " * 40), user("pin", pinned=True, tokens=10)]
        + [user("x", tokens=30) for _ in range(6)]
    )
    outcome = run(log, "budget", {"max_tokens": 100, "target_tokens": 50, "keep_turn_start": False})
    assert 1 in outcome.view
    assert 0 not in outcome.view
    assert [(each.code, each.indices) for each in outcome.warnings] == [("kept_pinned", (1,))]
    included = run(
        log,
        "budget",
        {"max_tokens": 100, "target_tokens": 50, "keep_turn_start": False},
        include_pinned=True,
    )
    assert 1 not in included.view


def test_pins_that_are_larger_than_the_budget_stay_and_a_warning_says_by_how_much() -> None:
    text = "订单号是一千零四十二，请务必记住。" * 20
    log = MemoryLog([user(text, pinned=True), user("x" * 200), user("y" * 200)])
    tokens = log.tokens(0, 1)
    assert tokens > 100
    outcome = run(log, "budget", {"max_tokens": 100, "target_tokens": 50})
    assert 0 in outcome.view
    codes = [each.code for each in outcome.warnings]
    assert "over_budget" in codes
    assert "kept_pinned" in codes


def test_a_pinned_result_is_not_emptied() -> None:
    drafts = [user()]
    for name in "abc":
        drafts += [calls(name), result(name, "long " * 100)]
    drafts[2] = message("tool", "long " * 100, tool_call_id="a", pinned=True)
    outcome = run(
        MemoryLog(drafts),
        "budget",
        {"max_tokens": 200, "target_tokens": 100, "drop": "tool_results", "keep_last_results": 0},
    )
    assert 2 in outcome.view  # those of b and c have others in their places
    assert 4 not in outcome.view


def test_a_pin_stands_beside_the_body() -> None:
    draft = read_message({"role": "user", "content": "Hi", "pinned": True})
    assert draft.pinned
    assert b"pinned" not in draft.body


def test_a_logged_field_of_that_name_is_data_of_its_author() -> None:
    draft = read_logged({"role": "user", "content": "Hi", "pinned": "on the wall"})
    assert not draft.pinned
    assert b'"pinned":"on the wall"' in draft.body


def test_what_is_no_yes_or_no_is_refused() -> None:
    assert problems({"operation": "clear", "include_pinned": 1}) == ["/include_pinned"]
    with pytest.raises(ValidationFailed):
        read_message({"role": "user", "content": "Hi", "pinned": "yes"})
