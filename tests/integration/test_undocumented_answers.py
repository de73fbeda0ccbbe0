"""Calls that schemathesis makes from the OpenAPI document get only answers that it describes."""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.live_server import LiveServer
from tests.openapi import contract
from tests.openapi_story import story

pytestmark = pytest.mark.only("sqlite")

EXAMPLES: Final = 6  # of a call
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SCOPES: Final = ("engine", "review", "design", "admin")
STREAM: Final = "/api/v1/conversations/{conversation_id}/events"  # it does not end
PLACES: Final = {
    "conversation_id": "support-42",
    "slug": "support",
    "node_id": "review",
    "message": "0",
    "version": "1",
    "checkpoint_id": "1",
    "number": "1",
    "name": "truncate",
    "task_id": "task-1",
}
# What erases comes last, so that the other calls find something.
CALLS: Final = sorted(
    (
        (path, method.upper())
        for path, methods in contract()["paths"].items()
        for method in methods
        if path != STREAM
    ),
    key=lambda call: (call[1] == "DELETE", call),
)


# A process that makes a token takes two seconds.
MAKE_TOKENS: Final = """
import json
from ctxadmin.accounts.services import create_token, default_workspace, system_actor
from ctxadmin.identity.roles import Scope
actor = system_actor(default_workspace(), "tests")
made = {each.value: create_token(actor, each.value, [each]).secret for each in Scope}
made["all"] = create_token(actor, "all", list(Scope)).secret
print(json.dumps(made))
"""


@dataclass(frozen=True)
class Served:
    """A server with what the examples made, and the secret of a token of each scope."""

    url: str
    tokens: Mapping[str, str]

    def headers(self, scope: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[scope]}"}


@cache
def schema() -> Any:
    return schemathesis.openapi.from_dict(strict())


def strict() -> dict[str, Any]:
    """The document without its default answers, which would describe any."""
    whole = copy.deepcopy(contract())
    for methods in whole["paths"].values():
        for operation in methods.values():
            del operation["responses"]["default"]
    return whole


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with LiveServer(tmp_path_factory.mktemp("answers"), {}, "--no-demo") as started:
        tokens = json.loads(started.manage("shell", "-v", "0", "-c", MAKE_TOKENS))
        made = Served(started.url, tokens)
        base = f"{started.url}/api/v1"
        with httpx.Client(base_url=base, headers=made.headers("all"), timeout=60) as client:

            def send(method: str, path: str, body: object) -> tuple[int, Any]:
                answer = client.request(method, path, json=body)
                is_json = "json" in answer.headers.get("Content-Type", "")
                return answer.status_code, answer.json() if is_json else None

            assert all(status < 300 for _, status, _ in story(send))
        yield made


@pytest.mark.parametrize(("path", "method"), CALLS)
def test_a_call_is_answered_as_described(served: Served, path: str, method: str) -> None:
    operation = schema()[path][method]
    modes = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]
    cases = st.one_of(*modes)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, scope=st.sampled_from(SCOPES), is_there=st.booleans(), is_bare=st.booleans())
    def call(case: Any, scope: str, is_there: bool, is_bare: bool) -> None:
        if is_bare:  # else most calls fail at a header or a parameter
            case.headers, case.query, case.cookies = {}, {}, {}
        if is_there and case.path_parameters:
            case.path_parameters.update(
                {name: PLACES[name] for name in case.path_parameters if name in PLACES}
            )
        if path.endswith("/wait"):
            case.query["timeout"] = 0
        headers = served.headers(scope)
        if path.endswith("/events"):
            headers["Accept"] = "application/json"  # of pages, which end
        case.call_and_validate(base_url=served.url, headers=headers, checks=CHECKS, timeout=20)

    call()


def test_an_answer_that_the_document_leaves_out_is_found(served: Served) -> None:
    shortened = strict()
    path = "/api/v1/conversations/{conversation_id}"
    del shortened["paths"][path]["get"]["responses"]["404"]
    operation = schemathesis.openapi.from_dict(shortened)[path]["GET"]
    case = operation.Case(path_parameters={"conversation_id": "no-such"})
    with pytest.raises(FailureGroup, match="404"):
        case.call_and_validate(
            base_url=served.url, headers=served.headers("engine"), checks=CHECKS, timeout=20
        )
