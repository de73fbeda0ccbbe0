"""A transaction of MySQL costs the round trips of its statements, and COMMIT goes with the last."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from conversations.models import Message
from conversations.services.use_cases import append
from ctxadmin.accounts.models import Workspace
from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib.errors import Unavailable
from tests.factories import conversation, drafts, engine, user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.only("mysql")]


def packets(call: Callable[[], object]) -> list[str]:
    """What the driver sends while something is done, COMMIT and ROLLBACK too."""
    sent: list[str] = []
    real = connection.connection

    class Noting:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def query(self, text: bytes) -> Any:
            sent.append(bytes(text).decode())
            return real.query(text)

        def commit(self) -> None:
            sent.append("COMMIT")
            real.commit()

        def rollback(self) -> None:
            sent.append("ROLLBACK")
            real.rollback()

        def cursor(self) -> Any:
            return real.cursorclass(self)

    connection.connection = Noting()
    try:
        call()
    finally:
        connection.connection = real
    return sent


def names() -> list[str]:
    return sorted(Workspace.objects.values_list("slug", flat=True))


def insert(slug: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_workspace (`key`, slug, name, change_seq, created_at)"
            " VALUES (%s, %s, %s, 0, NOW())",
            [hash(slug) % 10**6, slug, slug],
        )


def test_begin_goes_with_the_first_statement_and_nothing_is_sent_for_nothing() -> None:
    def twice() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.execute("SELECT 2")

    def nothing() -> None:
        with transaction.atomic():
            pass

    connection.ensure_connection()
    assert packets(twice) == ["BEGIN; SELECT 1", "SELECT 2", "COMMIT"]
    assert packets(nothing) == []


def test_what_is_read_first_is_of_the_transaction() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT @@in_transaction, %s", [7])
        assert cursor.fetchall() == ((1, 7),)
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@in_transaction")
        assert cursor.fetchone() == (0,)


def test_what_is_written_first_is_undone_with_the_rest() -> None:
    def fail() -> None:
        with transaction.atomic():
            insert("first")
            insert("second")
            raise ZeroDivisionError

    before = names()
    with pytest.raises(ZeroDivisionError):
        fail()
    assert names() == before
    with transaction.atomic():
        insert("first")
    assert names() == sorted([*before, "first"])


def test_the_first_statement_may_fail_and_the_next_transaction_is_fine() -> None:
    insert("taken")

    def again() -> None:
        with transaction.atomic():
            insert("taken")

    for _ in range(2):
        with pytest.raises(IntegrityError):
            again()
    with transaction.atomic():
        insert("free")
    assert {"taken", "free"} <= set(names())


def test_a_write_of_a_conversation_is_two_round_trips() -> None:
    actor = engine()
    head = conversation(user("one"), actor=actor)
    append(actor, head.public_id, drafts(user("two")))

    sent = packets(lambda: append(actor, head.public_id, drafts(user("three"))))

    assert [text.split(" ", 2)[:2] for text in sent] == [["BEGIN;", "SELECT"], ["INSERT", "INTO"]]
    assert sent[-1].endswith("; COMMIT")
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@in_transaction")
        assert cursor.fetchone() == (0,)


def test_a_write_that_fails_in_its_packet_is_undone_and_the_next_one_is_fine() -> None:
    actor = engine()
    head = conversation(user("one"), actor=actor)
    entry = AuditEntry.objects.get(stream=head.key)
    entry.pk = (head.key, entry.seq + 1)  # what a writer would do that the lock did not stop
    entry.save(force_insert=True)

    with pytest.raises(Unavailable):
        append(actor, head.public_id, drafts(user("two")))
    assert Message.objects.filter(conversation=head.key).count() == 1
    AuditEntry.objects.filter(pk=entry.pk).delete()
    append(actor, head.public_id, drafts(user("two")))

    assert Message.objects.filter(conversation=head.key).count() == 2


def test_a_write_in_a_transaction_leaves_the_commit_to_that() -> None:
    actor = engine()
    head = conversation(user("one"), actor=actor)

    def undone() -> None:
        with transaction.atomic():
            append(actor, head.public_id, drafts(user("two")))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        undone()
    assert Message.objects.filter(conversation=head.key).count() == 1
