"""Budgets: what is refused, where they cut, what they tell (semantics 4.1)."""

from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.budgets.config import PLACEHOLDER
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft, read_message
from conversations.domain.operations import Outcome
from conversations.domain.pairing import find_splits
from conversations.domain.view import View
from ctxadmin.lib.errors import ValidationFailed
from tests.unit.conversations.chats import (
    assistant,
    calls,
    operation,
    problems,
    result,
    run,
    system,
    tools,
    user,
)

TEN = 10  # tokens of each message, unless one says otherwise


def log_of(*drafts: MessageDraft, text: str | None = None, each: int = TEN) -> MemoryLog:
    return MemoryLog(drafts, tools=text, count=lambda draft: draft.reported_tokens or each)


def block(most: int, target: int, **options: Any) -> JsonValue:
    return {"max_tokens": most, "target_tokens": target, **options}


def cut(log: MemoryLog, most: int, target: int, **options: Any) -> list[int]:
    """The log indices that a budget leaves of a whole log."""
    return list(run(log, "budget", block(most, target, **options)).view)


def codes(outcome: Outcome) -> list[str]:
    return [notice.code for notice in outcome.warnings]


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({}, "/budget/max_tokens"),
        ({"max_tokens": 10}, "/budget/target_tokens"),
        ({"max_tokens": 10, "target_tokens": 10}, "/budget/target_tokens"),
        ({"max_tokens": 10, "target_tokens": 11}, "/budget/target_tokens"),
        ({"max_tokens": 0, "target_tokens": 0}, "/budget/max_tokens"),
        ({"max_tokens": "10", "target_tokens": 1}, "/budget/max_tokens"),
        ({"max_tokens": 10.5, "target_tokens": 1}, "/budget/max_tokens"),
        ({"max_tokens": True, "target_tokens": 1}, "/budget/max_tokens"),
        ({"max_tokens": 10**12, "target_tokens": 1}, "/budget/max_tokens"),
        ({"max_tokens": 10, "target_tokens": 5, "keep_first": -1}, "/budget/keep_first"),
        ({"max_tokens": 10, "target_tokens": 5, "drop": "newest"}, "/budget/drop"),
        ({"max_tokens": 10, "target_tokens": 5, "at_least": 0}, "/budget/at_least"),
        ({"max_tokens": 10, "target_tokens": 5, "placeholder": ""}, "/budget/placeholder"),
        (
            {"max_tokens": 9, "target_tokens": 5, "keep_last_results": 1},
            "/budget/keep_last_results",
        ),
        (
            {"max_tokens": 9, "target_tokens": 5, "drop": "oldest_turns", "keep_turn_start": True},
            "/budget/keep_turn_start",
        ),
        ({"max_tokens": 10, "target_tokens": 5, "max": 1}, "/budget/max"),
    ],
)
def test_a_wrong_budget_is_refused_at_its_field(given: JsonValue, pointer: str) -> None:
    assert pointer in problems({"operation": "budget", "budget": given})


def test_the_block_is_needed_and_is_no_other_operations() -> None:
    assert problems({"operation": "budget"}) == ["/budget"]
    other = {"operation": "clear", "budget": block(10, 5)}
    assert problems(other) == ["/budget"]


def test_a_target_above_the_maximum_is_reported_in_a_sentence() -> None:
    with pytest.raises(ValidationFailed) as caught:
        operation("budget", block(10, 11))
    assert [each.message for each in caught.value.problems] == ["this must be less than max_tokens"]


def test_fields_are_read_in_both_spellings() -> None:
    given: JsonValue = {
        "maxTokens": 10,
        "targetTokens": 5,
        "drop": "oldest",
        "keepTurnStart": False,
    }
    assert operation("budget", given) == operation("budget", block(10, 5, keep_turn_start=False))


def test_up_to_the_maximum_nothing_is_cut() -> None:
    log = log_of(*[user() for _ in range(5)])
    assert cut(log, 50, 20) == [0, 1, 2, 3, 4]
    assert cut(log, 49, 20) == [3, 4]


def test_the_cut_is_made_once_and_stays() -> None:
    """Of ten messages of ten tokens, over 50 cut to 20: at the sixth, and at the tenth."""
    seen = [cut(log_of(*[user() for _ in range(n)]), 50, 20) for n in range(4, 11)]
    assert [each[0] for each in seen] == [0, 0, 4, 4, 4, 4, 8]


def test_system_messages_and_the_first_ones_stay() -> None:
    log = log_of(user(), user(), system(), *[user() for _ in range(5)])
    assert cut(log, 60, 30) == [2, 5, 6, 7]
    assert cut(log, 60, 40, keep_first=1) == [0, 2, 5, 6, 7]
    assert cut(log, 60, 30, keep_system=False) == [4, 5, 6, 7]


def test_hidden_system_messages_are_reported() -> None:
    log = log_of(system(), *[user() for _ in range(5)])
    outcome = run(log, "budget", block(50, 20, keep_system=False))
    assert codes(outcome) == ["system_hidden"]
    assert "keep_system would keep it" in outcome.warnings[0].message


def test_the_tool_description_stays_if_it_is_protected() -> None:
    log = log_of(tools(), *[user() for _ in range(5)])
    hidden = run(log, "budget", block(50, 20, keep_system=False))
    assert codes(hidden) == ["tools_hidden"]
    kept = run(log, "budget", block(50, 20, keep_system=False), protect_tools=True)
    assert list(kept.view) == [0, 5]


def test_the_user_message_of_the_turn_that_is_cut_stays() -> None:
    log = log_of(user(), user("the task"), *[assistant() for _ in range(5)])
    assert cut(log, 60, 30) == [1, 5, 6]
    assert cut(log, 60, 30, keep_turn_start=False) == [4, 5, 6]


def test_a_cut_before_a_user_message_keeps_no_other() -> None:
    log = log_of(user(), assistant(), user(), assistant(), user(), assistant())
    assert cut(log, 50, 20) == [4, 5]


def test_whole_turns_go_and_the_last_one_stays_whatever_it_has() -> None:
    log = log_of(user(), assistant(), user(), *[assistant() for _ in range(6)])
    assert cut(log, 30, 20, drop="oldest_turns") == [2, 3, 4, 5, 6, 7, 8]
    outcome = run(log, "budget", block(30, 20, drop="oldest_turns"))
    assert codes(outcome) == ["over_budget"]


def test_no_call_is_parted_from_its_results() -> None:
    log = log_of(user(), calls("a", "b"), result("a"), result("b"), calls("c"), result("c"))
    assert cut(log, 55, 50, keep_turn_start=False) == [1, 2, 3, 4, 5]
    assert cut(log, 50, 35, keep_turn_start=False) == [4, 5]


def test_a_half_finished_call_at_the_end_stays_for_its_results() -> None:
    drafts = [user(), *[assistant() for _ in range(4)], calls("a", "b"), result("a")]
    assert cut(log_of(*drafts), 60, 20) == [0, 5, 6]
    log = log_of(*drafts, result("b"))
    assert cut(log, 60, 20) == [0, 5, 6, 7]
    assert not find_splits(View.of_indices([0, 5, 6, 7]), log).groups


def test_a_result_that_comes_after_its_call_was_cut_goes_with_it() -> None:
    drafts = [user(), calls("a"), user(tokens=40), assistant()]
    assert cut(log_of(*drafts), 50, 45) == [2, 3]
    assert cut(log_of(*drafts, result("a")), 50, 45) == [2, 3]


def test_a_result_that_comes_late_forbids_all_places_behind_its_call() -> None:
    drafts = [user(), calls("a"), user(tokens=40), assistant(), result("a")]
    assert cut(log_of(*drafts), 70, 65) == [0, 1, 2, 3, 4]
    assert cut(log_of(*drafts, assistant()), 70, 65) == [2, 5]


def test_results_are_emptied_from_the_oldest_on() -> None:
    turns = [draft for name in "abcd" for draft in (calls(name), _result(name))]
    log = log_of(user(), *turns)
    options = {"drop": "tool_results", "keep_last_results": 1, "placeholder": ""}
    outcome = run(log, "budget", block(400, 300, **options))
    assert (outcome.hidden, outcome.added) == (((2, 3), (4, 5)), ((9, 11),))
    assert [entry.draft.text for entry in outcome.entries] == ["", ""]
    assert list(outcome.view) == [0, 1, 9, 3, 10, 5, 6, 7, 8]
    assert codes(outcome) == []


def test_an_emptied_result_keeps_its_other_fields_and_answers_the_same_call() -> None:
    image: JsonValue = {"type": "image_url", "image_url": {"url": "data:"}}
    found = _found(content=[{"type": "text", "text": "x"}, image], name="look", extra=1)
    log = log_of(calls("a"), found)
    outcome = run(log, "budget", block(60, 30, drop="tool_results", keep_last_results=0))
    (entry,) = outcome.entries
    body = entry.draft.body.decode()
    assert PLACEHOLDER in body
    assert '"name":"look"' in body
    assert '"extra":1' in body
    assert "image_url" not in body
    assert (entry.call_index, entry.index) == (0, 2)
    log.append(outcome.entries)
    assert not find_splits(outcome.view, log).groups


def _result(name: str) -> MessageDraft:
    return _found(tool_call_id=name, content="found", tokens=100)


def _found(**fields: JsonValue) -> MessageDraft:
    own: dict[str, JsonValue] = {"role": "tool", "tool_call_id": "a", "tokens": 60}
    return read_message(own | fields)


def test_results_smaller_than_the_placeholder_stay() -> None:
    log = log_of(*[draft for name in "abcd" for draft in (calls(name), result(name))], each=4)
    outcome = run(log, "budget", block(20, 10, drop="tool_results", keep_last_results=0))
    assert outcome.entries == ()
    assert codes(outcome) == ["over_budget"]


def test_a_cut_that_frees_too_little_is_not_made_and_one_that_is_made_frees_enough() -> None:
    log = log_of(system(tokens=30), *[user() for _ in range(4)])
    assert cut(log, 60, 55) == [0, 3, 4]
    assert cut(log, 60, 55, at_least=30) == [0, 4]
    outcome = run(log, "budget", block(60, 55, at_least=40))
    assert len(outcome.view) == 5
    assert codes(outcome) == ["over_budget"]


def test_what_must_stay_stays_and_a_warning_says_by_how_much_it_is_too_much() -> None:
    log = log_of(system(tokens=80), user(), user(tokens=40))
    outcome = run(log, "budget", block(100, 50))
    assert list(outcome.view) == [0, 2]
    assert codes(outcome) == ["over_budget"]
    assert outcome.warnings[0].message == (
        "120 tokens remain, 20 more than max_tokens: nothing else may be dropped"
    )


def test_an_empty_view_stays_empty() -> None:
    outcome = run(MemoryLog(), "budget", block(10, 5))
    assert (list(outcome.view), outcome.warnings) == ([], ())


def test_a_message_of_a_megabyte_stays_alone_and_goes_with_the_next_turn() -> None:
    log = MemoryLog([user("hi"), assistant("yes"), user("x" * 1_000_000), assistant("so")])
    outcome = run(log, "budget", block(50_000, 20_000))
    assert codes(outcome) == ["over_budget"]
    assert list(outcome.view) == [2, 3]  # the turn begins with it
    more = MemoryLog([*[user("hi")] * 3, user("x" * 1_000_000), *[user("so")] * 3])
    assert list(run(more, "budget", block(50_000, 20_000)).view) == [4, 5, 6]


def test_chinese_text_is_counted_as_elsewhere() -> None:
    log = MemoryLog([user("我想知道今天的天气。" * 20) for _ in range(6)])
    each = log.tokens(0, 1)
    assert each > 100
    assert cut(log, 3 * each, 2 * each) == [4, 5]


def test_pairs_are_treated_before_the_cut_so_that_partners_count() -> None:
    log = log_of(*[user() for _ in range(4)], calls("a"), result("a"))
    view = View.of_indices([0, 1, 2, 3, 5])
    kept = run(log, "budget", block(50, 40), view=view, pairing="keep")
    assert list(kept.view) == [2, 3, 4, 5]
    dropped = run(log, "budget", block(50, 40), view=view, pairing="drop")
    assert list(dropped.view) == [0, 1, 2, 3]
