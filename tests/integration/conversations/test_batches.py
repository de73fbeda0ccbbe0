"""Batches, revisions, rollback and restore as the services carry them out (semantics 1.3 to 1.5).

That any other sequence of steps does what the rules say is shown in ``test_sql_log``.
"""

import pytest

from conversations.domain.configs import OperationConfig
from conversations.domain.message import MessageDraft
from conversations.domain.revisions import UNSEEN, Seen
from conversations.models import Conversation, Message, Revision
from conversations.reading import queries
from conversations.services import use_cases
from conversations.services.metadata import change_metadata
from conversations.services.results import Appended, Applied
from conversations.services.use_cases import NewConversation
from conversations.store.conversation import find_head, find_revision, view_of
from ctxadmin.lib.errors import NotFound, OutOfRange, VersionConflict
from tests.factories import engine
from tests.unit.conversations.chats import calls, operation, result, tools, user

pytestmark = pytest.mark.django_db

LAST = operation("truncate", {"keep_last": 1})
ALL = operation("truncate", {"remove_first": 0})


class Talk:
    """A conversation that an engine changes."""

    def __init__(self, *first: MessageDraft, tools: str = "") -> None:
        self.actor = engine()
        new = NewConversation(tools=tools, drafts=first)
        self.id = use_cases.create(self.actor, new).public_id

    @property
    def head(self) -> Conversation:
        return find_head(self.actor.workspace, self.id)

    @property
    def current(self) -> Revision:
        return self.revision(self.head.current_revision)

    def revision(self, number: int) -> Revision:
        return find_revision(self.head.key, number)

    def visible(self) -> list[int]:
        return list(view_of(self.current))

    def message(self, index: int) -> Message:
        return Message.objects.get(conversation=self.head.key, index=index)

    def append(self, *drafts: MessageDraft) -> Appended:
        return use_cases.append(self.actor, self.id, drafts)

    def operate(self, config: OperationConfig, seen: Seen = UNSEEN) -> Applied:
        return use_cases.apply_operation(self.actor, self.id, config, reason="why", seen=seen)

    def open_batch(self, boundary: int, seen: Seen = UNSEEN) -> Applied:
        return use_cases.open_batch(self.actor, self.id, boundary, seen=seen)

    def rollback(self, batch: int, seen: Seen = UNSEEN) -> Applied:
        return use_cases.rollback(self.actor, self.id, batch, reason="back", seen=seen)

    def restore(self, revision: int) -> Applied:
        return use_cases.restore(self.actor, self.id, revision)


def three() -> Talk:
    return Talk(user(), user(), user())


def test_every_operation_opens_exactly_one_batch_also_when_nothing_changes() -> None:
    talk = three()
    for number in (1, 2, 3):
        applied = talk.operate(ALL)
        assert (applied.batch, applied.revision) == (number, number)
    empty = operation("truncate", {"keep_first": 0})
    assert [talk.operate(empty).batch for _ in range(2)] == [4, 5]


def test_an_append_extends_the_current_batch_and_opens_none() -> None:
    talk = three()
    talk.operate(LAST)
    assert talk.append(user(), user()) == Appended(first_index=3, count=2, batch=1, revision=1)
    assert talk.visible() == [2, 3, 4]


def test_rollback_shows_the_view_at_the_end_of_a_batch() -> None:
    talk = three()
    talk.operate(LAST)
    talk.append(user())
    talk.operate(LAST)
    talk.append(user())
    applied = talk.rollback(1)
    assert (talk.visible(), applied.batch, applied.revision) == ([2, 3], 1, 1)
    assert (applied.hidden, applied.shown) == (((4, 5),), ((2, 3),))
    talk.rollback(0)
    assert talk.visible() == [0, 1, 2]
    assert talk.head.log_count == 5


def test_the_next_operation_after_a_rollback_opens_the_next_number_again() -> None:
    talk = three()
    talk.operate(LAST)
    talk.rollback(0)
    applied = talk.operate(LAST)
    assert (applied.batch, applied.revision) == (1, 2)
    assert talk.revision(2).parent == 0


def test_a_batch_of_a_rolled_back_branch_is_not_found_by_rollback_but_by_restore() -> None:
    talk = three()
    talk.operate(LAST)
    talk.rollback(0)
    with pytest.raises(NotFound) as caught:
        talk.rollback(1)
    assert caught.value.problems[0].pointer == "/batch"
    assert talk.restore(1).batch == 1
    assert talk.visible() == [2]


def test_rollback_takes_the_nearest_batch_of_that_number_on_the_branch() -> None:
    talk = three()
    talk.operate(LAST)
    talk.rollback(0)
    talk.append(user())
    talk.operate(LAST)
    talk.rollback(0)
    assert (talk.current.number, talk.visible()) == (2, [0, 1, 2, 3])


def test_an_append_after_a_rollback_continues_as_a_new_revision_under_the_same_number() -> None:
    talk = three()
    talk.operate(LAST)
    talk.rollback(0)
    appended = talk.append(user())
    assert (appended.batch, appended.revision) == (0, 2)
    assert (talk.revision(2).operation, talk.revision(2).parent) == ("append", 0)
    assert list(view_of(talk.revision(0))) == [0, 1, 2]
    assert talk.append(user()).revision == 2
    assert talk.visible() == [0, 1, 2, 3, 4]


def test_a_restored_leaf_grows_on_and_a_revision_with_children_does_not() -> None:
    talk = three()
    talk.operate(LAST)
    talk.operate(LAST)
    talk.rollback(0)
    talk.restore(2)
    assert talk.append(user()).revision == 2
    talk.restore(1)
    assert talk.append(user()).revision == 3


def test_rollback_and_restore_create_no_revision_and_are_on_record() -> None:
    talk = three()
    talk.operate(LAST)
    talk.rollback(0)
    talk.restore(1)
    assert talk.head.revision_count == 2
    moves = queries.moves_of(talk.head)
    assert [(each.kind, each.from_revision, each.to_revision) for each in moves] == [
        ("rollback", 1, 0),
        ("restore", 0, 1),
    ]
    assert (moves[0].author, moves[0].reason) == (talk.actor.label, "back")


def test_a_revision_tells_what_opened_it() -> None:
    talk = three()
    talk.operate(LAST)
    opened = talk.current
    assert (opened.author, opened.reason) == (talk.actor.label, "why")
    assert bytes(opened.config) == b'{"operation":"truncate","truncate":{"keep_last":1}}'
    assert (opened.visible_count, opened.log_length) == (1, 3)
    assert opened.tokens == talk.message(2).tokens


def test_an_explicit_batch_narrows_the_view_to_the_boundary() -> None:
    talk = three()
    applied = talk.open_batch(1)
    assert (applied.batch, talk.visible(), applied.hidden) == (1, [1, 2], ((0, 1),))
    assert (talk.current.operation, talk.current.boundary) == ("batch", 1)
    talk.open_batch(3)
    assert talk.visible() == []
    talk.rollback(0)
    talk.open_batch(0)
    assert talk.visible() == [0, 1, 2]


@pytest.mark.parametrize("boundary", [-1, 4])
def test_a_boundary_outside_of_the_log_is_out_of_range(boundary: int) -> None:
    talk = three()
    with pytest.raises(OutOfRange) as caught:
        talk.open_batch(boundary)
    assert caught.value.problems[0].pointer == "/boundary"
    assert talk.current.number == 0


def test_the_boundary_of_an_empty_log_is_0() -> None:
    talk = Talk()
    assert talk.open_batch(0).batch == 1
    with pytest.raises(OutOfRange):
        talk.open_batch(1)


def test_an_explicit_batch_warns_of_split_pairs_and_hidden_tools() -> None:
    talk = Talk(tools(), calls("a"), result("a"))
    applied = talk.open_batch(2)
    assert [(each.code, each.indices) for each in applied.warnings] == [
        ("split_pair", (2,)),
        ("tools_hidden", (0,)),
    ]
    # Which nothing but truncate and filter could be asked to keep.
    assert applied.warnings[1].message == "a tool description is hidden now"


def test_a_writer_who_saw_another_revision_conflicts() -> None:
    talk = three()
    talk.operate(LAST)
    with pytest.raises(VersionConflict) as caught:
        talk.operate(LAST, Seen(revision=0))
    assert (caught.value.expected, caught.value.actual) == (0, 1)
    talk.operate(LAST, Seen(revision=1))


def test_a_writer_who_missed_an_append_conflicts_if_it_names_the_count() -> None:
    talk = three()
    talk.append(user())
    with pytest.raises(VersionConflict) as caught:
        talk.rollback(0, Seen(revision=0, count=3))
    assert (caught.value.expected, caught.value.actual) == (3, 4)
    talk.open_batch(1, Seen(revision=0))


def test_tokens_are_reported_before_and_after_and_those_of_the_lost_prefix() -> None:
    talk = Talk(*(user("x", tokens=10) for _ in range(4)))
    applied = talk.operate(operation("truncate", {"remove_first": 1}))
    assert (applied.tokens_before, applied.tokens_after) == (40, 30)
    assert applied.cached_prefix_lost == 40
    block = {"position": -1, "messages": [{"role": "user", "content": "x", "tokens": 5}]}
    applied = talk.operate(operation("insert", block))  # type: ignore[arg-type]
    assert (applied.tokens_before, applied.tokens_after) == (30, 35)
    assert applied.cached_prefix_lost == 0


def test_a_clear_logs_the_tools_text_once_and_a_changed_one_again() -> None:
    talk = Talk(user(), tools="Tools: look")
    clear = operation("clear")
    assert talk.operate(clear).added == ((1, 2),)
    talk.rollback(0)
    assert talk.operate(clear).added == ()
    assert talk.visible() == [1]
    change_metadata(talk.actor, talk.id, tools="Tools: find")
    talk.rollback(0)
    assert talk.operate(clear).added == ((2, 3),)


def test_a_result_that_was_rolled_away_can_be_sent_again() -> None:
    talk = Talk(user(), calls("a"))
    talk.operate(ALL)
    talk.append(result("a"))
    talk.rollback(0)
    talk.append(result("a"))
    assert talk.visible() == [0, 1, 3]
    assert talk.message(3).call_index == 1
    assert talk.operate(ALL).warnings == ()
