"""The list of executions."""

from typing import Any

import pytest
from django.test import Client

from tests.integration.pages.execution_scenes import paused, running, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_the_list_shows_the_current_executions_with_their_reasons(reviewer: Client) -> None:
    run = paused()
    html = text(reviewer.get("/executions/"))
    assert url(run) in html
    assert "look at this" in html
    assert "letter" in html


def test_the_list_is_filtered_by_status_and_workflow(reviewer: Client) -> None:
    waits, runs = paused(), running()
    only_paused = text(reviewer.get("/executions/?status=PAUSED"))
    assert url(waits) in only_paused
    assert url(runs) not in only_paused
    assert url(waits) in text(reviewer.get("/executions/?workflow=letter"))
    assert "Nothing matches" in text(reviewer.get("/executions/?workflow=other"))
    assert reviewer.get("/executions/?workflow=中文").status_code == 200
    nonsense = reviewer.get("/executions/?status=IDLE")
    assert nonsense.status_code == 422
    assert "Use one of: PENDING, RUNNING, PAUSED" in text(nonsense)
    lost = text(reviewer.get("/executions/nope/"))
    assert 'href="/executions/">Go to executions' in lost


def test_the_list_continues_where_the_page_before_ended(reviewer: Client) -> None:
    runs = [running() for _ in range(3)]
    first = text(reviewer.get("/executions/?limit=2"))
    cursor = first.split("cursor=")[1].split('"')[0]
    second = text(reviewer.get(f"/executions/?limit=2&cursor={cursor}"))
    shown = [url(run) in first for run in runs], [url(run) in second for run in runs]
    assert shown == ([False, True, True], [True, False, False])
    assert reviewer.get("/executions/?cursor=x").status_code == 422


def test_only_the_latest_execution_of_a_conversation_is_listed(reviewer: Client) -> None:
    run = running()
    run.post("cancel")
    run.post("executions", {})
    html = text(reviewer.get("/executions/"))
    assert html.count(f'href="{url(run)}"') == 1
    assert "Nothing matches" in text(reviewer.get("/executions/?status=CANCELLED"))


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        running()
    with django_assert_max_num_queries(8):
        reviewer.get("/executions/")
