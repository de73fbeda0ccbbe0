"""A column that cannot hold every character is reported, and is no outage."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from django.db import connection
from django.db.utils import Error
from django.test import Client

from conversations.models import Conversation
from ctxadmin.storage.database import probe
from ctxadmin.storage.database.errors import as_unavailable, number_of
from ctxadmin.storage.database.mysql import columns

pytestmark = [pytest.mark.only("mysql"), pytest.mark.django_db(transaction=True)]

TABLE = Conversation._meta.db_table


@pytest.fixture
def narrow_title() -> Iterator[None]:
    probe._columns_asked.clear()
    modify("VARCHAR(300) CHARACTER SET latin1 NOT NULL")
    yield
    modify("VARCHAR(300) CHARACTER SET utf8mb4 NOT NULL")
    probe._columns_asked.clear()


def modify(kind: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {TABLE} MODIFY title {kind}")


def test_columns_as_our_migrations_make_them_are_right() -> None:
    assert columns.find_narrow_columns(connection, probe.charsets()) == []
    assert set(probe.charsets().values()) == {"ascii", "utf8mb4"}


def test_a_narrow_column_is_named_until_it_is_fixed(narrow_title: None, client: Client) -> None:
    for _ in range(2):
        answer = client.get("/readyz")
        (found,) = [each for each in answer.json()["checks"] if each["level"] == "error"]
        assert (answer.status_code, found["check"]) == (503, "database.columns")
        assert f"{TABLE}.title (latin1)" in found["text"]
    modify("VARCHAR(300) CHARACTER SET utf8mb4 NOT NULL")
    assert client.get("/readyz").status_code == 200


def test_what_a_narrow_column_refuses_is_not_reported_as_an_outage() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE narrow (word VARCHAR(9) CHARACTER SET latin1)")
    with pytest.raises(Error) as refused, connection.cursor() as cursor:
        cursor.execute("INSERT INTO narrow VALUES (%s)", ["\u4e2d\u6587"])
    assert (number_of(refused.value), as_unavailable(refused.value)) == (1366, None)


def test_tables_of_others_are_passed_over() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE of_others (word VARCHAR(9) CHARACTER SET latin1)")
        try:
            assert columns.find_narrow_columns(connection, probe.charsets()) == []
        finally:
            cursor.execute("DROP TABLE of_others")


def test_columns_that_were_right_are_asked_once_a_minute() -> None:
    probe._columns_asked.clear()
    with patch.object(columns, "find_narrow_columns", return_value=[]) as asked:
        assert {found.level for _ in range(3) for found in probe.columns_found()} == {"ok"}
    assert asked.call_count == 1


def test_many_columns_are_counted() -> None:
    found = columns.finding_of([f"t.c{number} (latin1)" for number in range(5)])
    assert found.text.endswith("t.c0 (latin1), t.c1 (latin1), t.c2 (latin1) and 2 others.")
