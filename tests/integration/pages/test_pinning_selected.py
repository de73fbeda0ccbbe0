"""Pinning the selected messages of a conversation at once."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from conversations.models import Conversation, Pin, Revision
from conversations.services import pins
from conversations.store import pin_rows
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from tests.factories import assistant, conversation, engine, signed_in, user

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


def undone(client: Client, page: Any = None, do: str = "undo") -> Any:
    """What a press of *Undo* or *Redo* on the page leads to."""
    html = (page or client.get("/conversations/t/")).content.decode()
    value = "1" if do == "undo" else "redo"
    button = rf'action="([^"]+)"[^>]*>(?:(?!</form>).)*name="undo" value="{value}"'
    found = re.search(button, html)
    assert found is not None
    return client.post(unescape(found[1]), {"undo": value}, follow=True)


def hide_last(client: Client, revision: int = 0) -> None:
    sent = asked("4", 5, revision) | {"do": "hide", "apply": "1"}
    assert client.post("/conversations/t/act/", sent, follow=True).status_code == 200


def visible() -> int:
    return Conversation.objects.get(public_id="t").visible_count


def test_pins_are_undone_like_other_changes_one_after_the_other(reviewer: Client) -> None:
    talk()
    hide_last(reviewer)
    page = reviewer.post("/conversations/t/pin/", asked("0-1", 4, 1), follow=True)
    assert "Pinned 2 messages." in page.content.decode()
    note = page.content.decode().partition('id="messages"')[2].partition('id="live-link"')[0]
    assert 'name="undo"' in note
    reviewer.post("/conversations/t/messages/3/pin/?do=pin", {})
    assert pinned() == [0, 1, 3]
    undone(reviewer)
    assert pins_now() == [0, 1]
    assert visible() == 4
    page = undone(reviewer)
    assert pins_now() == []
    assert "Undone. The messages are as before." in page.content.decode()
    assert entries()[-1] == {"first_index": 0, "messages": [0, 1], "pinned": False}
    page = undone(reviewer, page, "redo")
    assert pins_now() == [0, 1]
    undone(reviewer, page)
    assert pins_now() == []
    undone(reviewer)
    assert visible() == 5
    assert 'name="undo" value="1"' not in reviewer.get("/conversations/t/").content.decode()


def pins_now() -> list[int]:
    head = Conversation.objects.get(public_id="t")
    return sorted(pin_rows.find_pinned(head.key, range(5)))


def test_what_another_pinned_stays_and_hinders_no_undo(reviewer: Client) -> None:
    talk()
    hide_last(reviewer)
    pins.pin(engine(), "t", "0", pinned=True)
    undone(reviewer)
    assert (pins_now(), visible()) == ([0], 5)


def test_an_unpinned_message_is_pinned_again(reviewer: Client) -> None:
    talk()
    pins.pin(engine(), "t", "0", pinned=True)
    page = reviewer.post("/conversations/t/messages/0/pin/?do=unpin", {}, follow=True)
    undone(reviewer, page)
    assert pins_now() == [0]
    assert (
        'name="undo" value="1"'
        not in reviewer.get("/conversations/t/").content.decode().split("rail")[1]
    )


def test_the_address_of_an_undone_pin_undoes_nothing_that_came_since(reviewer: Client) -> None:
    talk()
    page = reviewer.post("/conversations/t/pin/", asked("0"), follow=True)
    hide_last(reviewer, 1)
    answer = undone(reviewer, page)
    assert "You have changed the view since, so nothing was undone." in answer.content.decode()
    assert pins_now() == [0]
    address = "/conversations/t/pin/undo/?message=0"
    assert reviewer.get(address)["Location"] == "/conversations/t/"
    assert reviewer.post("/conversations/t/pin/undo/", {}).status_code == 422


def test_a_pin_does_not_repeat_the_number_of_its_batch(reviewer: Client) -> None:
    talk()
    hide_last(reviewer)
    html = reviewer.post("/conversations/t/pin/", asked("0", 4, 1), follow=True).content.decode()
    rail = html.partition('class="batches"')[2].partition("</ol>")[0]
    assert re.findall(r'"batch-number">(\d+)<', rail) == ["1", "0"]
    assert ">Pinned #0</a>" in rail
