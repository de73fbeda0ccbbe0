"""Writes that are kept back come in time, in order, together, or not at all."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from conversations.models import Message
from ctxadmin.storage.statement_batch import Batch, LeavesBatch, batch, batch_statements
from ctxadmin.storage.tables import Table

pytestmark = pytest.mark.django_db

MESSAGES = Table(Message)
KEY = 2**62


def message(index: int, body: bytes = b"{}") -> Message:
    return Message(
        conversation=KEY,
        index=index,
        role="user",
        tokens=3,
        tokens_upto=3,
        revision=0,
        author="a",
        created_at=datetime(2026, 1, 31, tzinfo=UTC),
        body=body,
    )


def stored() -> list[tuple[int, int]]:
    rows = Message.objects.filter(conversation=KEY).order_by("index")
    return list(rows.values_list("index", "tokens"))


def write_three() -> None:
    MESSAGES.insert([message(0)])
    MESSAGES.change({"conversation": KEY, "index": 0}, {"tokens": 7})
    MESSAGES.insert([message(1)])


def test_writes_are_done_in_their_order_when_the_block_ends() -> None:
    with transaction.atomic(), batch_statements():
        write_three()
    assert stored() == [(0, 7), (1, 3)]


@pytest.mark.only("mysql")
def test_writes_of_a_block_are_one_round_trip() -> None:
    with transaction.atomic(), CaptureQueriesContext(connection) as captured, batch_statements():
        write_three()
    assert len(captured) == 1


def test_a_read_in_the_block_sees_what_was_written_before() -> None:
    with transaction.atomic(), batch_statements():
        write_three()
        assert stored() == [(0, 7), (1, 3)]
        MESSAGES.change({"conversation": KEY, "index": 1}, {"tokens": 9})
        found = MESSAGES.find({"conversation": KEY, "index": 1})
        assert found is not None
        assert found.tokens == 9


def test_what_a_block_raises_leaves_nothing() -> None:
    def fail_late() -> None:
        with transaction.atomic(), batch_statements():
            MESSAGES.insert([message(0)])
            assert stored() == [(0, 3)]
            MESSAGES.insert([message(1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_late()
    assert stored() == []
    with transaction.atomic(), batch_statements():
        MESSAGES.insert([message(2)])
    assert stored() == [(2, 3)]


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_one_write_that_fails_undoes_all_of_them(taken: int) -> None:
    MESSAGES.insert([message(taken)])

    def write() -> None:
        with transaction.atomic(), batch_statements():
            for index in range(3):
                MESSAGES.insert([message(index)])

    with pytest.raises(IntegrityError):
        write()
    assert stored() == [(taken, 3)]


def test_a_savepoint_that_is_undone_takes_its_writes_along() -> None:
    def fail() -> None:
        with transaction.atomic():
            MESSAGES.insert([message(1)])
            raise ZeroDivisionError

    with transaction.atomic(), batch_statements():
        MESSAGES.insert([message(0)])
        with pytest.raises(ZeroDivisionError):
            fail()
        MESSAGES.insert([message(2)])
    assert stored() == [(0, 3), (2, 3)]


def test_a_block_in_a_block_ends_with_the_outer_one() -> None:
    with transaction.atomic(), batch_statements():
        with batch_statements():
            MESSAGES.insert([message(0)])
        MESSAGES.change({"conversation": KEY, "index": 0}, {"tokens": 5})
    assert stored() == [(0, 5)]


def test_large_values_are_not_kept_back() -> None:
    large = b"[" + b"1" * 5 * 1024**2 + b"]"
    with transaction.atomic(), batch_statements():
        with CaptureQueriesContext(connection) as captured:
            MESSAGES.insert([message(0, large)])
        assert len(captured) == 1
    assert stored() == [(0, 3)]


def test_a_row_is_put_in_the_place_of_the_one_with_its_key() -> None:
    MESSAGES.insert([message(0), message(1)])
    changed = message(1, b"[1]")
    changed.tokens = 8
    with transaction.atomic(), batch_statements():
        MESSAGES.upsert([changed, message(2)])
    assert stored() == [(0, 3), (1, 8), (2, 3)]
    assert bytes(Message.objects.get(conversation=KEY, index=1).body) == b"[1]"


def test_rows_are_found_among_many_values() -> None:
    MESSAGES.insert(message(index) for index in range(500))
    found = MESSAGES.find_all({"conversation": KEY}, "index", [*range(3, 900)])
    assert sorted(row.index for row in found) == list(range(3, 500))
    assert MESSAGES.find_all({"conversation": KEY}, "index", []) == []


def test_more_rows_than_an_insert_takes_are_several_inserts() -> None:
    sent: list[str] = []

    def noting(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        sent.append(sql)
        return execute(sql, params, many, context)

    with transaction.atomic(), connection.execute_wrapper(noting), batch_statements():
        MESSAGES.insert([message(index) for index in range(1_230)])
    assert stored() == [(index, 3) for index in range(1_230)]
    assert "; ".join(sent).count("INSERT INTO") == 3


class TestBatch:
    """Parts of one transaction: each is kept or dropped as a whole."""

    pytestmark = pytest.mark.django_db(transaction=True)

    def test_a_part_that_raises_leaves_nothing_and_does_nothing_after_the_commit(self) -> None:
        done: list[int] = []

        def part(within: Batch, index: int, *, fails: bool) -> None:
            with within.part():
                MESSAGES.insert([message(index)])
                transaction.on_commit(lambda: done.append(index))
                if fails:
                    raise ZeroDivisionError

        with batch() as within:
            part(within, 0, fails=False)
            with pytest.raises(ZeroDivisionError):
                part(within, 1, fails=True)
            part(within, 2, fails=False)
        assert stored() == [(0, 3), (2, 3)]
        assert done == [0, 2]

    def test_a_part_may_read_before_it_writes_and_leaves_the_batch_after(self) -> None:
        def reading(within: Batch) -> None:
            with within.part():
                assert stored() == []
                MESSAGES.insert([message(1)])
                stored()

        def writing_by_the_orm(within: Batch) -> None:
            with within.part():
                message(2).save(force_insert=True)

        with batch() as within:
            with within.part():
                MESSAGES.insert([message(0)])
            for part in (reading, writing_by_the_orm):
                with pytest.raises(LeavesBatch):
                    part(within)
        assert stored() == [(0, 3)]

    def test_a_batch_is_no_part_of_another_transaction(self) -> None:
        with pytest.raises(RuntimeError), transaction.atomic(), batch():
            pass
