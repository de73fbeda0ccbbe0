"""One contract: what the fast path answers, and leaves, is what its endpoints answer and leave."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import resolve

from checkpoints.models import Checkpoint
from conversations.models import Message
from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.requests.fast_path import plain_call
from ctxadmin.telemetry.facts import SCOPE_KEY, Facts, template_of
from tests.factories import conversation, engine, user
from tests.integration.fast_path import HOT, App

pytestmark = pytest.mark.django_db(transaction=True)

ONE = {"messages": [{"role": "user", "content": "hello"}]}
KEPT = {"node_id": "n", "state_data": {"k": [1, {"deep": None}]}}
DONE = {"checkpoint_id": "d1", "result": {"prompt": "p", "response": "r", "output": {"o": 1}}}
MESSAGES, SAVED, DONE_AT = (
    "/conversations/c/messages",
    "/conversations/c/checkpoints/s1",
    "/conversations/c/nodes/n/complete",
)
# Each with the path, the body and the headers of a call on a conversation with one message.
Sent = tuple[str, str, object, dict[str, str]]
CALLS: dict[str, list[Sent]] = {
    "an append": [("POST", MESSAGES, ONE, {})],
    "an append of every kind": [
        (
            "POST",
            MESSAGES,
            {
                "messages": [
                    {"role": "assistant", "content": "ä\u0000", "id": "own", "tokens": 3, "x": [1]},
                    {"role": "assistant", "tool_calls": [{"id": "t", "f": 1}], "content": None},
                    {"role": "tool", "toolCallId": "t", "content": [{"type": "text", "text": ""}]},
                ]
            },
            {},
        ),
        ("POST", MESSAGES, {"messages": [{"role": "user", "content": "x", "id": "own"}]}, {}),
    ],
    "appends one after another": [("POST", MESSAGES, ONE, {})] * 3,
    "no messages": [("POST", MESSAGES, {"messages": []}, {})],
    "a call in a content": [
        (
            "POST",
            MESSAGES,
            {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}]},
            {},
        )
    ],
    "an unknown field": [("POST", MESSAGES, {**ONE, "keep_frist": 1}, {})],
    "no JSON": [("POST", MESSAGES, b'{"messages": [', {})],
    "an empty body": [("POST", MESSAGES, b"", {})],
    "a key twice": [("POST", MESSAGES, b'{"messages": [], "messages": []}', {})],
    "a lone surrogate": [("POST", MESSAGES, b'{"messages": ["\\ud800"]}', {})],
    "a number without end": [("POST", MESSAGES, b'{"messages": [1e999]}', {})],
    "nesting without end": [("POST", MESSAGES, b"[" * 200_000, {})],
    "another media type": [("POST", MESSAGES, ONE, {"Content_Type": "text/plain"})],
    "another charset": [("POST", MESSAGES, ONE, {"Content_Type": "application/json; x=y"})],
    "a form that nobody makes": [("POST", MESSAGES, ONE, {"Accept": "text/html"})],
    "a compressed body": [("POST", MESSAGES, ONE, {"Content_Encoding": "gzip"})],
    "a condition that holds": [("POST", MESSAGES, ONE, {"If_Match": '"0.1"'})],
    "a condition that does not": [("POST", MESSAGES, ONE, {"If_Match": '"0.7"'})],
    "a key of a call, twice": [("POST", MESSAGES, ONE, {"Idempotency_Key": "k"})] * 2,
    "a key of a call with two bodies": [
        ("POST", MESSAGES, ONE, {"Idempotency_Key": "k"}),
        ("POST", MESSAGES, {"messages": [user("else")]}, {"Idempotency_Key": "k"}),
    ],
    "a key that is none": [("POST", MESSAGES, ONE, {"Idempotency_Key": "k" * 256})],
    "a save with a key, twice": [("PUT", SAVED, KEPT, {"Idempotency_Key": "k"})] * 2,
    "a completion with a key, twice": [("POST", DONE_AT, DONE, {"Idempotency_Key": "k"})] * 2,
    "no token": [("POST", MESSAGES, ONE, {"Authorization": ""})],
    "a wrong token": [("POST", MESSAGES, ONE, {"Authorization": "Bearer ctxa_wrong"})],
    "another scheme": [("POST", MESSAGES, ONE, {"Authorization": "Basic eDp5"})],
    "behind TLS": [("POST", MESSAGES, ONE, {"X_Forwarded_Proto": "https"})],
    "a request id": [("POST", MESSAGES, ONE, {"X_Request_ID": "mine-1"})],
    "a method that is not there": [("PATCH", MESSAGES, ONE, {})],
    "a conversation that is not there": [("POST", "/conversations/d/messages", ONE, {})],
    "an id that is none": [("POST", "/conversations/a.b/messages", ONE, {})],
    "a save": [("PUT", SAVED, KEPT, {})],
    "a save, twice": [("PUT", SAVED, KEPT, {})] * 2,
    "a save with another body": [
        ("PUT", SAVED, KEPT, {}),
        ("PUT", SAVED, {**KEPT, "node_id": "m"}, {}),
    ],
    "saves with what they expect": [
        ("PUT", SAVED, {**KEPT, "expected_version": 0}, {}),
        ("PUT", f"{SAVED}b", {**KEPT, "expected_version": 1}, {}),
        ("PUT", f"{SAVED}c", {**KEPT, "expected_version": 1}, {}),
        ("PUT", f"{SAVED}d", KEPT, {"If_Match": '"2.0.1"'}),
    ],
    "saves after the end": [
        ("PUT", SAVED, {**KEPT, "status": "COMPLETED"}, {}),
        ("PUT", f"{SAVED}b", KEPT, {}),
    ],
    "a save of a wrong type": [
        ("PUT", SAVED, {**KEPT, "state_data": {"execution_history": 7}}, {}),
    ],
    "a save with messages": [
        ("PUT", SAVED, {**KEPT, **ONE}, {}),
        ("PUT", f"{SAVED}b", {**KEPT, "state_data": {"messages": ONE["messages"]}}, {}),
    ],
    "a save under a word of ours": [("PUT", "/conversations/c/checkpoints/diff", KEPT, {})],
    "a completion": [("POST", DONE_AT, DONE, {})],
    "a completion, twice": [("POST", DONE_AT, DONE, {})] * 2,
    "completions": [
        ("POST", DONE_AT, {**DONE, "checkpoint_id": f"d{n}", **ONE}, {}) for n in range(3)
    ],
    "a completion by force": [("POST", DONE_AT, {**DONE, "force": True}, {})],
    "a failure": [("POST", DONE_AT, {**DONE, "result": {"error": "no"}}, {})],
    "a completion that enters": [("POST", DONE_AT, {**DONE, "enter_next": True}, {})],
    "a node of any name": [("POST", "/conversations/c/nodes/a%20b.c/complete", DONE, {})],
}


def outcome(calls: Sequence[Sent], *, fast_path: bool) -> tuple[list[Any], list[Any]]:
    """The answers of calls, and what they left, without what differs by chance."""
    head = conversation(user("first"), public_id="c", actor=engine())
    with App(fast_path=fast_path) as app:
        answers = [app.send(method, path, body, **more) for method, path, body, more in calls]
        told = [
            (answer.status_code, sorted(_plain(answer.headers.items())), answer.content)
            for answer in answers
        ]
    left = [
        *Message.objects.values_list("index", "role", "message_id", "body", "author", "node_id"),
        *Checkpoint.objects.values_list("version", "kind", "status", "checkpoint_id", "answer"),
        *AuditEntry.objects.filter(stream=head.key).values_list(
            "seq", "action", "actor_kind", "actor_name", "version_after", "address"
        ),
    ]
    return told, left


def _plain(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        if name.lower() == "x-request-id" and not value.startswith("mine"):
            yield name.lower(), str(len(value))
        else:
            yield name.lower(), value


@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS)
def test_the_fast_path_answers_and_leaves_what_the_endpoints_do(calls: Sequence[Sent]) -> None:
    with_fast_path = outcome(calls, fast_path=True)
    call_command("flush", interactive=False, verbosity=0)
    assert with_fast_path == outcome(calls, fast_path=False)


def test_every_call_of_the_fast_path_is_a_method_of_the_endpoint_at_its_path() -> None:
    for hot in HOT:
        path = hot.route.format(conversation_id="c", checkpoint_id="s", node_id="n")
        match = resolve(path)
        assert match.func.view_class is hot.view  # type: ignore[attr-defined]
        assert hasattr(hot.view, hot.method.lower())
        found = hot.path.fullmatch(path)
        assert found is not None
        assert found.groupdict() == match.kwargs
        assert template_of(match.route) == hot.route


PLAIN = [(b"authorization", b"Bearer x"), (b"content-type", b"application/json")]


@pytest.mark.parametrize(
    "more",
    [
        PLAIN[:1],  # twice
        PLAIN[1:],
        [(b"content-type", b"text/plain")],
        [(b"idempotency-key", b"a"), (b"idempotency-key", b"a")],
        [(b"x-forwarded-proto", b"https"), (b"x-forwarded-proto", b"https")],
        [(b"x-forwarded-proto", b"gopher")],
        [(b"cookie", b"ctxadmin=1")],
        [(b"if-match", b'"1"')],
        [(b"accept", b"text/html")],
    ],
)
def test_a_call_that_is_not_plain_is_left_to_its_endpoint(more: list[tuple[bytes, bytes]]) -> None:
    def scope(*headers: tuple[bytes, bytes], **others: object) -> dict[str, Any]:
        plain = {
            "method": "POST",
            "path": "/api/v1/conversations/c/messages",
            "query_string": b"",
            "scheme": "http",
            "headers": headers,
            SCOPE_KEY: Facts("r"),
        }
        return {**plain, **others}

    assert plain_call(HOT, scope(*PLAIN), b"{}") is not None
    assert plain_call(HOT, scope(*PLAIN, *more), b"{}") is None
    assert plain_call(HOT, scope(*PLAIN), b"x" * 256 * 1024 + b"x") is None
    assert plain_call(HOT, scope(*PLAIN, query_string=b"a=1"), b"{}") is None
    assert plain_call(HOT, scope(*PLAIN, root_path="/x"), b"{}") is None
