"""The pages of usage and prices: what runs cost, by day, workflow version, node and model."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Usage
from checkpoints.statistics.estimates import calibration_source, calibrations
from checkpoints.statistics.usage_totals import totals_of_workflow, totals_of_workspace
from conversations.models import WorkspacePrices
from conversations.workspace.pricing import prices_of
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import signed_in, workspace
from tests.integration.checkpoints.flows import Run, chain, ok

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
USED = {"model": "gpt-5-mini", "input_tokens": 4000, "cached_tokens": 3000, "output_tokens": 500}
COST = "$0.0013"  # (1000 * 0.25 + 3000 * 0.025 + 500 * 2) / 1,000,000


@pytest.fixture
def viewer() -> Client:
    return signed_in(Role.VIEWER)


@pytest.fixture
def run() -> Run:
    """A workflow of which one node used a known model, and one that nobody knows."""
    chain("line", "a", "b", "c")
    run = Run.start("line")
    ok(run.complete("a", usage=USED))
    ok(run.complete("b", usage={**USED, "model": "house"}))
    return run


def text(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return str(answer.content.decode())


def form(*rules: dict[str, str], version: int = 0) -> dict[str, str]:
    """What a browser sends of the form of prices, by the names that the page gives."""
    sent = {"version": str(version), "models-count": str(len(rules))}
    for number, rule in enumerate(rules):
        sent |= {f"models-{number}-{name}": value for name, value in rule.items()}
    return sent


def test_the_overview_asks_for_the_plots_later(viewer: Client, run: Run) -> None:
    html = text(viewer.get("/"))
    assert 'hx-get="/usage/days/"' in html
    part = text(viewer.get("/usage/days/"))
    assert "<html" not in part
    for shown in ("8,000", "75 %", "1,000", COST, "+ 1 step of unknown cost"):
        assert shown in part
    assert part.count("<rect") == 4  # three kinds of tokens and the cost of today
    assert clock.now().date().isoformat() in part


def test_the_page_says_that_nothing_was_reported(viewer: Client) -> None:
    assert "No engine reported usage" in text(viewer.get("/usage/days/"))
    assert "No usage reported" in text(viewer.get("/usage/"))


def test_usage_by_workflow_version_and_model(viewer: Client, run: Run) -> None:
    free = Run.start(api=run.api)
    ok(free.complete("a", usage={"input_tokens": 7, "output_tokens": 1, "cost": 0.25}))
    html = text(viewer.get("/usage/"))
    for shown in ("version 1", "Executions without a workflow", "gpt-5-mini", "house", "0.25"):
        assert shown in html
    assert "no model named" in html
    assert "genai-prices" in html
    assert 'href="/usage/?days=30&amp;workflow=line"' in html
    assert "/settings/prices/" not in html


def test_usage_of_one_workflow_has_its_nodes(viewer: Client, run: Run) -> None:
    other = Run.start(api=run.api)
    ok(other.complete("elsewhere", usage=USED))
    html = text(viewer.get("/usage/?workflow=line&days=7"))
    assert "Usage of line" in html
    assert "elsewhere" not in html
    assert html.index(">a<") < html.index(">b<")  # what costs most comes first
    assert "Usage reported" not in text(viewer.get("/usage/?workflow=nothing"))
    assert "No usage reported" in text(viewer.get("/usage/?workflow=图"))
    assert 'href="/usage/?workflow=line"' in text(viewer.get("/workflows/line/"))


@pytest.mark.parametrize("days", ["0", "31", "x", "９0", "-7"])
def test_only_the_offered_numbers_of_days_are_shown(viewer: Client, days: str) -> None:
    text(viewer.get(f"/usage/?days={days}"), 422)


def test_an_execution_tells_what_it_used(viewer: Client, run: Run) -> None:
    path = f"/executions/{run.head.public_id}"
    html = text(viewer.get(f"{path}/"))
    for shown in ("8,000", "75 % cached", COST, "+ 1 step of unknown cost"):
        assert shown in html
    marks = viewer.get(f"{path}/canvas/marks/").json()["marks"]["nodes"]
    assert marks["a"] == ["done", f"4.5k tok · {COST} · 75 % cached"]
    assert marks["b"] == ["done", "4.5k tok · cost unknown · 75 % cached"]
    assert marks["c"] == ["ready", "runs next"]
    panel = text(viewer.get(f"{path}/canvas/panel/?node=b"))
    assert "4,000 · 75 % cached" in panel
    assert "unknown" in panel
    assert COST in text(viewer.get(f"{path}/canvas/panel/"))
    assert COST in text(viewer.get(f"{path}/versions/1/"))
    assert "unknown" in text(viewer.get(f"{path}/versions/2/"))


def test_the_canvas_of_a_workflow_has_what_its_nodes_used(viewer: Client, run: Run) -> None:
    assert 'href="/usage/canvas/line/?days=7"' in text(viewer.get("/usage/?workflow=line&days=7"))
    assert "/usage/canvas/" not in text(viewer.get("/usage/?workflow=nothing"))
    html = text(viewer.get("/usage/canvas/line/?days=7"))
    (setup,) = re.findall(r'id="editor-setup" type="application/json">(.*?)</script>', html)
    marks = json.loads(setup)["watched"]["marks"]["nodes"]
    assert marks == {
        "a": ["done", f"4.5k tok · {COST} · 75 % cached"],
        "b": ["done", "4.5k tok · cost unknown · 75 % cached"],
        "c": ["open", "reported nothing"],
    }
    panel = "/usage/canvas/line/panel/?days=7"
    assert "8,000 · 75 % cached" in text(viewer.get(panel))
    assert "4,000 · 75 % cached" in text(viewer.get(f"{panel}&node=a"))
    assert "No engine reported usage" in text(viewer.get(f"{panel}&node=c"))
    text(viewer.get(f"{panel}&node=x"), 404)
    text(viewer.get("/usage/canvas/nothing/"), 404)


def test_an_execution_that_reported_nothing_shows_nothing(viewer: Client) -> None:
    run = Run.start()
    ok(run.complete("a"))
    assert "Input tokens" not in text(viewer.get(f"/executions/{run.head.public_id}/"))


def test_an_admin_sets_prices_in_a_form(admin: Client, run: Run) -> None:
    assert 'href="/settings/prices/"' in text(admin.get("/settings/"))
    assert "None yet" in text(admin.get("/settings/prices/"))
    added = text(admin.post("/settings/prices/", {**form(), "_rows": "add:models"}))
    assert 'name="models-0-pattern"' in added
    assert not WorkspacePrices.objects.exists()
    rule = {"pattern": "house*", "input": "1.5", "cached": "", "cache_write": "", "output": "0"}
    answer = admin.post("/settings/prices/", form(rule))
    assert answer.status_code == 302, text(answer, answer.status_code)
    (saved,) = prices_of(workspace().key).rules
    assert (saved.pattern, saved.input, saved.cached, saved.output) == ("house*", 1.5, None, 0)
    assert 'value="house*"' in text(admin.get("/settings/prices/"))
    found = text(admin.get("/settings/prices/?model=house-2"))
    assert "this workspace" in found
    assert "$1.50" in found
    assert "No price of this model is known" in text(
        admin.get("/settings/prices/?model=unheard-of")
    )
    assert "public prices" in text(admin.get("/settings/prices/?model=gpt-5-mini"))
    assert "step of unknown cost" not in text(admin.get("/usage/"))


def test_a_wrong_price_changes_nothing(admin: Client) -> None:
    rule = {"pattern": "house*", "input": "-1", "cached": "", "cache_write": "", "output": "0"}
    html = text(admin.post("/settings/prices/", form(rule)), 422)
    assert 'value="house*"' in html
    assert not WorkspacePrices.objects.exists()


def test_of_two_admins_the_second_is_reported(admin: Client) -> None:
    rule = {"pattern": "house*", "input": "1", "cached": "", "cache_write": "", "output": "0"}
    admin.post("/settings/prices/", form(rule))
    html = text(admin.post("/settings/prices/", form({**rule, "pattern": "mine"})), 409)
    assert "Someone else changed the prices" in html
    assert 'value="mine"' in html
    assert [each.pattern for each in prices_of(workspace().key).rules] == ["house*"]
    text(admin.post("/settings/prices/", {**form(rule), "version": ""}), 422)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.DESIGNER])
def test_only_admins_see_and_set_prices(role: Role) -> None:
    client = signed_in(role)
    text(client.get("/settings/prices/"), 403)
    text(client.post("/settings/prices/", form()), 403)
    assert not WorkspacePrices.objects.exists()


def test_sums_are_read_from_one_index_alone(run: Run) -> None:
    """1,000,000 rows of usage are added up without one of them being read."""
    Usage.objects.update(day=clock.now().date().isoformat())
    with CaptureQueriesContext(connection) as asked:
        totals_of_workspace(workspace().key, clock.now().date(), 30)
        totals_of_workflow(workspace().key, "line", clock.now().date(), 30)
    sums = [each["sql"] for each in asked if "GROUP BY" in each["sql"]]
    assert len(sums) == 2
    for sql in sums:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
                plan = " ".join(str(row) for row in cursor.fetchall())
                assert "COVERING INDEX usage_sums" in plan
            else:
                cursor.execute(f"EXPLAIN {sql}")
                (row,) = cursor.fetchall()
                assert row[5] == "usage_sums"
                assert "Using index" in row[-1]


def test_the_estimate_is_beside_the_reported_tokens(viewer: Client) -> None:
    names = [f"n{number}" for number in range(6)]
    chain("long", *names)
    run = Run.start("long")
    for number, name in enumerate(names):
        entered = ok(run.post(f"nodes/{name}/enter"))
        seen = sum(message["tokens"] for message in entered["messages"])
        said = {"role": "assistant", "content": f"{name} " * 40 * (number + 1)}
        used = {**USED, "input_tokens": 5000 + 2 * seen}
        ok(run.complete(name, messages=[said], usage=used))
    (found,) = calibrations(workspace().key).values()
    assert found.steps == 6
    assert found.reported == 6 * 5000 + 2 * found.estimated
    assert found.per_token == pytest.approx(2)
    assert found.beside == pytest.approx(5000)
    known = calibration_source(workspace().key)
    assert known.of("", "long", "n0") == known.of("gpt-5-mini", "long", "n5")
    assert known.by_model["gpt-5-mini"].reported(100) == 5200
    html = text(viewer.get("/usage/estimates/"))
    assert "2.00 × estimate + 5,000 per call" in html
    assert "<h1" in html
    part = text(viewer.get("/usage/estimates/", headers={"HX-Request": "true"}))
    assert "2.00 × estimate" in part
    assert "<h1" not in part
    assert "/usage/estimates/" in text(viewer.get("/usage/"))


def test_without_a_workflow_or_a_model_there_is_nothing_to_compare(viewer: Client) -> None:
    run = Run.start()
    ok(run.complete("a", usage=USED))
    assert "Nothing to compare yet" in text(viewer.get("/usage/estimates/"))
    part = text(viewer.get("/usage/estimates/", headers={"HX-Request": "true"}))
    assert "No step of a workflow reported usage" in part
