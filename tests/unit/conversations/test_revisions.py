"""Rules 3 to 5 and 15 to 17: batches, revisions, rollback and restore."""

from dataclasses import replace

import pytest

from conversations.domain import revisions as tree
from conversations.domain.conversation import Conversation, Expected
from conversations.domain.view import View
from ctxadmin.lib.errors import NotFound, OutOfRange, VersionConflict
from tests.unit.conversations.chats import (
    CAUSE,
    calls,
    conversation,
    operation,
    result,
    tools,
    user,
    visible,
)

LAST = operation("truncate", {"keep_last": 1})
ALL = operation("truncate", {"remove_first": 0})


def three() -> Conversation:
    return conversation(user(), user(), user())


def test_batch_0_is_the_start() -> None:
    made = Conversation(CAUSE)
    assert (made.current.id, made.current.number, made.current.operation) == (0, 0, "start")
    assert made.current.view == View()


def test_every_operation_opens_exactly_one_batch_also_when_nothing_changes() -> None:
    made = three()
    for number in (1, 2, 3):
        report = made.operate(ALL, CAUSE)
        assert (report.batch, report.revision) == (number, number)
    empty = operation("truncate", {"keep_first": 0})
    assert made.operate(empty, CAUSE).batch == 4
    assert made.operate(empty, CAUSE).batch == 5


def test_an_append_extends_the_current_batch_and_opens_none() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    appended = made.append([user(), user()], CAUSE)
    assert (appended.first_index, appended.count) == (3, 2)
    assert (appended.batch, appended.revision) == (1, 1)
    assert visible(made) == [2, 3, 4]


def test_rollback_shows_the_view_at_the_end_of_a_batch() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.append([user()], CAUSE)
    made.operate(LAST, CAUSE)
    made.append([user()], CAUSE)
    report = made.rollback(1, CAUSE)
    assert (visible(made), report.batch, report.revision) == ([2, 3], 1, 1)
    assert report.outcome.hidden == ((4, 5),)
    assert report.outcome.shown == ((2, 3),)
    made.rollback(0, CAUSE)
    assert visible(made) == [0, 1, 2]
    assert len(made.messages) == 5


def test_the_next_operation_after_a_rollback_opens_the_next_number_again() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    report = made.operate(LAST, CAUSE)
    assert (report.batch, report.revision) == (1, 2)
    assert made.revisions[2].parent == 0


def test_a_rollback_to_the_current_batch_changes_nothing() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    report = made.rollback(1, CAUSE)
    assert (report.batch, report.revision) == (1, 1)
    assert made.moves == ()


@pytest.mark.parametrize("batch", [-1, 2, 100])
def test_a_rollback_to_an_unknown_batch_is_not_found(batch: int) -> None:
    made = three()
    made.operate(LAST, CAUSE)
    with pytest.raises(NotFound):
        made.rollback(batch, CAUSE)
    assert made.current.number == 1


def test_a_batch_of_a_rolled_back_branch_is_not_found_by_rollback_but_by_restore() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    with pytest.raises(NotFound):
        made.rollback(1, CAUSE)
    assert made.restore(1, CAUSE).batch == 1
    assert visible(made) == [2]


def test_restoring_an_unknown_revision_is_not_found() -> None:
    with pytest.raises(NotFound):
        three().restore(1, CAUSE)


def test_rollback_takes_the_nearest_batch_of_that_number_on_the_branch() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    made.append([user()], CAUSE)
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    assert (made.current.id, visible(made)) == (2, [0, 1, 2, 3])


def test_an_append_after_a_rollback_continues_as_a_new_revision_under_the_same_number() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    appended = made.append([user()], CAUSE)
    assert (appended.batch, appended.revision) == (0, 2)
    assert made.revisions[2].operation == "append"
    assert made.revisions[2].parent == 0
    assert made.revisions[0].view == View(((0, 3),))
    assert made.append([user()], CAUSE).revision == 2
    assert visible(made) == [0, 1, 2, 3, 4]


def test_a_restored_leaf_grows_on_and_a_revision_with_children_does_not() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    made.restore(2, CAUSE)
    assert made.append([user()], CAUSE).revision == 2
    made.restore(1, CAUSE)
    assert made.append([user()], CAUSE).revision == 3


def test_rollback_and_restore_create_no_revision_and_are_on_record() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    made.restore(1, CAUSE)
    assert sorted(made.revisions) == [0, 1]
    assert [(each.kind, each.from_revision, each.to_revision) for each in made.moves] == [
        ("rollback", 1, 0),
        ("restore", 0, 1),
    ]
    assert made.moves[0].author == "ada"
    assert made.moves[0].reason == "a reason"
    assert made.moves[0].created_at == CAUSE.at


def test_a_rolled_back_branch_stays_listed() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    assert [each.id for each in made.batches()] == [0]
    assert [each.number for each in made.revisions.values()] == [0, 1]


def test_the_batches_of_the_branch_are_listed_once_each() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    made.rollback(0, CAUSE)
    made.append([user()], CAUSE)
    made.operate(LAST, CAUSE)
    assert [(each.number, each.id) for each in made.batches()] == [(0, 2), (1, 3)]


def test_a_revision_tells_what_opened_it() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    opened = made.current
    assert (opened.author, opened.reason, opened.created_at) == ("ada", "a reason", CAUSE.at)
    assert opened.config == b'{"operation":"truncate","truncate":{"keep_last":1}}'
    assert (opened.visible_count, opened.log_length) == (1, 3)
    assert opened.tokens == made.messages[2].tokens


def test_an_explicit_batch_narrows_the_view_to_the_boundary() -> None:
    made = three()
    report = made.open_batch(1, CAUSE)
    assert (report.batch, visible(made)) == (1, [1, 2])
    assert (made.current.operation, made.current.boundary) == ("batch", 1)
    assert report.outcome.hidden == ((0, 1),)
    made.open_batch(3, CAUSE)
    assert visible(made) == []
    made.rollback(0, CAUSE)
    made.open_batch(0, CAUSE)
    assert visible(made) == [0, 1, 2]


@pytest.mark.parametrize("boundary", [-1, 4])
def test_a_boundary_outside_of_the_log_is_out_of_range(boundary: int) -> None:
    made = three()
    with pytest.raises(OutOfRange) as caught:
        made.open_batch(boundary, CAUSE)
    assert caught.value.problems[0].pointer == "/boundary"
    assert made.current.id == 0


def test_the_boundary_of_an_empty_log_is_0() -> None:
    made = Conversation(CAUSE)
    assert made.open_batch(0, CAUSE).batch == 1
    with pytest.raises(OutOfRange):
        made.open_batch(1, CAUSE)


def test_an_explicit_batch_warns_of_split_pairs_and_hidden_tools() -> None:
    made = conversation(tools(), calls("a"), result("a"))
    report = made.open_batch(2, CAUSE)
    assert [(each.code, each.indices) for each in report.outcome.warnings] == [
        ("split_pair", (2,)),
        ("tools_hidden", (0,)),
    ]
    # Which nothing but truncate and filter could be asked to keep.
    assert report.outcome.warnings[1].message == "a tool description is hidden now"


def test_a_writer_who_saw_another_revision_conflicts() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    with pytest.raises(VersionConflict) as caught:
        made.operate(LAST, CAUSE, expected=Expected(revision=0))
    assert (caught.value.expected, caught.value.actual) == (0, 1)
    made.operate(LAST, CAUSE, expected=Expected(revision=1))


def test_a_writer_who_missed_an_append_conflicts_if_it_names_the_count() -> None:
    made = three()
    made.append([user()], CAUSE)
    with pytest.raises(VersionConflict) as caught:
        made.rollback(0, CAUSE, expected=Expected(revision=0, count=3))
    assert (caught.value.expected, caught.value.actual) == (3, 4)
    made.open_batch(1, CAUSE, expected=Expected(revision=0))


def test_an_append_never_conflicts() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    assert made.append([user()], CAUSE).revision == 1


def test_a_dry_run_tells_the_batch_and_changes_nothing() -> None:
    made = three()
    before = (made.current, len(made.messages), dict(made.revisions))
    config = operation("insert", {"position": 0, "messages": [{"role": "user", "content": "x"}]})
    report = made.operate(config, CAUSE, dry_run=True)
    assert (report.batch, report.revision, report.visible_count) == (1, None, 4)
    assert report.outcome.added == ((3, 4),)
    made.operate(LAST, CAUSE)
    made.restore(0, CAUSE)
    assert made.restore(1, CAUSE, dry_run=True).revision is None
    assert made.rollback(0, CAUSE, dry_run=True).revision is None
    assert made.open_batch(1, CAUSE, dry_run=True).revision is None
    assert (made.current, len(made.messages), made.revisions[0]) == (*before[:2], before[2][0])


def test_a_report_counts_tokens_before_and_after_and_the_lost_prefix() -> None:
    made = conversation(*(user("x", tokens=10) for _ in range(4)))
    report = made.operate(operation("truncate", {"remove_first": 1}), CAUSE)
    assert (report.tokens_before, report.tokens_after) == (40, 30)
    assert report.cached_prefix_lost == 40
    block = {"position": -1, "messages": [{"role": "user", "content": "x", "tokens": 5}]}
    report = made.operate(operation("insert", block), CAUSE)  # type: ignore[arg-type]
    assert (report.tokens_before, report.tokens_after, report.cached_prefix_lost) == (30, 35, 0)


def test_only_the_view_is_visible_and_the_log_is_everything() -> None:
    made = three()
    made.operate(LAST, CAUSE)
    assert [entry.index for entry in made.visible()] == [2]
    assert [each.entry.index for each in made.messages] == [0, 1, 2]


def test_a_clear_of_a_conversation_logs_its_tools_text_once() -> None:
    made = conversation(user(), text="Tools: look")
    clear = operation("clear")
    assert made.operate(clear, CAUSE).outcome.added == ((1, 2),)
    made.rollback(0, CAUSE)
    assert made.operate(clear, CAUSE).outcome.added == ()
    assert visible(made) == [1]
    made.set_tools("Tools: find")
    made.rollback(0, CAUSE)
    assert made.operate(clear, CAUSE).outcome.added == ((2, 3),)


def test_a_result_that_was_rolled_away_can_be_sent_again() -> None:
    made = conversation(user(), calls("a"))
    made.operate(ALL, CAUSE)
    made.append([result("a")], CAUSE)
    made.rollback(0, CAUSE)
    made.append([result("a")], CAUSE)
    assert visible(made) == [0, 1, 3]
    assert made.messages[3].entry.call_index == 1
    assert made.operate(ALL, CAUSE).outcome.warnings == ()


def test_narrowing_keeps_the_order_of_the_view() -> None:
    assert list(tree.narrow(View.of_indices([4, 0, 3]), 3, 5)) == [4, 3]


def test_a_lineage_goes_up_to_the_root() -> None:
    root = tree.start(CAUSE)
    child = replace(root, id=3, parent=0)
    assert [each.id for each in tree.lineage(3, {0: root, 3: child})] == [3, 0]
