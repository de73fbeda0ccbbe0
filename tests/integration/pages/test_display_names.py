"""A conversation without a title is called by what people recognize, on every page."""

from datetime import UTC, datetime

import pytest
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from conversations.models import Conversation
from conversations.reading.display_names import display_name, read_display_names
from ctxadmin.identity.roles import Role
from search import indexer
from tests.factories import assistant, conversation, person, signed_in, system, user
from workflows.services import use_cases
from workflows.services.use_cases import NewWorkflow

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
UUID = "0b9f0c5e-6f5e-4b1e-9d2a-3f6a5c1d2e3f"


def test_a_title_is_the_name() -> None:
    assert display_name(conversation(user("Hi"), title="Refund", public_id="a")) == "Refund"


def test_without_a_title_it_is_how_the_first_user_message_begins() -> None:
    head = conversation(
        system("You help."), assistant("Hello!"), user("**Where** is\nit?"), user("Now?")
    )
    assert display_name(head) == "Where is"


def test_without_a_user_message_it_is_a_chosen_id_else_the_workflow_and_the_time() -> None:
    at = datetime(2026, 11, 26, 13, 14, 40, tzinfo=UTC)
    named = conversation(assistant("Hello!"), public_id="ticket-4711")
    assert display_name(named) == "ticket-4711"
    head = conversation(public_id=UUID)
    head.created_at = at
    assert display_name(head) == "Conversation of 2026-11-26 13:14 UTC"
    head.workflow = "support"
    assert display_name(head) == "support, 2026-11-26 13:14 UTC"
    with translation.override("zh-hans"):
        assert display_name(head) == "support，2026-11-26 13:14 UTC"


def test_a_long_first_message_names_nothing() -> None:
    head = conversation(user("x" * 50_000), user("later"), public_id="long")
    assert display_name(head) == "long"


def test_many_names_take_one_statement_and_titles_none(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    heads = [conversation(user(f"Question {n}"), public_id=f"c{n}") for n in range(9)]
    titled = conversation(user("Hi"), public_id="titled", title="Refund")
    again = Conversation.objects.get(key=heads[0].key)
    with django_assert_num_queries(1):
        read_display_names([*heads, titled, again])
        names = [display_name(head) for head in (*heads, again)]
    assert names == [*(f"Question {n}" for n in range(9)), "Question 0"]
    with django_assert_num_queries(0):
        assert display_name(titled) == "Refund"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/conversations/",
        "/conversations/{}/",
        "/conversations/{}/messages/0/",
        "/conversations/{}/edit/",
        "/executions/{}/",
        "/search/?q=parcel",
        "/search/palette/?q=parcel",
    ],
)
def test_pages_call_it_by_its_name(path: str) -> None:
    conversation(user("Where is my parcel?"), public_id=UUID)
    indexer.run_until_done()
    page = signed_in(Role.ADMIN).get(path.format(UUID)).content.decode()
    assert "Where is my parcel?" in page.replace(f"{UUID}</title>", "")
    heading = page.partition("<h1")[2].partition("</h1>")[0]
    assert UUID not in heading


def test_its_title_stays_empty() -> None:
    head = conversation(user("Hi"), public_id="a")
    assert display_name(head) == "Hi"
    assert Conversation.objects.get(key=head.key).title == ""


def test_a_list_names_the_workflow_and_falls_back_to_its_id() -> None:
    for slug in ("care", "gone"):
        use_cases.create(person(Role.DESIGNER), NewWorkflow(slug=slug, name="Customer support"))
        conversation(user("Hi"), public_id=f"of-{slug}", workflow=slug)
    use_cases.delete(person(Role.DESIGNER), "gone")
    page = signed_in(Role.VIEWER).get("/conversations/").content.decode()
    assert 'title="care">Customer support<' in page
    assert 'title="gone">gone<' in page
