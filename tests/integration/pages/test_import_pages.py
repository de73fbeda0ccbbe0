"""The page on which a file of chats is uploaded, and its report."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from tests.factories import Api, assistant, conversation, signed_in, system, user
from tests.shape_examples import EXAMPLES, example

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def chat() -> Conversation:
    return conversation(
        system("Be kind."),
        user("one"),
        assistant("two"),
        user("three"),
        public_id="chat",
        title="A chat",
    )


def text(answer: Any) -> str:
    return str(answer.content.decode())


def upload(client: Client, data: bytes) -> Any:
    file = SimpleUploadedFile("chats.jsonl", data)
    return client.post("/conversations/import/", {"file": file})


def test_a_file_of_chats_is_uploaded(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    lines = [{"id": f"up-{n}", "messages": [user(f"hello {n}")]} for n in range(3)]
    answer = upload(admin, b"\n".join(json.dumps(line).encode() for line in lines))
    assert answer.status_code == 302
    assert Conversation.objects.count() == 4


def test_an_upload_reports_taken_ids_and_their_replacements(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    export = admin.get("/conversations/chat/export/").content
    answer = upload(admin, export)
    made = Conversation.objects.exclude(public_id="chat").get()
    assert answer["Location"] == f"/conversations/{made.public_id}/"
    assert f"chat → {made.public_id}" in text(admin.get(answer["Location"]))
    lines = [{"id": name, "messages": [user("hello")]} for name in ("chat", "free")]
    upload(admin, b"\n".join(json.dumps(line).encode() for line in lines))
    page = text(admin.get("/conversations/"))
    assert "1 id already existed" in page
    assert "free →" not in page


def test_an_upload_of_another_program_shows_its_report_once(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    values = [example("vercel_ui", "chat"), example("openai", "completion")]
    answer = upload(admin, b"\n".join(json.dumps(value).encode() for value in values))
    assert answer["Location"] == "/conversations/import/report/"
    page = text(admin.get(answer["Location"]))
    for said in (
        *("Vercel AI UI messages", "OpenAI chat", "2 conversations imported", "tool-NAME"),
        *("it only separates steps", "/messages/2/parts/0", "Line 1", "1 part was left out"),
        *("only the first of several answers is imported", "/conversations/chatcmpl-1/"),
    ):
        assert said in page
    assert admin.get(answer["Location"])["Location"] == "/conversations/"


@pytest.mark.only("sqlite")
def test_what_other_programs_said_is_shown(chat: Conversation) -> None:
    admin, api = signed_in(Role.ADMIN), Api()
    for each in EXAMPLES:
        made = api.post("/conversations/import", each.value).json()["id"]
        page = admin.get(f"/conversations/{made}/")
        assert page.status_code == 200, str(each)
        assert "Oslo" in text(page) or each.name in ("blocks", "invalid_call"), str(each)


def test_a_report_of_an_import_is_in_the_readers_language(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    admin.cookies["language"] = "zh-hans"
    answer = upload(admin, json.dumps(example("vercel_ui", "chat")).encode())
    page = text(admin.get(answer["Location"]))
    assert "它只用于分隔步骤" in page
    assert "it only separates steps" not in page


def test_the_shape_of_an_upload_can_be_chosen() -> None:
    admin = signed_in(Role.ADMIN)
    file = SimpleUploadedFile("chats.json", json.dumps([user("hi")]).encode())
    answer = admin.post("/conversations/import/", {"file": file, "shape": "sharegpt"})
    assert answer.status_code == 422
    assert '<option value="sharegpt" translate="no" selected>' in text(answer)
    assert Conversation.objects.count() == 0


def test_a_report_of_an_import_is_for_those_who_may_import() -> None:
    assert signed_in(Role.VIEWER).get("/conversations/import/report/").status_code == 403


def test_a_bad_line_imports_nothing_and_is_named() -> None:
    admin = signed_in(Role.ADMIN)
    lines = [{"messages": [user("fine")]}, {"messages": [{"role": "robot", "content": "x"}]}]
    answer = upload(admin, b"\n".join(json.dumps(line).encode() for line in lines))
    assert answer.status_code == 422
    assert "line 2" in text(answer).lower()
    assert Conversation.objects.count() == 0


@pytest.mark.only("sqlite")
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"answers": []}, "对话应是含有 messages 的对象、消息列表，或具有以下格式之一"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "/messages/0/role：这里必须是"),
        ({"messages": [{"role": "user", "content": 5}]}, "/messages/0/content：content 应为文本"),
        ({"messages": [{"role": "user", "content": "x" * 2**20}]}, "/messages/0：消息有"),
        ({"messages": [{"role": "user", "content": None}, 5]}, "：此字段必填"),
        (
            {"conversations": [{"from": "robot", "value": "x"}]},
            "/conversations/0/from：&#x27;robot",
        ),
        ({"input": [{"type": "message", "role": "robot", "content": "x"}]}, "/input/0：role：这里"),
        ({"resourceSpans": []}, "没有任何 span 含有消息"),
        ({"messages": [{"role": "user", "content": "x"}], "tools": 1}, "/tools：tools 应为"),
    ],
)
def test_a_refused_upload_is_reported_in_the_readers_language_with_its_place(
    value: object, told: str
) -> None:
    admin = signed_in(Role.ADMIN)
    admin.cookies["language"] = "zh-hans"
    answer = upload(admin, json.dumps(value).encode())
    assert answer.status_code == 422
    assert told in text(answer)
    assert Conversation.objects.count() == 0


def test_a_refused_upload_names_the_field() -> None:
    admin = signed_in(Role.ADMIN)
    wrong = {"messages": [user("hi")], "tools": 1}
    page = text(upload(admin, json.dumps(wrong).encode()))
    assert "/tools: tools is a text or a list of tools" in page
