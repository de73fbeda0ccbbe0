"""The examples of the OpenAPI document are calls that succeed, and answers as they are."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ctxadmin.http.openapi_examples import example_calls, examples
from tests.openapi import CheckedApi, contract
from tests.openapi_story import story

pytestmark = pytest.mark.only("sqlite")

RENEW = "python -m scripts.openapi_examples"
# A config is an object of any keys, some of which are the caller's.
DATA = {"get_schema", "export_conversation"}


def json_contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every body and every answer of success that is JSON, with where it stands."""
    for methods in contract()["paths"].values():
        for operation in methods.values():
            name = operation["operationId"]
            body = operation.get("requestBody", {}).get("content", {})
            answered = str(examples().get(name, {}).get("status", 200))
            answer = operation["responses"].get(answered, {}).get("content", {})
            for what, content in (("body", body), ("answer", answer)):
                if "application/json" in content:
                    yield f"{name}: {what}", content["application/json"]


def test_every_body_and_answer_has_an_example() -> None:
    silent = [place for place, content in json_contents() if "example" not in content]
    assert not silent, f"add the call to ctxadmin/http/examples.json, then {RENEW}"


def test_every_example_is_one_that_its_schema_takes() -> None:
    for place, content in json_contents():
        whole = {**content["schema"], "components": contract()["components"]}
        wrong = [
            each.message for each in Draft202012Validator(whole).iter_errors(content["example"])
        ]
        assert not wrong, place


@pytest.mark.django_db
def test_every_example_is_accepted_and_answered_as_described() -> None:
    api = CheckedApi()

    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        as_json = {"Accept": "application/json"}
        get = method == "get"
        answer = api.get(path, **as_json) if get else api.send(method, path, body, **as_json)
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.status_code, answer.json() if is_json else None

    made = 0
    for step, status, answer in story(send):
        made += 1
        assert status == step["status"], (step["call"], answer)
        if step["call"] not in DATA and isinstance(answer, dict):
            assert answer.keys() == step["answer"].keys(), f"{step['call']}: {RENEW}"
    assert made == len(example_calls())
