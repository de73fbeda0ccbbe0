"""The sheet of an action on selected messages: what it says, and what applying it does."""

import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.services.use_cases import apply_operation
from ctxadmin.identity.roles import Role
from tests.factories import (
    assistant,
    calls,
    conversation,
    engine,
    result,
    signed_in,
    system,
    user,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def text(answer: Any) -> str:
    return str(answer.content.decode())


def booking() -> None:
    conversation(
        system("You book seats."),
        user("Book 12A"),
        calls("a"),
        result("a"),
        assistant("Done"),
        public_id="t",
    )


def asked(do: str, positions: str, **more: str) -> dict[str, str]:
    return {"do": do, "positions": positions, "revision": "0", "count": "5"} | more


def sheet(client: Client, do: str, positions: str, **more: str) -> str:
    return text(client.get("/conversations/t/act/", asked(do, positions, **more)))


def apply(client: Client, do: str, positions: str, **more: str) -> Any:
    sent = asked(do, positions, apply="1", **more)
    return client.post("/conversations/t/act/", sent, follow=True)


def shown(page: str) -> list[int]:
    return [int(index) for index in re.findall(r'<article [^>]*id="m(\d+)"', page)]


def test_a_sheet_says_in_words_what_goes_and_what_goes_along(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "hide", "3")
    assert "1 message will be hidden: #3 “" in page
    assert "The matching calls and results go with them: #2." in page
    assert 'data-going="2-3"' in page
    assert "3 messages stay: #0 “You book seats.” to #4 “Done”." in page
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 1, 2, 3, 4]


def test_pairs_are_separated_only_if_someone_says_so(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "hide", "3", pairing="warn")
    assert 'data-going="3-3"' in page
    assert "go with them" not in page
    assert "would lose a result" in page


def test_what_is_applied_can_be_undone_and_says_what_it_did(reviewer: Client) -> None:
    booking()
    page = text(apply(reviewer, "hide", "3", reason="noise", pairing="drop"))
    assert (
        "Hid 1 selected message and 1 matching call or result. Batch 1: 3 messages visible." in page
    )
    assert shown(page) == [0, 1, 4]
    assert "Hid 1 selected message" in page
    assert "noise" in page
    assert 'name="undo"' in page


def test_keeping_from_a_message_keeps_the_system_messages(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "keep_from", "2")
    assert "Everything from #2 on stays. 1 message before it will be hidden: #1 “Book 12A”." in page
    assert "The system message stays: #0." in page
    assert shown(text(apply(reviewer, "keep_from", "2", pairing="drop"))) == [0, 2, 3, 4]


def test_a_replaced_message_begins_with_its_text(reviewer: Client) -> None:
    booking()
    assert ">Book 12A</textarea>" in sheet(reviewer, "replace", "1")
    page = text(apply(reviewer, "replace", "1", text="Book 12B", pairing="drop"))
    assert "Replaced a message." in page
    assert "Book 12B" in page
    assert shown(page) == [0, 5, 2, 3, 4]


def test_a_replacement_shows_the_words_that_change_while_it_is_typed(reviewer: Client) -> None:
    booking()
    assert "<ins>" not in sheet(reviewer, "replace", "1")
    page = sheet(reviewer, "replace", "1", text="Book 12B", preview="1")
    assert "Book <del>12A</del><ins>12B</ins>" in page


def test_a_summary_is_asked_for_before_it_is_weighed(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "summarize", "1-3")
    assert "A summary takes the place of 3 messages: #1–#3." in page
    assert "Cached prefix lost" not in page
    weighed = sheet(reviewer, "summarize", "1-3", text="Seat booked", preview="1")
    assert "Cached prefix lost" in weighed
    assert "<textarea" not in weighed


def test_a_view_that_changed_meanwhile_is_not_operated_on_unseen(reviewer: Client) -> None:
    booking()
    cut: JsonValue = {
        "operation": "truncate",
        "truncate": {"remove_ranges": [{"start": 1, "end": 2}]},
    }
    apply_operation(engine(), "t", read_operation(cut), reason=None)
    gone = reviewer.get("/conversations/t/act/", asked("hide", "3"))
    assert gone.status_code == 409
    assert "The view has changed since." in text(gone)
    typing = {**asked("summarize", "1-3"), "text": "Seat booked", "preview": "1"}
    stays = reviewer.get("/conversations/t/act/", typing)
    assert (stays.status_code, 'id="sheet-effect"' in text(stays)) == (409, True)
    assert 'id="sheet"' not in text(stays)
    answer = apply(reviewer, "hide", "4", pairing="drop")
    assert answer.status_code == 409
    assert "The same messages are selected at their new positions" in text(answer)
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 2, 3, 4]


def test_nothing_that_was_typed_is_lost_if_it_cannot_be_applied(reviewer: Client) -> None:
    booking()
    apply_operation(
        engine(), "t", read_operation({"operation": "truncate", "truncate": {"keep_last": 4}})
    )
    answer = apply(reviewer, "summarize", "3-4", text="A long summary", pairing="drop")
    assert answer.status_code == 409
    assert re.search(r"<textarea[^>]*>\s*A long summary", text(answer))


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"do": "explode", "positions": "1"}, 422),
        ({"do": "hide", "positions": "x"}, 422),
        ({"do": "hide"}, 422),
        ({"do": "hide", "positions": "1", "revision": "x"}, 422),
    ],
)
def test_an_action_that_says_nothing_is_refused(
    reviewer: Client, sent: dict[str, str], status: int
) -> None:
    booking()
    query = {"revision": "0", "count": "5"} | sent
    assert reviewer.get("/conversations/t/act/", query).status_code == status


def test_who_may_not_operate_sees_no_sheet() -> None:
    booking()
    viewer = signed_in(Role.VIEWER)
    assert viewer.get("/conversations/t/act/", asked("hide", "1")).status_code == 403
