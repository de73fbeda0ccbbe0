"""Prices over REST: those of the workspace above the public ones."""

from typing import Any

import pytest

from conversations.models import WorkspacePrices
from ctxadmin.identity.roles import Scope
from tests.factories import Api
from tests.integration.checkpoints.flows import ok, refused

pytestmark = pytest.mark.django_db
OWN = {"pattern": "house-*", "input": 2, "cached": 0.2, "output": 8}
FREE = {"pattern": "local-*", "input": 0, "output": 0}


@pytest.fixture
def api() -> Api:
    return Api([Scope.ADMIN])


def found(api: Api, model: str) -> Any:
    return ok(api.get(f"/prices?model={model}"))["found"]


def test_public_prices_hold_where_the_workspace_set_none(api: Api) -> None:
    told = ok(api.get("/prices"))
    assert (told["models"], told["version"], told["author"]) == ([], 0, None)
    assert told["public"]["source"] == "genai-prices"
    assert told["found"] is None
    assert found(api, "gpt-5-mini") == {
        "model": "gpt-5-mini",
        "source": "public",
        "input": 0.25,
        "cached": 0.025,
        "cache_write": 0.25,
        "output": 2.0,
    }


def test_prices_of_the_workspace_stand_above_them(api: Api) -> None:
    ok(api.put("/prices", {"models": [OWN, FREE, {**OWN, "pattern": "gpt-5*"}]}))
    assert found(api, "house-large") == {
        "model": "house-large",
        "source": "workspace",
        "input": 2.0,
        "cached": 0.2,
        "cache_write": 2.0,
        "output": 8.0,
    }
    assert found(api, "gpt-5-mini")["source"] == "workspace"
    assert found(api, "local-7b")["input"] == 0
    assert found(api, "claude-haiku-4-5")["source"] == "public"
    ok(api.put("/prices", {"models": []}))
    assert found(api, "house-large")["source"] is None


def test_the_price_of_a_model_that_no_one_knows_is_not_0(api: Api) -> None:
    told = found(api, "unheard-of")
    assert told["source"] is None
    assert {told[name] for name in ("input", "cached", "cache_write", "output")} == {None}


def test_of_two_who_set_them_at_once_one_wins(api: Api) -> None:
    first = api.put("/prices", {"models": [OWN], "expected_version": 0})
    assert ok(first)["version"] == 1
    assert first["ETag"] == '"1"'
    refused(api.put("/prices", {"models": [FREE], "expected_version": 0}), 409, "version_conflict")
    assert ok(api.get("/prices"))["models"][0]["pattern"] == "house-*"
    ok(api.put("/prices", {"models": [FREE], "expected_version": 1}))
    refused(api.put("/prices", {"models": [OWN], "expected_version": 1}), 409, "version_conflict")


@pytest.mark.parametrize("scope", [Scope.ENGINE, Scope.REVIEW, Scope.DESIGN])
def test_only_admins_set_them_and_all_read_them(scope: Scope) -> None:
    other = Api([scope])
    refused(other.put("/prices", {"models": [OWN]}), 403, "forbidden")
    assert not WorkspacePrices.objects.exists()
    assert ok(other.get("/prices"))["version"] == 0


def test_another_workspace_has_its_own(api: Api) -> None:
    ok(api.put("/prices", {"models": [OWN]}))
    other = Api([Scope.ADMIN], slug="other")
    assert ok(other.get("/prices"))["models"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"models": [{**OWN, "input": -1}]}, "/models/0/input"),
        ({"models": [{"pattern": "a", "input": 1}]}, "/models/0/output"),
        ({"models": [OWN, {**OWN, "pattern": " a"}]}, "/models/1/pattern"),
        ({"models": [OWN] * 201}, "/models"),
        ({"prices": []}, "/prices"),
    ],
)
def test_prices_that_are_wrong_are_refused_with_their_place(
    api: Api, body: Any, pointer: str
) -> None:
    refused(api.put("/prices", body), 422, "validation", pointer)
    assert not WorkspacePrices.objects.exists()


def test_a_name_that_is_wrong_is_refused(api: Api) -> None:
    refused(api.get("/prices?model="), 422, "validation", "?model")
    refused(api.get(f"/prices?model={'m' * 129}"), 422, "validation", "?model")
