"""Makes the calls of the examples of the OpenAPI document, one after the other."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from ctxadmin.http.openapi_examples import example_calls
from tests.openapi import contract

Json = dict[str, Any]
Send = Callable[[str, str, Any], Any]  # method, path under the base, body -> status, JSON


def story(send: Send) -> Iterator[tuple[Json, int, Any]]:
    """Each example with the status and the JSON that it was answered with."""
    routes = {
        operation["operationId"]: (method, path.removeprefix("/api/v1"))
        for path, methods in contract()["paths"].items()
        for method, operation in methods.items()
    }
    learnt: dict[str, str] = {}
    for step in example_calls():
        method, path = routes[step["call"]]
        places = _with(step.get("places", {}), learnt)
        path = path.format(**places)
        if "query" in step:
            path += "?" + urlencode(step["query"])
        body = step.get("body")
        if "replace" in step:
            body = {**(body or {}), **_with(step["replace"], learnt)}
        status, answer = send(method, path, body)
        yield step, status, answer
        if 200 <= status < 300:
            for name, field in step.get("learns", {}).items():
                learnt[f"${name}"] = str(answer[field])


def _with(values: Mapping[str, str], learnt: Mapping[str, str]) -> dict[str, str]:
    return {name: learnt.get(value, value) for name, value in values.items()}
