"""Pinning the selected messages of a conversation at once."""

import json
from typing import Any

import pytest
from django.test import Client

from conversations.models import Conversation, Pin, Revision
from conversations.services import pins
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from tests.factories import assistant, conversation, signed_in, user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def talk(messages: int = 5) -> Conversation:
    texts = [user(f"Question {n}") if n % 2 == 0 else assistant("Yes") for n in range(messages)]
    return conversation(*texts, public_id="t")


def asked(positions: str, count: int = 5, revision: int = 0) -> dict[str, str]:
    return {"positions": positions, "revision": str(revision), "count": str(count)}


def send(client: Client, positions: str, **more: str) -> Any:
    return client.post("/conversations/t/pin/", asked(positions) | more)


def pinned() -> list[int]:
    return sorted(Pin.objects.values_list("index", flat=True))


def entries() -> list[dict[str, Any]]:
    rows = AuditEntry.objects.filter(action="messages.pin").order_by("seq")
    return [json.loads(bytes(row.detail)) for row in rows]


def test_the_dialog_names_the_messages_before_it_pins_them(reviewer: Client) -> None:
    talk()
    html = reviewer.get("/conversations/t/pin/", asked("1-2,4")).content.decode()
    assert "Pin 3 messages" in html
    assert "#1–#2, #4" in html
    assert pinned() == []


def test_all_are_pinned_with_one_reason_and_one_entry_of_the_audit(reviewer: Client) -> None:
    head = talk()
    answer = send(reviewer, "1-2,4", reason="the order")
    assert answer["Location"] == "/conversations/t/?at=1#m1"
    assert pinned() == [1, 2, 4]
    assert entries() == [{"first_index": 1, "messages": [1, 2, 4], "pinned": True}]
    rows = Revision.objects.filter(conversation=head.key).order_by("number")
    assert [row.batch for row in rows] == [0, 0, 0, 0]
    assert [row.reason for row in rows][1:] == ["the order"] * 3
    history = reviewer.get("/conversations/t/messages/2/").content.decode()
    assert "the order" in history


def test_those_that_are_pinned_before_keep_who_pinned_them(reviewer: Client) -> None:
    talk()
    send(reviewer, "1", reason="first")
    send_again = reviewer.post(
        "/conversations/t/pin/", asked("1-2", revision=1) | {"reason": "more"}
    )
    assert send_again.status_code == 302
    assert {row.index: row.reason for row in Pin.objects.all()} == {1: "first", 2: "more"}
    assert entries()[-1]["messages"] == [2]


def test_a_selection_of_another_view_pins_nothing(reviewer: Client) -> None:
    talk()
    send(reviewer, "1")
    assert send(reviewer, "3").status_code == 409
    assert pinned() == [1]


def test_too_many_are_refused_before_the_button(reviewer: Client) -> None:
    talk(pins.MOST_AT_ONCE + 1)
    count = pins.MOST_AT_ONCE + 1
    html = reviewer.get("/conversations/t/pin/", asked(f"0-{count - 1}", count)).content.decode()
    assert f"Select 1 to {pins.MOST_AT_ONCE} messages to pin." in html
    assert ">Pin</button>" not in html
    sent = asked(f"0-{count - 1}", count)
    assert reviewer.post("/conversations/t/pin/", sent).status_code == 422
    assert pinned() == []


def test_only_those_pin_who_may() -> None:
    talk()
    assert send(signed_in(Role.VIEWER), "1").status_code == 403
    assert pinned() == []
