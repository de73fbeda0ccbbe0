"""Forms of conversations and executions that are sent again are done once, and say so."""

import re
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from checkpoints.models import Execution
from conversations.domain.configs import read_operation
from conversations.models import Comment, Conversation, Move, Revision
from conversations.services.use_cases import apply_operation
from ctxadmin.http.models import KeptAnswer
from ctxadmin.identity.roles import Role
from tests.factories import conversation, person, signed_in, user
from tests.integration.checkpoints.flows import Run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

COMMENT = "/executions/chat/comment/?message=0"
JSON = {"Accept": "application/json"}
ALREADY = "Already saved; nothing was changed twice."


@pytest.fixture
def chat() -> Conversation:
    return conversation(user("zero"), user("one"), public_id="chat")


def key_in(answer: Any) -> str:
    found = re.search(r'name="form_key" value="([^"]+)"', answer.content.decode())
    assert found
    return found[1]


def said(answer: Any) -> list[str]:
    return [str(each) for each in get_messages(answer.wsgi_request)]


def test_a_comment_sent_again_is_one_comment(reviewer: Client, chat: Conversation) -> None:
    sent = {"text": "once", "form_key": key_in(reviewer.get(COMMENT))}
    first, again = reviewer.post(COMMENT, sent), reviewer.post(COMMENT, sent)
    assert [each["Location"] for each in (first, again)] == ["/conversations/chat/?at=0#m0"] * 2
    assert ALREADY in said(again)
    assert Comment.objects.count() == 1


def test_another_tab_that_renewed_the_token_makes_no_other_form(
    reviewer: Client, chat: Conversation
) -> None:
    sent = {"text": "once", "form_key": "k"}
    for token in ("a", "b"):
        assert reviewer.post(COMMENT, sent | {"csrfmiddlewaretoken": token}).status_code == 302
    assert Comment.objects.count() == 1


def test_each_time_a_form_is_opened_it_is_another(reviewer: Client, chat: Conversation) -> None:
    for _ in range(2):
        reviewer.post(COMMENT, {"text": "the same", "form_key": key_in(reviewer.get(COMMENT))})
    assert Comment.objects.count() == 2


def test_a_form_without_a_key_is_done_as_often_as_it_is_sent(
    reviewer: Client, chat: Conversation
) -> None:
    for _ in range(2):
        assert reviewer.post(COMMENT, {"text": "the same"}).status_code == 302
    assert Comment.objects.count() == 2


def test_the_key_of_one_person_is_not_that_of_another(reviewer: Client, chat: Conversation) -> None:
    sent = {"text": "the same", "form_key": "k"}
    for client in (reviewer, signed_in(Role.DESIGNER)):
        assert client.post(COMMENT, sent).status_code == 302
    assert Comment.objects.count() == 2


def test_what_was_changed_since_is_refused_with_a_key_for_the_next_press(
    reviewer: Client, chat: Conversation
) -> None:
    sent = {"text": "first", "form_key": "k"}
    reviewer.post(COMMENT, sent)
    changed = reviewer.post(COMMENT, sent | {"text": "other"}, headers=JSON)
    assert changed.status_code == 409
    assert "Your later changes are not saved yet." in changed.json()["detail"]
    page = reviewer.post(COMMENT, sent | {"text": "other"})
    assert (page.status_code, b"Your later changes are not saved yet" in page.content) == (
        409,
        True,
    )
    next_key = changed.json()["form_key"]
    answer = reviewer.post(COMMENT, {"text": "other", "form_key": next_key}, headers=JSON)
    assert answer.json() == {"to": "/conversations/chat/?at=0#m0"}
    assert list(Comment.objects.order_by("number").values_list("text", flat=True)) == [
        "first",
        "other",
    ]


def test_the_words_for_the_next_page_are_not_taken_by_a_part_of_this_one(
    reviewer: Client, chat: Conversation
) -> None:
    reviewer.post(COMMENT, {"text": "once"})
    part = reviewer.get("/conversations/chat/", headers={"HX-Request": "true"})
    assert b"Comment added." not in part.content
    assert b"Comment added." in reviewer.get("/conversations/chat/").content


def test_what_is_refused_is_not_kept_as_done(reviewer: Client, chat: Conversation) -> None:
    assert reviewer.post(COMMENT, {"text": " ", "form_key": "k"}).status_code == 422
    assert reviewer.post(COMMENT, {"text": "now", "form_key": "k"}).status_code == 302
    assert Comment.objects.count() == 1


@pytest.mark.parametrize("key", ["x" * 256, "a\nb"])
def test_a_key_that_is_none_is_refused(reviewer: Client, chat: Conversation, key: str) -> None:
    assert reviewer.post(COMMENT, {"text": "x", "form_key": key}).status_code == 422
    assert not Comment.objects.exists()


def test_a_roll_back_sent_again_moves_once(reviewer: Client, chat: Conversation) -> None:
    apply_operation(person(), "chat", read_operation({"operation": "clear"}))
    page = reviewer.get("/conversations/chat/rollback/0/")
    seen = {"expected_revision": "1", "expected_count": "0"}
    sent = {"form_key": key_in(page), "reason": "too much", **seen}
    for _ in range(2):
        assert reviewer.post("/conversations/chat/rollback/0/", sent).status_code == 302
    assert Move.objects.count() == 1


def test_an_operation_sent_again_opens_one_batch(reviewer: Client, chat: Conversation) -> None:
    url = "/conversations/chat/operate/"
    form = {"operation": "clear", "pairing": "keep", "form_key": "k"}
    form |= {"expected_revision": "0", "expected_count": "2"}
    preview = reviewer.post(url, form | {"preview": "1"})
    previewed = re.search(r'name="previewed" value="([^"]+)"', preview.content.decode())
    assert previewed
    assert not KeptAnswer.objects.exists()
    sent = form | {"previewed": previewed[1], "apply": "1"}
    answers = [reviewer.post(url, sent, headers=JSON) for _ in range(2)]
    assert [each.json() for each in answers] == [{"to": "/conversations/chat/"}] * 2
    assert Revision.objects.count() == 2


def test_an_erasure_sent_again_says_that_nothing_is_there(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    sent = {"form_key": key_in(admin.get("/conversations/chat/erase/"))}
    for _ in range(2):
        answer = admin.post("/conversations/chat/erase/", sent)
        assert (answer.status_code, answer["Location"]) == (302, "/conversations/")
    assert "There is no conversation chat in this workspace." in said(answer)


def test_a_rejection_sent_again_says_that_it_was_done(reviewer: Client, run: Run) -> None:
    url = f"/executions/{run.head.public_id}/"
    sent = {"form_key": key_in(reviewer.get(url)), "move": "reject", "reason": "no"}
    row = Execution.objects.get()
    sent |= {"execution": row.public_id, "expected_version": str(row.version)}
    answers = [reviewer.post(f"{url}move/", sent) for _ in range(2)]
    assert [each.status_code for each in answers] == [302, 302]
    assert ALREADY in said(answers[1])
    assert Execution.objects.get().version == row.version + 1


def test_the_current_revision_is_marked_as_current(reviewer: Client, chat: Conversation) -> None:
    for path in ("restore/0", "rollback/0"):
        page = reviewer.get(f"/conversations/chat/{path}/").content.decode()
        assert "This is already the current view, batch 0 “Start”." in page
        assert 'class="btn btn-primary" type="submit"' not in page
