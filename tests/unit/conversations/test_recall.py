"""Lines about hidden messages: what they name, where they stand (semantics 4.6)."""

import orjson
import pytest
from pydantic import JsonValue

from conversations.domain import runs
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft, read_logged, read_message
from conversations.domain.operations import Outcome
from conversations.domain.pairing import find_splits, place_drafts
from conversations.domain.pointers import LINE_TOKENS
from conversations.domain.recall import line_text
from conversations.domain.tokens import tokens_of_message, tokens_of_plain
from conversations.domain.view import View
from tests.unit.conversations.chats import (
    SAID,
    assistant,
    calls,
    result,
    run,
    system,
    ten,
    user,
)


def line_of(outcome: Outcome) -> MessageDraft:
    (found,) = [entry.draft for entry in outcome.entries if entry.draft.points_to]
    return found


def left(outcome: Outcome) -> list[int]:
    return list(outcome.view)


def test_what_is_hidden_leaves_one_line_where_it_stood() -> None:
    outcome = run(ten(), "truncate", {"keep_first": 2, "keep_last": 3}, leave_pointer=True)
    assert left(outcome) == [0, 1, 10, 7, 8, 9]
    assert (outcome.hidden, outcome.added) == (((2, 7),), ((10, 11),))
    line = line_of(outcome)
    assert line.text == "[5 messages are hidden: 2-6. Recall one in full by its number or id.]"
    assert (line.role, line.points_to) == ("system", ((2, 7),))
    assert orjson.loads(line.body)["points_to"] == {"runs": [[2, 7]], "count": 5}


def test_without_being_asked_nothing_leaves_a_line() -> None:
    assert run(ten(), "truncate", {"keep_last": 3}).entries == ()


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("truncate", {"keep_last": 20}),
        ("filter", {"roles": ["user"]}),
        ("insert", {"position": 0, "messages": [SAID]}),
        ("budget", {"max_tokens": 10_000, "target_tokens": 1_000}),
    ],
)
def test_what_hides_nothing_leaves_no_line(name: str, block: JsonValue) -> None:
    outcome = run(ten(), name, block, leave_pointer=True)
    assert not any(entry.draft.points_to for entry in outcome.entries)


@pytest.mark.parametrize(
    ("name", "block", "expected"),
    [
        ("filter", {"content_excludes": ["number 4"]}, [0, 1, 2, 3, 10, 5, 6, 7, 8, 9]),
        ("clear", {}, [10]),
        ("replace", {"index": 4, "message": SAID}, [0, 1, 2, 3, 10, 11, 5, 6, 7, 8, 9]),
        (
            "summarize",
            {"range": {"start": 0, "end": 8}, "message": SAID},
            [10, 11, 8, 9],
        ),
    ],
)
def test_every_operation_that_hides_can_leave_a_line(
    name: str, block: JsonValue, expected: list[int]
) -> None:
    assert left(run(ten(), name, block, leave_pointer=True)) == expected


def test_ids_that_callers_chose_are_named_at_the_ends_of_a_range() -> None:
    log = MemoryLog([user("a", id="question"), user("b"), user("c"), user("d", id="last")])
    text = line_of(run(log, "truncate", {"keep_last": 1}, leave_pointer=True)).text
    assert "3 messages are hidden: 0-2 (question to log-2)." in text


def test_the_next_line_names_what_the_one_before_named() -> None:
    log = ten()
    first = run(log, "truncate", {"keep_last": 4}, leave_pointer=True)
    log.append(first.entries)
    log.append(place_drafts([user("more")], log))
    view = first.view.appended(11, 12)
    second = run(log, "truncate", {"keep_last": 2}, view=view, leave_pointer=True)
    assert left(second) == [12, 9, 11]
    assert line_of(second).points_to == ((0, 9),)


def test_a_line_that_stays_still_names_its_messages_alone() -> None:
    log = ten()
    first = run(log, "truncate", {"keep_last": 4}, leave_pointer=True)
    log.append(first.entries)
    second = run(
        log, "filter", {"content_excludes": ["number 8"]}, view=first.view, leave_pointer=True
    )
    assert left(second) == [10, 6, 7, 11, 9]
    assert line_of(second).points_to == ((8, 9),)


def test_a_line_is_no_system_message_that_options_keep() -> None:
    log = MemoryLog([system(), *(user(f"{n}") for n in range(5))])
    first = run(log, "truncate", {"keep_last": 2, "keep_system": True}, leave_pointer=True)
    assert left(first) == [0, 6, 4, 5]
    log.append(first.entries)
    again = {"view": first.view, "leave_pointer": True}
    cut = run(log, "truncate", {"keep_last": 1, "keep_system": True}, **again)  # type: ignore[arg-type]
    assert left(cut) == [0, 7, 5]
    assert not cut.warnings
    cleared = run(log, "clear", {}, view=first.view)
    assert left(cleared) == [0]


def test_a_message_that_is_visible_again_is_not_named() -> None:
    log = ten()
    first = run(log, "truncate", {"keep_last": 4}, leave_pointer=True)
    log.append(first.entries)
    back = View(((2, 3), (10, 11), (6, 10)))
    second = run(log, "truncate", {"keep_first": 1}, view=back, leave_pointer=True)
    assert line_of(second).points_to == ((0, 2), (3, 10))


def test_a_line_never_parts_a_call_from_its_results() -> None:
    log = MemoryLog([user(), calls("a"), user("between"), result("a"), assistant()])
    outcome = run(log, "filter", {"content_excludes": ["between"]}, leave_pointer=True)
    assert left(outcome) == [0, 1, 3, 5, 4]
    assert not find_splits(outcome.view, log).groups


def test_an_emptied_result_names_the_message_that_has_its_content() -> None:
    log = MemoryLog([user(), calls("a"), result("a", "pear " * 200), assistant("x")])
    budget: JsonValue = {
        "max_tokens": 100,
        "target_tokens": 50,
        "drop": "tool_results",
        "keep_last_results": 0,
        "placeholder": "[gone]",
    }
    (entry,) = run(log, "budget", budget, leave_pointer=True).entries
    expected = "[gone] [Message 2. Recall one in full by its number or id.]"
    assert entry.draft.text == expected


def test_the_line_of_a_budget_counts() -> None:
    log = MemoryLog([user("pear and apple " * 6) for _ in range(20)])
    budget: JsonValue = {"max_tokens": 300, "target_tokens": 200}
    outcome = run(log, "budget", budget, leave_pointer=True)
    line = line_of(outcome)
    whole = sum(log.tokens(start, stop) for start, stop in outcome.view.runs if stop <= len(log))
    assert whole + tokens_of_message(line) <= 200
    assert not outcome.warnings


@pytest.mark.parametrize("most", [1, 5, 3000])
def test_a_line_is_short_whatever_it_names(most: int) -> None:
    covered = tuple((n * 3 + 10**8, n * 3 + 10**8 + 2) for n in range(most))
    chosen = {start: f"{'-_' * 30}{n:04}" for n, (start, _) in enumerate(covered)}
    for ids in ({}, chosen):
        text = line_text(covered, ids)
        assert tokens_of_plain(text) <= LINE_TOKENS
        assert "\n" not in text


def test_ranges_beyond_a_thousand_are_counted_only() -> None:
    drafts = [user("keep" if n % 2 else "drop") for n in range(3000)]
    outcome = run(MemoryLog(drafts), "filter", {"content_excludes": ["drop"]}, leave_pointer=True)
    body = orjson.loads(line_of(outcome).body)["points_to"]
    assert (len(body["runs"]), body["count"]) == (1000, 1500)


def test_a_line_is_known_again_when_it_was_logged_and_nothing_sent_is_one() -> None:
    line = line_of(run(ten(), "truncate", {"keep_last": 1}, leave_pointer=True))
    body = orjson.loads(line.body)
    assert read_logged(body) == line
    sent = read_message(body)
    assert sent.points_to == ()
    assert "points_to" not in orjson.loads(sent.body)


@pytest.mark.parametrize(
    "value", [5, {"runs": [[3, 1]], "count": 1}, {"runs": 5, "count": 1}, {"runs": [[0, 1]]}]
)
def test_a_logged_field_of_that_name_is_data_of_its_author(value: JsonValue) -> None:
    body: dict[str, JsonValue] = {"role": "system", "content": "x", "points_to": value}
    draft = read_logged(body)
    assert draft.points_to == ()
    assert orjson.loads(draft.body) == body


def test_a_pinned_message_stays_and_is_not_named() -> None:
    log = MemoryLog([user("a", pinned=True), user("b"), user("c")])
    outcome = run(log, "truncate", {"keep_last": 1}, leave_pointer=True)
    assert left(outcome) == [0, 3, 2]
    assert runs.count(line_of(outcome).points_to) == 1
