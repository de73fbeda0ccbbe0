"""The sheet of an action on selected messages: what it says, and what applying it does."""

import re

import orjson
import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.models import Message
from conversations.services import pins
from conversations.services.use_cases import apply_operation
from ctxadmin.identity.roles import Role
from tests.factories import (
    engine,
    signed_in,
)
from tests.integration.pages.sheet_scenes import apply, asked, booking, sheet, shown, text

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_sheet_says_in_words_what_goes_and_what_goes_along(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "hide", "3")
    assert "1 message will be hidden: #3 “" in page
    assert "The matching calls and results go with it: #2." in page
    assert 'data-going="2-3"' in page
    assert "3 messages stay: #0 “You book seats.” to #4 “Done”." in page
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 1, 2, 3, 4]


def test_a_sheet_says_that_a_pinned_message_is_kept(reviewer: Client) -> None:
    booking()
    pins.pin(engine(), "t", "4", pinned=True)
    page = sheet(reviewer, "hide", "4", revision="1")
    assert "No message will be hidden: what is selected is kept." in page
    assert "These pinned messages stay: #4." in page
    assert "data-changes-nothing" in page
    assert "There is nothing to apply." in page
    assert "data-changes-nothing" not in sheet(reviewer, "hide", "3-4", revision="1")


def test_a_sheet_says_of_several_messages_what_goes_along_with_them(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "hide", "3-4")
    assert "2 messages will be hidden: #3–#4" in page
    assert "The matching calls and results go with them: #2." in page


def test_the_words_of_a_batch_stand_in_quotes_without_others_in_them(reviewer: Client) -> None:
    booking()
    hide: JsonValue = {"operation": "filter", "filter": {"content_excludes": ["12A"]}}
    apply_operation(engine(), "t", read_operation(hide))
    question = text(reviewer.get("/conversations/t/restore/0/"))
    assert "1 “Hid messages that contain ‘12A’” by test engine (token)" in question


def test_pairs_are_separated_only_if_someone_says_so(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "hide", "3", pairing="warn")
    assert 'data-going="3-3"' in page
    assert "The matching calls" not in page
    assert "would lose a result" in page


def test_what_is_applied_can_be_undone_and_says_what_it_did(reviewer: Client) -> None:
    booking()
    page = text(apply(reviewer, "hide", "3", reason="noise", pairing="drop"))
    assert "Hid #2–#3. Batch 1: 3 messages visible." in page
    assert shown(page) == [0, 1, 4]
    assert ">Hid #2–#3</a>" in page
    assert "noise" in page
    assert 'name="undo"' in page


@pytest.mark.parametrize(("do", "positions"), [("summarize", "1-2"), ("insert", "1")])
def test_a_message_without_words_is_refused(reviewer: Client, do: str, positions: str) -> None:
    booking()
    page = text(apply(reviewer, do, positions, text="  ", pairing="drop"))
    assert "Write the text first." in page
    assert shown(page) == [0, 1, 2, 3, 4]


def test_the_page_stays_at_the_call_whose_closed_card_has_the_last_message_left(
    reviewer: Client,
) -> None:
    booking()
    answer = reviewer.post("/conversations/t/act/", asked("hide", "4", apply="1", pairing="drop"))
    assert answer["Location"] == "/conversations/t/?near=2#m2"


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
    assert "Replaced #1. Batch 1" in page
    assert "Book 12B" in page
    assert shown(page) == [0, 5, 2, 3, 4]


def test_a_replacement_with_the_same_words_is_refused_at_its_text(reviewer: Client) -> None:
    booking()
    assert "data-needs-text" in sheet(reviewer, "replace", "1")
    sent = asked("replace", "1", apply="1", text="Book 12A", pairing="drop")
    answer = reviewer.post("/conversations/t/act/", sent, headers={"Accept": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("Change the new text first.")
    assert "Change the new text first." in text(apply(reviewer, "replace", "1", text="Book 12A"))
    path = "/conversations/t/operate/?do=replace&positions=1&revision=0&count=5"
    form = {
        "operation": "replace",
        "pairing": "warn",
        "replace-index": "1",
        "replace-message-role": "user",
        "replace-message-content": "Book 12A",
        "expected_revision": "0",
        "expected_count": "5",
    }
    refused = reviewer.post(path, form)
    assert refused.status_code == 422
    assert "Change the new text first." in text(refused)
    assert ">batch 1<" not in text(reviewer.get("/conversations/t/")).lower()


def test_the_same_words_without_their_calls_replace_a_message(reviewer: Client) -> None:
    booking()
    assert "data-needs-text" not in sheet(reviewer, "replace", "2")
    assert "data-needs-text" in sheet(reviewer, "replace", "2", pairing="keep")
    apply(reviewer, "replace", "2", text="", pairing="drop")
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 1, 4]


@pytest.mark.parametrize(("do", "positions"), [("replace", "1"), ("summarize", "1-1")])
def test_a_text_is_stored_with_the_line_ends_that_were_typed(
    reviewer: Client, do: str, positions: str
) -> None:
    booking()
    apply(reviewer, do, positions, text="Book 12B,\r\nplease", pairing="drop")
    assert (
        orjson.loads(bytes(Message.objects.latest("index").body))["content"] == "Book 12B,\nplease"
    )


def test_a_replacement_shows_the_words_that_change_while_it_is_typed(reviewer: Client) -> None:
    booking()
    assert "<ins>" not in sheet(reviewer, "replace", "1")
    page = sheet(reviewer, "replace", "1", text="Book 12B", preview="1")
    assert "Book <del>12A</del><ins>12B</ins>" in page


def test_a_new_text_takes_the_place_of_the_calls_and_their_results(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "replace", "2", text="No seat", preview="1")
    assert "Its tool calls are removed, with their results: #3." in page
    assert 'data-going="2-3"' in page
    assert "rejects" not in page
    page = text(apply(reviewer, "replace", "2", text="No seat", pairing="drop"))
    assert shown(page) == [0, 1, 5, 4]
    assert "No seat" in page
    assert "no result yet" not in page


def test_calls_of_a_replaced_message_stay_with_their_results(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "replace", "2", text="I look", preview="1", pairing="keep")
    assert "Its tool calls and their results stay, behind the new text." in page
    assert 'data-going="2-2"' in page
    page = text(apply(reviewer, "replace", "2", text="I look", pairing="keep"))
    assert shown(page) == [0, 1, 5, 6, 4]
    assert "no result yet" not in page


def test_a_message_is_inserted_in_front_of_the_selected_one(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "insert", "4")
    assert "The new message comes before #4." in page
    assert 'data-before="4"' in page
    assert 'data-going=""' in page
    page = text(apply(reviewer, "insert", "4", text="Window seat", role="system"))
    assert "Inserted #5 before #4. Batch 1" in page
    assert shown(page) == [0, 1, 2, 3, 5, 4]
    assert 'class="message message-system"' in page


def test_a_message_in_the_middle_of_a_pair_hides_nothing_and_is_warned_of(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "insert", "3", text="Wait", preview="1")
    assert "would not directly follow their call" in page
    assert shown(text(apply(reviewer, "insert", "3", text="Wait"))) == [0, 1, 2, 5, 3, 4]


def test_a_summary_says_what_goes_along_before_it_is_written(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "summarize", "2")
    assert "A summary takes the place of 2 messages: #2–#3" in page
    assert 'name="pairing"' in page
    assert "Hide the matching calls and results too" in page
    assert "Cached prefix lost" in page
    assert 'data-going="2-3"' in page
    weighed = sheet(reviewer, "summarize", "1-3", text="Seat booked", preview="1")
    assert "Cached prefix lost" in weighed
    assert "<textarea" not in weighed


def test_a_call_says_what_goes_along_before_it_is_replaced(reviewer: Client) -> None:
    booking()
    page = sheet(reviewer, "replace", "2")
    assert "Its tool calls are removed, with their results: #3." in page
    assert "Keep the calls and their results" in page
    assert "Cached prefix lost" in page


def cut(start: int, end: int) -> None:
    ranges: JsonValue = {"remove_ranges": [{"start": start, "end": end}]}
    body: JsonValue = {"operation": "truncate", "truncate": ranges}
    apply_operation(engine(), "t", read_operation(body), reason=None)


def hidden(page: str, name: str) -> str:
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def test_a_view_that_changed_meanwhile_is_not_operated_on_unseen(reviewer: Client) -> None:
    booking()
    cut(1, 2)
    answer = apply(reviewer, "hide", "4", pairing="drop")
    assert answer.status_code == 409
    assert "The same messages are selected at their new positions" in text(answer)
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 2, 3, 4]


def test_an_open_sheet_follows_its_messages_when_the_view_changes(reviewer: Client) -> None:
    booking()
    cut(1, 2)
    page = sheet(reviewer, "summarize", "2-4", text="Seat booked", preview="1")
    assert "The conversation changed: figures updated." in page
    assert 'data-going="2-4"' in page
    assert [hidden(page, name) for name in ("positions", "revision", "count")] == ["1-3", "1", "4"]
    assert 'id="sheet"' not in page  # what was typed stays in the sheet
    now = {"positions": "1-3", "revision": "1", "count": "4", "text": "Seat booked"}
    applied = apply(reviewer, "summarize", **now, pairing="drop")
    assert "Summarized #2–#4." in text(applied)
    appended = sheet(reviewer, "hide", "0", revision="1", count="3")
    assert "figures updated" in appended


def test_a_sheet_says_which_of_its_messages_are_gone(reviewer: Client) -> None:
    booking()
    cut(1, 2)
    page = sheet(reviewer, "hide", "1,4", preview="1")
    assert "1 selected message is no longer visible and is left out." in page
    assert hidden(page, "positions") == "3-3"
    for part in ({}, {"preview": "1"}):
        gone = reviewer.get("/conversations/t/act/", asked("hide", "1", **part))
        assert gone.status_code == 409
        assert "the selected messages are no longer visible" in text(gone)


def test_a_refused_action_stays_in_its_sheet_to_be_confirmed(reviewer: Client) -> None:
    booking()
    cut(1, 2)
    sent = asked("hide", "4", apply="1", pairing="drop")
    answer = reviewer.post("/conversations/t/act/", sent, headers={"Accept": "application/json"})
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("Nothing was applied: the conversation changed.")
    assert answer.json()["form_key"]
    sent = asked("hide", "1", apply="1", pairing="drop")
    answer = reviewer.post("/conversations/t/act/", sent, headers={"Accept": "application/json"})
    assert answer.json()["detail"].endswith("the selected messages are no longer visible.")
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


def test_a_pinned_message_cannot_be_replaced_and_the_sheet_says_what_to_do(
    reviewer: Client,
) -> None:
    booking()
    reviewer.post("/conversations/t/messages/1/pin/?do=pin", {}, follow=True)
    page = sheet(reviewer, "replace", "1", revision="1")
    assert "#1 is pinned. Unpin it to replace it." in page
    assert "data-refused" in page
    assert "data-refused" not in sheet(reviewer, "replace", "4", revision="1")


def test_keeping_everything_says_so(reviewer: Client) -> None:
    booking()
    assert "Everything from #0 on stays; no visible message is before it." in sheet(
        reviewer, "keep_from", "0"
    )
