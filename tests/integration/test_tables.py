"""Tables say of a row what the ORM says of it, on every database."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from conversations.models import Conversation, Message, Revision
from ctxadmin.storage.tables import Table
from tests.factories import conversation, user

pytestmark = pytest.mark.django_db

MESSAGES, REVISIONS, HEADS = Table(Message), Table(Revision), Table(Conversation)


def message(index: int, **fields: object) -> Message:
    """A message with values that databases like to change: bytes, moments, nulls, truths."""
    values: dict[str, object] = {
        "conversation": 2**62,
        "index": index,
        "message_id": "A" if index == 0 else None,
        "role": "user",
        "tokens": 3,
        "tokens_reported": True,
        "tokens_upto": 2**40,
        "revision": 0,
        "author": "Zoë 🦊 100 %s",
        "created_at": datetime(2026, 1, 31, 23, 59, 59, 123456, tzinfo=UTC),
        "body": b'{"content":"\x00\xff 100 %"}',
    }
    return Message(**{**values, **fields})


def columns_of(row: Message | None) -> dict[str, object]:
    assert row is not None
    found = {field.attname: getattr(row, field.attname) for field in Message._meta.concrete_fields}
    return found | {"body": bytes(row.body)}


def test_what_is_inserted_is_what_the_orm_reads_and_what_is_found() -> None:
    row = message(0)
    MESSAGES.insert([row])
    assert columns_of(Message.objects.get(conversation=2**62, index=0)) == columns_of(row)
    found = MESSAGES.find({"conversation": 2**62, "index": 0})
    assert columns_of(found) == columns_of(row)
    assert found is not None
    assert not found._state.adding
    assert found.tokens_reported is True


def test_many_rows_are_inserted_by_few_statements() -> None:
    with CaptureQueriesContext(connection) as captured:
        MESSAGES.insert(message(index) for index in range(120))
    assert len(captured) == 3
    assert Message.objects.filter(conversation=2**62).count() == 120


def test_a_key_that_is_taken_is_an_integrity_error() -> None:
    MESSAGES.insert([message(0)])
    with pytest.raises(IntegrityError), transaction.atomic():
        MESSAGES.insert([message(0)])


def test_an_update_sets_the_fields_of_the_rows_that_match_and_counts_them() -> None:
    MESSAGES.insert([message(0), message(1)])
    where = {"conversation": 2**62, "index": 1}
    assert MESSAGES.update(where, {"tokens": 7, "body": b"{}"}) == 1
    assert MESSAGES.update(where, {"tokens": 7, "body": b"{}"}) == 1
    assert MESSAGES.update({**where, "tokens": 8}, {"tokens": 9}) == 0
    tokens = Message.objects.filter(conversation=2**62).order_by("index")
    assert list(tokens.values_list("tokens", flat=True)) == [3, 7]


def test_of_several_rows_the_last_is_found_and_of_none_nothing() -> None:
    MESSAGES.insert([message(0), message(1), message(2)])
    found = MESSAGES.find({"conversation": 2**62, "role": "user"}, last_by="index")
    assert found is not None
    assert found.index == 2
    assert MESSAGES.find({"conversation": 1, "role": "user"}, last_by="index") is None


def test_a_field_that_is_left_out_is_read_when_it_is_asked_for() -> None:
    head = conversation(user("x"))
    row = REVISIONS.find({"conversation": head.key, "number": 0}, without=("opened",))
    assert row is not None
    assert row.get_deferred_fields() == {"opened"}
    with CaptureQueriesContext(connection) as captured:
        assert bytes(row.opened) == b""
    assert len(captured) == 1


@pytest.mark.only("mysql")
def test_a_row_that_is_to_be_changed_is_locked() -> None:
    head = conversation(user("x"))
    with CaptureQueriesContext(connection) as captured:
        HEADS.find({"key": head.key}, lock=True)
    assert captured[0]["sql"].endswith("FOR UPDATE")
