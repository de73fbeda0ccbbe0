"""The changes in words on the page that edits the context: each is previewed, then applied."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from conversations.models import Conversation
from conversations.store.conversation import find_revision, view_of
from tests.factories import calls, conversation, result, system, user

pytestmark = pytest.mark.django_db

PAGE = "/conversations/chat/operate/"


def chat() -> None:
    conversation(
        system("Be kind."),
        user("Where is my parcel?"),
        calls("c1"),
        result("c1", "In Lyon."),
        user("Thanks. And the bell?"),
        user("Is it loud?"),
        public_id="chat",
    )


def page(client: Client, query: str = "", status: int = 200) -> str:
    found = client.get(PAGE + query)
    assert found.status_code == status
    return str(found.content.decode())


def apply(client: Client, shown: str) -> Any:
    """Presses *Apply* as the shown form would send it."""
    form = re.sub(r"<template.*?</template>", "", shown[shown.index("data-draft") :], flags=re.S)
    sent: dict[str, list[str]] = {"apply": ["1"]}
    for tag in re.findall(r"<input\b[^>]*>", form):
        field = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        is_box = field.get("type") == "checkbox"
        if "name" in field and not (is_box and not re.search(r"\schecked", tag)):
            value = field.get("value", "on" if is_box else "")
            sent.setdefault(field["name"], []).append(html.unescape(value))
    for name, body in re.findall(
        r'<textarea\b[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', form, re.S
    ):
        sent.setdefault(name, []).append(html.unescape(body).removeprefix("\n"))
    for name, body in re.findall(r'<select\b[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.S):
        options = re.findall(r'<option value="([^"]*)"[^>]*\bselected', body)
        sent.setdefault(name, []).extend(options)
    return client.post(PAGE, sent)


def visible() -> list[int]:
    head = Conversation.objects.get(public_id="chat")
    return list(view_of(find_revision(head.key, head.current_revision)))


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("change=keep_last&value=2", [0, 4, 5]),
        ("change=without&value=bell", [0, 1, 2, 3, 5]),
        ("change=without_tools", [0, 1, 4, 5]),
        ("change=fit&value=24", [0, 5]),
    ],
)
def test_a_frequent_change_is_previewed_and_applied(
    reviewer: Client, query: str, left: list[int]
) -> None:
    chat()
    shown = page(reviewer, f"?{query}")
    assert "Preview of the result" in shown
    assert visible() == [0, 1, 2, 3, 4, 5]
    assert apply(reviewer, shown).status_code == 302
    assert visible() == left


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("change=keep_last&value=", "Enter a whole number of at least 1."),
        ("change=keep_last&value=0", "Enter a whole number of at least 1."),
        ("change=fit&value=-4", "Enter a whole number of at least 2."),
        ("change=without&value=%20", "Enter the text of the messages to hide."),
        ("change=without&value=" + "x" * 10_001, "Enter at most 10000 characters."),
    ],
)
def test_a_wrong_value_is_said_at_its_field(reviewer: Client, query: str, problem: str) -> None:
    chat()
    shown = page(reviewer, f"?{query}", status=422)
    name = query.partition("=")[2].partition("&")[0]
    assert re.search(rf'id="change-{name}-help" role="alert">{problem}', shown)
    assert re.search(rf'id="change-{name}"[^>]*aria-invalid="true"', shown)


def test_a_summary_is_written_next(reviewer: Client) -> None:
    chat()
    shown = page(reviewer, "?change=summarize&value=1")
    assert re.search(r'name="summarize-older_than-turns"[^>]*value="1"', shown)
    assert "Frequent changes" not in shown


def test_an_empty_conversation_offers_what_can_be_done(reviewer: Client) -> None:
    conversation(public_id="chat")
    shown = page(reviewer)
    assert re.findall(r'name="change" value="(\w+)"', shown) == ["insert"]


def test_an_unknown_change_shows_the_choice(reviewer: Client) -> None:
    chat()
    assert "Frequent changes" in page(reviewer, "?change=everything")
