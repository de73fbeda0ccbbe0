"""The rules of revisions that need no more than values (semantics 1.3 to 1.5)."""

from conversations.domain import revisions
from conversations.domain.view import View
from tests.unit.conversations.chats import CAUSE, conversation, operation, user


def test_narrowing_keeps_the_order_of_the_view() -> None:
    assert list(revisions.narrow(View.of_indices([4, 0, 3]), 3, 5)) == [4, 3]


def test_a_lineage_goes_up_to_the_root() -> None:
    made = conversation(user(), user())
    made.operate(operation("truncate", {"keep_last": 1}), CAUSE)
    made.rollback(0, CAUSE)
    made.operate(operation("truncate", {"keep_first": 1}), CAUSE)
    assert [each.id for each in revisions.lineage(2, made.revisions)] == [2, 0]
