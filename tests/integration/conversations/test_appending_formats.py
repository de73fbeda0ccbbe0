"""Appends in the formats of providers, and exports in them, by REST, page and command."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from conversations.domain.formats.formats import FORMATS
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role, Scope
from tests.factories import Api, assistant, calls, conversation, result, signed_in, system, user
from tests.integration.checkpoints.flows import Run, chain, everything, ok, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db

CHAT = (system("s"), user("q"), calls("a"), result("a"), assistant("done"))
TURNS: dict[str, list[Any]] = {
    "openai": [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "found"},
    ],
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"n": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "broken"}],
                    "is_error": True,
                },
                {"type": "text", "text": "and now?"},
            ],
        },
    ],
    "responses": [
        {"type": "message", "role": "user", "content": "q"},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"n":1}'},
        {"type": "function_call_output", "call_id": "a", "output": "found"},
        {"type": "custom_tool_call", "call_id": "b", "name": "run", "input": "ls -l"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": "files"},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "see"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:a/b;base64,aGk="},
            ],
        },
    ],
    "vercel": [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "wait"},
                {"type": "tool-call", "toolCallId": "a", "toolName": "look", "input": {"n": 1}},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "a",
                    "toolName": "look",
                    "output": {"type": "error-text", "value": "broken"},
                }
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "see"},
                {"type": "file", "data": "aGk=", "mediaType": "a/b", "filename": "a.pdf"},
            ],
        },
    ],
}
every_format = pytest.mark.parametrize("name", FORMATS)


@pytest.fixture
def api() -> CheckedApi:
    return CheckedApi()


def run_of(api: Api, public_id: str) -> Run:
    return Run(api, Conversation.objects.get(public_id=public_id))


@every_format
def test_what_is_appended_in_a_format_comes_back_in_it(api: CheckedApi, name: str) -> None:
    run = Run(api, conversation())
    answer = run.post(f"messages?format={name}", {"messages": TURNS[name]})
    assert answer.status_code == 201
    assert answer.json()["first_index"] == 0
    found = ok(run.get(f"messages?format={name}"))
    assert (found["messages"], found["warnings"]) == (TURNS[name], [])


@every_format
def test_a_view_that_was_given_makes_the_same_conversation_again(
    api: CheckedApi, name: str
) -> None:
    given = ok(Run(api, conversation(*CHAT)).get(f"messages?format={name}"))
    body = {key: given[key] for key in ("messages", "system") if key in given}
    made = ok(api.post(f"/conversations?format={name}", {"id": "again", **body}))
    assert made["message_count"] == 5
    assert ok(api.get(f"/conversations/again/messages?format={name}")) == given


OWN: dict[str, list[Any]] = {
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "redacted_thinking", "data": "x"},
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "pear"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": [{"type": "web_search_result", "encrypted_content": "y"}],
                },
                {"type": "text", "text": "A pear.", "cache_control": {"type": "ephemeral"}},
            ],
        },
    ],
    "responses": [
        {"type": "message", "role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "pear"},
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "A pear.", "annotations": []}],
        },
        {"type": "reasoning", "id": "rs_2", "summary": [{"type": "summary_text", "text": "s"}]},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "found"},
    ],
}


@pytest.mark.parametrize("name", OWN)
def test_what_only_the_provider_knows_comes_back_in_its_format(api: CheckedApi, name: str) -> None:
    run = Run(api, conversation())
    ok(run.post(f"messages?format={name}", {"messages": OWN[name]}))
    found = ok(run.get(f"messages?format={name}"))
    assert (found["messages"], found["warnings"]) == (OWN[name], [])


@pytest.mark.parametrize(
    ("name", "format_name"), [(own, each) for own in OWN for each in FORMATS if each != own]
)
def test_another_format_leaves_out_what_only_one_provider_knows_and_says_so(
    api: CheckedApi, name: str, format_name: str
) -> None:
    run = Run(api, conversation())
    ok(run.post(f"messages?format={name}", {"messages": OWN[name]}))
    found = ok(run.get(f"messages?format={format_name}"))
    assert "A pear." in json.dumps(found["messages"])
    assert "encrypted_content" not in json.dumps(found["messages"])
    assert f"{name}:" in json.dumps(found["warnings"])
    assert {each["code"] for each in found["warnings"]} <= {"part_left_out", "field_left_out"}


@every_format
def test_a_pair_can_come_in_two_appends(api: CheckedApi, name: str) -> None:
    """The result finds its call in the log, as everywhere."""
    run = Run(api, conversation())
    for part in (TURNS[name][:2], TURNS[name][2:]):
        ok(run.post(f"messages?format={name}", {"messages": part}))
    found = ok(run.get(f"messages?format={name}"))
    assert (found["messages"], found["warnings"]) == (TURNS[name], [])


@pytest.mark.parametrize(
    ("name", "body", "pointer"),
    [
        ("openai", {"messages": []}, "/messages"),
        ("openai", {"messages": [{"role": "poet", "content": "x"}]}, "/messages/0/role"),
        ("openai", {"messages": [user("q")], "system": "s"}, "/system"),
        ("anthropic", {"messages": [{"role": "user", "content": 7}]}, "/messages/0/content"),
        ("anthropic", {"messages": [user("q")], "system": 7}, "/system"),
        ("responses", {"messages": [{"type": "item_reference", "id": "x"}]}, "/messages/0"),
        ("responses", {"messages": [{"type": "brand_new"}]}, "/messages/0"),
        ("vercel", {"messages": [{"role": "user"}]}, "/messages/0/content"),
        (
            "vercel",
            {"messages": [{"role": "tool", "content": [{"type": "tool-approval-response"}]}]},
            "/messages/0/content/0",
        ),
        ("openai", {"messages": [user("q")], "model": "m"}, "/model"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_place(
    name: str, body: Any, pointer: str
) -> None:
    run = Run(Api(), conversation())
    before = everything()
    problem = refused(run.post(f"messages?format={name}", body), 422, "validation")
    assert {error["pointer"].startswith(pointer) for error in problem["errors"]} == {True}
    assert everything() == before


def test_an_unknown_format_is_refused() -> None:
    run = Run(Api(), conversation())
    sent = {"messages": [user("q")]}
    for answer in (
        run.post("messages?format=gemini", sent),
        run.api.post("/conversations?format=gemini", sent),
        run.post("nodes/a/complete?format=gemini", {"checkpoint_id": "x"}),
        run.get("export?format=gemini"),
    ):
        refused(answer, 422, "validation", "?format")


@every_format
def test_a_completion_takes_and_gives_a_format(api: CheckedApi, name: str) -> None:
    chain("line", "a", "b")
    run = Run.start("line", api)
    body = {"checkpoint_id": "c1", "messages": TURNS[name], "enter_next": True}
    path = f"nodes/a/complete?format={name}"
    done = run.post(path, body)
    assert done.status_code == 201
    assert done.json()["entered"]["messages"] == TURNS[name]
    assert ok(run.get(f"messages?format={name}"))["messages"] == TURNS[name]
    again = run.post(path, body)
    assert (again.status_code, again.json()) == (200, done.json())
    refused(run.post(path, {**body, "messages": TURNS[name][:1]}), 409, "duplicate")


def test_a_completion_names_the_place_of_what_it_cannot_store() -> None:
    run = Run.start()
    body = {"checkpoint_id": "c1", "messages": [{"type": "item_reference", "id": "x"}]}
    answer = run.post("nodes/a/complete?format=responses", body)
    refused(answer, 422, "validation", "/messages/0")
    assert run.snapshot()["version"] == 0


@every_format
def test_an_export_in_a_format_is_a_request_that_can_be_imported(
    api: CheckedApi, name: str
) -> None:
    run = Run(api, conversation(*CHAT, public_id="one"))
    given = ok(run.get(f"messages?format={name}"))
    answer = run.get(f"export?format={name}")
    assert answer["Content-Disposition"] == f'attachment; filename="one.{name}.json"'
    document = answer.json()
    own = "input" if name == "responses" else "messages"
    assert document.pop(own) == given["messages"]
    assert document == ({"system": given["system"]} if name == "anthropic" else {})
    made = ok(api.post("/conversations/import", json.loads(answer.content)))
    assert made["report"]["shape"] == name
    assert ok(api.get(f"/conversations/{made['id']}/messages?format={name}")) == given
    assert AuditEntry.objects.filter(action="conversation.export").count() == 1


def test_an_export_without_a_format_is_the_whole_as_before(api: CheckedApi) -> None:
    run = Run(api, conversation(*CHAT, public_id="one"))
    whole = run.get("export")
    assert whole["Content-Disposition"] == 'attachment; filename="one.json"'
    assert run.get("export?format=ctxadmin").json() == whole.json()
    assert len(whole.json()["messages"]) == 5


def test_the_page_offers_each_export() -> None:
    conversation(*CHAT, public_id="one")
    page = signed_in(Role.VIEWER)
    html = page.get("/conversations/one/").content.decode()
    for name in FORMATS:
        assert f'href="/conversations/one/export/?format={name}"' in html
        found = page.get(f"/conversations/one/export/?format={name}")
        assert found["Content-Disposition"] == f'attachment; filename="one.{name}.json"'
        assert json.loads(found.content)
    assert page.get("/conversations/one/export/").status_code == 200
    assert page.get("/conversations/one/export/?format=gemini").status_code == 422


def test_the_command_prints_a_conversation() -> None:
    conversation(*CHAT, public_id="one")
    out = io.StringIO()
    call_command("export_conversation", "one", "--format", "anthropic", stdout=out)
    assert json.loads(out.getvalue())["system"] == [{"type": "text", "text": "s"}]
    out = io.StringIO()
    call_command("export_conversation", "one", stdout=out)
    assert len(json.loads(out.getvalue())["messages"]) == 5
    with pytest.raises(CommandError, match="There is no conversation"):
        call_command("export_conversation", "two")
    with pytest.raises(CommandError, match="There is no workspace"):
        call_command("export_conversation", "one", "--workspace", "nowhere")


def test_who_may_not_append_may_not_in_a_format() -> None:
    run = Run(Api([Scope.DESIGN]), conversation())
    refused(run.post("messages?format=openai", {"messages": [user("q")]}), 403, "forbidden")


@pytest.mark.parametrize(
    ("name", "kind"), [("anthropic", "tool_use"), ("responses", "function_call")]
)
def test_a_call_that_is_hidden_in_a_part_of_a_provider_is_not_given_back(
    api: CheckedApi, name: str, kind: str
) -> None:
    """It would have no result, so the provider would refuse the view."""
    run = Run(api, conversation())
    hidden = {"type": "provider", "format": name, "part": {"type": kind, "id": "a"}}
    content = [{"type": "text", "text": "t"}, hidden]
    ok(run.post("messages", {"messages": [{"role": "assistant", "content": content}]}))
    found = ok(run.get(f"messages?format={name}"))
    assert kind not in json.dumps(found["messages"])
    assert "part_left_out" in {each["code"] for each in found["warnings"]}


def test_a_ui_message_of_vercel_is_refused_with_what_makes_a_model_message_of_it() -> None:
    run = Run(Api(), conversation())
    ui = {"id": "a", "role": "user", "parts": [{"type": "text", "text": "q"}]}
    answer = run.post("messages?format=vercel", {"messages": [ui]})
    refused(answer, 422, "validation")
    (problem,) = answer.json()["errors"]
    assert problem["pointer"] == "/messages/0/parts"
    assert "convertToModelMessages" in problem["message"]
