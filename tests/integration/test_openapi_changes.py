"""Changes of the OpenAPI document that break clients are found, and there are none."""

import copy
from typing import Any

import orjson
import pytest

from scripts.openapi_changes import COMMITTED, breaking_changes
from tests.openapi import contract

APPEND = "/api/v1/conversations/{conversation_id}/messages"


@pytest.fixture
def changed() -> dict[str, Any]:
    return copy.deepcopy(contract())


def found(changed: dict[str, Any]) -> list[str]:
    return breaking_changes(contract(), changed)


def model(document: dict[str, Any], name: str) -> Any:
    return document["components"]["schemas"][name]


def test_nothing_breaks_the_clients_of_the_committed_document() -> None:
    told = breaking_changes(orjson.loads(COMMITTED.read_bytes()), contract())
    assert not told, "python -m scripts.openapi_changes --renew, if this was decided"


def test_the_committed_document_knows_every_call_and_model() -> None:
    committed = orjson.loads(COMMITTED.read_bytes())
    renew = "python -m scripts.openapi_changes --renew"
    assert committed["paths"].keys() == contract()["paths"].keys(), renew
    schemas = [each["components"]["schemas"].keys() for each in (committed, contract())]
    assert schemas[0] == schemas[1], renew


def test_additions_break_nothing(changed: dict[str, Any]) -> None:
    changed["paths"]["/api/v1/new"] = changed["paths"]["/api/v1/conversations"]
    model(changed, "CreateConversation")["properties"]["new"] = {"type": "string"}
    model(changed, "AppendedAnswer")["properties"]["new"] = {"type": "string"}
    assert found(changed) == []


def test_a_removed_call_is_found(changed: dict[str, Any]) -> None:
    del changed["paths"][APPEND]["post"]
    assert found(changed) == [f"POST {APPEND}: the call was removed"]


def test_a_removed_field_of_a_body_and_of_an_answer_is_found(changed: dict[str, Any]) -> None:
    del model(changed, "CreateConversation")["properties"]["title"]
    del model(changed, "AppendedAnswer")["properties"]["batch"]
    assert found(changed) == [
        "POST /api/v1/conversations body.title: the field was removed",
        f"POST {APPEND} 201.batch: the field was removed",
    ]


def test_a_newly_required_field_is_found(changed: dict[str, Any]) -> None:
    model(changed, "CreateConversation").setdefault("required", []).append("title")
    assert found(changed) == ["POST /api/v1/conversations body.title: the field is required now"]


def test_a_narrowed_type_bound_or_choice_is_found(changed: dict[str, Any]) -> None:
    model(changed, "CreateConversation")["properties"]["title"]["maxLength"] = 10
    model(changed, "AppendedAnswer")["properties"]["batch"] = {
        "anyOf": [{"type": "integer"}, {"type": "null"}]
    }
    model(changed, "CreateWebhook")["properties"]["name"]["type"] = "integer"
    told = found(changed)
    assert "POST /api/v1/conversations body.title: maxLength is now 10" in told
    assert f"POST {APPEND} 201.batch: null can be answered now" in told
    assert "POST /api/v1/webhooks body.name: string is refused now" in told


def test_a_parameter_that_is_removed_or_newly_required_is_found(changed: dict[str, Any]) -> None:
    parameters = changed["paths"][APPEND]["get"]["parameters"]
    changed["paths"][APPEND]["get"]["parameters"] = [
        {**each, "required": True} if each["name"] == "limit" else each
        for each in parameters
        if each["name"] != "cursor"
    ]
    assert found(changed) == [
        f"GET {APPEND}: the parameter cursor was removed",
        f"GET {APPEND}: the parameter limit is required now",
    ]
