"""Summaries in place of a span of messages (semantics 4.4)."""

import orjson
import pytest
from pydantic import JsonValue

from conversations.domain.configs import stored_config
from conversations.domain.memory import MemoryLog
from conversations.domain.view import View
from ctxadmin.lib.errors import OutOfRange
from tests.unit.conversations.chats import (
    SAID,
    assistant,
    calls,
    operation,
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
            user("one"),  # 1
            calls("a"),  # 2
            result("a"),  # 3
            assistant("done"),  # 4
            user("two"),  # 5
            assistant("半"),  # 6
        ]
    )


def over(start: int, end: int, **more: JsonValue) -> JsonValue:
    return {"range": {"start": start, "end": end}, "message": SAID, **more}


@pytest.mark.parametrize(
    ("block", "left"),
    [
        (over(1, 5), [0, 7, 5, 6]),
        (over(0, 5), [0, 7, 5, 6]),
        (over(0, 5, keep_system=False), [7, 5, 6]),
        (over(5, 99), [0, 1, 2, 3, 4, 7]),
        ({"older_than": {"turns": 1}, "message": SAID}, [0, 7, 5, 6]),
        ({"olderThan": {"messages": 1}, "message": SAID}, [0, 7, 6]),
    ],
)
def test_the_message_takes_the_place_of_the_first_that_it_covers(
    block: JsonValue, left: list[int]
) -> None:
    assert shown(chat(), "summarize", block) == left


def test_what_it_covers_is_hidden_and_on_record_without_the_text() -> None:
    config = operation("summarize", over(1, 5))
    outcome = run(chat(), "summarize", over(1, 5))
    assert (outcome.added, outcome.hidden) == (((7, 8),), ((1, 5),))
    assert orjson.loads(stored_config(config, 7, outcome.hidden))["summarize"] == {
        "range": {"start": 1, "end": 5},
        "message": {"index": 7},
        "sources": [[1, 5]],
    }


def test_pins_in_the_span_stay_with_their_pairs_and_are_not_covered() -> None:
    log = chat()
    log._pins.append(3)
    outcome = run(log, "summarize", over(1, 5))
    assert list(outcome.view) == [0, 7, 2, 3, 5, 6]
    assert [(each.code, each.indices) for each in outcome.warnings] == [("kept_pinned", (3,))]
    assert shown(log, "summarize", over(1, 5), include_pinned=True) == [0, 7, 5, 6]


def test_a_pair_that_is_cut_is_a_warning_or_kept_or_dropped() -> None:
    outcome = run(chat(), "summarize", over(1, 3))
    assert [each.code for each in outcome.warnings] == ["split_pair"]
    assert shown(chat(), "summarize", over(1, 3), pairing="keep") == [0, 7, 2, 3, 4, 5, 6]
    assert shown(chat(), "summarize", over(1, 3), pairing="drop") == [0, 7, 4, 5, 6]


def test_a_summary_can_be_summarized_again() -> None:
    log = chat()
    first = run(log, "summarize", over(1, 5))
    log.append(first.entries)
    again = run(log, "summarize", over(1, 3), view=first.view)
    assert list(again.view) == [0, 8, 6]
    assert again.hidden == ((5, 6), (7, 8))


@pytest.mark.parametrize(
    "block",
    [
        over(7, 9),
        over(0, 1),
        {"older_than": {"turns": 5}, "message": SAID},
    ],
)
def test_a_span_without_anything_to_cover_is_out_of_range(block: JsonValue) -> None:
    with pytest.raises(OutOfRange):
        run(chat(), "summarize", block)


def test_an_empty_view_has_nothing_to_cover() -> None:
    with pytest.raises(OutOfRange):
        run(chat(), "summarize", over(0, 5), view=View())


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"message": SAID}, "/summarize"),
        ({**over(0, 1), "older_than": {"turns": 1}}, "/summarize"),  # type: ignore[dict-item]
        ({"range": {"start": 0, "end": 1}}, "/summarize/message"),
        (over(2, 2), "/summarize/range/end"),
    ],
)
def test_one_span_and_a_message_are_required(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "summarize", "summarize": block}) == [pointer]


def test_only_the_sources_that_it_names_are_covered() -> None:
    """What came into the span after the summary was written stays."""
    block = over(1, 6, sources=[[1, 3], [3, 5]])
    config, outcome = operation("summarize", block), run(chat(), "summarize", block)
    assert (list(outcome.view), outcome.hidden) == ([0, 7, 5, 6], ((1, 5),))
    assert orjson.loads(stored_config(config, 7, outcome.hidden))["summarize"]["sources"] == [
        [1, 5]
    ]
    aged: JsonValue = {"older_than": {"turns": 1}, "message": SAID, "sources": [[1, 2]]}
    assert shown(chat(), "summarize", aged) == [0, 7, 2, 3, 4, 5, 6]


def test_sources_alone_are_the_span_wherever_they_stand_by_now() -> None:
    block: JsonValue = {"message": SAID, "sources": [[1, 5]]}
    view = View(((0, 1), (5, 6), (1, 5), (6, 7)))
    assert list(run(chat(), "summarize", block, view=view).view) == [0, 5, 7, 6]


def test_sources_that_are_hidden_stay_on_record() -> None:
    """A summary may be made of messages that another one stands for already."""
    block: JsonValue = {"message": SAID, "sources": [[0, 5]]}
    view = View(((0, 1), (4, 7)))
    config, outcome = operation("summarize", block), run(chat(), "summarize", block, view=view)
    assert (list(outcome.view), outcome.hidden) == ([0, 7, 5, 6], ((4, 5),))
    assert orjson.loads(stored_config(config, 7, outcome.hidden))["summarize"]["sources"] == [
        [0, 5]
    ]


@pytest.mark.parametrize("sources", [[[1, 99]], [[0, 1]]])
def test_sources_that_are_not_logged_or_not_there_to_cover_are_out_of_range(
    sources: JsonValue,
) -> None:
    with pytest.raises(OutOfRange) as caught:
        run(chat(), "summarize", {"message": SAID, "sources": sources})
    assert [each.pointer for each in caught.value.problems] == ["/summarize/sources"]


@pytest.mark.parametrize(
    ("sources", "pointer"),
    [
        ([], "/summarize/sources"),
        ([[3, 3]], "/summarize/sources"),
        ([[3]], "/summarize/sources/0"),
        ([[3, 4, 5]], "/summarize/sources/0"),
        ([[-1, 4]], "/summarize/sources/0/0"),
        ([[1, "4"]], "/summarize/sources/0/1"),
        (5, "/summarize/sources"),
    ],
)
def test_sources_are_ranges(sources: JsonValue, pointer: str) -> None:
    block: JsonValue = {"message": SAID, "sources": sources}
    assert problems({"operation": "summarize", "summarize": block}) == [pointer]
