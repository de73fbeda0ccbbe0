"""What a write takes into the binary log of MySQL does not grow with what it leaves alone."""

import pytest
from django.db import connection

from ctxadmin.lib.json_bytes import dumps
from tests.factories import Api, user

pytestmark = [pytest.mark.only("mysql"), pytest.mark.django_db(transaction=True)]

LARGE = "x" * 1_000_000
WRITES = 3
FEW = 400  # bytes; an append takes about 3,000


@pytest.fixture(params=["FULL", "MINIMAL"])
def image(request: pytest.FixtureRequest) -> None:
    """Rows are logged as a server does that nobody configured, or as deploy/mariadb.cnf says."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET SESSION binlog_row_image = '{request.param}'")


def logged() -> int:
    """The bytes that this connection has written into the binary log."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE 'Binlog_bytes_written'")
        return int(cursor.fetchone()[1])


def of_appends(api: Api, metadata: str, tools: str) -> int:
    body = {"metadata": {"text": metadata}, "tools": tools}
    made = api.post("/conversations", body).json()["id"]
    return of_writes(
        api, "post", f"/conversations/{made}/messages", {"messages": [user("a"), user("b")]}
    )


def of_saves(api: Api, metadata: str) -> int:
    made = api.post("/conversations").json()["id"]
    begin = {"metadata": {"text": metadata}}
    assert api.post(f"/conversations/{made}/executions", begin).status_code == 201
    body = {"node_id": "a", "state_data": {"n": 1}}
    return of_writes(api, "put", f"/conversations/{made}/checkpoints/save-%d", body)


def of_writes(api: Api, method: str, path: str, body: object) -> int:
    before = logged()
    for number in range(WRITES):
        where = path % number if "%d" in path else path
        assert api.send(method, where, dumps(body)).status_code == 201
    return (logged() - before) // WRITES


@pytest.mark.usefixtures("image")
def test_an_append_logs_as_much_beside_large_metadata_and_tools() -> None:
    api = Api()
    small = of_appends(api, "", "")
    assert small > 0
    assert of_appends(api, LARGE, LARGE) < small + FEW


@pytest.mark.usefixtures("image")
def test_a_save_logs_as_much_beside_large_metadata() -> None:
    api = Api()
    small = of_saves(api, "")
    assert small > 0
    assert of_saves(api, LARGE) < small + FEW
