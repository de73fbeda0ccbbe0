"""The cost of a draft beside the published version, and the button that takes a budget."""

import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from ctxadmin.identity.roles import Role
from tests.factories import assistant, conversation, person, signed_in, system, user
from tests.integration.pages.workflows.designing import draft, made, node, text
from workflows.domain.document import graph
from workflows.domain.document.graph import filters_in
from workflows.services import use_cases

pytestmark = pytest.mark.django_db

PAGE = "/workflows/small/publish/"
TAKE = "/workflows/small/use-budget/"
WORDS = "The saddle and the bell are in stock, and both can be sent today. " * 6
WINDOW: JsonValue = {
    "operation": "truncate",
    "truncate": {"keep_last": 4, "keep_system": True},
    "pairing": "keep",
}
BUDGET: JsonValue = {
    "operation": "budget",
    "budget": {"max_tokens": 1_500, "target_tokens": 700},
    "pairing": "keep",
}


def document(operation: JsonValue) -> dict[str, JsonValue]:
    own: JsonValue = {"rules": [], "default_behavior": "pass", "messages": [operation]}
    return {
        "name": "Small",
        "nodes": [
            {"id": "start", "type": "start"},
            {"id": "answer", "type": "llm", "name": "Answer", "context_filter": own},
        ],
        "edges": [{"id": "go", "type": "sequence", "from": "start", "to": "answer"}],
    }


@pytest.fixture
def worse() -> None:
    """A budget is published, and the draft has a window that moves at each call."""
    made("small", document(BUDGET))
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    use_cases.save_draft(person(Role.DESIGNER), "small", graph.read(document(WINDOW)), 1)
    for name in ("one", "two"):
        own = {"node_id": "answer"}
        said = [each for _ in range(15) for each in (user(WORDS), {**assistant(WORDS), **own})]
        conversation(system("Be kind."), *said, public_id=name, workflow="small")


def costs(client: Client) -> str:
    page = text(client.get(PAGE))
    return page[page.index('id="costs"') :]


def offered(page: str) -> dict[str, Any]:
    form = page[page.index('action="/workflows/small/use-budget/"') :]
    return dict(re.findall(r'name="([a-z_]+)" value="([^"]*)"', form[: form.index("</form>")]))


def test_a_draft_that_costs_more_than_the_published_version_is_reported_with_figures(
    designer: Client, worse: None
) -> None:
    shown = costs(designer)
    assert "against version 1, 30 calls" in shown
    assert re.search(r'<b class="cost-raises">\+\d+ %</b>', shown)
    assert "On the latest 2 conversations of this workflow." in shown
    assert "Raises the cost by" in shown
    assert '/workflows/small/compare/"' in shown


def test_a_condition_that_is_false_at_some_calls_is_said_before_publishing(
    designer: Client,
) -> None:
    drawn = document(WINDOW)
    ends = {"id": "go", "from": "start", "to": "answer"}
    drawn["edges"] = [{**ends, "type": "conditional", "condition": "context.messages > 6"}]
    made("small", drawn)
    said = [each for _ in range(15) for each in (user(WORDS), assistant(WORDS))]
    conversation(system("Be kind."), *said, public_id="one", workflow="small")
    shown = costs(designer)
    assert shown.count("of 15 calls; estimated as if it were true.") == 1
    assert "Raises the cost by" in shown


def test_one_press_takes_the_budget_into_the_draft(designer: Client, worse: None) -> None:
    sent = offered(costs(designer))
    answer = designer.post(TAKE, sent)
    assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    (own,) = filters_in(node("answer").context_filter)
    limits = {name: int(sent[name]) for name in ("max_tokens", "target_tokens")}
    assert own["messages"] == [{"operation": "budget", "budget": limits, "pairing": "keep"}]
    after = costs(designer)
    assert "Raises the cost by" not in after
    assert "use-budget" not in after


def test_a_draft_that_someone_changed_meanwhile_stays_as_it_is(
    designer: Client, worse: None
) -> None:
    sent = offered(costs(designer))
    other = graph.read({**document(WINDOW), "name": "Other"})
    use_cases.save_draft(person(Role.DESIGNER), "small", other, 2)
    assert designer.post(TAKE, sent).status_code == 302
    assert draft() == other
    assert "Someone else changed the draft" in text(designer.get(PAGE))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_tokens", "0"),
        ("max_tokens", "many"),
        ("target_tokens", ""),
        ("target_tokens", "99999999"),
        ("id", "gone"),
        ("seen", "forged"),
    ],
)
def test_a_wrong_budget_changes_nothing(
    designer: Client, worse: None, field: str, value: str
) -> None:
    before = draft()
    answer = designer.post(TAKE, {**offered(costs(designer)), field: value})
    assert answer.status_code == 422
    assert draft() == before


def test_without_conversations_the_page_says_when_costs_are_shown(designer: Client) -> None:
    made("small", document(WINDOW))
    assert "No conversations in this workspace yet" in costs(designer)


FORM = "/workflows/small/nodes/answer/"


def test_the_form_of_a_node_says_what_it_would_cost_and_takes_the_budget(
    designer: Client, worse: None
) -> None:
    page = text(designer.get(FORM))
    shown = page[page.index('id="cost"') :]
    assert "On the latest 2 conversations of this workflow." in shown
    assert "Raises the cost by" in shown
    answer = designer.post(TAKE, offered(shown))
    assert (answer.status_code, answer.headers["Location"]) == (302, FORM)
    (own,) = filters_in(node("answer").context_filter)
    assert "budget" in str(own["messages"])
    assert "Raises the cost by" not in text(designer.get(FORM))


def test_forms_of_what_decides_no_call_have_no_cost(designer: Client, worse: None) -> None:
    for name in ("nodes/start/", "edges/go/", "add-node/", "reducers/"):
        assert 'id="cost"' not in text(designer.get(f"/workflows/small/{name}"))


def test_only_designers_take_a_budget(worse: None) -> None:
    sent = offered(costs(signed_in(Role.DESIGNER)))
    assert signed_in(Role.REVIEWER).post(TAKE, sent).status_code == 403
