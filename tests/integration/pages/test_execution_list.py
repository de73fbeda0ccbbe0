"""The list of executions."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test import Client

from bulk.jobs import selected_heads
from bulk.pages.selection import selection_in
from checkpoints.models import Execution
from conversations.models import Conversation
from ctxadmin.identity.bulk_actions import BulkList
from ctxadmin.lib.errors import ValidationFailed
from tests.factories import engine, person
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
    lost = text(reviewer.get("/executions/nope/"))
    assert 'href="/executions/">Go to executions' in lost


def test_the_list_is_filtered_by_title_or_id_and_so_is_a_bulk_action_on_all(
    reviewer: Client,
) -> None:
    named, other = paused(), running()
    Conversation.objects.filter(public_id=named.head.public_id).update(title="订单 A-1042")
    for query in ("a-1042", "订单", named.head.public_id[-8:]):
        html = text(reviewer.get("/executions/", {"q": f" {query} "}))
        assert (url(named) in html, url(other) in html) == (True, False)
        assert f'name="q" value="{query}"' in html
        sent = {"action": "cancel", "scope": "all", "q": query}
        selection = selection_in(_form(sent), BulkList.EXECUTIONS, engine().workspace)
        heads = selected_heads(person(), selection)
        assert [head.public_id for head in heads] == [named.head.public_id]
    assert "Nothing matches" in text(reviewer.get("/executions/?q=nobody"))


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


def test_the_list_is_filtered_by_the_days_on_which_executions_were_active(
    reviewer: Client,
) -> None:
    run = paused()
    begun = datetime(2026, 3, 10, 12, tzinfo=UTC)
    Execution.objects.update(created_at=begun, changed_at=begun + timedelta(days=2))
    name = run.head.public_id
    for query, is_listed in (
        ("since=2026-03-11&until=2026-03-11", True),
        ("since=2026-03-12", True),
        ("until=2026-03-10", True),
        ("since=2026-03-13", False),
        ("until=2026-03-09", False),
    ):
        assert (
            f'href="/executions/{name}/"' in text(reviewer.get(f"/executions/?{query}"))
        ) is is_listed
    page = text(reviewer.get("/executions/?status=PAUSED&since=2026-03-11&until=2026-03-11"))
    assert "Only executions that were active on 2026-03-11 (UTC)" in page
    assert 'href="/executions/?status=PAUSED">Show all days' in page
    assert '<input type="hidden" name="since" value="2026-03-11">' in page


def test_a_filter_by_days_shows_from_when_to_when_the_executions_it_means_were_active(
    reviewer: Client,
) -> None:
    run = running()
    run.post("cancel")
    begun = datetime(2026, 3, 10, 12, tzinfo=UTC)
    Execution.objects.update(created_at=begun, ended_at=begun + timedelta(days=2))
    run.post("executions", {})  # today, and the one that is listed
    page = text(reviewer.get("/executions/?since=2026-03-11&until=2026-03-11"))
    shown = re.sub(r"<[^>]+>", "", page.split('data-label="Active (UTC)">')[1].split("</td>")[0])
    assert shown == "2026-03-10 – 2026-03-12"
    assert ">Since<" not in page
    assert ">Since<" in text(reviewer.get("/executions/"))


def test_the_list_is_filtered_by_the_day_on_which_executions_started(reviewer: Client) -> None:
    run = paused()
    Execution.objects.update(created_at=datetime(2026, 3, 10, 23, 59, tzinfo=UTC))
    link = f'href="/executions/{run.head.public_id}/"'
    page = text(reviewer.get("/executions/?started=2026-03-10&status=PAUSED"))
    assert link in page
    assert "Only executions that started on 2026-03-10 (UTC)" in page
    assert 'href="/executions/?status=PAUSED">Show all days' in page
    assert page.count('<input type="hidden" name="started" value="2026-03-10">') == 2  # and in bulk
    assert link not in text(reviewer.get("/executions/?started=2026-03-11"))
    sent = _form({"action": "cancel", "scope": "all", "started": "2026-03-11"})
    with pytest.raises(ValidationFailed):
        selected_heads(person(), selection_in(sent, BulkList.EXECUTIONS, engine().workspace))


def test_a_bulk_action_on_all_that_match_keeps_to_the_days(reviewer: Client) -> None:
    paused()
    sent = {"action": "cancel", "scope": "all", "since": "2020-01-01", "until": "2020-01-02"}
    with pytest.raises(ValidationFailed):
        selected_heads(person(), selection_in(_form(sent), BulkList.EXECUTIONS, engine().workspace))
    sent["until"] = ""
    found = selected_heads(
        person(), selection_in(_form(sent), BulkList.EXECUTIONS, engine().workspace)
    )
    assert len(found) == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("since=soon", "Active from day (UTC): Enter a day such as 2026-11-24."),
        ("status=IDLE", "Select a status of the list."),
        ("since=2026-03-12&until=2026-03-11", "The first day is after the last day."),
    ],
)
def test_what_is_wrong_in_an_address_is_said_above_the_list_and_leaves_the_other_filters(
    reviewer: Client, wrong: str, said: str
) -> None:
    paused()
    answer = reviewer.get(f"/executions/?workflow=letter&archived=also&{wrong}")
    page = text(answer)
    assert answer.status_code == 422
    assert said in page
    assert '<option value="letter" selected>' in page
    assert '<option value="also" selected>' in page
    assert "Nothing matches" not in page


def test_executions_of_archived_conversations_are_counted_below_a_filter_and_listed_if_wanted(
    reviewer: Client,
) -> None:
    runs = [running() for _ in range(3)]
    for run in runs[:2]:
        run.post("cancel")
    Conversation.objects.filter(pk__in=[run.head.pk for run in runs[:2]]).update(archived=True)
    day = Execution.objects.earliest("created_at").created_at.date()

    def listed(query: str) -> list[bool]:
        page = text(reviewer.get(f"/executions/?{query}"))
        return [f'href="{url(run)}"' in page for run in runs]

    assert listed("") == [False, False, True]
    assert listed("archived=true") == [True, True, False]
    assert listed("archived=also") == [True, True, True]
    assert listed(f"status=CANCELLED&started={day}&archived=also") == [True, True, False]
    page = text(reviewer.get("/executions/?status=CANCELLED"))
    assert "Nothing matches" in page
    assert "2 more in archived conversations" in page
    assert 'href="/executions/?status=CANCELLED&amp;archived=also">Also show archived' in page
    assert "Also show archived" not in text(reviewer.get("/executions/"))
    sent = _form({"action": "label", "scope": "all", "archived": "true"})
    chosen = selection_in(sent, BulkList.EXECUTIONS, engine().workspace)
    assert len(selected_heads(person(), chosen)) == 2


def test_a_list_with_archived_ones_continues_where_the_page_before_ended(
    reviewer: Client,
) -> None:
    runs = [running() for _ in range(4)]
    for run in runs[1::2]:
        run.post("cancel")
        Conversation.objects.filter(pk=run.head.pk).update(archived=True)
    address = "/executions/?archived=also&limit=2"
    first = text(reviewer.get(address))
    second = text(reviewer.get(f"{address}&cursor=" + first.split("cursor=")[1].split('"')[0]))
    seen = [(url(run) in first) + (url(run) in second) for run in runs]
    assert seen == [1, 1, 1, 1]


def _form(sent: dict[str, str]) -> QueryDict:
    return QueryDict(urlencode(sent))
