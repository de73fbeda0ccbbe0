"""The page that compares policies on the conversations of a workflow."""

import csv
import json
import re
from datetime import timedelta
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import (
    assistant,
    conversation,
    signed_in,
    user,
    workspace,
)
from tests.integration.pages.workflows.comparing import (
    DEEP,
    PAGE,
    compared,
    rows,
    start,
    table_of,
    talk,
)
from tests.integration.pages.workflows.designing import SMALL, made, text
from workflows.backtests import store, use_cases
from workflows.backtests.runner import RUNNER
from workflows.models import Backtest, Workflow
from workflows.pages.comparison.form import MOST_NODES

pytestmark = pytest.mark.django_db


def test_the_page_of_a_workflow_leads_to_the_comparison(designer: Client, small: Workflow) -> None:
    assert f'href="{PAGE}"' in text(designer.get("/workflows/small/"))
    asked = text(designer.get(PAGE))
    assert 'id="compared"' not in asked
    assert re.search(r'value="answer" checked', asked)
    assert re.search(r'value="budget" checked', asked)


def test_the_form_of_a_node_leads_to_the_comparison_with_this_node(
    designer: Client, small: Workflow
) -> None:
    link = f"{PAGE}?node=answer"
    assert f'href="{link}"' in text(designer.get("/workflows/small/nodes/answer/"))
    asked = text(designer.get(link))
    assert re.findall(r'name="node" value="(\w+)" checked', asked) == ["answer"]
    assert re.search(r'value="budget" checked', asked)


def test_the_nodes_of_a_large_workflow_are_found_by_their_names(designer: Client) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "tool", "name": f"Look up {n}"} for n in range(60)
    ]
    made("small", {**SMALL, "nodes": nodes, "edges": []})
    asked = text(designer.get(PAGE))
    assert asked.count('name="node"') == MOST_NODES
    assert "20 more nodes match" in asked
    found = designer.post(
        PAGE, {"last": "5", "node": "n3", "node_search": "UP 57", "find_nodes": "1"}
    )
    assert found.status_code == 200
    listed = re.findall(r'name="node" value="(\w+)"( checked)?', text(found))
    assert listed == [("n3", " checked"), ("n57", "")]
    nothing = designer.post(PAGE, {"last": "5", "node_search": "zzz", "find_nodes": "1"})
    assert "No node matches." in text(nothing)
    assert not Backtest.objects.exists()


def test_calls_of_a_node_are_chosen_by_its_name_too(designer: Client) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "tool", "name": f"Look up {n}"} for n in range(60)
    ]
    made("small", {**SMALL, "nodes": nodes, "edges": []})
    typed = {"last": "5", "calls_of": "Look up 58", "find_nodes": "1"}
    assert 'value="n58" list="calls-of-nodes"' in text(designer.post(PAGE, typed))


def test_policies_are_compared_in_a_table_with_plots_and_their_numbers(
    designer: Client, talks: list[Conversation]
) -> None:
    query: dict[str, Any] = {"preset": "last_5_naive", "node": "answer", **DEEP}
    shown = text(designer.get(compared(designer, **query)))
    assert "2 conversations, calls: 80" in shown
    table = table_of(shown)
    labels = re.findall(r'<th scope="row"><div>(?:<a[^>]*>)?([^<]+)', table)
    assert [each.strip() for each in labels] == [
        "Full history",
        "As recorded",
        "Answer",
        "Last 5, pairs split",
        "Budget 4,000 to 500",
    ]
    assert table.count("compare-spark") == 5
    best = re.findall(r'([^>]+?)(?:</a>)? <span class="badge tone-green">', table)
    assert best == ["Answer"]
    assert "raises the cost" in table
    numbers = shown[shown.index("Numbers by call") :]
    assert numbers.count('<th scope="row" class="number">') >= 40


def test_a_node_behind_a_false_condition_is_compared_as_if_it_were_true(
    designer: Client,
) -> None:
    shut: JsonValue = {
        "id": "go",
        "from": "start",
        "to": "answer",
        "type": "conditional",
        "condition": "context.lang === 'zh'",
    }
    made("small", {**SMALL, "edges": [shut]})
    talk("one")
    url = compared(designer, node="answer", preset="last_5")
    table = table_of(text(designer.get(url)))
    assert table.count("A condition is false at 40 calls; estimated as if it were true") == 1
    counted = csv.DictReader(StringIO(text(designer.get(url, {"csv": "1"}))))
    unreached = {row["policy"]: row["unreached_calls"] for row in counted}
    assert (unreached["Answer"], unreached["Full history"]) == ("40", "0")


def test_the_spread_over_conversations_is_drawn_with_its_numbers(
    designer: Client, talks: list[Conversation]
) -> None:
    talk("short", user("hi"), assistant("hello"))
    shown = text(designer.get(compared(designer, **DEEP)))
    spread = shown[shown.index('id="spread"') :]
    cells = re.findall(r'data-label="(Lowest tenth|Highest tenth|Cheaper)">([^<]+)<', spread)
    named = dict(cells[-3:])
    assert named["Cheaper"] == "2"
    assert named["Lowest tenth"].startswith("−")
    assert named["Highest tenth"].startswith("−")


def test_the_calls_of_one_conversation_are_bands_that_open_the_call(
    designer: Client, talks: list[Conversation]
) -> None:
    url = compared(designer, **DEEP)
    shown = text(designer.get(url, {"conversation": "talk-1"}))
    bands = shown[shown.index('id="bands"') :]
    assert '<option value="talk-1" selected>' in bands
    drawn = re.findall(r'<a href="([^"]+)" tabindex="-1">', bands)
    assert len(drawn) == 3 * 40
    opened = text(designer.get(unescape(drawn[-1])))
    cells = re.findall(
        r'<td class="number"><a href="([^"]+)">([\d,]+) / ([\d,]+) / ([\d,]+)</a>', bands
    )
    assert [unescape(each[0]) for each in cells[-1:]] == [unescape(drawn[-1])]
    cached, fresh, dropped = (int(each.replace(",", "")) for each in cells[-1][1:])
    assert f"<dt>Tokens</dt><dd>{cached + fresh:,}<" in opened
    assert dropped > 0
    full = int(cells[-3][1].replace(",", "")) + int(cells[-3][2].replace(",", ""))
    assert full == cached + fresh + dropped


def test_a_comparison_that_runs_shows_its_progress_and_continues_by_itself(
    designer: Client, talks: list[Conversation]
) -> None:
    url = start(designer, **DEEP)
    waiting = text(designer.get(url))
    assert "Waiting: 2 conversations" in waiting
    assert f'hx-get="{url}"' in waiting
    row = store.JOBS.take_next("server", clock.now())
    assert row is not None
    store.JOBS.renew(row, clock.now(), done=1)
    assert "Running: 1 of 2 conversations" in text(designer.get(url))
    assert "Running: 1 of 2 conversations" in text(designer.get(PAGE))
    Backtest.objects.update(until=clock.now() - timedelta(seconds=1))
    assert RUNNER.run_next()
    done = text(designer.get(url))
    assert "hx-get" not in done[done.index('id="comparison"') : done.index('id="compared"')]
    assert "2 conversations compared" in text(designer.get(PAGE))


def test_cancel_stops_it_and_keeps_what_was_asked(
    designer: Client, talks: list[Conversation]
) -> None:
    url = start(designer, **DEEP)
    answer = designer.post(f"{url}cancel/")
    assert not Backtest.objects.exists()
    again = text(designer.get(answer.headers["Location"]))
    assert designer.get(url).status_code == 404
    assert "Comparison cancelled." in again
    assert 'name="max_tokens" value="4000"' in again


def test_a_comparison_that_failed_tells_why(designer: Client, talks: list[Conversation]) -> None:
    url = start(designer, **DEEP)
    Backtest.objects.update(status="failed", problem="too_much_work", ended_at=clock.now())
    shown = text(designer.get(url))
    assert "Comparison failed" in shown
    assert "It took more work than one backtest is allowed." in shown


def test_the_file_has_the_numbers_of_the_command(
    designer: Client, talks: list[Conversation]
) -> None:
    found = rows(designer, preset="last_5_naive", **DEEP)
    assert found["Full history"]["calls"] == "80"
    assert found["Last 5, pairs split"]["invalid_calls"] != "0"
    assert found["Budget 4,000 to 500"]["invalid_calls"] == "0"
    assert [name for name, row in found.items() if row["best"] == "True"] == ["Budget 4,000 to 500"]


def test_ones_own_budgets_are_variants_and_another_row_is_offered(
    designer: Client, talks: list[Conversation]
) -> None:
    typed = {
        "max_tokens": ["3000", "", "4000"],
        "target_tokens": ["1000", "", "2000"],
        "drop": ["oldest", "oldest", "oldest_turns"],
    }
    found = rows(designer, **typed)
    assert list(found)[2:] == ["Budget 3,000 to 1,000", "Budget 4,000 to 2,000"]
    assert int(found["Budget 3,000 to 1,000"]["sent_tokens"]) < int(
        found["Full history"]["sent_tokens"]
    )
    shown = text(designer.get(compared(designer, **typed)))
    assert "Whole turns, 4,000 to 2,000" in table_of(shown)
    assert re.findall(r'name="max_tokens" value="(\d*)"', shown) == ["3000", "4000", ""]


def test_only_calls_of_a_node_count_and_tool_schemas_are_sent_in_front(
    designer: Client, small: Workflow
) -> None:
    by_answer = {**assistant("ok"), "node_id": "answer"}
    talk("mixed", user("hi"), by_answer, user("more"), {**by_answer, "node_id": "other"})
    plain = rows(designer, calls_of="answer", preset="budget")["Full history"]
    assert plain["calls"] == "1"
    schemas = json.dumps([{"type": "function", "function": {"name": "find_order"}}])
    sent = rows(designer, calls_of="answer", preset="budget", tools=schemas)["Full history"]
    assert int(sent["sent_tokens"]) > int(plain["sent_tokens"])


def test_a_model_is_priced_in_dollars_and_other_prices_need_no_new_comparison(
    designer: Client, talks: list[Conversation]
) -> None:
    url = compared(designer, preset="budget", model="gpt-5-mini")
    dollars = r'data-label="Cost"><div>\$0\.\d+'
    assert re.search(dollars, text(designer.get(url)))
    by_ratio = text(designer.get(url, {"prices": "half_price_cache"}))
    assert not re.search(dollars, by_ratio)
    assert '<option value="half_price_cache" selected>' in by_ratio


def test_only_the_latest_conversations_of_this_workflow_and_workspace_count(
    designer: Client, talks: list[Conversation]
) -> None:
    made("other", SMALL)
    talk("other", slug="other")
    made("small", SMALL, workspace("far").slug)
    assert rows(designer, preset="budget")["Full history"]["calls"] == "80"
    assert rows(designer, preset="budget", last=1)["Full history"]["calls"] == "40"
    assert rows(designer, preset="budget", scope="all")["Full history"]["calls"] == "120"
    assert rows(designer, preset="budget", q="talk-1")["Full history"]["calls"] == "40"
    far = signed_in(Role.DESIGNER, "far")
    assert "No calls to compare" in text(far.get(compared(far, preset="budget")))


def test_an_empty_workspace_and_a_workflow_without_conversations_are_explained(
    designer: Client, small: Workflow
) -> None:
    assert "No conversations yet" in text(designer.get(PAGE))
    made("other", SMALL)
    talk("other", slug="other")
    shown = text(designer.get(PAGE))
    assert "This workflow has no conversations yet." in shown
    assert '<option value="all" selected>' in shown
    assert '<option value="all" selected>' not in text(designer.get(f"{PAGE}?scope=workflow"))


def test_budgets_that_fit_the_conversations_are_offered_first(
    designer: Client, talks: list[Conversation]
) -> None:
    middle = talks[0].log_tokens
    first = text(designer.get(PAGE))
    offered = [int(each) for each in re.findall(r'name="max_tokens" value="(\d+)"', first)]
    targets = [int(each) for each in re.findall(r'name="target_tokens" value="(\d+)"', first)]
    assert [round(each / middle, 1) for each in offered] == [0.5, 0.8]
    assert targets == [int(each * 0.3) for each in offered]
    assert "These two budgets fit the latest conversations" in first
    again = text(designer.get(PAGE, {"last": "5", "preset": "budget"}))
    assert not re.search(r'name="max_tokens" value="\d', again)
    assert "These two budgets fit the latest conversations" not in again


def test_short_conversations_have_no_budgets_that_fit(designer: Client, small: Workflow) -> None:
    conversation(user("hello"), assistant("hello"), workflow="small")
    shown = text(designer.get(PAGE))
    assert "This workflow has no conversations yet." not in shown
    assert not re.search(r'name="max_tokens" value="\d', shown)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"last": "2001", "preset": "budget"}, "Enter a number from 1 to 2000."),
        ({"last": "", "preset": "budget"}, "Enter a number from 1 to 2000."),
        ({"last": "9" * 30, "preset": "budget"}, "Enter a number from 1 to 2000."),
        ({"last": "5"}, "Select at least one policy."),
        ({"last": "5", "preset": "unheard"}, "Select at least one policy."),
        ({"last": "5", "preset": "budget", "prices": "low"}, "Choose one of the prices."),
        ({"last": "5", "preset": "budget", "model": "unheard"}, "No price is known"),
        ({"last": "5", "preset": "budget", "status": "ASLEEP"}, "Choose one of the statuses."),
        ({"last": "5", "preset": "budget", "tools": "{}"}, "Enter a JSON list of tool schemas"),
        ({"last": "5", "preset": "budget", "tools": "[NaN]"}, "Enter a JSON list of tool schemas"),
        ({"last": "5", "max_tokens": "5", "target_tokens": "5"}, "Enter a target below"),
        ({"last": "5", "max_tokens": "5", "target_tokens": ""}, "Enter two numbers of tokens"),
        ({"last": "5", "max_tokens": "5e3", "target_tokens": "2"}, "Enter two numbers of tokens"),
        ({"last": "5", "max_tokens": "9999999999", "target_tokens": "2"}, "Enter two numbers"),
    ],
)
def test_what_makes_no_sense_is_named_at_its_field(
    designer: Client, talks: list[Conversation], query: dict[str, str], said: str
) -> None:
    answer = designer.post(PAGE, query)
    assert answer.status_code == 422
    assert said in text(answer)
    assert not Backtest.objects.exists()


def test_too_many_policies_are_refused(designer: Client) -> None:
    nodes: list[Any] = [{"id": "begin", "type": "start"}]
    nodes += [{"id": f"n{number}", "type": "llm"} for number in range(13)]
    made("small", {"name": "Small", "nodes": nodes, "edges": []})
    answer = designer.post(PAGE, {"last": "5", "node": [each["id"] for each in nodes]})
    assert answer.status_code == 422
    assert "Select at most 12 policies." in text(answer)


def test_conversations_that_are_too_long_are_left_out_by_name(
    designer: Client, talks: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk("short", user("hi"), assistant("hello"))
    monkeypatch.setattr(use_cases, "MOST_MESSAGES", 80)
    shown = text(designer.get(compared(designer, preset="budget")))
    assert "2 conversations are too long" in shown
    assert "talk-0" in shown
    assert "1 conversation, calls: 1" in shown


def test_more_work_than_one_comparison_may_ask_for_is_refused(
    designer: Client, talks: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(use_cases, "MOST_WORK", 100)
    answer = designer.post(PAGE, {"last": "50", "preset": "budget"})
    assert answer.status_code == 422
    assert "Select fewer conversations or policies" in text(answer)


def test_those_who_may_preview_may_compare_and_others_not(talks: list[Conversation]) -> None:
    expected = {Role.VIEWER: 403, Role.REVIEWER: 302, Role.DESIGNER: 302, Role.ADMIN: 302}
    clients = {role: signed_in(role) for role in expected}
    url = start(clients[Role.ADMIN], preset="budget")
    for role, status in expected.items():
        client = clients[role]
        seen = 200 if status == 302 else 403
        assert client.get(PAGE).status_code == client.get(url).status_code == seen
        sent = client.post(PAGE, {"last": "5", "preset": "budget"})
        assert sent.status_code == status
        if seen == 403:
            assert client.post(f"{url}cancel/").status_code == 403
        else:
            Backtest.objects.exclude(public_id=url.split("/")[-2]).delete()
    far = signed_in(Role.ADMIN, "far")
    assert far.get(PAGE).status_code == far.get(url).status_code == 404


def test_a_comparison_of_another_workflow_is_not_found(
    designer: Client, talks: list[Conversation]
) -> None:
    made("other", SMALL)
    url = start(designer, preset="budget")
    assert designer.get(url.replace("/small/", "/other/")).status_code == 404


def test_hostile_names_are_text(designer: Client) -> None:
    script = "<script>alert(1)</script>"
    nodes: list[Any] = [
        {"id": "begin", "type": "start"},
        {"id": "x", "type": "llm", "name": script},
    ]
    edges: list[Any] = [{"id": "e", "type": "sequence", "from": "begin", "to": "x"}]
    made("small", {"name": script, "nodes": nodes, "edges": edges})
    talk("one")
    shown = text(designer.get(compared(designer, node="x", preset="budget")))
    assert 'id="compared"' in shown
    assert script not in shown
