"""Operations that start from selected messages: hide, keep from here on, insert, replace."""

import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.models import Conversation, Message
from conversations.reading.queries import shown_revision
from conversations.services.use_cases import apply_operation
from conversations.store.conversation import find_head, view_of
from ctxadmin.identity.roles import Role
from tests.factories import assistant, calls, conversation, engine, result, signed_in, user

pytestmark = pytest.mark.django_db

OPERATE = "/conversations/chat/operate/"


@pytest.fixture
def chat() -> Conversation:
    return conversation(
        user("zero"), calls("a"), result("a"), assistant("three"), user("four"), public_id="chat"
    )


def text(answer: Any) -> str:
    return str(answer.content.decode())


def fields(page: str) -> dict[str, str]:
    """The form of the operation as a browser sends it back."""
    form = page.split('<form class="card"')[1].split("</form>")[0]
    found: dict[str, str] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        kind = re.search(r'type="([^"]*)"', tag)
        if name and not (kind and kind[1] == "checkbox" and "checked" not in tag):
            sent = "on" if kind and kind[1] == "checkbox" else ""
            found[name[1]] = value[1] if value else sent
    for name, options in re.findall(r'<select name="([^"]*)".*?>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else ""
    for name, value in re.findall(r'<textarea name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form):
        found[name] = value
    return found


def ask(client: Client, query: str) -> str:
    answer = client.get(f"{OPERATE}?{query}&revision=0&count=5")
    assert answer.status_code == 200
    return text(answer)


def view() -> list[int]:
    return list(view_of(shown_revision(Conversation.objects.get(), "current")))


def test_scattered_messages_are_hidden_by_one_operation(
    reviewer: Client, chat: Conversation
) -> None:
    page = ask(reviewer, "do=hide&positions=0,3-4")
    assert "3 messages: #0, #3–#4" in page
    assert "three" in page
    assert reviewer.post(OPERATE, fields(page) | {"apply": "1"}).status_code == 302
    assert view() == [1, 2]
    rail = text(reviewer.get("/conversations/chat/"))
    assert "Hid #0, #3–#4" in rail


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("0", "Goes before #0."),
        ("3", "Goes between #2 and #3."),
        ("-1", "Goes after #4."),
    ],
)
def test_a_position_to_insert_at_is_said_in_numbers_of_messages(
    reviewer: Client, chat: Conversation, position: str, words: str
) -> None:
    typed = fields(ask(reviewer, "do=insert&positions=2"))
    page = text(reviewer.post(OPERATE, typed | {"insert-position": position, "preview": "1"}))
    assert words in page


def test_boxes_without_scripts_do_the_same(reviewer: Client, chat: Conversation) -> None:
    page = ask(reviewer, "do=hide&at=4&at=0&at=3")
    assert "3 messages: #0, #3–#4" in page


def test_a_split_pair_is_reported_with_the_offer_to_keep_or_to_hide_the_partner(
    reviewer: Client, chat: Conversation
) -> None:
    page = ask(reviewer, "do=hide&positions=2")
    assert "These calls would lose a result: #1. Most providers reject that." in page
    kept = text(reviewer.post(OPERATE, fields(page) | {"offer": "keep"}))
    assert "No messages change" in kept
    assert 'name="offer" value="keep"' not in kept
    dropped = text(reviewer.post(OPERATE, fields(kept) | {"offer": "drop"}))
    assert "2 messages: #1–#2" in dropped
    parted = text(reviewer.post(OPERATE, fields(dropped) | {"offer": "warn"}))
    assert "1 message: #2" in parted
    assert "Most providers reject" not in dropped
    assert reviewer.post(OPERATE, fields(dropped) | {"apply": "1"}).status_code == 302
    assert view() == [0, 3, 4]


def test_a_result_whose_call_goes_is_reported_as_that(reviewer: Client, chat: Conversation) -> None:
    page = ask(reviewer, "do=hide&positions=1")
    assert "These results would lose their call: #2. Most providers reject that." in page
    assert "without all of its results" not in page


def test_nothing_is_offered_where_no_pair_is_split(reviewer: Client, chat: Conversation) -> None:
    page = ask(reviewer, "do=hide&positions=0")
    kept = text(reviewer.post(OPERATE, fields(page) | {"pairing": "keep", "preview": "1"}))
    assert 'name="offer"' not in kept


def test_keep_from_here_on_hides_all_messages_before(reviewer: Client, chat: Conversation) -> None:
    page = ask(reviewer, "do=keep_from&positions=3-4")
    assert reviewer.post(OPERATE, fields(page) | {"apply": "1"}).status_code == 302
    assert view() == [3, 4]


def test_insert_before_asks_for_the_message(reviewer: Client, chat: Conversation) -> None:
    form = fields(ask(reviewer, "do=insert&positions=3"))
    assert form["insert-position"] == "3"
    form |= {"insert-messages-0-role": "user", "insert-messages-0-content": "between"}
    preview = text(reviewer.post(OPERATE, form | {"preview": "1"}))
    assert "Preview of the result" in preview
    assert reviewer.post(OPERATE, fields(preview) | {"apply": "1"}).status_code == 302
    assert view() == [0, 1, 2, 5, 3, 4]


def test_replace_starts_from_the_current_message(reviewer: Client, chat: Conversation) -> None:
    page = ask(reviewer, "do=replace&positions=3")
    form = fields(page)
    assert (form["replace-index"], form["replace-message-role"]) == ("3", "assistant")
    assert "three" in page
    result_form = fields(ask(reviewer, "do=replace&positions=2"))
    assert result_form["replace-message-tool_call_id"] == "a"


def hidden_meanwhile(start: int, end: int) -> None:
    cut: dict[str, JsonValue] = {"remove_ranges": [{"start": start, "end": end}]}
    apply_operation(engine(), "chat", read_operation({"operation": "truncate", "truncate": cut}))


@pytest.mark.parametrize("button", ["apply", "preview"])
def test_an_operation_is_for_the_selected_messages_even_if_they_moved(
    reviewer: Client, chat: Conversation, button: str
) -> None:
    page = ask(reviewer, "do=hide&positions=3")
    hidden_meanwhile(0, 1)
    answer = reviewer.post(OPERATE, fields(page) | {button: "1"})
    assert answer.status_code == 409
    assert "The same messages are selected at their new positions" in text(answer)
    assert "1 message: #3" in text(answer)
    assert view() == [1, 2, 3, 4]
    assert reviewer.post(OPERATE, fields(text(answer)) | {"apply": "1"}).status_code == 302
    assert view() == [1, 2, 4]


@pytest.mark.parametrize(
    ("query", "typed", "after"),
    [
        ("do=keep_from&positions=3", {}, [3, 4]),
        ("do=insert&positions=3", {"insert-messages-0-content": "between"}, [1, 2, 5, 3, 4]),
        ("do=replace&positions=3", {"replace-message-content": "anew"}, [1, 2, 5, 4]),
    ],
)
def test_each_operation_of_a_selection_follows_its_message_with_all_that_was_typed(
    reviewer: Client, chat: Conversation, query: str, typed: dict[str, str], after: list[int]
) -> None:
    page = ask(reviewer, query)
    hidden_meanwhile(0, 1)
    answer = text(reviewer.post(OPERATE, fields(page) | typed | {"preview": "1"}))
    assert all(words in answer for words in typed.values())
    assert reviewer.post(OPERATE, fields(answer) | {"apply": "1"}).status_code == 302
    assert view() == after


@pytest.mark.parametrize("query", ["do=hide&positions=3", "do=replace&positions=3"])
def test_what_is_hidden_by_now_cannot_be_applied_and_what_was_typed_stays(
    reviewer: Client, chat: Conversation, query: str
) -> None:
    form = fields(ask(reviewer, query)) | {"reason": "not lost"}
    hidden_meanwhile(3, 4)
    answer = reviewer.post(OPERATE, form | {"apply": "1"})
    assert answer.status_code == 409
    assert "the selected messages are no longer visible" in text(answer)
    assert "not lost" in text(answer)
    assert "Preview of the result" not in text(answer)
    assert view() == [0, 1, 2, 4]


def test_a_selection_of_another_view_is_refused(reviewer: Client, chat: Conversation) -> None:
    apply_operation(engine(), "chat", read_operation({"operation": "clear"}))
    answer = reviewer.get(f"{OPERATE}?do=hide&positions=1&revision=0&count=5", follow=True)
    assert answer.redirect_chain
    assert "The view has changed since. Select the messages again." in text(answer)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("do=hide&revision=0&count=5", "Select at least one message first."),
        ("do=hide&positions=x&revision=0&count=5", "Enter positions as 3-5,9."),
        ("do=hide&positions=1", "The form is incomplete"),
        ("do=replace&positions=99&revision=0&count=5", "This message is not in the view."),
    ],
)
def test_a_selection_that_cannot_be_leads_back_with_a_word(
    reviewer: Client, chat: Conversation, query: str, said: str
) -> None:
    answer = reviewer.get(f"{OPERATE}?{query}", follow=True)
    assert answer.redirect_chain == [("/conversations/chat/", 302)]
    assert said in text(answer)


def test_a_viewer_selects_nothing(chat: Conversation) -> None:
    viewer = signed_in(Role.VIEWER)
    page = text(viewer.get("/conversations/chat/"))
    assert "message-select" not in page
    assert 'id="selection"' not in page
    assert viewer.get(f"{OPERATE}?do=hide&positions=1&revision=0&count=5").status_code == 403
    assert Message.objects.count() == 5


def test_boxes_stand_where_positions_are_those_of_the_view(
    reviewer: Client, chat: Conversation
) -> None:
    for path, selectable in (("", True), ("?view=all", False), ("?view=0", False)):
        page = text(reviewer.get(f"/conversations/chat/{path}"))
        assert ("message-select" in page) == selectable
    part = text(reviewer.get("/conversations/chat/messages/?start=0"))
    assert part.count("message-select") == 5


def test_foreign_conversations_are_not_found(reviewer: Client) -> None:
    conversation(user("x"), actor=engine(slug="other"), public_id="theirs")
    path = "/conversations/theirs/operate/?do=hide&positions=0&revision=0&count=1"
    assert reviewer.get(path).status_code == 404
    assert find_head(Conversation.objects.get().workspace, "theirs").visible_count == 1
