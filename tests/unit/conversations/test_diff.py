"""The diff of two revisions: added, shown, hidden, moved, edited."""

import pytest

from conversations.domain.diff import ViewDifference, diff_views
from conversations.domain.view import View
from ctxadmin.lib.errors import NotFound
from tests.conversation_model import Conversation
from tests.unit.conversations.chats import CAUSE, SAID, conversation, operation, user


def four() -> Conversation:
    return conversation(user(), user(), user(), user())


def kinds(made: Conversation, before: int, after: int) -> list[tuple[str, int]]:
    return [(change.kind, change.index) for change in made.diff(before, after)]


def test_equal_revisions_have_no_difference() -> None:
    assert four().diff(0, 0) == ()


def test_hidden_and_shown_are_each_other_reversed() -> None:
    made = four()
    made.operate(operation("truncate", {"range": {"start": 1, "end": 3}}), CAUSE)
    assert made.diff(0, 1) == (
        ViewDifference("hidden", 0, previous_position=0),
        ViewDifference("hidden", 3, previous_position=3),
    )
    assert made.diff(1, 0) == (
        ViewDifference("shown", 0, position=0),
        ViewDifference("shown", 3, position=3),
    )


def test_added_is_what_was_logged_after_the_last_message_that_from_knew() -> None:
    made = four()
    made.operate(operation("truncate", {"keep_last": 1}), CAUSE)
    made.append([user()], CAUSE)
    made.operate(operation("insert", {"position": 0, "messages": [SAID]}), CAUSE)
    assert kinds(made, 0, 2) == [
        ("hidden", 0),
        ("hidden", 1),
        ("hidden", 2),
        ("added", 5),
        ("added", 4),
    ]
    assert kinds(made, 1, 2) == [("added", 5)]


def test_a_message_of_a_rolled_back_branch_is_shown_and_not_added() -> None:
    made = four()
    made.operate(operation("insert", {"position": 0, "messages": [SAID]}), CAUSE)
    made.rollback(0, CAUSE)
    made.operate(operation("truncate", {"keep_last": 0}), CAUSE)
    assert ("shown", 4) in kinds(made, 2, 1)


def test_a_replaced_message_is_edited_and_names_the_previous_one() -> None:
    made = four()
    made.operate(operation("replace", {"index": 1, "message": SAID}), CAUSE)
    edit = ViewDifference("edited", 4, previous_index=1, position=1, previous_position=1)
    assert made.diff(0, 1) == (edit,)
    back = ViewDifference("edited", 1, previous_index=4, position=1, previous_position=1)
    assert made.diff(1, 0) == (back,)


def test_a_message_that_was_replaced_twice_is_edited_once() -> None:
    made = four()
    for _ in range(2):
        made.operate(operation("replace", {"index": 1, "message": SAID}), CAUSE)
    assert [(each.index, each.previous_index) for each in made.diff(0, 2)] == [(5, 1)]


def test_edits_on_two_branches_are_one_edit() -> None:
    made = four()
    made.operate(operation("replace", {"index": 1, "message": SAID}), CAUSE)
    made.rollback(0, CAUSE)
    made.operate(operation("replace", {"index": 1, "message": SAID}), CAUSE)
    assert [(each.kind, each.index, each.previous_index) for each in made.diff(1, 2)] == [
        ("edited", 5, 4)
    ]


def test_an_edit_whose_message_is_hidden_now_is_just_hidden() -> None:
    made = four()
    made.operate(operation("replace", {"index": 0, "message": SAID}), CAUSE)
    made.operate(operation("truncate", {"remove_first": 1}), CAUSE)
    assert kinds(made, 0, 2) == [("hidden", 0)]


def test_moved_is_what_stands_outside_of_a_longest_common_subsequence() -> None:
    before, after = View.of_indices([0, 1, 2, 3, 4]), View.of_indices([0, 4, 1, 2, 3])
    assert diff_views(before, after, known=5, edits={}) == (
        ViewDifference("moved", 4, position=1, previous_position=4),
    )


def test_a_message_may_be_edited_and_moved() -> None:
    before, after = View.of_indices([0, 1, 2]), View.of_indices([3, 0, 1])
    changes = diff_views(before, after, known=3, edits={2: 3})
    assert [(each.kind, each.index) for each in changes] == [("edited", 3), ("moved", 3)]


def test_a_change_tells_only_the_fields_of_its_kind() -> None:
    change = ViewDifference("hidden", 3, previous_position=0)
    assert change.as_json() == {"kind": "hidden", "index": 3, "previous_position": 0}


@pytest.mark.parametrize(("before", "after"), [(0, 7), (7, 0)])
def test_the_diff_of_an_unknown_revision_is_not_found(before: int, after: int) -> None:
    with pytest.raises(NotFound):
        four().diff(before, after)


def test_the_diff_of_long_views_costs_their_runs() -> None:
    before = View(((0, 10**12),))
    after = View(((0, 5), (6, 10**12 + 1)))
    assert diff_views(before, after, known=10**12, edits={}) == (
        ViewDifference("hidden", 5, previous_position=5),
        ViewDifference("added", 10**12, position=10**12 - 1),
    )
