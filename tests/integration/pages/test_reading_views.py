"""Reading a conversation: how much detail, which messages, its outline, its errors."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue
from pytest_django import DjangoAssertNumQueries

from conversations.domain.configs import read_operation
from conversations.services.use_cases import apply_operation
from tests.factories import assistant, calls, conversation, engine, result, system, user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def text(answer: Any) -> str:
    return str(answer.content.decode())


def shown(page: str) -> list[int]:
    return [int(index) for index in re.findall(r'<article [^>]*id="m(\d+)"', page)]


def booking(name: str = "t") -> None:
    conversation(
        system("You book seats."),
        user("Book 12A"),
        calls("a"),
        result("a", "Error: taken"),
        user("Then 12B"),
        calls("b"),
        result("b", "booked"),
        assistant("Done"),
        public_id=name,
    )


def test_the_detail_that_was_chosen_is_remembered(reviewer: Client) -> None:
    booking()
    assert 'data-detail="tools"' in text(reviewer.get("/conversations/t/"))
    assert 'class="conversation" data-detail="talk"' in text(
        reviewer.get("/conversations/t/?detail=talk")
    )
    page = text(reviewer.get("/conversations/t/"))
    assert 'class="conversation" data-detail="talk"' in page
    reviewer.get("/conversations/t/?detail=nonsense")
    assert 'class="conversation" data-detail="t' in text(reviewer.get("/conversations/t/"))


def test_with_everything_the_calls_come_open(reviewer: Client) -> None:
    booking()
    assert text(reviewer.get("/conversations/t/")).count('<details class="tool-call') == 2
    page = text(reviewer.get("/conversations/t/?detail=everything"))
    assert len(re.findall(r'<details class="tool-call[^>]* open>', page)) == 2


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("role=user", [1, 4]),
        ("role=system", [0]),
        ("role=tool", [3, 6]),
        ("tool=look_up", [2, 3, 5, 6]),
        ("tool=nothing", []),
        ("author=nobody", []),
        ("role=user&view=all", [1, 4]),
    ],
)
def test_a_filter_shows_only_the_messages_that_it_keeps(
    reviewer: Client, query: str, found: list[int]
) -> None:
    booking()
    page = text(reviewer.get(f"/conversations/t/?{query}"))
    assert shown(page) == found
    assert f"{len(found)} of 8 messages" in page


def choices(page: str, name: str) -> list[str]:
    """What a field of the filter offers, without its first line for all."""
    found = re.search(rf'<select [^>]*name="{name}".*?</select>', page, re.DOTALL)
    return re.findall(r"<option [^>]*>([^<]*)</option>", found[0])[1:] if found else []


def test_a_filter_offers_what_the_conversation_has_with_counts(reviewer: Client) -> None:
    booking()
    page = text(reviewer.get("/conversations/t/"))
    assert choices(page, "role") == ["system (1)", "user (2)", "assistant (3)", "tool (2)"]
    assert choices(page, "tool") == ["look_up (4)"]
    assert choices(page, "author") == ["test engine (token) (8)"]
    assert 'name="node"' not in page  # no message is of a node
    page = text(reviewer.get("/conversations/t/?role=tool"))
    assert choices(page, "tool") == ["look_up (2)"]  # of those that the role keeps
    assert choices(page, "role") == ["system (1)", "user (2)", "assistant (3)", "tool (2)"]
    assert choices(text(reviewer.get("/conversations/t/?tool=gone")), "tool")[-1] == "gone (0)"


def test_each_filter_is_named_and_cleared_by_itself(reviewer: Client) -> None:
    booking()
    page = text(reviewer.get("/conversations/t/?role=tool&tool=look_up"))
    chips = re.findall(r'class="reading-chip" href="([^"]*)"', page)
    assert [unescape(chip) for chip in chips] == [
        "?view=current&tool=look_up&",
        "?view=current&role=tool&",
        "?view=current",
    ]
    assert 'class="reading-chip"' not in text(reviewer.get("/conversations/t/"))


def test_a_long_conversation_is_counted_when_the_filter_opens(reviewer: Client) -> None:
    conversation(*[user(f"u{n}") for n in range(1001)], public_id="long")
    page = text(reviewer.get("/conversations/long/"))
    assert 'name="role"' not in page
    assert 'href="?view=current&amp;filter=1"' in page  # without scripts
    assert choices(text(reviewer.get("/conversations/long/?filter=1")), "role") == ["user (1,001)"]
    part = text(reviewer.get("/conversations/long/filter/?view=current"))
    assert choices(part, "role") == ["user (1,001)"]


def test_of_a_very_long_log_the_beginning_is_counted(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "conversations.reading.filter_choices",
        "conversations.pages.reading.filter_form",
    ):
        monkeypatch.setattr(f"{module}.MOST_COUNTED", 5)
    booking()
    page = text(reviewer.get("/conversations/t/?filter=1"))
    assert choices(page, "role") == ["system (1)", "user (2)", "assistant (1)", "tool (1)"]
    assert "Counted in the first 5 messages of the log." in page


def test_what_a_filter_keeps_is_selected_by_its_place_in_the_view(reviewer: Client) -> None:
    booking()
    page = text(reviewer.get("/conversations/t/?role=user"))
    assert re.findall(r'name="at" value="(\d+)"', page) == ["1", "4"]


def test_sections_of_a_filter_are_counted_without_the_others(reviewer: Client) -> None:
    several = [user(f"u{n}") if n % 2 else assistant(f"a{n}") for n in range(240)]
    conversation(*several, public_id="long")
    page = text(reviewer.get("/conversations/long/?role=user"))
    assert shown(page)[:2] == [1, 3]
    assert "Messages #201 to #239" in page
    part = text(reviewer.get("/conversations/long/messages/?view=current&role=user&start=100"))
    assert shown(part)[0] == 201


def test_after_a_change_the_page_has_what_stood_around_it_also_in_the_section_beside(
    reviewer: Client,
) -> None:
    conversation(*[user(f"u{n}") for n in range(240)], public_id="long")
    for near, first, last in (("52", 0, 99), ("75", 50, 99), ("96", 50, 149), ("239", 200, 239)):
        page = text(reviewer.get(f"/conversations/long/?near={near}"))
        assert (shown(page)[0], shown(page)[-1]) == (first, last)
        assert 'blocking="render"' in page
    assert 'blocking="render"' not in text(reviewer.get("/conversations/long/"))


def test_the_outline_leads_to_the_turns_of_the_user(reviewer: Client) -> None:
    booking()
    outline = text(reviewer.get("/conversations/t/")).split('id="outline"')[1].split("</nav>")[0]
    assert re.findall(r"at=(\d+)#m", outline) == ["1", "4"]
    assert "Book 12A" in outline
    assert "You book seats" not in outline


def test_the_outline_has_the_turns_in_the_order_of_the_view(reviewer: Client) -> None:
    booking()
    summary: dict[str, JsonValue] = {
        "range": {"start": 1, "end": 4},
        "message": user("They booked 12A"),
    }
    body: dict[str, JsonValue] = {"operation": "summarize", "summarize": summary}
    apply_operation(engine(), "t", read_operation(body))
    outline = text(reviewer.get("/conversations/t/")).split('id="outline"')[1].split("</nav>")[0]
    assert re.findall(r"at=(\d+)#m", outline) == ["8", "4"]


def test_the_outline_of_a_long_conversation_comes_in_parts(reviewer: Client) -> None:
    conversation(*[user(f"turn {n}") for n in range(120)], public_id="long")
    first = text(reviewer.get("/conversations/long/outline/?view=current&around=0"))
    assert ("Later turns" in first, "Earlier turns" in first) == (True, False)
    assert first.count("<li>") == 50
    middle = text(reviewer.get("/conversations/long/outline/?view=current&around=50"))
    assert ("turn 50" in middle, "turn 49" in middle) == (True, False)
    assert ("Later turns" in middle, "Earlier turns" in middle) == (True, True)


def test_the_next_error_is_found_wherever_it_is(reviewer: Client) -> None:
    booking()
    answer = reviewer.get("/conversations/t/next-error/?view=current")
    assert answer["Location"].endswith("at=3#m3")
    after = reviewer.get("/conversations/t/next-error/?view=current&after=3", follow=True)
    assert "No more errors after message #3." in text(after)


def test_a_conversation_without_errors_says_so(reviewer: Client) -> None:
    conversation(user("hi"), public_id="t")
    assert "No tool result reports an error." in text(
        reviewer.get("/conversations/t/next-error/", follow=True)
    )


@pytest.mark.parametrize("path", ["outline/", "filter/", "next-error/", "?role=user"])
def test_conversations_of_others_are_not_read(reviewer: Client, path: str) -> None:
    conversation(user("secret"), actor=engine(slug="other"), public_id="theirs")
    assert reviewer.get(f"/conversations/theirs/{path}").status_code == 404


def test_a_filter_costs_the_same_few_queries_in_a_long_conversation(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    conversation(*[user(f"u{n}") for n in range(600)], public_id="long")
    reviewer.get("/conversations/long/?role=user")
    with django_assert_max_num_queries(30):
        reviewer.get("/conversations/long/?role=user&tool=look_up")
