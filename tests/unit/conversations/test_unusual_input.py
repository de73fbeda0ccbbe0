"""What unusual input gives in operations: the list of semantics 4.7."""

import pytest
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.message import MAX_BYTES, MessageDraft, read_message
from conversations.domain.pairing import find_splits
from conversations.domain.tokens import tokens_of_text
from ctxadmin.lib.errors import OutOfRange, TooLarge
from tests.unit.conversations.chats import (
    SAID,
    assistant,
    calls,
    problems,
    result,
    run,
    system,
    user,
)

BUDGET: JsonValue = {"max_tokens": 100, "target_tokens": 50}
OPERATIONS: list[tuple[str, JsonValue]] = [
    ("truncate", {"keep_last": 2}),
    ("filter", {"newer_than": {"turns": 1}}),
    ("filter", {"content_contains": ["天气"]}),
    ("clear", {}),
    ("budget", BUDGET),
    ("budget", {**BUDGET, "drop": "oldest_turns"}),  # type: ignore[dict-item]
    ("budget", {**BUDGET, "drop": "tool_results"}),  # type: ignore[dict-item]
]


@pytest.mark.parametrize("target", [100, 101, 10**9])
def test_a_target_that_is_not_below_the_maximum_is_refused_at_its_field(target: int) -> None:
    block: JsonValue = {"max_tokens": 100, "target_tokens": target}
    assert problems({"operation": "budget", "budget": block}) == ["/budget/target_tokens"]


@pytest.mark.parametrize("drop", ["oldest", "oldest_turns", "tool_results"])
@pytest.mark.parametrize("leave_pointer", [False, True])
def test_pins_that_are_larger_than_the_budget_stay_whole(drop: str, leave_pointer: bool) -> None:
    large = "pear and apple " * 100
    log = MemoryLog([user("old"), user(large, pinned=True), user("new")])
    block: JsonValue = {**BUDGET, "drop": drop}  # type: ignore[dict-item]
    outcome = run(log, "budget", block, leave_pointer=leave_pointer)
    assert 1 in outcome.view
    (over,) = [each for each in outcome.warnings if each.code == "over_budget"]
    shown = [log.entry(index).draft for index in outcome.view if index < len(log)]
    shown += [entry.draft for entry in outcome.entries]
    left = sum(map(_tokens, shown))
    assert f"{left} tokens remain, {left - 100} more" in over.message


def _tokens(draft: MessageDraft) -> int:
    log = MemoryLog([draft])
    return log.tokens(0, 1)


@pytest.mark.parametrize(("name", "block"), OPERATIONS)
@pytest.mark.parametrize("leave_pointer", [False, True])
def test_an_empty_conversation_stays_empty(
    name: str, block: JsonValue, leave_pointer: bool
) -> None:
    outcome = run(MemoryLog(), name, block, leave_pointer=leave_pointer)
    assert (list(outcome.view), outcome.entries, outcome.warnings) == ([], (), ())


def test_an_empty_conversation_has_nothing_to_summarize() -> None:
    for span in ({"range": {"start": 0, "end": 9}}, {"older_than": {"turns": 0}}):
        with pytest.raises(OutOfRange):
            run(MemoryLog(), "summarize", {**span, "message": SAID})  # type: ignore[dict-item]


def test_a_message_of_a_mebibyte_is_taken_and_a_larger_one_refused() -> None:
    frame = len(b'{"role":"user","content":""}')
    largest = read_message({"role": "user", "content": "x" * (MAX_BYTES - frame)})
    assert len(largest.body) == MAX_BYTES
    with pytest.raises(TooLarge):
        read_message({"role": "user", "content": "x" * (MAX_BYTES - frame + 1)})
    log = MemoryLog([user("a"), largest, user("b"), user("c")])
    assert list(run(log, "budget", BUDGET).view) == [2, 3]
    outcome = run(log, "budget", BUDGET, leave_pointer=True)
    assert list(outcome.view) == [4, 2, 3]
    assert outcome.entries[0].draft.points_to == ((0, 2),)


@pytest.mark.parametrize(("name", "block"), OPERATIONS)
@pytest.mark.parametrize("leave_pointer", [False, True])
def test_a_half_finished_call_at_the_end_is_pending_whatever_is_hidden_before_it(
    name: str, block: JsonValue, leave_pointer: bool
) -> None:
    talk = [system(), *(user("天气 " + "pear " * 20) for _ in range(5))]
    log = MemoryLog([*talk, user("天气?"), calls("a", "b"), result("a", "found")])
    outcome = run(log, name, block, leave_pointer=leave_pointer, pairing="keep")
    assert not find_splits(outcome.view, log).groups
    assert not [each for each in outcome.warnings if each.code == "split_pair"]


def test_results_of_a_call_that_was_cut_go_with_it() -> None:
    log = MemoryLog([calls("a"), *(user("pear " * 20) for _ in range(6)), result("a")])
    outcome = run(log, "budget", BUDGET, leave_pointer=True)
    assert 7 not in outcome.view
    assert not find_splits(outcome.view, log).groups


def test_fifty_thousand_messages_are_cut_as_a_few_are() -> None:
    texts = ("pear " * 20, "so")
    drafts = [assistant(texts[1]) if n % 2 else user(texts[0]) for n in range(50_000)]
    log = MemoryLog(drafts)
    outcome = run(log, "budget", {"max_tokens": 1000, "target_tokens": 500}, leave_pointer=True)
    tokens = sum(log.tokens(a, b) for a, b in outcome.view.runs if b <= len(log))
    assert tokens <= 1000
    line = outcome.entries[0].draft
    assert line.points_to == ((0, line.points_to[0][1]),)
    assert len(outcome.view) == 50_001 - line.points_to[0][1]


def test_chinese_text_is_cut_where_its_tokens_say() -> None:
    text = "我想知道今天的天气。" * 10
    log = MemoryLog([user(text) for _ in range(8)])
    each = log.tokens(0, 1)
    assert tokens_of_text(text) > 40
    block: JsonValue = {"max_tokens": each * 4, "target_tokens": each * 3}
    assert list(run(log, "budget", block).view) == [4, 5, 6, 7]
