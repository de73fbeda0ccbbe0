"""What holds for every call: who may call, strict JSON, problems, repeated calls."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from ctxadmin.accounts.services import create_token, revoke_token, system_actor
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from tests.factories import Api, browser, member, user, workspace

pytestmark = pytest.mark.django_db

HOSTILE = {
    "not json": (b"{", 400),
    "not utf-8": (b'{"title": "\xff"}', 400),
    "a byte order mark": (b'\xef\xbb\xbf{"title": "x"}', 400),
    "NaN": (b'{"metadata": {"a": NaN}}', 400),
    "Infinity": (b'{"metadata": {"a": -Infinity}}', 400),
    "an overflow": (b'{"metadata": {"a": 1e999}}', 400),
    "a lone surrogate": (b'{"title": "\\ud800"}', 400),
    "duplicate keys": (b'{"title": "a", "title": "b"}', 422),
    "duplicate keys deep inside": (b'{"metadata": {"a": [{"b": 1, "b": 2}]}}', 422),
    "an integer beyond 64 bit": (b'{"metadata": {"a": 18446744073709551616}}', 422),
    "65 levels": (b'{"metadata": {"a": ' + b"[" * 63 + b"]" * 63 + b"}}", 422),
    "100,000 levels": (b"[" * 100_000 + b"]" * 100_000, 422),
    "a list": (b"[]", 422),
    "a text": (b'"x"', 422),
    "a number": (b"3", 422),
}


@pytest.mark.parametrize(("body", "status"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_body_is_a_clear_refusal(body: bytes, status: int) -> None:
    api = Api()
    answer = api.post("/conversations", body)
    assert (answer.status_code, answer.json()["code"]) == (status, "validation")
    assert api.get("/conversations").json()["results"] == []


def test_64_levels_and_64_bits_are_taken_and_come_back() -> None:
    metadata = b'{"deep": ' + b"[" * 62 + b"]" * 62 + b', "big": 18446744073709551615}'
    api = Api()
    answer = api.post("/conversations", b'{"id": "deep", "metadata": ' + metadata + b"}")
    assert answer.status_code == 201, answer.content
    assert api.get("/conversations/deep").json()["metadata"] == json.loads(metadata)


def test_a_body_over_the_limit_is_too_large(settings: Any) -> None:
    answer = Api().post("/conversations", b'{"title": "' + b"x" * 16 * 1024**2 + b'"}')
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/nothing/here", 404, "not_found"),
        ("post", "/nothing/here", 404, "not_found"),
        ("put", "/conversations", 405, "method_not_allowed"),
        ("delete", "/conversations", 405, "method_not_allowed"),
    ],
)
def test_errors_outside_of_services_are_problems_too(
    method: str, path: str, status: int, code: str
) -> None:
    answer = Api().send(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"


def test_every_method_that_is_listed_as_allowed_is_allowed() -> None:
    for method in Api().put("/conversations")["Allow"].split(", "):
        assert Api().send(method, "/conversations").status_code != 405


def test_a_method_that_is_not_allowed_says_which_are() -> None:
    assert "POST" in Api().put("/conversations")["Allow"]


def test_another_media_type_is_unsupported() -> None:
    api = Api()
    answer = api.client.post("/api/v1/conversations", b"a=1", content_type="text/plain")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_an_answer_that_no_one_makes_is_not_acceptable() -> None:
    answer = Api().get("/conversations", Accept="image/png")
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer nonsense", "Basic abc", "Bearer a b"])
def test_no_one_gets_in_without_a_token(header: str) -> None:
    workspace()
    headers = {"Authorization": header} if header else {}
    answer = Client().get("/api/v1/conversations", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_revoked_token_stops_at_once() -> None:
    api = Api()
    assert api.get("/conversations").status_code == 200
    from ctxadmin.accounts.models import EngineToken

    revoke_token(system_actor(workspace(), "test"), EngineToken.objects.get().public_id)
    assert api.get("/conversations").status_code == 401


def test_an_expired_token_is_refused() -> None:
    made = create_token(
        system_actor(workspace(), "test"), "old", [Scope.ENGINE], lifetime=timedelta(seconds=-1)
    )
    headers = {"Authorization": f"Bearer {made.secret}"}
    assert Client().get("/api/v1/conversations", headers=headers).status_code == 401


def test_a_token_is_kept_as_a_hash_only() -> None:
    from ctxadmin.accounts.models import EngineToken

    api = Api()
    stored = EngineToken.objects.values().get()
    assert api.secret not in str(stored)


def test_a_browser_reads_by_its_session_and_writes_with_the_csrf_token() -> None:
    client = browser(Role.ADMIN)
    assert client.get("/api/v1/conversations").status_code == 200
    refused = client.post("/api/v1/conversations", b"{}", content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert refused["Content-Type"] == "application/problem+json"


def test_a_person_without_a_workspace_sees_nothing() -> None:
    from ctxadmin.accounts.models import Membership

    client = Client()
    somebody = member("lost", Role.VIEWER)
    Membership.objects.filter(user=somebody).delete()
    client.force_login(somebody, "django.contrib.auth.backends.ModelBackend")
    assert client.get("/api/v1/conversations").status_code == 401


def test_a_repeated_call_with_its_key_has_one_effect_and_the_same_answer() -> None:
    api = Api()
    key = {"Idempotency-Key": "once"}
    first = api.post("/conversations", {"title": "a"}, **key)
    again = api.post("/conversations", {"title": "a"}, **key)
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert again["ETag"] == first["ETag"]
    assert len(api.get("/conversations").json()["results"]) == 1


@pytest.mark.parametrize("days", [8, -1])
def test_a_clock_that_jumps_makes_no_repeat_another_call(
    days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = Api()
    key = {"Idempotency-Key": "once"}
    first = api.post("/conversations", {"title": "a"}, **key)
    jumped = clock.now() + timedelta(days=days)
    monkeypatch.setattr(clock, "now", lambda: jumped)
    assert api.post("/conversations", {"title": "a"}, **key).content == first.content
    monkeypatch.undo()
    assert api.post("/conversations", {"title": "a"}, **key).content == first.content


def test_the_same_key_with_another_body_is_a_duplicate() -> None:
    api = Api()
    api.post("/conversations", {"title": "a"}, **{"Idempotency-Key": "once"})
    answer = api.post("/conversations", {"title": "b"}, **{"Idempotency-Key": "once"})
    assert (answer.status_code, answer.json()["code"]) == (409, "duplicate")
    assert answer.json()["errors"][0]["pointer"] == "Idempotency-Key"


def test_a_failure_is_not_kept_so_that_a_corrected_call_may_use_the_key() -> None:
    api = Api()
    key = {"Idempotency-Key": "once"}
    assert api.post("/conversations", {"id": "import"}, **key).status_code == 422
    assert api.post("/conversations", {"id": "fine"}, **key).status_code == 201


def test_the_same_key_on_another_path_or_by_another_caller_is_another_call() -> None:
    api = Api()
    api.post("/conversations", {"id": "a"})
    key = {"Idempotency-Key": "k"}
    body = {"messages": [user("x")]}
    assert api.post("/conversations/a/messages", body, **key).json()["first_index"] == 0
    assert Api().post("/conversations/a/messages", body, **key).json()["first_index"] == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [("patch", "/conversations"), ("post", "/processors"), ("patch", "/nothing")],
)
def test_a_key_on_a_method_that_is_not_there_changes_nothing_about_the_answer(
    method: str, path: str
) -> None:
    answer = Api().send(method, path, {}, **{"Idempotency-Key": "k"})
    assert answer.status_code in (404, 405)
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/yaml"])
def test_options_is_no_method_of_the_contract(accept: str) -> None:
    for path in ("/conversations", "/workflows/x/yaml"):
        answer = Api().send("options", path, None, Accept=accept)
        assert answer.json()["code"] in ("method_not_allowed", "not_acceptable")
        assert "OPTIONS" not in answer["Allow"]


def test_a_request_id_is_answered_and_audited() -> None:
    from ctxadmin.audit.models import AuditEntry

    answer = Api().post("/conversations", {}, **{"X-Request-ID": "req-7"})
    assert answer["X-Request-ID"] == "req-7"
    assert AuditEntry.objects.get(action="conversation.create").request_id == "req-7"
