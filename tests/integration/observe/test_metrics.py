"""``/metrics``: who may read it, what it tells, and that its page in the docs tells the same."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from checkpoints.models import Execution
from ctxadmin.http import scrape
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from ctxadmin.telemetry import metrics, readings
from ctxadmin.telemetry.readings import DatabaseCollector
from tests.factories import Api, user

pytestmark = pytest.mark.django_db

TOKEN = "a token only for metrics"
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the database read again in every test."""
    monkeypatch.setattr(readings, "KEPT_SECONDS", 0.0)
    monkeypatch.setattr(readings, "KEPT_TIMES", 0)
    registry = scrape.all_metrics()
    monkeypatch.setattr(scrape, "REGISTRY", registry)


def read(**headers: str) -> Any:
    return Client().get("/metrics", headers=headers)


def figure(name: str, **labels: str) -> float:
    """One figure as Prometheus reads it."""
    for family in text_string_to_metric_families(read().content.decode()):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    return 0.0


def test_this_machine_may_read_without_a_token() -> None:
    answer = read()
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via"])
def test_what_came_through_a_proxy_needs_a_token(name: str) -> None:
    answer = read(**{name: "10.0.0.1"})
    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated"


def test_behind_tls_this_machine_needs_a_token_too(settings: Settings) -> None:
    settings.HTTPS_ONLY = True
    settings.SECURE_PROXY_SSL_HEADER = None
    assert read().status_code == 401


def test_another_machine_needs_a_token() -> None:
    assert Client(REMOTE_ADDR="10.0.0.9").get("/metrics").status_code == 401


def test_the_token_of_the_settings_opens(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    far = Client(REMOTE_ADDR="10.0.0.9")
    opened = far.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    refused = far.get("/metrics", headers={"Authorization": "Bearer another"})
    assert (opened.status_code, refused.status_code) == (200, 401)


def test_the_token_of_the_settings_opens_while_the_database_is_down(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object) -> None:
        raise OperationalError

    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setattr(readings, "READINGS", [away])
    monkeypatch.setattr(scrape, "token_actor", away)
    far = Client(REMOTE_ADDR="10.0.0.9")
    opened = far.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert "ctxadmin_database_up 0.0" in opened.content.decode()


def test_an_empty_token_opens_nothing(settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assert read(Authorization="Bearer ").status_code == 401
    assert read(Authorization="Bearer").status_code == 401


@pytest.mark.parametrize(("scope", "status"), [(Scope.ADMIN, 200), (Scope.ENGINE, 401)])
def test_of_engine_tokens_one_with_the_scope_admin_opens(scope: Scope, status: int) -> None:
    secret = Api([scope]).secret
    assert read(Authorization=f"Bearer {secret}").status_code == status


def test_a_committed_change_is_counted_by_its_action_with_its_bytes(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    api = Api()
    api.post("/conversations", {"id": "one"})
    written = figure("ctxadmin_written_bytes_total")
    appends = figure("ctxadmin_changes_total", action="messages.append")
    with django_capture_on_commit_callbacks(execute=True):
        api.post("/conversations/one/messages", {"messages": [user("x" * 500)]})
    assert figure("ctxadmin_changes_total", action="messages.append") == appends + 1
    assert 500 < figure("ctxadmin_written_bytes_total") - written < 700


def test_a_change_that_is_not_committed_is_not_counted() -> None:
    api = Api()
    api.post("/conversations", {"id": "one"})
    before = figure("ctxadmin_changes_total", action="messages.append")
    api.post("/conversations/one/messages", {"messages": [user("x")]})
    assert figure("ctxadmin_changes_total", action="messages.append") == before


def test_a_repeated_checkpoint_and_a_repeated_key_are_counted() -> None:
    api = Api()
    checkpoints = figure("ctxadmin_repeats_total", of="checkpoint")
    keys = figure("ctxadmin_repeats_total", of="idempotency_key")
    for _ in range(2):
        api.post("/conversations", {"id": "one"}, **{"Idempotency-Key": "k"})
        api.put("/conversations/one/checkpoints/c", {"node_id": "n", "state_data": {}})
    assert figure("ctxadmin_repeats_total", of="checkpoint") == checkpoints + 1
    assert figure("ctxadmin_repeats_total", of="idempotency_key") == keys + 1


def test_a_conflict_is_counted_by_its_code() -> None:
    api = Api()
    before = figure("ctxadmin_refusals_total", code="version_conflict")
    api.post("/conversations", {"id": "one"})
    save = {"node_id": "n", "state_data": {}, "expected_version": 7}
    assert api.put("/conversations/one/checkpoints/c", save).status_code == 409
    assert figure("ctxadmin_refusals_total", code="version_conflict") == before + 1


def test_executions_are_reported_by_status_and_the_oldest_review_by_its_age() -> None:
    api = Api()
    for name in ("one", "two", "three"):
        api.post("/conversations", {"id": name})
        save = {
            "node_id": "n",
            "state_data": {},
            "status": "RUNNING" if name == "one" else "PAUSED",
        }
        assert api.put(f"/conversations/{name}/checkpoints/c", save).status_code == 201
    an_hour_ago = clock.now() - timedelta(hours=1)
    Execution.objects.filter(status="PAUSED").update(waiting_since=an_hour_ago)
    assert figure("ctxadmin_executions", status="RUNNING") == 1
    assert figure("ctxadmin_executions", status="PAUSED") == 2
    assert figure("ctxadmin_executions", status="FAILED") == 0
    assert 3600 <= figure("ctxadmin_oldest_review_seconds") < 3700


def test_no_review_waits_for_no_time() -> None:
    assert figure("ctxadmin_oldest_review_seconds") == 0


@pytest.mark.only("mysql")
def test_sizes_are_reported_by_app_and_connections_of_the_server() -> None:
    assert figure("ctxadmin_database_bytes", group="conversations") > 0
    assert figure("ctxadmin_database_bytes", group="checkpoints") > 0
    assert figure("ctxadmin_database_connections") >= 1


@pytest.mark.only("sqlite")
def test_of_sqlite_the_whole_size_is_reported() -> None:
    assert figure("ctxadmin_database_bytes", group="all") > 0


def test_a_database_that_is_down_leaves_the_other_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[Any]:
        raise OperationalError

    monkeypatch.setattr(readings, "READINGS", [away])
    assert figure("ctxadmin_database_up") == 0
    assert "ctxadmin_executions" not in read().content.decode()


def test_the_database_is_asked_once_in_a_while(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(readings, "KEPT_SECONDS", 60.0)
    collector = DatabaseCollector()
    first = list(collector.collect())
    with django_assert_num_queries(0):
        assert list(collector.collect()) == first


def test_the_page_of_the_docs_lists_what_is_reported() -> None:
    """Every figure with its type, labels and meaning; those of other databases are there, too."""
    row = re.compile(r"\| `(\w+)` \| (\w+) \| (.*?) \| (.*?) \|")
    listed = {found[1]: (found[2], found[3]) for found in row.finditer(PAGE.read_text())}
    told = {name: (kind, labels) for name, kind, labels in _told(scrape.all_metrics())}
    only_mysql = {"ctxadmin_database_connections": ("gauge", "")}
    assert listed == only_mysql | told


def _told(registry: CollectorRegistry) -> Iterator[tuple[str, str, str]]:
    metrics.count_request_start()
    metrics.count_request_end("/", "GET", 200, 0.001)
    metrics.change_committed("messages.append", 1)
    metrics.write_repeated("checkpoint")
    metrics.count_refusal("not_found")
    metrics.damage_found("message")
    metrics.count_live_copy(lambda: {"hits": 1})
    metrics.pull()
    for family in registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        yield name, family.type, ", ".join(f"`{label}`" for label in sorted(labels))
