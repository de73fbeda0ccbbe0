"""Replacing a message that has tool calls: they come with their results, or go with them (1.8)."""

import orjson
import pytest
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft, read_message
from conversations.domain.operations import Outcome
from tests.unit.conversations.chats import (
    assistant,
    calls,
    result,
    run,
    user,
)


def codes(outcome: Outcome) -> list[tuple[str, tuple[int, ...]]]:
    return [(warning.code, warning.indices) for warning in outcome.warnings]


def asked(text: str, *call_ids: str) -> JsonValue:
    """An assistant message that says a text and calls tools."""
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [{"id": name, "function": {"name": "look"}} for name in call_ids],
    }


def looked(*, last: bool = False) -> MemoryLog:
    """A call (1) with its result (2), and what was said then."""
    made = [user(), read_message(asked("Let me look.", "a")), result("a")]
    return MemoryLog([*made, *([] if last else [assistant()])])


def replaced(text: str, *call_ids: str) -> JsonValue:
    return {"index": 1, "message": asked(text, *call_ids)}


def body_of(draft: MessageDraft) -> dict[str, JsonValue]:
    body: dict[str, JsonValue] = orjson.loads(draft.body)
    return body


@pytest.mark.parametrize("last", [True, False])
def test_dropped_calls_go_with_their_results_and_the_new_text_stays(last: bool) -> None:
    log = looked(last=last)
    outcome = run(log, "replace", replaced("I know it.", "a"), pairing="drop")
    assert list(outcome.view) == [0, len(log), *([] if last else [3])]
    assert [body_of(entry.draft) for entry in outcome.entries] == [
        {"role": "assistant", "content": "I know it."}
    ]
    assert outcome.warnings == ()


@pytest.mark.parametrize("last", [True, False])
def test_kept_calls_have_their_results_behind_them_again(last: bool) -> None:
    log = looked(last=last)
    new = len(log)
    outcome = run(log, "replace", replaced("I look again.", "a"), pairing="keep")
    assert list(outcome.view) == [0, new, new + 1, *([] if last else [3])]
    assert [entry.draft.text for entry in outcome.entries] == ["I look again.", "found"]
    assert outcome.entries[1].call_index == new
    assert outcome.warnings == ()


def test_a_call_that_loses_its_result_is_a_warning_wherever_it_stands() -> None:
    outcome = run(looked(), "replace", replaced("I look again.", "a"))
    assert list(outcome.view) == [0, 4, 2, 3]
    assert codes(outcome) == [("split_pair", (4,)), ("split_pair", (2,))]


def test_a_new_call_in_the_middle_is_a_warning_and_at_the_end_it_waits() -> None:
    block = replaced("Something else.", "b")
    assert codes(run(looked(), "replace", block, pairing="keep")) == [
        ("split_pair", (4,)),
        ("split_pair", (2,)),
    ]
    at_end = run(looked(last=True), "replace", block, pairing="drop")
    assert (list(at_end.view), at_end.warnings) == ([0, 3], ())
    front: JsonValue = {"position": 0, "messages": [asked("First.", "b")]}
    assert codes(run(looked(), "insert", front)) == [("split_pair", (4,))]


def test_only_the_calls_of_the_former_message_go() -> None:
    log = MemoryLog([user(), calls("a", "b"), result("a"), result("b")])
    outcome = run(log, "replace", replaced("New.", "b", "c"), pairing="drop")
    assert [entry.draft.call_ids for entry in outcome.entries] == [("c",)]
    assert list(outcome.view) == [0, 4]


def test_results_of_calls_that_are_not_kept_go() -> None:
    log = MemoryLog([user(), calls("a", "b"), result("a", "A"), result("b", "B"), user()])
    outcome = run(log, "replace", replaced("New.", "b"), pairing="keep")
    assert list(outcome.view) == [0, 5, 6, 4]
    assert outcome.entries[1].draft.text == "B"
    assert outcome.warnings == ()


def test_a_message_of_nothing_but_dropped_calls_is_not_shown() -> None:
    outcome = run(looked(), "replace", replaced("", "a"), pairing="drop")
    assert (list(outcome.view), outcome.warnings) == ([0, 3], ())


@pytest.mark.parametrize("pairing", ["keep", "drop"])
def test_calls_that_wait_for_their_results_stay(pairing: str) -> None:
    log = MemoryLog([user(), calls("a")])
    outcome = run(log, "replace", replaced("Wait.", "a"), pairing=pairing)
    assert [entry.draft.call_ids for entry in outcome.entries] == [("a",)]
    assert (list(outcome.view), outcome.warnings) == ([0, 2], ())
