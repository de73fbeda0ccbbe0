"""Usage of models: reported by completions, shown for versions, summed for a workspace."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Checkpoint, Usage
from checkpoints.verification.conversation import verify_conversation
from conversations.models import Conversation
from conversations.store.verification import Unsummed
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from tests.factories import Api, signed_in
from tests.integration.checkpoints.flows import Run, chain, everything, ok, refused

pytestmark = pytest.mark.django_db
USED = {
    "model": "gpt-5-mini",
    "input_tokens": 1200,
    "cached_tokens": 1000,
    "cache_write_tokens": 50,
    "output_tokens": 300,
    "cost": 0.00123,
}
LEAST = {"input_tokens": 7, "output_tokens": 0}
AS_TOLD = {"model": None, "cached_tokens": 0, "cache_write_tokens": 0, "cost": None, **LEAST}


@pytest.fixture
def run() -> Run:
    """Three nodes, the first two completed with a report."""
    chain("line", "a", "b", "c")
    run = Run.start("line")
    ok(run.complete("a", usage=USED))
    ok(run.complete("b", usage=LEAST))
    return run


def sums(run: Run, query: str = "") -> list[Any]:
    results: list[Any] = ok(run.api.get(f"/usage{query}"))["results"]
    return results


def findings(run: Run) -> list[str]:
    head = Conversation.objects.get(key=run.head.key)
    return [f"{each.what} {each.problem}" for each in verify_conversation(head, Unsummed())]


def test_what_a_step_used_is_reported_of_its_version(run: Run) -> None:
    ok(run.complete("c"))
    third, second, first, start = run.versions()
    assert (first["usage"], second["usage"]) == (USED, AS_TOLD)
    assert "usage" not in third
    assert "usage" not in start
    assert ok(run.get("checkpoints/1"))["usage"] == USED
    assert "usage" not in ok(run.get("checkpoints/3"))
    assert "usage" not in run.snapshot()
    assert findings(run) == []


def test_the_feed_tells_of_it(run: Run) -> None:
    events = ok(run.api.get("/events?kinds=node.complete"))["results"]
    assert [event["usage"] for event in events] == [USED, AS_TOLD]
    events = ok(run.api.get("/events?kinds=execution.start"))["results"]
    assert all("usage" not in event for event in events)


def test_a_failed_step_used_something_too() -> None:
    run = Run.start()
    ok(run.complete("a", result={"error": "no"}, usage=LEAST))
    assert run.versions()[0]["usage"] == AS_TOLD


@pytest.mark.parametrize(
    ("usage", "pointer"),
    [
        ({"input_tokens": 1}, "/usage/output_tokens"),
        ({"output_tokens": 1}, "/usage/input_tokens"),
        ({**LEAST, "input_tokens": -1}, "/usage/input_tokens"),
        ({**LEAST, "input_tokens": 1.5}, "/usage/input_tokens"),
        ({**LEAST, "output_tokens": 1_000_000_001}, "/usage/output_tokens"),
        ({**LEAST, "output_tokens": True}, "/usage/output_tokens"),
        ({**LEAST, "cached_tokens": 8}, "/usage"),
        ({**LEAST, "cached_tokens": 4, "cache_write_tokens": 4}, "/usage"),
        ({**LEAST, "cost": -0.1}, "/usage/cost"),
        ({**LEAST, "cost": 1_000_001}, "/usage/cost"),
        ({**LEAST, "model": ""}, "/usage/model"),
        ({**LEAST, "model": "m" * 129}, "/usage/model"),
        ({**LEAST, "tokens": 1}, "/usage/tokens"),
        ([], "/usage"),
    ],
)
def test_a_report_that_is_wrong_is_refused_with_its_place(usage: Any, pointer: str) -> None:
    run = Run.start()
    before = everything()
    refused(run.complete("a", usage=usage), 422, "validation", pointer)
    assert everything() == before


def test_a_report_belongs_to_the_body_of_a_completion(run: Run) -> None:
    again = run.complete("a", usage={**USED, "cost": 0.001230})
    assert again.status_code == 200
    refused(run.complete("a", usage=LEAST), 409, "duplicate")
    refused(run.complete("a"), 409, "duplicate")
    assert Usage.objects.count() == 2
    assert Usage.objects.get(version=1).cost == 1_230_000


def test_sums_by_node_workflow_and_day(run: Run) -> None:
    other = Run.start(api=run.api)
    ok(other.complete("a", usage=LEAST))
    today = clock.now().date().isoformat()
    total = {
        "steps": 3,
        "input_tokens": 1214,
        "cached_tokens": 1000,
        "cache_write_tokens": 50,
        "output_tokens": 300,
        "cost": 0.00123,
        "steps_with_cost": 1,
        "price_cost": 0.000675,  # (150 * 0.25 + 1000 * 0.025 + 50 * 0.25 + 300 * 2) / 1,000,000
        "steps_with_price": 1,
    }
    assert sums(run) == [total]
    assert sums(run, "?group=day") == [{"day": today, **total}]
    by_node = sums(run, "?group=node,workflow")
    names = [(row["workflow"], row["workflow_version"], row["node"]) for row in by_node]
    assert names == [(None, None, "a"), ("line", 1, "a"), ("line", 1, "b")]
    assert [row["input_tokens"] for row in by_node] == [7, 1200, 7]
    assert [row["cost"] for row in by_node] == [None, 0.00123, None]
    models = sums(run, "?group=model")
    assert [(row["model"], row["steps"]) for row in models] == [(None, 2), ("gpt-5-mini", 1)]
    runs = sums(run, "?group=execution")
    assert {row["conversation"]: row["steps"] for row in runs} == {
        run.head.public_id: 2,
        other.head.public_id: 1,
    }
    assert all(row["execution"].startswith("exec_") for row in runs)


def test_costs_by_price_are_those_of_the_models_of_a_group(run: Run) -> None:
    other = Run.start(api=run.api)
    ok(other.complete("a", usage={**USED, "model": "house", "cost": None}))
    rule = {"pattern": "house", "input": 1, "output": 0}
    admin = Api([Scope.ADMIN])
    by_model = sums(run, "?group=model")
    assert [(row["model"], row["price_cost"], row["steps_with_price"]) for row in by_model] == [
        (None, None, 0),
        ("gpt-5-mini", 0.000675, 1),
        ("house", None, 0),
    ]
    ok(admin.put("/prices", {"models": [rule]}))
    by_node = sums(run, "?group=node,workflow,day")
    assert [(row["node"], row["price_cost"], row["steps_with_price"]) for row in by_node] == [
        ("a", 0.0012, 1),
        ("a", 0.000675, 1),
        ("b", None, 0),
    ]
    assert sums(run)[0]["price_cost"] == 0.001875
    assert sums(run)[0]["steps_with_price"] == 2


def test_free_models_cost_0_and_unknown_ones_have_no_cost(run: Run) -> None:
    ok(Api([Scope.ADMIN]).put("/prices", {"models": [{"pattern": "*", "input": 0, "output": 0}]}))
    assert [row["price_cost"] for row in sums(run, "?group=node")] == [0, None]


def test_sums_come_in_pages(run: Run) -> None:
    first = ok(run.api.get("/usage?group=node&limit=1"))
    assert [row["node"] for row in first["results"]] == ["a"]
    second = ok(run.api.get(f"/usage?group=node&limit=1&cursor={first['next']}"))
    assert [row["node"] for row in second["results"]] == ["b"]
    assert second["next"] is None


def test_only_days_since_the_one_that_is_named_count(run: Run) -> None:
    Usage.objects.filter(version=1).update(day="2026-01-31")
    assert sums(run)[0]["steps"] == 1
    assert sums(run, "?since=2026-01-31")[0]["steps"] == 2
    assert sums(run, "?since=2026-02-01")[0]["steps"] == 1
    assert sums(run, "?since=2999-01-01")[0]["steps"] == 0
    assert sums(run, "?group=day&since=2999-01-01") == []


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("?group=nodes", "?group"),
        ("?since=yesterday", "?since"),
        ("?since=20260131", "?since"),
        ("?since=2026-02-30", "?since"),
        ("?until=2026-02-01", "?until"),
        ("?group=day&cursor=WyJ4Il0", "?cursor"),
    ],
)
def test_a_query_that_is_wrong_is_refused(run: Run, query: str, pointer: str) -> None:
    refused(run.api.get(f"/usage{query}"), 422, "validation", pointer)


def test_another_workspace_receives_nothing_of_it(run: Run) -> None:
    other = Api([Scope.ENGINE], slug="other")
    assert ok(other.get("/usage"))["results"][0]["steps"] == 0
    assert ok(other.get("/usage?group=node"))["results"] == []


def test_forks_count_nothing_again_and_what_is_deleted_or_erased(run: Run) -> None:
    ok(run.complete("c"))
    made = ok(run.post("checkpoints/2/fork"))
    fork = Run(run.api, Conversation.objects.get(public_id=made["id"]))
    assert all("usage" not in each for each in fork.versions())
    assert findings(fork) == []
    assert sums(run)[0]["steps"] == 2
    assert run.api.delete(f"{run.path}/checkpoints/1").status_code == 204
    assert sums(run)[0]["steps"] == 2
    assert findings(run) == []
    assert run.api.delete(run.path).status_code == 204
    assert sums(run)[0]["steps"] == 0


def test_altered_and_missing_reports_are_damaged(run: Run) -> None:
    Usage.objects.filter(version=1).update(output_tokens=301)
    refused(run.get("checkpoints"), 409, "damaged")
    refused(run.get("checkpoints/1"), 409, "damaged")
    assert any("usage of version 1 are damaged" in each for each in findings(run))
    Usage.objects.filter(version=1).delete()
    refused(run.get("checkpoints/1"), 409, "damaged")
    assert "execution 1: usage of version 1 are missing" in findings(run)
    Checkpoint.objects.filter(version=2).update(usage_sum=None)
    assert "execution 1: usage of version 2 belong to nothing" in findings(run)


def test_a_report_costs_one_statement_and_none_without(run: Run) -> None:
    free = Run.start(api=run.api)
    ok(free.complete("a", "warm"))
    with CaptureQueriesContext(connection) as without:
        ok(free.complete("a", "c1"))
    with CaptureQueriesContext(connection) as with_one:
        ok(free.complete("a", "c2", usage=USED))
    assert len(with_one) - len(without) <= 1
    with CaptureQueriesContext(connection) as listed:
        free.versions()
    Checkpoint.objects.filter(conversation=free.head.key).update(usage_sum=None)
    with CaptureQueriesContext(connection) as plain:
        free.versions()
    assert len(listed) - len(plain) == 1


def test_the_page_of_a_version_shows_it(run: Run) -> None:
    page = signed_in(Role.VIEWER)
    html = page.get(f"/executions/{run.head.public_id}/versions/1/").content.decode()
    for shown in ("gpt-5-mini", "1,200", "1,000 cached", "50 written to the cache", "0.00123"):
        assert shown in html
    html = page.get(f"/executions/{run.head.public_id}/versions/0/").content.decode()
    assert "Output tokens" not in html
