"""Small texts that confuse readers: titles, names, hits, filters."""

import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from ctxadmin.identity.roles import Role
from tests.factories import conversation, signed_in, user
from tests.integration.pages.execution_scenes import paused, url
from tests.integration.pages.state_edits import other_edit

pytestmark = pytest.mark.django_db

TURNED = "ticket\u202egnp.exe <b>"


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


def text(answer: Any) -> str:
    return str(answer.content.decode())


def title_of(page: str) -> str:
    found = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    assert found
    return found[1]


def named(title: str, *messages: dict[str, JsonValue], public_id: str = "chat") -> None:
    head = conversation(*messages, public_id=public_id)
    head.title = title
    head.save(update_fields=["title"])


@pytest.mark.parametrize("path", ["", "edit/", "revisions/"])
def test_the_title_of_the_tab_names_signs_that_turn_a_text_around(path: str) -> None:
    named(TURNED, user("hi"))
    designer = signed_in(Role.ADMIN)
    title = title_of(text(designer.get(f"/conversations/chat/{path}")))
    assert "\u202e" not in title
    assert "<b>" not in title


def test_a_title_is_escaped_once(reviewer: Client) -> None:
    named("R&D's\u202e", user("hi"))
    title = title_of(text(reviewer.get("/conversations/chat/")))
    assert title == "R&amp;D&#x27;sU+202E · ctxadmin"


def test_a_call_without_a_name_says_so(reviewer: Client) -> None:
    call: JsonValue = {"id": "a", "type": "function", "function": {"name": "", "arguments": "{}"}}
    named("t", {"role": "assistant", "content": None, "tool_calls": [call]})
    page = text(reviewer.get("/conversations/chat/"))
    assert "no name" in page
    assert ">function<" not in page


def test_a_warning_is_a_sentence(reviewer: Client) -> None:
    lost: dict[str, JsonValue] = {"role": "tool", "tool_call_id": "x", "content": "found"}
    conversation(user("hi"), lost, public_id="chat")
    page = text(reviewer.get("/conversations/chat/operate/?do=hide&positions=0&revision=0&count=2"))
    assert "These tool results belong to no call: #1." in page


LONG = "x " * 6000 + "the Needle in it" + " y" * 600


def test_a_shortened_message_gives_the_passage_with_the_words(reviewer: Client) -> None:
    conversation(user("hi"), user(LONG), public_id="chat")
    page = text(reviewer.get("/conversations/chat/"))
    assert 'data-passage="/conversations/chat/messages/1/"' in page
    assert page.count("data-passage") == 1
    part = text(reviewer.get("/conversations/chat/messages/1/?around=needle"))
    assert "<mark>Needle</mark> in it" in part
    assert "<title>" not in part
    assert len(part) < 2000
    assert "<mark>" not in text(reviewer.get("/conversations/chat/messages/1/?around=nowhere"))


def test_a_tree_gives_the_passage_with_what_it_leaves_out(reviewer: Client) -> None:
    rows = '{"rows": [' + ", ".join('{"a": {"b": 1}}' for _ in range(150)) + ', {"a": "Needle"}]}'
    call: JsonValue = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked: dict[str, JsonValue] = {"role": "assistant", "content": None, "tool_calls": [call]}
    conversation(asked, {"role": "tool", "tool_call_id": "c", "content": rows}, public_id="chat")
    page = text(reviewer.get("/conversations/chat/"))
    assert "Needle" not in page
    assert 'data-passage="/conversations/chat/messages/1/"' in page
    assert "data-passage" not in text(reviewer.get("/conversations/chat/messages/1/"))
    part = text(reviewer.get("/conversations/chat/messages/1/?around=needle"))
    assert "<mark>Needle</mark>" in part


def test_a_passage_names_hidden_signs_and_is_no_html(reviewer: Client) -> None:
    conversation(user("x" * 9000 + "<script>\u202eword"), public_id="chat")
    part = text(reviewer.get("/conversations/chat/messages/0/?around=WORD"))
    assert "<script>" not in part
    assert "\u202e" not in part


@pytest.mark.parametrize(("keys", "offered"), [(14, False), (15, True)])
def test_a_filter_of_keys_is_offered_from_fifteen(
    reviewer: Client, keys: int, *, offered: bool
) -> None:
    run = paused()
    held = len(run.snapshot()["state_data"].keys() - {"messages"})
    other_edit(run, **{f"key{n:02}": n for n in range(keys - held)})
    page = text(reviewer.get(url(run, "state/")))
    assert ('name="q"' in page.split('id="state-form"')[0].split("page-content")[-1]) == offered


def test_a_filter_that_finds_little_can_be_changed(reviewer: Client) -> None:
    run = paused(state={f"key{n:02}": n for n in range(20)})
    page = text(reviewer.get(url(run, "state/?q=key07")))
    assert 'value="key07"' in page
    assert "key08" not in page
