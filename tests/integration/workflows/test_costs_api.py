"""The costs of a draft over REST, as its canvas shows them."""

import json
from typing import Any

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import Api
from tests.integration.workflows.test_element_costs import (
    BUDGET,
    SLUG,
    WINDOW,
    designer,
    document,
    talk,
)
from tests.openapi import CheckedApi
from workflows.services.use_cases import import_document

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _workflow() -> None:
    import_document(designer(), document(), SLUG, None)


def ask(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    for _ in range(100):
        answer = api.post(f"/workflows/{SLUG}/costs", body)
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = json.loads(answer.content)
        if found["complete"]:
            return found
    raise AssertionError("never complete")


def unsaved(*operations: Any) -> dict[str, Any]:
    return document(*operations).model_dump(mode="json", by_alias=True, exclude_unset=True)


def test_a_policy_that_raises_the_cost_comes_with_a_budget_that_does_not(api: CheckedApi) -> None:
    talk("one")
    found = ask(api, {"document": unsaved(WINDOW)})
    assert (found["conversations"], found["wanted"], found["left_out"]) == (1, 1, 0)
    (element,) = found["elements"]
    assert (element["kind"], element["id"], element["calls"]) == ("node", "answer", 15)
    assert element["raises_cost"]
    assert element["cost_change"] > 0 > element["sent_change"]
    assert element["offer"]["cost_change"] <= 0
    again = {**unsaved(WINDOW)}
    again["nodes"] = [again["nodes"][0], element["offer"]["element"]]
    (repaired,) = ask(api, {"document": again})["elements"]
    assert repaired["cost_change"] == element["offer"]["cost_change"]
    assert not repaired["raises_cost"]


def test_calls_at_which_a_condition_is_false_are_counted(api: CheckedApi) -> None:
    talk("one")
    asked = unsaved(WINDOW)
    (edge,) = asked["edges"]
    late = {**edge, "type": "conditional", "condition": "context.messages > 6"}
    (element,) = ask(api, {"document": {**asked, "edges": [late]}, "offers": False})["elements"]
    assert 0 < element["unreached_calls"] < element["calls"]
    assert element["unreached_conversations"] == 0


def test_without_offers_none_is_searched(api: CheckedApi) -> None:
    talk("one")
    (element,) = ask(api, {"document": unsaved(WINDOW), "offers": False})["elements"]
    assert element["raises_cost"]
    assert element["offer"] is None


def test_the_draft_is_reported_by_default_and_a_document_beside_it(api: CheckedApi) -> None:
    talk("one")
    (draft,) = ask(api, {})["elements"]
    (other,) = ask(api, {"document": unsaved(BUDGET)})["elements"]
    assert draft["cost_change"] == 0
    assert other["sent_tokens"] < draft["sent_tokens"]


def test_costs_are_shown_on_conversations_that_were_just_imported(api: CheckedApi) -> None:
    talk("imported", slug="")
    found = ask(api, {"document": unsaved(WINDOW)})
    assert (found["wanted"], found["others"]) == (1, 1)
    assert found["elements"][0]["raises_cost"]


def test_without_conversations_nothing_is_known(api: CheckedApi) -> None:
    found = ask(api, {})
    (element,) = found["elements"]
    assert (found["wanted"], element["known"], element["cost_change"]) == (0, False, None)


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/workflows/none/costs", {}, 404, "not_found"),
        (f"/workflows/{SLUG}/costs", {"version": 9}, 404, "not_found"),
        (f"/workflows/{SLUG}/costs", {"version": 0}, 422, "validation"),
        (f"/workflows/{SLUG}/costs", {"document": {"nodes": []}, "version": 1}, 422, "validation"),
        (f"/workflows/{SLUG}/costs", {"documents": {}}, 422, "validation"),
    ],
)
def test_what_is_not_there_or_not_understood_is_refused(
    api: CheckedApi, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    answer = api.post(path, body)
    assert (answer.status_code, json.loads(answer.content)["code"]) == (status, code)


def test_a_token_of_an_engine_is_refused() -> None:
    assert CheckedApi([Scope.ENGINE]).post(f"/workflows/{SLUG}/costs", {}).status_code == 403
