"""Pinning a message on the page of its conversation."""

from typing import Any

import pytest
from django.test import Client

from conversations.domain.configs import read_operation
from conversations.domain.revisions import PinnedBy
from conversations.services import pins, use_cases
from conversations.services.use_cases import apply_operation
from ctxadmin.identity.roles import Role
from tests.factories import conversation, engine, signed_in, user
from tests.integration.pages.execution_scenes import running

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_a_message_is_pinned_with_a_reason_and_unpinned(reviewer: Client) -> None:
    conversation(user("hi"), user("order A-1042"), public_id="chat")
    assert "data-pinned" not in text(reviewer.get("/conversations/chat/"))
    asked = "/conversations/chat/messages/1/pin/?do=pin"
    assert "Pin message #1" in text(reviewer.get(asked))
    answer = reviewer.post(asked, {"reason": f"the order {HOSTILE}"})
    assert answer["Location"] == "/conversations/chat/?at=1#m1"
    page = text(reviewer.get("/conversations/chat/"))
    message = page.split('id="m1"')[1]
    assert "pinned" in message
    assert "the order &lt;script&gt;" in message
    assert "<script>alert" not in page
    newest = page.split('class="batch"')[1]
    assert ">Pinned #1</a>" in newest
    assert "Roll back" not in newest.split("</li>")[0]
    assert ">Start</a>" in page.split('class="batch batch-current"')[1]  # pins are no view
    asked = "/conversations/chat/messages/1/pin/?do=unpin"
    assert "Pinned by" in text(reviewer.get(asked))
    assert reviewer.post(asked, {}).status_code == 302
    assert "data-pinned" not in text(reviewer.get("/conversations/chat/"))


def test_pins_are_no_batches_to_go_back_to(reviewer: Client) -> None:
    conversation(user("hi"), user("order A-1042"), user("thanks"), public_id="chat")
    hide = read_operation({"operation": "truncate", "truncate": {"remove_first": 1}})
    apply_operation(engine(), "chat", hide)
    for do in ("pin", "unpin"):
        asked = f"/conversations/chat/messages/2/pin/?do={do}"
        assert reviewer.post(asked, {}).status_code == 302
    use_cases.rollback(engine(), "chat", 0)
    page, hidden = text(reviewer.get("/conversations/chat/batches/")), "Kept from #1 on"
    rows = {
        name: page.partition(f">{name}</a>")[2].partition("</li>")[0]
        for name in ("Pinned #2", "Unpinned #2", hidden, "Start")
    }
    assert [name for name, row in rows.items() if "batch-action" in row] == [hidden]
    assert [name for name, row in rows.items() if ">rolled back<" in row] == [hidden]
    assert [name for name, row in rows.items() if ">current<" in row] == ["Start"]
    shown = text(reviewer.get("/conversations/chat/"))
    assert "1 rolled-back batch<" in shown


def test_the_rail_leaves_out_a_pin_that_was_undone(reviewer: Client) -> None:
    conversation(user("Hello"), user("You there?"), public_id="t")
    pins.pin(engine(), "t", "1", pinned=True)
    by: PinnedBy
    for by in ("undo", "redo", "undo"):
        pins.pin_several(engine(), "t", [1], pinned=by == "redo", by=by)
    rail = text(reviewer.get("/conversations/t/")).partition('id="batches"')[2]
    assert "inned #1" not in rail
    assert rail.count('aria-current="true"') == 1
    pins.pin(engine(), "t", "1", pinned=True)
    assert "Pinned #1" in text(reviewer.get("/conversations/t/")).partition('id="batches"')[2]
    assert "Unpinned #1" in text(reviewer.get("/conversations/t/batches/"))
    pins.pin(engine(), "t", "1", pinned=False)
    assert "Unpinned #1" in text(reviewer.get("/conversations/t/")).partition('id="batches"')[2]


def test_the_page_of_a_message_pins_it_and_comes_back(reviewer: Client) -> None:
    conversation(user("hi"), public_id="chat")
    page = text(reviewer.get("/conversations/chat/messages/0/"))
    asked = "/conversations/chat/messages/0/pin/?do=pin&back=message"
    assert asked.replace("&", "&amp;") in page
    assert "/executions/chat/comment/?message=0" in page
    answer = reviewer.post(asked, {})
    assert answer["Location"] == "/conversations/chat/messages/0/"
    assert "?do=unpin&amp;back=message" in text(reviewer.get(answer["Location"]))


def test_a_preview_says_which_pinned_messages_stay(reviewer: Client) -> None:
    head = conversation(user("hi"), user("there"), public_id="chat")
    pins.pin(engine(), "chat", "0", pinned=True)
    form = {
        "operation": "truncate",
        "truncate-keep_last": "0",
        "pairing": "keep",
        "expected_revision": "1",
        "expected_count": str(head.visible_count),
    }
    page = text(reviewer.post("/conversations/chat/operate/", form))
    assert "These pinned messages stay: #0." in page
    page = text(reviewer.post("/conversations/chat/operate/", {**form, "include_pinned": "on"}))
    assert "pinned messages stay" not in page


def test_who_may_not_pin_sees_no_link_and_a_long_reason_is_refused(
    reviewer: Client,
) -> None:
    viewer = signed_in(Role.VIEWER)
    conversation(user("hi"), public_id="chat")
    assert "/pin/" not in text(viewer.get("/conversations/chat/"))
    asked = "/conversations/chat/messages/0/pin/?do=pin"
    assert viewer.post(asked, {}).status_code == 403
    answer = reviewer.post(asked, {"reason": "x" * 2001})
    assert answer.status_code == 422
    assert "at most 2000 characters" in text(answer)
    assert reviewer.get("/conversations/chat/messages/9/pin/?do=pin").status_code == 404


def test_while_an_execution_runs_a_person_waits(reviewer: Client) -> None:
    run = running()
    run.append(user("hi"))
    name = run.head.public_id
    answer = reviewer.post(f"/conversations/{name}/messages/0/pin/?do=pin", {"reason": "why"})
    assert answer.status_code == 409
    assert "pause it first" in text(answer)


def test_a_filter_by_origin_is_previewed_from_the_form(reviewer: Client) -> None:
    said: dict[str, object] = {"role": "user", "content": "low", "metadata": {"trust": "low"}}
    head = conversation(said, user("there"), public_id="chat")  # type: ignore[arg-type]
    form = {
        "operation": "filter",
        "filter-metadata": '{"trust": "l*"}',
        "filter-has": [],
        "filter-newer_than-turns": "2",
        "pairing": "keep",
        "expected_revision": "0",
        "expected_count": str(head.visible_count),
    }
    page = text(reviewer.post("/conversations/chat/operate/", form))
    assert "#1" in page
    wrong = {**form, "filter-newer_than-messages": "3"}
    answer = reviewer.post("/conversations/chat/operate/", wrong)
    assert answer.status_code == 422
    assert "Exactly one of turns, messages, minutes is required" in text(answer)
