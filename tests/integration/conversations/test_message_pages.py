"""Messages from the newest on, and one message by its index or id."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.reading import message_pages
from tests.factories import conversation, user
from tests.integration.checkpoints.flows import Run, ok, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """A conversation of seven messages, of which the last is hidden."""
    messages = [user(str(number)) for number in range(6)]
    run = Run(CheckedApi(), conversation(*messages, {**user("6"), "id": "own"}))
    ok(run.post("operations", {"operation": "truncate", "truncate": {"remove_last": 1}}))
    return run


def pages(run: Run, query: str) -> list[list[int]]:
    """The log indices of all pages."""
    found: list[list[int]] = []
    cursor = ""
    while True:
        page = ok(run.get(f"messages?{query}{cursor}"))
        found.append([each["index"] for each in page["results"]])
        if page["next"] is None:
            return found
        cursor = f"&cursor={page['next']}"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order=desc&limit=4", [[5, 4, 3, 2], [1, 0]]),
        ("order=desc&limit=3", [[5, 4, 3], [2, 1, 0]]),
        ("order=desc&view=all&limit=5", [[6, 5, 4, 3, 2], [1, 0]]),
        ("order=desc&view=revision:0", [[6, 5, 4, 3, 2, 1, 0]]),
        ("order=asc&limit=4", [[0, 1, 2, 3], [4, 5]]),
    ],
)
def test_pages_begin_with_the_latest(run: Run, query: str, expected: list[list[int]]) -> None:
    assert pages(run, query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=1000", [[0, 1], [2], [3, 4]]),
        ("view=all&limit=1000", [[0, 1], [2], [3, 4, 5]]),
        ("order=desc&limit=1000", [[4, 3], [2], [1, 0]]),
        ("view=all&order=desc&limit=1000", [[5, 4, 3], [2], [1, 0]]),
        ("view=all&order=desc&limit=2", [[5, 4], [3], [2], [1, 0]]),
    ],
)
def test_a_page_ends_before_it_has_too_many_bytes(
    monkeypatch: pytest.MonkeyPatch, query: str, expected: list[list[int]]
) -> None:
    """Any token reads, and a thousand of the largest messages would take the memory of a server."""
    lengths = (300, 700, 5_000, 300, 300, 10)
    run = Run(CheckedApi(), conversation(*[user("x" * length) for length in lengths]))
    ok(run.post("operations", {"operation": "truncate", "truncate": {"remove_last": 1}}))
    monkeypatch.setattr(message_pages, "MOST_BYTES", 1_100)
    assert pages(run, query) == expected


def test_an_empty_view_has_one_empty_page() -> None:
    run = Run(CheckedApi(), conversation())
    assert pages(run, "order=desc") == [[]]


def test_messages_that_come_between_two_pages_move_no_page(run: Run) -> None:
    first = ok(run.get("messages?order=desc&limit=2"))
    ok(run.append(user("new"), user("newer")))
    second = ok(run.get(f"messages?order=desc&limit=2&cursor={first['next']}"))
    assert [each["index"] for each in second["results"]] == [3, 2]


def test_a_cursor_is_good_for_its_own_order_only(run: Run) -> None:
    backwards = ok(run.get("messages?order=desc&limit=2"))["next"]
    refused(run.get(f"messages?cursor={backwards}"), 422, "validation", "?cursor")
    forwards = ok(run.get("messages?limit=2"))["next"]
    refused(run.get(f"messages?order=desc&cursor={forwards}"), 422, "validation", "?cursor")
    refused(run.get("messages?order=newest"), 422, "validation", "?order")
    refused(run.get("messages?order=desc&format=openai"), 422, "validation", "?order")


def test_the_last_ten_of_many_are_one_request_that_reads_ten(run: Run) -> None:
    ok(run.append(*[user(str(number)) for number in range(500)]))
    with CaptureQueriesContext(connection) as queries:
        assert len(ok(run.get("messages?order=desc&limit=10"))["results"]) == 10
    reads = [each["sql"] for each in queries if "conversations_message" in each["sql"]]
    assert len(reads) == 1


@pytest.mark.parametrize(("name", "index"), [("0", 0), ("log-3", 3), ("6", 6), ("own", 6)])
def test_a_message_is_found_by_its_index_and_its_id(run: Run, name: str, index: int) -> None:
    found = ok(run.get(f"messages/{name}"))
    (listed,) = [
        each for each in ok(run.get("messages?view=all"))["results"] if each["index"] == index
    ]
    assert found == listed
    assert found["visible"] == (index != 6)


@pytest.mark.parametrize(
    "name", ["7", "log-7", "log-6", "nobody", "999999999999", "-1", "1.5", "a b", "%00", "x" * 65]
)
def test_a_message_that_is_not_there_is_not_found(run: Run, name: str) -> None:
    refused(run.get(f"messages/{name}"), 404, "not_found")


def test_messages_of_others_are_not_found(run: Run) -> None:
    refused(CheckedApi(slug="other").get(f"{run.path}/messages/0"), 404, "not_found")
