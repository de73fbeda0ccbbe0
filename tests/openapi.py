"""Comparing what endpoints answer with what the OpenAPI document says about them."""

import json
import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from ctxadmin.http.openapi import document
from ctxadmin.http.openapi_parts import HEADERS
from tests.factories import Api

ANYWHERE = (405,)  # what no operation names of itself


@cache
def contract() -> dict[str, Any]:
    """The document of this process."""
    made: dict[str, Any] = json.loads(document())
    return made


class CheckedApi(Api):
    """A REST client whose every answer must be as the document describes it."""

    def get(self, path: str, **headers: str) -> Any:
        return checked(super().get(path, **headers))

    def delete(self, path: str, **headers: str) -> Any:
        return checked(super().delete(path, **headers))

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        return checked(super().send(method, path, body, **headers))


def checked(answer: Any) -> Any:
    """The answer of a test client, if its status, media type and body are described."""
    route = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", answer.resolver_match.route)
    method = answer.request["REQUEST_METHOD"].lower()
    operation = contract()["paths"].get(route, {}).get(method)
    if operation is None:
        assert answer.status_code in (404, 405), f"{method} {route} is not described"
        return answer
    answers = operation["responses"]
    described = answers.get(str(answer.status_code))
    if answer.status_code in ANYWHERE:
        described = answers["default"]
    assert described, f"{method} {route}: {answer.status_code} is not described: {answer.content}"
    sent = HEADERS.keys() & answer.headers.keys()
    unknown = sent - described.get("headers", {}).keys()
    assert not unknown, f"{method} {route}: {answer.status_code} has {sorted(unknown)}"
    media = answer.headers.get("Content-Type", "").partition(";")[0]
    if "content" not in described:
        assert not answer.content, f"{method} {route}: nothing is described"
        return answer
    assert media in described["content"], f"{method} {route}: {media} is not described"
    if media.endswith("json"):
        _compare(json.loads(answer.content), described["content"][media]["schema"])
    return answer


def checked_event(path: str, data: object) -> None:
    """Compare the data of an event of a stream with what its path says of them."""
    route = re.sub(r"(?<=/conversations/)[^/]+", "{conversation_id}", path)
    answer = contract()["paths"][route]["get"]["responses"]["200"]
    _compare(data, answer["content"]["text/event-stream"]["schema"]["contentSchema"])


def checked_webhook(body: Any) -> Any:
    """The body that was sent to a webhook, if it is as the document describes it."""
    name = "test" if body["type"] == "webhook.test" else "execution"
    sent = contract()["webhooks"][name]["post"]["requestBody"]["content"]
    _compare(body, sent["application/json"]["schema"])
    return body


def _compare(body: object, schema: dict[str, Any]) -> None:
    whole = {**schema, "components": contract()["components"]}
    wrong = sorted(Draft202012Validator(whole).iter_errors(body), key=lambda each: list(each.path))
    told = [f"{each.json_path}: {each.message[:300]}" for each in wrong[:5]]
    assert not told, told
