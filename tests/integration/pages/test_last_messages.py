"""The list of conversations says what was said last in each."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from conversations.models import Conversation
from conversations.workspace.last_messages import last_messages
from tests.factories import assistant, calls, conversation, user
from tests.servers import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_the_list_says_who_spoke_last_and_how_it_begins(reviewer: Client) -> None:
    conversation(user("Where is it?"), assistant("On its\n way <b>"), public_id="a")
    conversation(user("Book 12A"), calls("c"), public_id="b")
    page = text(reviewer.get("/conversations/"))
    said = page.split("last-said")
    assert "<b>assistant</b>:" in said[1] + said[2]
    assert "On its way &lt;b&gt;" in page
    assert "look_up" in page
    assert page.count("Book 12A</a>") == page.count("Where is it?</a>") == 1  # their names


def test_on_a_phone_a_workflow_that_there_is_not_takes_no_room(reviewer: Client) -> None:
    conversation(user("Where is it?"), public_id="a")
    page = text(reviewer.get("/conversations/"))
    assert '<td class="says-itself has-nothing" data-label="Workflow">–</td>' in page
    assert page.count("has-nothing") == 1
    sheet = (ROOT / "static" / "css" / "conversations.css").read_text()
    assert "td.has-nothing { display: none; }" in sheet


def test_a_long_message_is_named_without_being_read() -> None:
    head = conversation(assistant("x" * 50_000), public_id="long")
    [last] = last_messages([head]).values()
    assert (last.role, last.text) == ("assistant", "")


def test_conversations_without_messages_have_none() -> None:
    assert last_messages([conversation(public_id="empty")]) == {}


def test_many_conversations_take_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    heads: list[Conversation] = [conversation(user(str(n)), public_id=f"c{n}") for n in range(12)]
    with django_assert_num_queries(1):
        found = last_messages(heads)
    assert [found[head.key].text for head in heads] == [str(n) for n in range(12)]
