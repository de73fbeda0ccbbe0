"""Rule 11: tool pairs."""

import pytest
from pydantic import JsonValue

from conversations.domain.log import ToolGroup
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft
from conversations.domain.operations import Outcome
from conversations.domain.pairing import find_splits, place_drafts, validate_for_model
from conversations.domain.view import View
from ctxadmin.lib.errors import Duplicate, ValidationFailed
from tests.unit.conversations.chats import assistant, calls, result, run, user, whole


def links(log: MemoryLog) -> list[int | None]:
    return [log.entry(index).call_index for index in range(len(log))]


def codes(outcome: Outcome) -> list[tuple[str, tuple[int, ...]]]:
    return [(each.code, each.indices) for each in outcome.warnings]


def grown(log: MemoryLog, *drafts: MessageDraft, revision: int = 0) -> MemoryLog:
    log.append(place_drafts(drafts, log), revision=revision)
    return log


def test_a_result_answers_the_nearest_earlier_unanswered_call_with_its_id() -> None:
    log = MemoryLog([calls("a"), calls("a"), result("a"), result("a")])
    assert links(log) == [None, None, 1, 0]


def test_an_id_that_is_used_again_is_a_new_call() -> None:
    log = MemoryLog([calls("a"), result("a"), user(), calls("a"), result("a")])
    assert links(log) == [None, 0, None, None, 3]


def test_a_result_never_answers_a_later_call() -> None:
    assert links(MemoryLog([result("a"), calls("a")])) == [None, None]


def test_calls_of_the_branch_are_answered_before_nearer_ones_of_other_branches() -> None:
    log = MemoryLog([calls("a")])
    grown(log, calls("a"), revision=1)
    seen = log.on_branch({0, 2})
    entry = place_drafts([result("a")], seen)[0]
    assert entry.call_index == 0
    log.append([entry], revision=2)
    assert place_drafts([result("a")], seen)[0].call_index == 1


def test_a_call_that_was_answered_on_another_branch_can_be_answered_again() -> None:
    log = MemoryLog([calls("a")])
    grown(log, result("a"), revision=1)
    seen = log.on_branch({0, 2})
    assert place_drafts([result("a")], seen)[0].call_index == 0
    grown(seen, result("a"), revision=2)
    assert list(seen.tool_groups([])) == [ToolGroup(0, (2,), surplus=(1,))]
    assert list(log.on_branch({0, 1}).tool_groups([])) == [ToolGroup(0, (1,), surplus=(2,))]
    assert place_drafts([result("a")], seen)[0].call_index is None


def test_two_results_of_one_call_leave_another_call_unanswered() -> None:
    log = MemoryLog([calls("a", "b")])
    log.append(place_drafts([result("a")], log.on_branch({0, 1})), revision=1)
    log.append(place_drafts([result("a")], log.on_branch({0, 2})), revision=2)
    seen = log.on_branch({0, 2})
    assert list(seen.tool_groups([])) == [ToolGroup(0, (2,), 1, pending=True, surplus=(1,))]


def test_a_repeated_message_id_is_a_duplicate() -> None:
    log = MemoryLog([user(id="m")])
    with pytest.raises(Duplicate) as caught:
        place_drafts([user(), user(id="m")], log)
    assert caught.value.problems[0].pointer == "/messages/1/id"
    with pytest.raises(Duplicate):
        place_drafts([user(id="n"), user(id="n")], log)


def test_an_id_of_the_form_log_n_is_for_that_log_index_only() -> None:
    log = MemoryLog([user()])
    assert place_drafts([user(id="log-1")], log)[0].message_id == "log-1"
    for name in ("log-0", "log-2", "log-01"):
        with pytest.raises(ValidationFailed):
            place_drafts([user(id=name)], log)


def test_a_message_without_an_id_is_called_by_its_log_index() -> None:
    log = MemoryLog([user(), user(id="mine"), user()])
    assert [log.entry(index).message_id for index in range(3)] == ["log-0", "mine", "log-2"]


def pair() -> MemoryLog:
    """user 0, call 1, result 2, assistant 3."""
    return MemoryLog([user(), calls("a"), result("a"), assistant()])


def test_an_operation_reports_split_pairs_with_the_indices() -> None:
    assert codes(run(pair(), "truncate", {"keep_last": 2})) == [("split_pair", (2,))]
    assert codes(run(pair(), "truncate", {"keep_first": 2})) == [("split_pair", (1,))]
    assert codes(run(pair(), "filter", {"roles": ["user", "tool"]})) == [("split_pair", (2,))]
    assert codes(run(pair(), "truncate", {"keep_last": 3})) == []
    assert codes(run(pair(), "truncate", {"keep_last": 1})) == []


@pytest.mark.parametrize(
    ("stays", "split"),
    [({"keep_last": 2}, "no_call"), ({"keep_first": 2}, "no_result")],
)
def test_a_split_pair_says_which_of_the_two_is_missing(stays: JsonValue, split: str) -> None:
    assert [each.split for each in run(pair(), "truncate", stays).warnings] == [split]


def test_pairs_that_are_split_in_two_ways_are_distinguished() -> None:
    log = MemoryLog([calls("a"), result("a"), calls("b"), result("b")])
    ranges: JsonValue = {"remove_ranges": [{"start": 1, "end": 3}]}
    told = run(log, "truncate", ranges).warnings
    assert [(each.split, each.indices) for each in told] == [("no_result", (0,)), ("no_call", (3,))]


def test_a_message_between_a_call_and_its_result_is_reported_as_such() -> None:
    between: JsonValue = {"position": 2, "messages": [{"role": "user", "content": "wait"}]}
    told = run(pair(), "insert", between).warnings
    assert [(each.split, each.indices) for each in told] == [("apart", (1, 2))]


@pytest.mark.parametrize(
    ("block", "kept", "dropped"),
    [
        ({"keep_last": 2}, [1, 2, 3], [3]),
        ({"keep_first": 2}, [0, 1, 2], [0]),
        ({"keep_last": 1}, [3], [3]),
        ({"range": {"start": 2, "end": 3}}, [1, 2], []),
    ],
)
def test_keep_extends_the_view_by_the_partner_and_drop_hides_the_widowed_one(
    block: JsonValue, kept: list[int], dropped: list[int]
) -> None:
    keep = run(pair(), "truncate", block, pairing="keep")
    assert (list(keep.view), codes(keep)) == (kept, [])
    drop = run(pair(), "truncate", block, pairing="drop")
    assert (list(drop.view), codes(drop)) == (dropped, [])


def test_keep_takes_all_results_of_a_call() -> None:
    log = MemoryLog([calls("a", "b"), result("b"), result("a"), user()])
    assert list(run(log, "truncate", {"keep_last": 2}, pairing="keep").view) == [0, 1, 2, 3]
    assert list(run(log, "truncate", {"keep_last": 2}, pairing="drop").view) == [3]


def test_something_between_a_call_and_its_result_is_a_split() -> None:
    log = MemoryLog([calls("a"), user(), result("a"), assistant()])
    keep_all: JsonValue = {"remove_first": 0}
    assert codes(run(log, "truncate", keep_all)) == [("split_pair", (0, 2))]
    moved = run(log, "truncate", keep_all, pairing="keep")
    assert (list(moved.view), codes(moved)) == ([0, 2, 1, 3], [])
    assert list(run(log, "truncate", keep_all, pairing="drop").view) == [1, 3]


def test_calls_within_each_other_are_put_apart_by_keep() -> None:
    log = MemoryLog([calls("a"), calls("b"), result("a"), result("b")])
    moved = run(log, "truncate", {"remove_first": 0}, pairing="keep")
    assert (list(moved.view), codes(moved)) == ([0, 2, 1, 3], [])
    assert list(run(log, "truncate", {"remove_first": 0}, pairing="drop").view) == []


def test_keep_puts_a_group_where_its_result_stood_if_its_call_was_hidden() -> None:
    log = MemoryLog([calls("a"), user(), result("a"), user(), calls("b"), user(), result("b")])
    view = View.of_indices([1, 2, 3, 6, 5])
    outcome = run(log, "truncate", {"remove_first": 0}, view=view, pairing="keep")
    assert (list(outcome.view), codes(outcome)) == ([1, 0, 2, 3, 4, 6, 5], [])


def test_a_result_in_front_of_its_call_is_a_split() -> None:
    view = View.of_indices([2, 1, 0, 3])
    outcome = run(pair(), "truncate", {"remove_first": 0}, view=view)
    assert codes(outcome) == [("split_pair", (1, 2))]
    kept = run(pair(), "truncate", {"remove_first": 0}, view=view, pairing="keep")
    assert list(kept.view) == [1, 2, 0, 3]


def test_a_call_without_a_result_at_the_end_of_the_log_is_pending_and_not_split() -> None:
    for drafts in ([user(), calls("a")], [user(), calls("a", "b"), result("b")]):
        log = MemoryLog(drafts)
        for pairing in ("warn", "keep", "drop"):
            outcome = run(log, "truncate", {"remove_first": 0}, pairing=pairing)
            assert list(outcome.view) == list(range(len(drafts)))
            assert codes(outcome) == []
        assert validate_for_model(whole(log), log) == (1,)


def test_a_pending_call_whose_result_is_hidden_is_split() -> None:
    log = MemoryLog([calls("a", "b"), result("b")])
    assert codes(run(log, "truncate", {"keep_first": 1})) == [("split_pair", (0,))]


def test_a_call_without_a_result_in_the_middle_of_the_log_is_split() -> None:
    log = MemoryLog([calls("a"), user()])
    keep = run(log, "truncate", {"remove_first": 0}, pairing="keep")
    assert (list(keep.view), codes(keep)) == ([0, 1], [("split_pair", (0,))])
    assert list(run(log, "truncate", {"remove_first": 0}, pairing="drop").view) == [1]


def test_a_pending_call_is_so_for_its_own_branch() -> None:
    log = MemoryLog([user(), calls("a")])
    grown(log, user(), revision=1)
    assert find_splits(View(((0, 2),)), log.on_branch({0})).groups == ()
    assert len(find_splits(View(((0, 2),)), log.on_branch({0, 1})).groups) == 1


def test_a_result_without_any_call_is_an_orphan_and_never_refused() -> None:
    log = MemoryLog([user(), result("a"), assistant()])
    for pairing in ("warn", "keep"):
        outcome = run(log, "truncate", {"remove_first": 0}, pairing=pairing)
        assert codes(outcome) == [("orphan_result", (1,))]
        assert list(outcome.view) == [0, 1, 2]
    assert list(run(log, "truncate", {"remove_first": 0}, pairing="drop").view) == [0, 2]
    assert validate_for_model(whole(log), log) == (1,)


SAID: JsonValue = {"role": "user", "content": "new"}


def test_insert_between_a_call_and_its_result_only_warns_on_keep() -> None:
    block: JsonValue = {"position": 2, "messages": [SAID]}
    for pairing in ("warn", "keep"):
        outcome = run(pair(), "insert", block, pairing=pairing)
        assert list(outcome.view) == [0, 1, 4, 2, 3]
        assert codes(outcome) == [("split_pair", (1, 2))]
    assert list(run(pair(), "insert", block, pairing="drop").view) == [0, 4, 3]


def test_replacing_half_of_a_pair_only_warns_on_keep() -> None:
    block: JsonValue = {"index": 2, "message": SAID}
    for pairing in ("warn", "keep"):
        outcome = run(pair(), "replace", block, pairing=pairing)
        assert list(outcome.view) == [0, 1, 4, 3]
        assert codes(outcome) == [("split_pair", (1,))]
    assert list(run(pair(), "replace", block, pairing="drop").view) == [0, 4, 3]


def test_a_result_that_is_replaced_answers_its_call_also_if_another_with_its_id_waits() -> None:
    log = MemoryLog([user(), calls("a"), result("a"), calls("a")])
    outcome = run(log, "replace", {"index": 2, "message": redacted("a")})
    assert [each.call_index for each in outcome.entries] == [1]


def test_a_result_whose_call_was_replaced_answers_the_new_call_when_it_is_replaced_too() -> None:
    log = MemoryLog([user(), calls("a"), result("a"), calls("a")])
    view = View(((0, 1), (3, 4), (2, 3)))
    outcome = run(log, "replace", {"index": 2, "message": redacted("a")}, view=view)
    assert [each.call_index for each in outcome.entries] == [3]
    assert codes(outcome) == []


def redacted(call_id: str) -> JsonValue:
    return {"role": "tool", "content": "redacted", "tool_call_id": call_id}


def test_inserting_behind_a_pending_call_makes_it_split() -> None:
    log = MemoryLog([user(), calls("a")])
    outcome = run(log, "insert", {"position": -1, "messages": [SAID]})
    assert codes(outcome) == [("split_pair", (1,))]


def test_an_inserted_result_answers_a_pending_call() -> None:
    log = MemoryLog([user(), calls("a")])
    answer: JsonValue = {"role": "tool", "tool_call_id": "a", "content": "by hand"}
    outcome = run(log, "insert", {"position": -1, "messages": [answer, SAID]})
    assert [entry.call_index for entry in outcome.entries] == [1, None]
    assert codes(outcome) == []
    in_front = run(log, "insert", {"position": 0, "messages": [answer]})
    assert codes(in_front) == [("split_pair", (1, 2))]


def test_an_inserted_pair_is_a_pair() -> None:
    log = MemoryLog([user()])
    call: JsonValue = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}
    answers: list[JsonValue] = [
        {"role": "tool", "tool_call_id": name, "content": "x"} for name in "ab"
    ]
    outcome = run(log, "insert", {"position": 0, "messages": [call, *answers]})
    assert codes(outcome) == []
    assert codes(run(log, "insert", {"position": 0, "messages": [call, answers[0], SAID]})) == [
        ("split_pair", (1, 2))
    ]
    pending = run(log, "insert", {"position": -1, "messages": [call]})
    assert codes(pending) == []


def test_an_inserted_result_supersedes_the_one_of_another_branch() -> None:
    log = MemoryLog([calls("a")])
    grown(log, result("a"), revision=1)
    answer: JsonValue = {"role": "tool", "tool_call_id": "a", "content": "again"}
    block: JsonValue = {"position": -1, "messages": [answer]}
    outcome = run(log.on_branch({0}), "insert", block, view=View(((0, 1),)))
    assert list(outcome.view) == [0, 2]
    assert codes(outcome) == []


def test_a_second_answer_to_one_call_is_a_split() -> None:
    log = MemoryLog([calls("a")])
    grown(log, result("a"), revision=1)
    seen = log.on_branch({0, 2})
    grown(seen, result("a"), revision=2)
    everything: JsonValue = {"remove_first": 0}
    assert codes(run(seen, "truncate", everything)) == [("split_pair", (0, 1, 2))]
    assert list(run(seen, "truncate", everything, pairing="keep").view) == [0, 2]


def test_what_is_valid_for_a_model_has_no_indices() -> None:
    assert validate_for_model(whole(pair()), pair()) == ()
    assert validate_for_model(View.of_indices([0, 2, 3]), pair()) == (2,)
    assert validate_for_model(View(), pair()) == ()


def test_a_whole_log_is_checked_at_its_cuts_only() -> None:
    log = MemoryLog(
        [each for place in range(100) for each in (calls(f"{place}"), result(f"{place}"))]
    )
    assert list(log.tool_groups([0, 200])) == []
    assert list(log.tool_groups([51])) == [ToolGroup(50, (51,))]
