"""The page before an export whose format cannot express everything."""

import json
import re
from typing import Any

import pytest

from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from tests.factories import conversation, signed_in, user

pytestmark = pytest.mark.django_db

SOUND: dict[str, Any] = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}


def text(answer: Any) -> str:
    return str(answer.content.decode())


@pytest.fixture(autouse=True)
def chat() -> None:
    """A conversation with parts that some providers do not know."""
    sound: dict[str, Any] = {"role": "user", "content": [SOUND, {"type": "text", "text": "listen"}]}
    conversation(user("one"), *[sound] * 10, public_id="chat")


def test_what_a_format_leaves_out_is_shown_before_the_file() -> None:
    reader = signed_in(Role.VIEWER)
    answer = reader.get("/conversations/chat/export/?format=anthropic")
    assert answer.status_code == 200
    assert "Content-Disposition" not in answer
    assert (
        "A part of the type &#x27;input_audio&#x27; has no place in this format and is left out"
        in text(answer)
    )
    assert re.findall(r'href="/conversations/chat/messages/(\d+)/"', text(answer)) == [
        str(index) for index in range(1, 9)
    ]
    assert "and 2 more" in text(answer)
    assert AuditEntry.objects.filter(action="conversation.export").count() == 0


def test_the_page_leads_to_the_file() -> None:
    reader = signed_in(Role.VIEWER)
    page = text(reader.get("/conversations/chat/export/?format=anthropic"))
    found = re.search(r'href="(/conversations/chat/export/[^"]+)"', page)
    assert found is not None
    answer = reader.get(found[1].replace("&amp;", "&"))
    assert answer["Content-Disposition"] == 'attachment; filename="chat.anthropic.json"'
    assert "input_audio" not in text(answer)
    assert json.loads(answer.content)["messages"]
    assert AuditEntry.objects.filter(action="conversation.export").count() == 1


def test_a_format_that_expresses_everything_is_a_file_at_once() -> None:
    answer = signed_in(Role.VIEWER).get("/conversations/chat/export/?format=openai")
    assert answer["Content-Disposition"] == 'attachment; filename="chat.openai.json"'


def test_the_page_is_in_the_readers_language() -> None:
    reader = signed_in(Role.VIEWER)
    reader.cookies["language"] = "zh-hans"
    page = text(reader.get("/conversations/chat/export/?format=anthropic"))
    assert "类型为 &#x27;input_audio&#x27; 的内容部分在此格式中没有对应位置，已略去" in page
    assert "has no place" not in page
