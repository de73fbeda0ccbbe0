"""``GET /search``: hits with their places, filters, pages, refusals."""

from typing import Any

import pytest

from search import indexer
from tests.factories import Api, assistant, calls, conversation, engine, result, user
from tests.integration.checkpoints.flows import chain

pytestmark = pytest.mark.django_db


def hits(query: str) -> list[dict[str, Any]]:
    indexer.run_until_done()
    answer = Api(()).get(f"/search?{query}")
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_a_hit_says_where_it_is_and_what_fits() -> None:
    head = conversation(user("I want a Refund"), title="Charger", public_id="support-1")
    (hit,) = hits("q=refund")
    assert hit["conversation"] == head.public_id == "support-1"
    assert (hit["kind"], hit["title"], hit["index"], hit["role"]) == (
        "message",
        "Charger",
        0,
        "user",
    )
    assert hit["visible"] is True
    (mark,) = hit["marks"]
    assert hit["snippet"][mark["start"] : mark["stop"]] == "Refund"
    assert hit["key"] is hit["version"] is hit["execution"] is None


def test_filters_are_parameters_or_words() -> None:
    conversation(user("refund"), assistant("refund"), calls("c1"), result("c1", "refund"))
    assert [hit["index"] for hit in hits("q=refund&role=assistant")] == [1]
    assert [hit["index"] for hit in hits("q=refund+role:assistant")] == [1]
    assert [hit["index"] for hit in hits("q=refund&tool=look_up")] == [3]
    assert hits("q=refund&since=2030-01-01") == []
    assert hits("q=refund&status=PAUSED") == []
    assert [hit["kind"] for hit in hits("in=message&role=tool")] == ["message"]


def test_workflows_come_first() -> None:
    chain("refunds", "a")
    conversation(user("refunds"))
    assert [hit["kind"] for hit in hits("q=refunds")] == ["workflow", "message"]
    assert [hit["workflow"] for hit in hits("q=refunds&in=workflow")] == ["refunds"]


def test_pages_follow_each_other_without_gaps() -> None:
    conversation(*[user(f"needle {number}") for number in range(7)])
    indexer.run_until_done()
    api, cursor, seen = Api(()), "", []
    for _ in range(4):
        page = api.get(f"/search?q=needle&limit=2{cursor}").json()
        seen += [hit["index"] for hit in page["results"]]
        cursor = f"&cursor={page['next']}"
    assert seen == [6, 5, 4, 3, 2, 1, 0]
    assert page["next"] is None


def test_an_answer_says_how_far_the_index_is_behind() -> None:
    indexer.run_until_done()
    conversation(user("needle"))
    assert Api(()).get("/search?q=needle").json() == {"results": [], "next": None, "behind": 1}


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("q=a1&status=SLEEPING", "?status"),
        ("q=a1&since=soon", "?since"),
        ("q=a1&role=boss", "?role"),
        ("q=a1&in=attic", "?in"),
        ("q=a1&limit=101", "?limit"),
        ("q=a1&cursor=WyJ4Il0", "?cursor"),
        ("q=a1&archived=yes", "?archived"),
        ("q=a1&words=b", "?words"),
        (f"q={'a' * 401}", "?q"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(query: str, pointer: str) -> None:
    answer = Api(()).get(f"/search?{query}")
    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json()["errors"]] == [pointer]


def test_nothing_asked_is_nothing_found() -> None:
    conversation(user("needle"))
    assert hits("") == hits("q=") == hits("q=!!") == []


def test_another_workspace_is_not_searched() -> None:
    conversation(user("needle"), actor=engine(slug="other"))
    assert hits("q=needle") == []


@pytest.mark.parametrize("limit", ["-1", "0", "101", "500", "2000"])
def test_a_limit_is_refused_with_the_limits_of_this_list(limit: str) -> None:
    problem = Api(()).get(f"/search?q=a1&limit={limit}").json()
    assert "from 1 to 100." in problem["detail"]
