"""The page that compares policies on the conversations of a workflow."""

import csv
import re
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from tests.factories import (
    assistant,
    calls,
    conversation,
    result,
    signed_in,
    system,
    user,
    workspace,
)
from tests.integration.checkpoints.flows import everything
from tests.integration.pages.workflows.designing import SMALL, made, text
from workflows import policy_costs
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

PAGE = "/workflows/small/compare/"
LONG = "word " * 300
DEEP: dict[str, Any] = {"max_tokens": "4000", "target_tokens": "500"}
# Each call but the first has a result before it: "last 5" splits pairs, a budget does not.
TALK = [
    system("Be kind."),
    *(
        each
        for turn in range(20)
        for each in (user(LONG), calls(f"c{turn}"), result(f"c{turn}", LONG), assistant("ok"))
    ),
]


@pytest.fixture
def talks(small: Workflow) -> list[Conversation]:
    return [talk(f"talk-{number}") for number in range(2)]


def talk(name: str, *messages: Any, slug: str = "small") -> Conversation:
    return conversation(*(messages or TALK), public_id=name, workflow=slug)


def rows(client: Client, **query: Any) -> dict[str, dict[str, str]]:
    answer = client.get(PAGE, {"last": "50", **query, "csv": "1"})
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8", text(answer)
    assert "small-policies.csv" in answer.headers["Content-Disposition"]
    return {row["policy"]: row for row in csv.DictReader(StringIO(text(answer)))}


def test_the_page_of_a_workflow_leads_to_the_comparison(designer: Client, small: Workflow) -> None:
    assert f'href="{PAGE}"' in text(designer.get("/workflows/small/"))
    asked = text(designer.get(PAGE))
    assert 'id="compared"' not in asked
    assert re.search(r'value="answer" checked', asked)
    assert re.search(r'value="budget" checked', asked)


def test_policies_are_compared_in_a_table_with_plots_and_their_numbers(
    designer: Client, talks: list[Conversation]
) -> None:
    query: dict[str, Any] = {"last": "50", "preset": "last_5_naive", "node": "answer", **DEEP}
    shown = text(designer.get(PAGE, query))
    assert "2 conversations, calls: 80" in shown
    table = shown[shown.index('id="compared"') :]
    labels = re.findall(r'<th scope="row"><div>(?:<a[^>]*>)?([^<]+)', table)
    assert [each.strip() for each in labels] == [
        "Full history",
        "As recorded",
        "Answer",
        "Last 5, pairs split",
        "Budget 4,000 to 500",
    ]
    assert shown.count('<svg class="plot-bars"') == 5
    assert shown.count('<th scope="row" class="number">') == 40
    best = re.findall(r'([^>]+?)(?:</a>)? <span class="badge tone-green">', table)
    assert best == ["Answer"]
    assert "raises the cost" in table


def test_the_file_has_the_numbers_of_the_command(
    designer: Client, talks: list[Conversation]
) -> None:
    found = rows(designer, preset="last_5_naive", **DEEP)
    assert found["Full history"]["calls"] == "80"
    assert found["Last 5, pairs split"]["invalid_calls"] != "0"
    assert found["Budget 4,000 to 500"]["invalid_calls"] == "0"
    assert [name for name, row in found.items() if row["best"] == "True"] == ["Budget 4,000 to 500"]


def test_ones_own_budgets_are_variants(designer: Client, talks: list[Conversation]) -> None:
    found = rows(designer, max_tokens=["3000", "", "4000"], target_tokens=["1000", "", "2000"])
    assert list(found)[2:] == ["Budget 3,000 to 1,000", "Budget 4,000 to 2,000"]
    assert int(found["Budget 3,000 to 1,000"]["sent_tokens"]) < int(
        found["Full history"]["sent_tokens"]
    )


def test_a_model_is_priced_in_dollars(designer: Client, talks: list[Conversation]) -> None:
    query: dict[str, Any] = {"last": "5", "preset": "budget", "model": "gpt-5-mini"}
    assert re.search(r'data-label="Cost">\$0\.\d+', text(designer.get(PAGE, query)))
    assert not re.search(r'data-label="Cost">\$', text(designer.get(PAGE, {**query, "model": ""})))


def test_only_the_latest_conversations_of_this_workflow_and_workspace_count(
    designer: Client, talks: list[Conversation]
) -> None:
    made("other", SMALL)
    talk("other", slug="other")
    made("small", SMALL, workspace("far").slug)
    assert rows(designer, preset="budget")["Full history"]["calls"] == "80"
    assert rows(designer, preset="budget", last=1)["Full history"]["calls"] == "40"
    far = signed_in(Role.DESIGNER, "far")
    assert "No calls to compare" in text(far.get(PAGE, {"last": "5", "preset": "budget"}))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"last": "51", "preset": "budget"}, "Enter a number from 1 to 50."),
        ({"last": "", "preset": "budget"}, "Enter a number from 1 to 50."),
        ({"last": "9" * 30, "preset": "budget"}, "Enter a number from 1 to 50."),
        ({"last": "5"}, "Select at least one policy."),
        ({"last": "5", "preset": "unheard"}, "Select at least one policy."),
        ({"last": "5", "preset": "budget", "prices": "low"}, "Choose one of the prices."),
        ({"last": "5", "preset": "budget", "model": "unheard"}, "No price is known"),
        ({"last": "5", "max_tokens": "5", "target_tokens": "5"}, "Enter a target below"),
        ({"last": "5", "max_tokens": "5", "target_tokens": ""}, "Enter two numbers of tokens"),
        ({"last": "5", "max_tokens": "5e3", "target_tokens": "2"}, "Enter two numbers of tokens"),
        ({"last": "5", "max_tokens": "9999999999", "target_tokens": "2"}, "Enter two numbers"),
    ],
)
def test_what_makes_no_sense_is_named_at_its_field(
    designer: Client, talks: list[Conversation], query: dict[str, str], said: str
) -> None:
    answer = designer.get(PAGE, query)
    assert answer.status_code == 422
    assert said in text(answer)
    assert 'id="compared"' not in text(answer)


def test_too_many_policies_are_refused(designer: Client) -> None:
    nodes: list[Any] = [{"id": "begin", "type": "start"}]
    nodes += [{"id": f"n{number}", "type": "llm"} for number in range(13)]
    made("small", {"name": "Small", "nodes": nodes, "edges": []})
    answer = designer.get(PAGE, {"last": "5", "node": [each["id"] for each in nodes]})
    assert answer.status_code == 422
    assert "Select at most 12 policies." in text(answer)


def test_conversations_that_are_too_long_are_left_out_by_name(
    designer: Client, talks: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk("short", user("hi"), assistant("hello"))
    monkeypatch.setattr(policy_costs, "MOST_CALLS", 39)
    shown = text(designer.get(PAGE, {"last": "50", "preset": "budget"}))
    assert "2 conversations are too long" in shown
    assert "talk-0" in shown
    assert "1 conversation, calls: 1" in shown


def test_more_work_than_a_page_may_ask_for_is_refused(
    designer: Client, talks: list[Conversation], settings: Settings
) -> None:
    settings.MAX_PREVIEW_WORK = 10_000
    answer = designer.get(PAGE, {"last": "50", "preset": "budget"})
    assert answer.status_code == 422
    assert "take more work than one page may ask for" in text(answer)


def test_those_who_may_preview_may_compare_and_others_not(talks: list[Conversation]) -> None:
    expected = {Role.VIEWER: 403, Role.REVIEWER: 200, Role.DESIGNER: 200, Role.ADMIN: 200}
    for role, status in expected.items():
        client = signed_in(role)
        for query in (None, {"last": "5", "preset": "budget"}):
            assert client.get(PAGE, query).status_code == status
    assert signed_in(Role.ADMIN, "far").get(PAGE).status_code == 404


def test_nothing_is_stored(designer: Client, talks: list[Conversation]) -> None:
    before = everything()
    designer.get(PAGE, {"last": "50", "preset": "budget", "node": "answer"})
    assert everything() == before


def test_hostile_names_are_text(designer: Client) -> None:
    script = "<script>alert(1)</script>"
    nodes: list[Any] = [
        {"id": "begin", "type": "start"},
        {"id": "x", "type": "llm", "name": script},
    ]
    edges: list[Any] = [{"id": "e", "type": "sequence", "from": "begin", "to": "x"}]
    made("small", {"name": script, "nodes": nodes, "edges": edges})
    talk("one")
    shown = text(designer.get(PAGE, {"last": "5", "node": "x"}))
    assert 'id="compared"' in shown
    assert script not in shown


CALL = f"{PAGE}call/"
OPENED = {"last": "50", "preset": "budget", "conversation": "talk-0"}


def seen_labels(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><code translate="no">(#\d+)</code>', page)


def test_a_call_is_opened_from_the_table_as_the_policy_would_see_it(
    designer: Client, talks: list[Conversation]
) -> None:
    table = text(designer.get(PAGE, {"last": "50", "preset": "last_5_naive"}))
    urls = [unescape(each) for each in re.findall(r'<td><a href="([^"]+)">Calls', table)]
    full, recorded, naive = (text(designer.get(url)) for url in urls)
    assert seen_labels(full) == seen_labels(recorded) == [f"#{index}" for index in range(80)]
    assert seen_labels(naive) == ["#75", "#76", "#77", "#78", "#79"]
    assert re.search(r"Unseen messages</dt><dd>75<", naive)


def test_any_call_of_any_conversation_can_be_chosen(
    designer: Client, talks: list[Conversation]
) -> None:
    shown = text(designer.get(CALL, {**OPENED, "policy": "0", "call": "2"}))
    assert seen_labels(shown) == ["#0", "#1", "#2", "#3"]
    assert '<option value="talk-1">' in shown
    assert 'name="preset" value="budget"' in shown


def test_a_call_stays_shown_when_others_are_later(
    designer: Client, talks: list[Conversation]
) -> None:
    asked = {**OPENED, "last": "1", "policy": "0"}
    assert '<option value="talk-0" selected>' in text(designer.get(CALL, asked))


def test_the_figures_of_a_call_are_those_of_the_comparison(
    designer: Client, talks: list[Conversation]
) -> None:
    sums = 0
    for number in range(1, 41):
        shown = text(designer.get(CALL, {**OPENED, "policy": "2", "call": str(number)}))
        found = re.search(r"<dt>Tokens</dt><dd>([\d,]+)<", shown)
        assert found is not None
        sums += int(found[1].replace(",", ""))
    whole = rows(designer, preset="budget")["Budget 2,500 to 1,900"]["sent_tokens"]
    assert 2 * sums == int(whole)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"policy": "3"}, "There is no such policy."),
        ({"policy": "x"}, "Choose a policy and enter the number of a call."),
        ({"call": "0"}, "Choose a policy and enter the number of a call."),
        ({"call": "41"}, "There is no such call."),
        ({"conversation": "unheard"}, "There is no conversation"),
        ({"conversation": "other"}, "This workflow has no conversation"),
        ({"preset": "unheard"}, "This comparison cannot be made."),
    ],
)
def test_a_call_that_does_not_exist_is_told(
    designer: Client, talks: list[Conversation], query: dict[str, str], said: str
) -> None:
    made("other", SMALL)
    talk("other", user("hi"), assistant("ok"), slug="other")
    answer = designer.get(CALL, {**OPENED, **query})
    assert answer.status_code == 422
    assert said in unescape(text(answer))


def test_calls_are_shown_to_those_who_may_preview(talks: list[Conversation]) -> None:
    for role, status in {Role.VIEWER: 403, Role.REVIEWER: 200}.items():
        assert signed_in(role).get(CALL, OPENED).status_code == status
    assert signed_in(Role.ADMIN, "far").get(CALL, OPENED).status_code == 404
