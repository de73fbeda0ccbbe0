"""Truncate, insert and replace, and what holds for every operation (semantics 1.6 to 1.8, 1.12)."""

import pytest
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.operations import cached_prefix_lost, tokens_of
from conversations.domain.view import View
from ctxadmin.lib.errors import Duplicate, OutOfRange, TooLarge, ValidationFailed
from tests.unit.conversations.chats import (
    SAID,
    calls,
    message,
    problems,
    result,
    run,
    shown,
    system,
    ten,
    user,
)


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ({"keep_first": 3}, [0, 1, 2]),
        ({"keep_last": 2}, [8, 9]),
        ({"remove_first": 7}, [7, 8, 9]),
        ({"remove_last": 8}, [0, 1]),
        ({"range": {"start": 1, "end": 4}}, [1, 2, 3]),
        ({"keep_first": 2, "keep_last": 2}, [0, 1, 8, 9]),
        ({"keep_first": 6, "keep_last": 6}, list(range(10))),
        ({"keep_first": 0, "keep_last": 1}, [9]),
        ({"keep_last": 0}, []),
        ({"keep_first": 0}, []),
        ({"remove_last": 0}, list(range(10))),
        ({"remove_first": 0}, list(range(10))),
        ({"keep_first": 100}, list(range(10))),
        ({"remove_ranges": [{"start": 2, "end": 4}, {"start": 8, "end": 99}]}, [0, 1, 4, 5, 6, 7]),
        ({"remove_ranges": [{"start": 3, "end": 7}, {"start": 0, "end": 4}]}, [7, 8, 9]),
        ({"remove_first": 2, "remove_ranges": [{"start": 0, "end": 1}]}, [3, 4, 5, 6, 7, 8, 9]),
        ({"remove_ranges": [{"start": 20, "end": 30}]}, list(range(10))),
        ({"keep_last": 100}, list(range(10))),
        ({"remove_first": 100}, []),
        ({"remove_last": 100}, []),
        ({"range": {"start": 8, "end": 100}}, [8, 9]),
        ({"range": {"start": 50, "end": 100}}, []),
        ({"keepFirst": 3}, [0, 1, 2]),
        ({"keep_first": 3, "keep_last": None}, [0, 1, 2]),
    ],
)
def test_truncate_keeps_what_its_option_says(block: JsonValue, left: list[int]) -> None:
    assert shown(ten(), "truncate", block) == left


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ({"keep_last": 1}, [0, 2, 4]),
        ({"remove_first": 3}, [0, 2, 3, 4]),
        ({"range": {"start": 1, "end": 2}}, [0, 1, 2]),
        ({"remove_ranges": [{"start": 0, "end": 4}]}, [0, 2, 4]),
        ({"keep_last": 0}, [0, 2]),
        ({"keep_first": 9}, [0, 1, 2, 3, 4]),
    ],
)
def test_truncate_keeps_the_system_messages_where_they_stood_if_it_is_asked_to(
    block: dict[str, JsonValue], left: list[int]
) -> None:
    log = MemoryLog([system(), user("a"), message("developer", "d"), user("b"), user("c")])
    assert shown(log, "truncate", {**block, "keep_system": True}) == left
    assert shown(log, "truncate", {**block, "keepSystem": True}) == left


@pytest.mark.parametrize(
    ("name", "block", "words"),
    [
        ("truncate", {"keep_last": 1}, "keep_system"),
        ("filter", {"content_contains": ["a"]}, "hidden now"),
        ("clear", {"keep_system_message": False}, "keep_system_message"),
    ],
)
def test_an_operation_that_hides_system_messages_warns_of_it(
    name: str, block: JsonValue, words: str
) -> None:
    log = MemoryLog([system("s"), user("a"), message("developer", "d"), user("a")])
    (warning,) = run(log, name, block).warnings
    assert (warning.code, warning.indices) == ("system_hidden", (0, 2))
    assert words in warning.message


def test_system_messages_that_stay_or_are_replaced_are_no_warning() -> None:
    log = MemoryLog([system(), user("a"), user("b")])
    assert run(log, "truncate", {"keep_last": 1, "keep_system": True}).warnings == ()
    assert run(log, "truncate", {"keep_first": 1}).warnings == ()
    assert run(log, "clear").warnings == ()
    assert run(log, "replace", {"index": 0, "message": SAID}).warnings == ()


def test_keeping_the_system_messages_is_no_option_by_itself() -> None:
    assert problems({"operation": "truncate", "truncate": {"keep_system": True}}) == ["/truncate"]


def test_truncate_applies_its_options_in_their_order_each_to_the_result_before() -> None:
    block: JsonValue = {
        "range": {"start": 1, "end": 3},
        "remove_last": 1,
        "remove_first": 1,
        "keep_last": 4,
        "keep_first": 4,
    }
    # head and tail 0 1 2 3 6 7 8 9, first removed, last removed, then positions 1 and 2
    assert shown(ten(), "truncate", block) == [2, 3]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({}, "/truncate"),
        ({"keep_first": None}, "/truncate"),
        ({"keep_first": -1}, "/truncate/keep_first"),
        ({"keepLast": -1}, "/truncate/keepLast"),
        ({"remove_first": 1.5}, "/truncate/remove_first"),
        ({"remove_last": "1"}, "/truncate/remove_last"),
        ({"keep_first": True}, "/truncate/keep_first"),
        ({"range": {"start": 3, "end": 3}}, "/truncate/range/end"),
        ({"range": {"start": 4, "end": 3}}, "/truncate/range/end"),
        ({"range": {"start": -1, "end": 3}}, "/truncate/range/start"),
        ({"range": {"start": 1}}, "/truncate/range/end"),
        ({"range": [1, 2]}, "/truncate/range"),
        ({"keep_frist": 3}, "/truncate/keep_frist"),
        ([], "/truncate"),
    ],
)
def test_a_wrong_truncate_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "truncate", "truncate": block}) == [pointer]


@pytest.mark.parametrize(
    ("position", "left"),
    [
        (0, [10, *range(10)]),
        (4, [0, 1, 2, 3, 10, 4, 5, 6, 7, 8, 9]),
        (10, list(range(11))),
        (-1, list(range(11))),
    ],
)
def test_insert_places_what_is_logged_at_the_end(position: int, left: list[int]) -> None:
    outcome = run(ten(), "insert", {"position": position, "messages": [SAID]})
    assert list(outcome.view) == left
    assert outcome.added == ((10, 11),)
    assert (outcome.shown, outcome.hidden) == ((), ())
    assert [entry.message_id for entry in outcome.entries] == ["log-10"]


def test_insert_keeps_the_order_of_its_messages() -> None:
    block: JsonValue = {"position": 1, "messages": [SAID, SAID, SAID]}
    assert shown(ten(), "insert", block)[:5] == [0, 10, 11, 12, 1]


def test_insert_counts_positions_in_the_visible_list() -> None:
    view = View.of_indices([7, 3])
    outcome = run(ten(), "insert", {"position": 1, "messages": [SAID]}, view=view)
    assert list(outcome.view) == [7, 10, 3]
    with pytest.raises(OutOfRange) as caught:
        run(ten(), "insert", {"position": 3, "messages": [SAID]}, view=view)
    assert [each.pointer for each in caught.value.problems] == ["/insert/position"]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"position": -2, "messages": [SAID]}, "/insert/position"),
        ({"position": 0.5, "messages": [SAID]}, "/insert/position"),
        ({"messages": [SAID]}, "/insert/position"),
        ({"position": 0, "messages": []}, "/insert/messages"),
        ({"position": 0}, "/insert/messages"),
        ({"position": 0, "messages": [SAID, {"role": "user"}]}, "/insert/messages/1/content"),
        ({"position": 0, "messages": [SAID], "index": 1}, "/insert/index"),
    ],
)
def test_a_wrong_insert_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "insert", "insert": block}) == [pointer]


def test_insert_logs_all_its_messages_or_none() -> None:
    log = ten()
    huge: JsonValue = {"role": "user", "content": "x" * (1 << 20)}
    with pytest.raises(TooLarge) as caught:
        run(log, "insert", {"position": 0, "messages": [SAID, huge]})
    assert [each.pointer for each in caught.value.problems] == ["/insert/messages/1"]
    assert len(log) == 10


def test_an_id_that_is_taken_is_a_duplicate() -> None:
    log = MemoryLog([user(id="mine")])
    with pytest.raises(Duplicate) as caught:
        run(log, "insert", {"position": 0, "messages": [SAID, {**SAID, "id": "mine"}]})  # type: ignore[dict-item]
    assert [each.pointer for each in caught.value.problems] == ["/insert/messages/1/id"]


def test_an_id_that_names_another_log_index_is_refused() -> None:
    block: JsonValue = {"index": 0, "message": {"role": "user", "content": "x", "id": "log-9"}}
    with pytest.raises(ValidationFailed) as caught:
        run(ten(), "replace", block)
    assert [each.pointer for each in caught.value.problems] == ["/replace/message/id"]


def test_replace_points_to_a_new_message_and_leaves_the_old_one_in_the_log() -> None:
    outcome = run(ten(), "replace", {"index": 2, "message": SAID})
    assert list(outcome.view) == [0, 1, 10, *range(3, 10)]
    assert (outcome.added, outcome.hidden) == (((10, 11),), ((2, 3),))


def test_replace_counts_its_index_in_the_visible_list() -> None:
    view = View.of_indices([7, 3])
    assert list(run(ten(), "replace", {"index": 1, "message": SAID}, view=view).view) == [7, 10]
    for index in (2, 3):
        with pytest.raises(OutOfRange) as caught:
            run(ten(), "replace", {"index": index, "message": SAID}, view=view)
        assert [each.pointer for each in caught.value.problems] == ["/replace/index"]


def test_replacing_in_an_empty_view_is_out_of_range() -> None:
    with pytest.raises(OutOfRange, match="no visible message"):
        run(ten(), "replace", {"index": 0, "message": SAID}, view=View())


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"index": -1, "message": SAID}, "/replace/index"),
        ({"index": 1.0, "message": SAID}, "/replace/index"),
        ({"message": SAID}, "/replace/index"),
        ({"index": 1}, "/replace/message"),
        ({"index": 1, "message": {"role": "tool", "content": ""}}, "/replace/message/tool_call_id"),
    ],
)
def test_a_wrong_replace_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "replace", "replace": block}) == [pointer]


def test_an_operation_that_fails_leaves_log_and_view_as_they_were() -> None:
    log, view = ten(), View(((2, 5),))
    with pytest.raises(OutOfRange):
        run(log, "replace", {"index": 3, "message": SAID}, view=view)
    assert len(log) == 10
    assert view.runs == ((2, 5),)


def test_an_outcome_tells_hidden_and_shown_as_runs() -> None:
    log = MemoryLog([calls("a"), result("a"), user(), user()])
    outcome = run(log, "truncate", {"keep_last": 1}, view=View(((1, 4),)), pairing="keep")
    assert (outcome.hidden, outcome.shown) == (((1, 3),), ())
    again = run(log, "truncate", {"keep_last": 3}, view=View(((1, 4),)), pairing="keep")
    assert (again.hidden, again.shown) == ((), ((0, 1),))


def test_tokens_of_a_view_are_those_of_its_runs() -> None:
    log = MemoryLog([user("x", tokens=place) for place in range(10)])
    assert tokens_of(View(((1, 3), (8, 10))), log.tokens) == 1 + 2 + 8 + 9


def test_the_cached_prefix_is_lost_behind_the_first_difference() -> None:
    log = MemoryLog([user("x", tokens=10) for _ in range(5)])
    before = View(((0, 4),))
    assert cached_prefix_lost(before, before.appended(4, 5), log.tokens) == 0
    assert cached_prefix_lost(before, View(((0, 2), (3, 4))), log.tokens) == 20
    assert cached_prefix_lost(before, View(), log.tokens) == 40
