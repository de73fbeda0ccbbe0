"""The list of conversations says what was said last in each."""

from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue
from pytest_django import DjangoAssertNumQueries

from conversations.domain.configs import OperationConfig
from conversations.models import Conversation, Revision
from conversations.services import use_cases
from conversations.workspace.last_messages import last_messages
from ctxadmin.identity.actor import Actor
from tests.factories import assistant, calls, conversation, drafts, engine, user
from tests.integration.checkpoints.flows import Run, node, publish

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


def test_the_workflow_stands_beside_the_id(reviewer: Client) -> None:
    conversation(user("Where is it?"), public_id="a")
    publish("letters", [node("a", "start")], [])
    run = Run.start("letters")
    row = text(reviewer.get("/conversations/")).partition(f"{run.head.public_id} · ")[2]
    assert row.startswith('<span title="letters">')


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


@pytest.fixture
def chat() -> Conversation:
    return conversation(
        user("Where is it?"), user("Hello?"), assistant("On its way"), public_id="a"
    )


def said(head: Conversation) -> str:
    head.refresh_from_db()
    [last] = last_messages([head]).values()
    return last.text


def operate(actor: Actor, head: Conversation, **config: JsonValue) -> None:
    use_cases.apply_operation(actor, head.public_id, OperationConfig.model_validate(config))


def test_a_summary_of_earlier_messages_was_not_said_last(chat: Conversation) -> None:
    block: JsonValue = {"range": {"start": 0, "end": 2}, "message": user("Someone waits")}
    operate(engine(), chat, operation="summarize", summarize=block)
    assert said(chat) == "On its way"


def test_a_replacement_of_the_last_message_was_and_a_rollback_brings_the_former_back(
    chat: Conversation,
) -> None:
    block: JsonValue = {"index": 2, "message": assistant("It arrives on Monday")}
    operate(engine(), chat, operation="replace", replace=block)
    assert said(chat) == "It arrives on Monday"
    use_cases.rollback(engine(), chat.public_id, 0)
    assert said(chat) == "On its way"


def test_a_hidden_message_was_not_said_and_appended_ones_were(chat: Conversation) -> None:
    operate(engine(), chat, operation="truncate", truncate={"remove_last": 1})
    assert said(chat) == "Hello?"
    use_cases.append(engine(), chat.public_id, drafts(assistant("Sorry")))
    assert said(chat) == "Sorry"


def test_a_damaged_view_hides_no_other_line(chat: Conversation) -> None:
    operate(engine(), chat, operation="truncate", truncate={"remove_last": 1})
    other = conversation(user("Hi"), public_id="b")
    Revision.objects.filter(conversation=chat.key, number=1).update(opened=b"\xff")
    chat.refresh_from_db()
    assert [*last_messages([chat, other])] == [other.key]
