"""Pages that ask before a change: refusals are shown in place, and no input is lost."""

from typing import Any

import pytest
from django.test import Client

from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from tests.factories import conversation, signed_in, user
from tests.integration.checkpoints.flows import Run

pytestmark = pytest.mark.django_db

ARCHIVE = "/conversations/chat/archive/"


def text(answer: Any) -> str:
    return str(answer.content.decode())


@pytest.fixture
def admin() -> Client:
    return signed_in(Role.ADMIN)


def test_a_reason_that_is_too_long_is_reported_at_its_field_and_stays(admin: Client) -> None:
    conversation(user("one"), public_id="chat")
    answer = admin.post(ARCHIVE, {"reason": "of the lawyers " * 200})
    assert answer.status_code == 422
    assert "Enter a reason of at most 2000 characters." in text(answer)
    assert 'aria-invalid="true"' in text(answer)
    assert "of the lawyers of the lawyers" in text(answer)
    assert not Conversation.objects.get().archived


def test_lines_of_a_reason_count_one_character_each(admin: Client) -> None:
    conversation(user("one"), public_id="chat")
    answer = admin.post(ARCHIVE, {"reason": "a\r\n" * 999 + "b"})
    assert answer.status_code == 302
    assert Conversation.objects.get().archived


def test_what_cannot_be_done_now_is_reported_above_the_question_with_the_reason_kept(
    admin: Client,
) -> None:
    head = Run.start().head
    answer = admin.post(f"/conversations/{head.public_id}/archive/", {"reason": "it is done"})
    assert answer.status_code == 409
    assert "has not ended yet" in text(answer)
    assert 'value="it is done"' in text(answer)
    assert not Conversation.objects.get(key=head.key).archived
