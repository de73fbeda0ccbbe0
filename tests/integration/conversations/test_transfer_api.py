"""Conversations that leave and come back: export, import, erasure."""

import pytest

from tests.factories import Api, assistant, calls, result, system, texts_of, user
from tests.problems import assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def chat(api: Api) -> str:
    """A conversation with four messages: system, user, assistant, user."""
    messages = [system("Be kind."), user("one"), assistant("two"), user("three")]
    answer = api.post("/conversations", {"id": "chat", "messages": messages})
    assert answer.status_code == 201, answer.content
    return "chat"


def test_an_export_imports_with_rollback_intact(api: Api, chat: str) -> None:
    api.post(f"/conversations/{chat}/operations", {"operation": "clear"})
    api.post(f"/conversations/{chat}/messages", {"messages": [user("five")]})
    document = api.get(f"/conversations/{chat}/export").content
    assert api.delete(f"/conversations/{chat}").status_code == 204
    answer = api.post("/conversations/import", document)
    assert (answer.status_code, answer.json()["id"]) == (201, chat)
    assert api.get(f"/conversations/{chat}/export").content == document
    api.post(f"/conversations/{chat}/rollback", {"batch": 0})
    assert len(texts_of(api.get(f"/conversations/{chat}/messages"))) == 4


def test_an_import_beside_the_original_gets_a_new_id(api: Api, chat: str) -> None:
    document = api.get(f"/conversations/{chat}/export").content
    answer = api.post("/conversations/import", document)
    assert answer.status_code == 201
    assert answer.json()["id"] != chat


def test_openai_chat_json_imports(api: Api) -> None:
    body = {"id": "from-file", "messages": [system("s"), user("u"), calls("a"), result("a")]}
    answer = api.post("/conversations/import", body)
    assert (answer.json()["id"], answer.json()["message_count"]) == ("from-file", 4)
    bad = {"messages": [user("fine"), {"role": "nobody", "content": "x"}]}
    assert_problem(api.post("/conversations/import", bad), 422, "validation", "/messages/1/role")


def test_erasure_leaves_nothing_but_the_audit(api: Api, chat: str) -> None:
    from conversations.models import Message, Revision
    from ctxadmin.audit.models import AuditEntry

    assert api.delete(f"/conversations/{chat}").status_code == 204
    assert_problem(api.get(f"/conversations/{chat}"), 404, "not_found")
    assert Message.objects.count() == Revision.objects.count() == 0
    assert AuditEntry.objects.filter(action="conversation.erase").count() == 1
