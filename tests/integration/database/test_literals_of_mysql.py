"""Values come to MySQL and back as they are, whatever they hold."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import ProgrammingError, connection

from ctxadmin.identity.roles import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.only("mysql")]

VALUES = [
    *(
        "",
        "plain",
        "it's",
        'a "b"',
        "back\\slash",
        "\\'",
        "%s %(a)s %%",
        "nul\0",
        "\x1a\r\n",
        "ä€𝄞",
    ),
    *(b"", b"it's", b"\x00\xff\\'\"", b"%s", bytes(range(256)), bytearray(b"'"), memoryview(b"'")),
    *(0, -1, 2**63 - 1, -(2**63), 2**64 - 1, True, False, None, 1.5, 1e300, Decimal("1.10")),
    *(datetime(2026, 1, 31, 1, 2, 3, 4, tzinfo=UTC).replace(tzinfo=None), date(2026, 1, 31)),
    Scope.ENGINE,
]


@pytest.mark.parametrize("value", VALUES, ids=map(str, range(len(VALUES))))
def test_a_literal_is_that_of_the_driver(value: object) -> None:
    connection.ensure_connection()
    ours = connection.connection.cursor()
    drivers = connection.connection.cursor(type(ours).__bases__[0])
    asked = "SELECT %s, '%%', %s"
    assert ours._mogrify(asked, [value, "x"]) == drivers._mogrify(asked, [value, "x"])
    assert ours._mogrify(asked, (value, "x")) == ours._mogrify(asked, [value, "x"])


@pytest.mark.parametrize("text", [value for value in VALUES if type(value) is str])
def test_a_text_comes_back_as_it_went(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s", [text])
        assert cursor.fetchone() == (text,)


def test_a_wrong_number_of_values_is_refused() -> None:
    with connection.cursor() as cursor, pytest.raises(ProgrammingError):
        cursor.execute("SELECT %s, %s", [1])
