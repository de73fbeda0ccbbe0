"""``/readyz`` and the system checks, on the database of the run."""

from collections.abc import Iterator
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError, connection, connections
from django.test import Client, override_settings

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database import probe, schema_probe

pytestmark = pytest.mark.django_db

ERROR = Finding("database.commit", "error", "It forgets.", "Mend it.", excusable=True)


def forgetful() -> Iterator[Finding]:
    yield ERROR


def test_all_is_well_with_the_database_of_the_tests(client: Client) -> None:
    answer = client.get("/readyz")
    found = answer.json()
    bad = [each for each in found["checks"] if each["level"] == "error"]
    assert (answer.status_code, bad) == (200, [])
    assert found["status"] == "ok"
    assert {"database", "database.commit", "database.migrations"} <= {
        each["check"] for each in found["checks"]
    }


def test_a_process_that_lives_says_so_without_the_database(client: Client) -> None:
    with patch.object(probe, "connection", None):
        assert client.get("/healthz").json() == {"status": "ok"}


def test_a_database_that_forgets_is_not_served_and_the_answer_says_how_to_fix_it(
    client: Client,
) -> None:
    with patch.object(probe, "settings_found", forgetful):
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert {**ERROR.as_json()} in answer.json()["checks"]
    assert "Mend it." in answer.content.decode()


def test_an_operator_may_serve_it_all_the_same(client: Client) -> None:
    with (
        patch.object(probe, "settings_found", forgetful),
        override_settings(ALLOW_UNSAFE_DATABASE=True),
    ):
        answer = client.get("/readyz")
    assert answer.status_code == 200
    assert {**ERROR.as_json(), "level": "warning"} in answer.json()["checks"]


def test_a_database_that_is_down_is_one_finding(client: Client) -> None:
    away = OperationalError(2003, "Can't connect to 'secret-host'")
    with patch.object(connection, "cursor", side_effect=away):
        answer = client.get("/readyz")
    assert answer.status_code == 503
    (told,) = [each for each in answer.json()["checks"] if each["check"].startswith("database")]
    assert "2003" in told["text"]
    assert "secret-host" not in answer.content.decode()


def test_a_database_that_lacks_migrations_is_not_served(client: Client) -> None:
    known = schema_probe.known_migrations() | {("conversations", "0002_later")}
    with patch.object(schema_probe, "known_migrations", return_value=known):
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "conversations.0002_later" in answer.content.decode()


def test_a_database_that_is_newer_than_the_program_is_served(client: Client) -> None:
    applied = schema_probe.known_migrations() | {("conversations", "0002_later")}
    with patch.object(schema_probe, "applied_migrations", return_value=applied):
        answer = client.get("/readyz")
    assert answer.status_code == 200
    assert "newer than this program" in answer.content.decode()


def test_a_database_without_tables_lacks_all_migrations() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    missing = OperationalError(1054, "Unknown column")
    with patch.object(connection, "cursor", side_effect=missing):
        assert schema_probe.applied_migrations() == set()


def test_the_system_checks_tell_the_same() -> None:
    with (
        patch.object(probe, "settings_found", forgetful),
        pytest.raises(SystemCheckError, match="forgets"),
    ):
        call_command("check", databases=["default"], stdout=StringIO())
    call_command("check", stdout=StringIO())  # without a database named it is not asked


@pytest.mark.only("mysql")
def test_a_write_that_had_no_room_is_reported_for_a_minute(client: Client) -> None:
    """Nobody can ask a server for the room on its disk; what its errors say is remembered."""
    kind: Any = type(connections["default"])
    with patch.object(kind, "full_at", float("-inf")):
        with pytest.raises(OperationalError), connection.cursor() as cursor:
            cursor.execute("SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1021")
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert "its disk may be full" in answer.content.decode()
        with patch.object(kind, "full_at", kind.full_at - 60):
            assert client.get("/readyz").status_code == 200


def test_the_system_checks_fail_on_a_database_without_tables() -> None:
    with (
        patch.object(schema_probe, "applied_migrations", return_value=set()),
        pytest.raises(SystemCheckError, match="not up to date"),
    ):
        call_command("check", databases=["default"], stdout=StringIO())


@pytest.fixture
def without_a_column() -> Iterator[None]:
    """As a database is that was made by another first migration of the same name."""
    table = connection.ops.quote_name("web_keptanswer")
    schema_probe._asked.clear()
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME COLUMN answer TO former")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME COLUMN former TO answer")
    schema_probe._asked.clear()


@pytest.mark.usefixtures("without_a_column")
def test_a_database_with_other_columns_than_the_models_is_not_served(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "the column web_keptanswer.answer is missing" in answer.content.decode()
    assert "CTXADMIN_DATA_DIR" in answer.content.decode()
    with pytest.raises(SystemCheckError, match=r"keptanswer\.answer is missing"):
        call_command("check", databases=["default"], stdout=StringIO())


def test_tables_that_were_right_are_not_compared_again_at_once() -> None:
    schema_probe._asked.clear()
    assert [each.level for each in schema_probe.table_findings()] == ["ok"]
    with patch.object(schema_probe, "read_schema", side_effect=AssertionError):
        assert [each.level for each in schema_probe.table_findings()] == ["ok"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_answered_by_address_and_without_https_and_nothing_else_is(path: str) -> None:
    with override_settings(
        ALLOWED_HOSTS=["ctx.example.org"],
        HTTPS_ONLY=True,
        SECURE_HSTS_SECONDS=31_536_000,
        SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    ):
        client = Client(headers={"host": "10.0.0.7:8000"})
        answer = client.get(path)
        assert (answer.status_code, answer.json()["status"]) == (200, "ok")
        assert client.head(path).status_code == 200
        assert client.post(path).status_code == 405
        assert client.get(f"{path}/").status_code == client.get("/sign-in/").status_code == 400
