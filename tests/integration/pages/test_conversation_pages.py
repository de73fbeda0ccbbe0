"""The conversation pages as people with different roles use them."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.models import Conversation, Message
from conversations.services.use_cases import apply_operation
from conversations.store.conversation import find_head
from ctxadmin.identity.roles import Role
from tests.factories import (
    Api,
    assistant,
    calls,
    conversation,
    engine,
    result,
    signed_in,
    system,
    user,
)
from tests.integration.checkpoints.flows import Run, ok
from tests.integration.live_copy import steps
from tests.integration.pages.execution_scenes import paused

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def chat() -> Conversation:
    return conversation(
        system("Be kind."),
        user("one"),
        assistant("two"),
        user("three"),
        public_id="chat",
        title="A chat",
    )


def text(answer: Any) -> str:
    return str(answer.content.decode())


def visible() -> int:
    return find_head(Conversation.objects.get().workspace, "chat").visible_count


SEEN = {"expected_revision": "0", "expected_count": "4"}
KEEP_ONE = {"operation": "truncate", "truncate-keep_last": "1", "pairing": "keep", **SEEN}


def test_who_is_not_signed_in_is_asked_to(chat: Conversation) -> None:
    answer = Client().get("/conversations/chat/")
    assert answer.status_code == 302
    assert answer["Location"] == "/sign-in/?next=/conversations/chat/"


def test_the_list_leads_to_the_conversation(reviewer: Client, chat: Conversation) -> None:
    assert 'href="/conversations/chat/"' in text(reviewer.get("/conversations/"))
    nothing = text(reviewer.get("/conversations/?q=zebra+%26"))
    assert "Nothing matches" in nothing
    assert 'href="/search/?q=zebra%20%26"' in nothing


def test_a_conversation_shows_its_messages_and_the_rail(
    reviewer: Client, chat: Conversation
) -> None:
    page = text(reviewer.get("/conversations/chat/"))
    assert all(f'id="m{index}"' in page for index in range(4))
    assert "Batches" in page


def test_hidden_messages_are_greyed_in_the_whole_log(reviewer: Client, chat: Conversation) -> None:
    apply_operation(engine(), "chat", read_operation({"operation": "clear"}))
    assert 'id="m1"' not in text(reviewer.get("/conversations/chat/"))
    assert "message-hidden" in text(reviewer.get("/conversations/chat/?view=all"))


def test_messages_run_nothing_and_load_nothing(reviewer: Client) -> None:
    hostile = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"
    conversation(
        user(hostile),
        calls("<b>"),
        result("<b>", json.dumps({"<i>": hostile})),
        public_id="evil",
        title=hostile,
    )
    page = text(reviewer.get("/conversations/evil/"))
    assert "<script>alert" not in page
    assert "<img src=http" not in page


def test_messages_without_text_and_results_without_a_call_are_marked(reviewer: Client) -> None:
    conversation(user("hi"), assistant(""), result("lost", "found"), public_id="odd")
    page = text(reviewer.get("/conversations/odd/"))
    assert "no text" in page.split('id="m1"')[1].split("</article>")[0]
    assert "no matching call" in page.split('id="m2"')[1].split("</article>")[0]
    assert (page.count("no text"), page.count("no matching call")) == (1, 1)


def test_the_length_of_one_long_line_is_reported(reviewer: Client) -> None:
    conversation(user("word " * 400), public_id="long")
    assert "2,000 characters in one line" in text(reviewer.get("/conversations/long/"))


def test_long_conversations_come_in_sections(reviewer: Client) -> None:
    conversation(*[user(f"message {number}") for number in range(120)], public_id="long")
    page = text(reviewer.get("/conversations/long/"))
    assert "message 49" in page
    assert "message 50" not in page
    part = reviewer.get("/conversations/long/messages/?view=current&start=100")
    assert "message 119" in text(part)


def hidden(answer: Any) -> dict[str, str]:
    """The hidden fields of a page's form, as a browser sends them back."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text(answer))
    return {name: value for name, value in found if name != "csrfmiddlewaretoken"}


OPERATE = "/conversations/chat/operate/"


def test_an_operation_is_previewed_and_then_applied(reviewer: Client, chat: Conversation) -> None:
    preview = reviewer.post(OPERATE, KEEP_ONE | {"preview": "1"})
    assert "Preview of the result" in text(preview)
    assert visible() == 4
    apply = KEEP_ONE | hidden(preview) | {"apply": "1", "reason": "long"}
    assert reviewer.post(OPERATE, apply).status_code == 302
    assert visible() == 1
    assert "long" in text(reviewer.get("/conversations/chat/"))


def test_what_was_changed_after_its_preview_is_previewed_again(
    reviewer: Client, chat: Conversation
) -> None:
    seen = hidden(reviewer.post(OPERATE, KEEP_ONE | {"preview": "1"}))
    other = KEEP_ONE | seen | {"truncate-keep_last": "2", "apply": "1"}
    answer = reviewer.post(OPERATE, other)
    assert answer.status_code == 409
    assert "Preview of the result" in text(answer)
    assert visible() == 4
    assert reviewer.post(OPERATE, other | hidden(answer)).status_code == 302
    assert visible() == 2


def test_after_a_conflict_one_sees_what_would_happen_now_and_can_continue(
    reviewer: Client, chat: Conversation
) -> None:
    seen = hidden(reviewer.post(OPERATE, KEEP_ONE | {"preview": "1"}))
    truncate: JsonValue = {"keep_last": 3}
    apply_operation(
        engine(), "chat", read_operation({"operation": "truncate", "truncate": truncate})
    )
    body = KEEP_ONE | seen | {"apply": "1", "reason": "typed"}
    answer = reviewer.post(OPERATE, body)
    assert (answer.status_code, visible()) == (409, 3)
    assert "typed" in text(answer)
    assert "Preview of the result" in text(answer)
    assert reviewer.post(OPERATE, body | hidden(answer)).status_code == 302
    assert visible() == 1


def test_a_wrong_option_is_named_at_its_field(reviewer: Client, chat: Conversation) -> None:
    body = KEEP_ONE | {"truncate-keep_last": "-1", "apply": "1"}
    answer = reviewer.post("/conversations/chat/operate/", body)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert visible() == 4


def test_a_rollback_is_asked_for_with_what_comes_and_goes(
    reviewer: Client, chat: Conversation
) -> None:
    apply_operation(engine(), "chat", read_operation({"operation": "clear"}))
    question = text(reviewer.get("/conversations/chat/rollback/0/"))
    assert "3 messages" in question
    seen = {"expected_revision": "1", "expected_count": "1", "reason": "too much"}
    assert reviewer.post("/conversations/chat/rollback/0/", seen).status_code == 302
    assert visible() == 4
    page = text(reviewer.get("/conversations/chat/batches/"))
    assert "rolled back from batch 1 “Hid all but the system messages” to 0 “Start”" in page
    assert "too much" in page


def test_a_rollback_of_something_else_than_was_seen_asks_again_and_keeps_the_reason(
    reviewer: Client, chat: Conversation
) -> None:
    apply_operation(engine(), "chat", read_operation({"operation": "clear"}))
    body = SEEN | {"reason": "my words"}
    answer = reviewer.post("/conversations/chat/rollback/0/", body)
    assert (answer.status_code, visible()) == (409, 1)
    assert "my words" in text(answer)
    again = body | hidden(answer)
    assert reviewer.post("/conversations/chat/rollback/0/", again).status_code == 302
    assert visible() == 4


def test_a_rolled_back_branch_is_restored_from_the_list(
    reviewer: Client, chat: Conversation
) -> None:
    apply_operation(engine(), "chat", read_operation({"operation": "clear"}))
    reviewer.post(
        "/conversations/chat/rollback/0/", {"expected_revision": "1", "expected_count": "1"}
    )
    assert "/conversations/chat/restore/1/" in text(reviewer.get("/conversations/chat/batches/"))
    assert reviewer.post("/conversations/chat/restore/1/", SEEN).status_code == 302
    assert visible() == 1


def test_two_revisions_are_compared_with_the_words_marked(
    reviewer: Client, chat: Conversation
) -> None:
    body: dict[str, JsonValue] = {
        "operation": "replace",
        "replace": {"index": 1, "message": user("one and a half")},
    }
    apply_operation(engine(), "chat", read_operation(body))
    page = text(reviewer.get("/conversations/chat/diff/?from=0&to=1"))
    assert "<ins>" in page
    assert reviewer.get("/conversations/chat/diff/?from=0&to=9").status_code == 404
    assert reviewer.get("/conversations/chat/diff/?from=x").status_code == 422


def test_a_difference_is_by_itself_that_of_the_current_revision(
    reviewer: Client, chat: Conversation
) -> None:
    for revision in (0, 1):
        apply_operation(engine(), "chat", read_operation({"operation": "clear"}))
        page = text(reviewer.get("/conversations/chat/diff/"))
        assert f"Changes from batch {revision} (" in page
        assert f") to {revision + 1} (Hid all but the system messages)" in page


def test_the_list_by_size_has_the_largest_first_and_says_if_there_are_more(
    reviewer: Client,
) -> None:
    for name, length in (("small", 10), ("large", 3000), ("middle", 200)):
        conversation(user("x" * length), public_id=name)
    steps.save("small", "more", note="y" * 5000)  # the size counts the states of its versions
    page = text(reviewer.get("/conversations/?sort=size"))
    assert _listed(page) == ["small", "large", "middle"]
    assert "Only the" not in page
    assert '<option value="size" selected>' in page
    page = text(reviewer.get("/conversations/?sort=size&limit=2"))
    assert _listed(page) == ["small", "large"]
    assert "Only the 2 largest are listed." in page
    assert "cursor=" not in page
    assert "Continue with all 3 that match" in page
    assert _listed(text(reviewer.get("/conversations/?sort=size&status=IDLE"))) == [
        "large",
        "middle",
    ]
    assert _listed(text(reviewer.get("/conversations/"))) == ["small", "middle", "large"]


def _listed(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><div><a href="/conversations/([^/]+)/"', page)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("nope/", 404, "There is no conversation"),
        ("chat/?view=-1", 422, "Unknown view. Use current, all, or a revision number"),
        ("chat/?view=²", 422, "Unknown view"),
        ("chat/?view=7", 404, "There is no revision 7."),
        ("chat/?start=x", 422, "In the address, start must be a whole number."),
    ],
)
def test_what_is_not_there_is_named_with_a_way_on(
    reviewer: Client, chat: Conversation, path: str, status: int, said: str
) -> None:
    answer = reviewer.get(f"/conversations/{path}")
    assert answer.status_code == status
    main = text(answer).partition('id="main"')[2]
    assert main.count(said) == 1
    assert 'href="/conversations/' in main
    assert ("Open the page without it" in main) == ("?" in path and status == 422)


def test_a_wrong_status_in_the_address_is_said_above_the_list_and_leaves_the_other_filters(
    reviewer: Client, chat: Conversation
) -> None:
    answer = reviewer.get("/conversations/?status=nonsense&q=parcel&archived=true")
    html = text(answer)
    assert answer.status_code == 422
    assert "Select a status of the list." in html
    assert 'name="q" value="parcel"' in html
    assert '<option value="true" selected>Archived' in html
    assert "Nothing matches" not in html


@pytest.mark.parametrize("role", list(Role))
def test_pages_offer_only_what_the_role_may_do(role: Role, chat: Conversation) -> None:
    client = signed_in(role)
    page = text(client.get("/conversations/chat/"))
    assert ("/operate/" in page) == (role is not Role.VIEWER)
    assert ("/erase/" in page) == (role is Role.ADMIN)
    if role is Role.VIEWER:
        assert client.get("/conversations/chat/operate/").status_code == 403
        assert client.post("/conversations/chat/rollback/0/", SEEN).status_code == 403
    if role is not Role.ADMIN:
        assert client.post("/conversations/chat/erase/").status_code == 403
    assert Message.objects.count() == 4


def test_an_admin_erases_after_being_asked(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    assert "for good" in text(admin.get("/conversations/chat/erase/"))
    asked = admin.post("/conversations/chat/erase/", {"reason": "The customer asked."})
    assert asked.status_code == 302
    assert Message.objects.count() == 0
    assert "The customer asked." in text(admin.get("/audit/?action=conversation.erase"))


def test_the_page_of_erasure_names_the_forks_that_keep_what_they_copied(
    chat: Conversation,
) -> None:
    admin = signed_in(Role.ADMIN)
    assert "this conversation has none" in text(admin.get("/conversations/chat/erase/"))
    run = Run(Api(), chat)
    ok(run.post("executions", {}))
    ok(run.save("one", state_data={"plan": "x"}))
    ok(run.post("checkpoints/1/fork", {"id": "copied", "title": "A copy"}))
    page = text(admin.get("/conversations/chat/erase/"))
    assert "keep the messages and states that they copied" in page
    assert '<a href="/conversations/copied/">A copy</a>' in page
    stranger = signed_in(Role.ADMIN, "elsewhere")
    assert stranger.get("/conversations/chat/erase/").status_code == 404
    assert admin.post("/conversations/chat/erase/").status_code == 302
    assert Message.objects.count() == 4


def test_details_are_edited_and_bad_metadata_is_named(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    bad = {"title": "New", "metadata": '{"a": ', "tools": ""}
    assert admin.post("/conversations/chat/edit/", bad).status_code == 422
    good = {"title": "New", "metadata": '{"a": 1}', "tools": "find(x)"}
    good |= hidden(admin.get("/conversations/chat/edit/"))
    assert admin.post("/conversations/chat/edit/", good).status_code == 302
    head = Conversation.objects.get()
    assert (head.title, bytes(head.details.metadata), head.details.tools) == (
        "New",
        b'{"a":1}',
        "find(x)",
    )


EDIT = "/conversations/chat/edit/"


def test_what_one_person_edits_does_not_undo_what_another_did(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    mine, theirs = hidden(admin.get(EDIT)), hidden(admin.get(EDIT))
    first = mine | {"title": "Mine", "metadata": "{}", "tools": ""}
    assert admin.post(EDIT, first).status_code == 302
    second = theirs | {"title": "A chat", "metadata": '{"a": 1}', "tools": ""}
    assert admin.post(EDIT, second).status_code == 302
    head = Conversation.objects.get()
    assert (head.title, bytes(head.details.metadata)) == ("Mine", b'{"a":1}')


def test_two_edits_of_one_field_are_shown_and_nothing_typed_is_lost(chat: Conversation) -> None:
    admin = signed_in(Role.ADMIN)
    theirs, mine = hidden(admin.get(EDIT)), hidden(admin.get(EDIT))
    fields = {"metadata": "{}", "tools": ""}
    admin.post(EDIT, theirs | fields | {"title": "Theirs"})
    answer = admin.post(EDIT, mine | fields | {"title": "Typed"})
    assert answer.status_code == 409
    assert "Theirs" in text(answer)
    assert 'value="Typed"' in text(answer)
    assert Conversation.objects.get().title == "Theirs"
    assert admin.post(EDIT, fields | {"title": "Typed"} | hidden(answer)).status_code == 302
    assert Conversation.objects.get().title == "Typed"


def test_a_foreign_conversation_is_not_found(chat: Conversation) -> None:
    stranger = signed_in(Role.ADMIN, "elsewhere")
    for path in (
        "",
        "batches/",
        "diff/?from=0&to=0",
        "export/",
        "operate/",
        "rollback/0/",
        "edit/",
    ):
        assert stranger.get(f"/conversations/chat/{path}").status_code == 404


def test_people_wait_until_nothing_runs(reviewer: Client, chat: Conversation) -> None:
    Conversation.objects.update(status="RUNNING")
    assert "execution is running" in text(reviewer.get("/conversations/chat/"))
    answer = reviewer.post("/conversations/chat/operate/", KEEP_ONE | {"apply": "1"})
    assert answer.status_code == 422
    assert visible() == 4


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        conversation(public_id=f"c{number}")
    with django_assert_max_num_queries(8):
        reviewer.get("/conversations/")


def test_reading_costs_as_many_queries_for_many_messages_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    conversation(*[user(str(number)) for number in range(200)], public_id="long")
    with django_assert_max_num_queries(20):
        reviewer.get("/conversations/long/")


@pytest.mark.parametrize(
    ("role", "words"), [(Role.VIEWER, "Open the execution"), (Role.REVIEWER, "Review")]
)
def test_a_paused_conversation_asks_only_who_may_to_review_it(role: Role, words: str) -> None:
    name = paused().head.public_id
    html = text(signed_in(role).get(f"/conversations/{name}/"))
    head = html.split('class="page-actions"')[1]
    assert re.findall(rf'<a class="btn" href="/executions/{name}/">.*?</svg>(.*?)</a>', head) == [
        words
    ]
