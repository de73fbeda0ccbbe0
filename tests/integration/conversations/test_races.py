"""Concurrent writers: nothing is lost, nothing happens twice, and every answer is true."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from conversations.domain.configs import read_operation
from conversations.domain.revisions import Seen
from conversations.models import Conversation, Message, Revision
from conversations.services import use_cases
from conversations.services.results import Appended, Applied
from conversations.services.use_cases import NewConversation
from conversations.store.conversation import find_revision, view_of
from ctxadmin.audit.verification import verify_stream
from ctxadmin.lib.errors import Duplicate, VersionConflict
from tests.concurrent_writers import together
from tests.factories import Api, conversation, drafts, engine, user, workspace

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def audited(head: Conversation) -> Iterator[None]:
    """Afterwards the chain holds and there is one entry per change."""
    yield
    assert not verify_stream(head.key)


def test_appends_of_many_writers_all_arrive_once_and_in_one_order() -> None:
    head, actor = conversation(), engine()

    def append(number: int) -> Callable[[], Appended]:
        messages = drafts(user(f"{number}a"), user(f"{number}b"))
        return lambda: use_cases.append(actor, head.public_id, messages)

    with audited(head):
        results = together([append(number) for number in range(8)])
        assert all(isinstance(result, Appended) for result in results)
        starts = sorted(r.first_index for r in results if isinstance(r, Appended))
        assert starts == list(range(0, 16, 2))
        row = find_revision(head.key, 0)
        assert list(view_of(row)) == list(range(16))
        sums = list(Message.objects.order_by("index").values_list("tokens", "tokens_upto"))
        assert [upto for _, upto in sums] == [
            sum(tokens for tokens, _ in sums[: place + 1]) for place in range(16)
        ]


def test_of_two_operations_on_one_seen_view_one_wins_and_the_other_is_notified_of_it() -> None:
    head, actor = conversation(user("a"), user("b")), engine()
    clear = read_operation({"operation": "clear"})
    task = lambda: use_cases.apply_operation(actor, head.public_id, clear, seen=Seen(0, 2))  # noqa: E731
    with audited(head):
        results = together([task] * 4)
        assert sum(isinstance(result, VersionConflict) for result in results) == 3
        assert Revision.objects.filter(conversation=head.key).count() == 2


def test_operations_that_name_no_view_open_one_batch_each() -> None:
    head, actor = conversation(user("a"), user("b")), engine()
    keep = read_operation({"operation": "truncate", "truncate": {"keep_last": 1}})
    with audited(head):
        results = together([lambda: use_cases.apply_operation(actor, head.public_id, keep)] * 4)
        batches = sorted(r.batch for r in results if isinstance(r, Applied))
        assert batches == [1, 2, 3, 4]


def test_of_two_conversations_with_one_id_one_is_a_duplicate() -> None:
    actor = engine()
    new = NewConversation(public_id="same", drafts=drafts(user("x")))
    results = together([lambda: use_cases.create(actor, new)] * 4)
    assert sum(isinstance(result, Duplicate) for result in results) == 3
    assert Conversation.objects.count() == Message.objects.count() == 1


def test_calls_with_one_idempotency_key_at_once_have_one_effect() -> None:
    workspace()
    api = Api()
    conversation(public_id="c")
    body = {"messages": [user("x")]}

    def call() -> bytes:
        key = {"Idempotency-Key": "once"}
        answer = api.client.post(
            "/api/v1/conversations/c/messages", body, format="json", headers=key
        )
        assert answer.status_code == 201, answer.content
        return bytes(answer.content)

    answers = together([call] * 6)
    assert len(set(map(str, answers))) == 1
    assert Message.objects.count() == 1
