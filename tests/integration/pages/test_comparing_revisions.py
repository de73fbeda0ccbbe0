"""Comparing revisions, the folded rail, and undoing what was just done."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.models import Conversation
from conversations.services.pins import pin
from conversations.services.use_cases import apply_operation, rollback
from conversations.store.conversation import find_head
from tests.factories import conversation, engine, user

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def chat(count: int = 10) -> Conversation:
    return conversation(*[user(f"number {n}") for n in range(count)], public_id="chat")


def do(**operation: JsonValue) -> None:
    apply_operation(engine(), "chat", read_operation(operation))


def places(page: str) -> list[tuple[str, str]]:
    """Each line of a comparison: its kind, and its number in the log or what is left out."""
    found = re.findall(
        r'<li class="change(?:-skip)? change-(\w+)">\s*(?:<div class="change-head"><a [^>]*>#(\d+)|'
        r'(?:<details class="change-more"><summary>and )?([\d,]+))',
        re.sub(r"(<summary>and .*?</summary>).*?</details>", r"\1", page, flags=re.DOTALL),
    )
    return [(kind, number or f"{count} more") for kind, number, count in found]


def test_differences_stand_among_the_messages_around_them(reviewer: Client) -> None:
    chat()
    do(operation="truncate", truncate={"remove_ranges": [{"start": 4, "end": 6}]})
    do(operation="replace", replace={"index": 6, "message": user("number eight")})
    page = text(reviewer.get("/conversations/chat/diff/?from=0&to=2"))
    assert places(page) == [
        ("same", "3 more"),
        ("same", "3"),
        ("hidden", "4"),
        ("hidden", "5"),
        ("same", "6"),
        ("same", "7"),
        ("edited", "10"),
        ("same", "9"),
    ]
    assert "<del>8</del><ins>eight</ins>" in page
    assert "replaces #8" in page


def test_messages_are_drawn_as_in_the_conversation_and_long_ones_unfold(reviewer: Client) -> None:
    long = "\n\n".join(f"Paragraph **{number}**" for number in range(30))
    conversation(user(long), user("It is **late**"), user("Bye"), public_id="chat", title="C")
    do(operation="truncate", truncate={"remove_ranges": [{"start": 1, "end": 2}]})
    page = text(reviewer.get("/conversations/chat/diff/?from=0&to=1"))
    assert "It is <strong>late</strong>" in page
    unchanged = page.split('class="change change-same"')[1].split("</li>")[0]
    assert "Paragraph <strong>29</strong>" in unchanged
    assert "Show all" in unchanged


def test_what_was_hidden_at_the_front_and_at_the_end_stands_there(reviewer: Client) -> None:
    chat(6)
    do(operation="truncate", truncate={"range": {"start": 1, "end": 5}})
    page = text(reviewer.get("/conversations/chat/diff/?from=0&to=1"))
    assert places(page) == [
        ("hidden", "0"),
        ("same", "1"),
        ("same", "2 more"),
        ("same", "4"),
        ("hidden", "5"),
    ]


def test_long_rows_of_a_kind_are_reported_by_their_ends(reviewer: Client) -> None:
    chat(60)
    do(operation="truncate", truncate={"keep_last": 10})
    page = text(reviewer.get("/conversations/chat/diff/?from=0&to=1"))
    assert places(page) == [
        *[("hidden", str(n)) for n in range(4)],
        ("hidden", "42 more"),
        *[("hidden", str(n)) for n in range(46, 50)],
        ("same", "50"),
        ("same", "9 more"),
    ]
    assert "differences" not in page


def test_moved_messages_say_from_where(reviewer: Client) -> None:
    chat(4)
    do(operation="insert", insert={"position": 0, "messages": [user("first")]})
    page = text(reviewer.get("/conversations/chat/diff/?from=0&to=1"))
    assert places(page) == [("added", "4"), ("same", "0"), ("same", "3 more")]


@pytest.mark.parametrize(
    ("ticked", "compared"),
    [
        ("revision=2&revision=0", "Changes from batch 0 (Start) to 2 (Kept from #2 on)"),
        ("revision=1", "Changes from batch 1 (Kept from #1 on) to 3 (Kept from #3 on)"),
        ("revision=3", "Changes from batch 2 (Kept from #2 on) to 3 (Kept from #3 on)"),
        ("", "Changes from batch 2 (Kept from #2 on) to 3 (Kept from #3 on)"),
    ],
)
def test_two_are_ticked_in_the_rail(reviewer: Client, ticked: str, compared: str) -> None:
    chat()
    for _ in range(3):
        do(operation="truncate", truncate={"remove_first": 1})
    assert 'name="revision" value="2"' in text(reviewer.get("/conversations/chat/"))
    assert compared in text(reviewer.get(f"/conversations/chat/diff/?{ticked}"))


@pytest.mark.parametrize(
    ("pair", "compared"),
    [
        ("from=0&to=1", "Changes from batch 0 (Start) to 1 (Kept the last 1 message, rolled back)"),
        ("from=0&to=2", "Changes from batch 0 (Start) to 1 (Replaced #1)"),
        (
            "from=1&to=2",
            "Changes from batch 1 (Kept the last 1 message, rolled back) to 1 (Replaced #1)",
        ),
        ("from=2&to=3", "Changes within batch 1 (Pinned #2)"),
    ],
)
def test_batches_of_the_same_number_are_told_apart_by_their_words(
    reviewer: Client, pair: str, compared: str
) -> None:
    chat()
    do(operation="truncate", truncate={"keep_last": 1})
    rollback(engine(), "chat", 0)
    do(operation="replace", replace={"index": 1, "message": user("anew")})
    pin(engine(), "chat", "2", pinned=True)
    page = text(reviewer.get(f"/conversations/chat/diff/?{pair}"))
    assert re.search(rf"<title>[^<]*{re.escape(compared)}", page)
    assert re.search(rf"<h1[^>]*>[^<]*{re.escape(compared)}", page)


def test_what_was_ticked_wrongly_is_refused(reviewer: Client) -> None:
    chat()
    assert reviewer.get("/conversations/chat/diff/?revision=x").status_code == 422
    assert reviewer.get("/conversations/chat/diff/?revision=0&revision=9").status_code == 404


def test_branches_that_were_rolled_back_are_folded_in_the_rail(reviewer: Client) -> None:
    chat()
    do(operation="truncate", truncate={"remove_first": 1})
    do(operation="truncate", truncate={"remove_first": 1})
    rollback(engine(), "chat", 0)
    page = text(reviewer.get("/conversations/chat/"))
    folded = page.split('<details class="batches-away">')[1].split("</details>")[0]
    assert "2 rolled-back batches" in folded
    assert "/conversations/chat/restore/2/" in folded
    do(operation="truncate", truncate={"remove_last": 1})
    page = text(reviewer.get("/conversations/chat/"))
    assert page.index(">current<") < page.index("batches-away") < page.index("rollback/0/")


def visible() -> int:
    return find_head(Conversation.objects.get().workspace, "chat").visible_count


def undo(client: Client) -> str:
    """What the button Undo of the page after a change is sent to."""
    page = text(client.get("/conversations/chat/"))
    found = re.search(
        r'<form method="post" action="([^"]*)"[^>]*>(?:(?!</form>).)*Undo', page, re.S
    )
    assert found is not None
    return unescape(found[1])


def test_an_operation_and_a_rollback_are_undone_right_after(reviewer: Client) -> None:
    chat()
    asked = "do=keep_from&at=6&revision=0&count=10"
    page = text(reviewer.get(f"/conversations/chat/operate/?{asked}"))
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    body = {
        "operation": "truncate",
        "truncate-remove_first": "6",
        "truncate-keep_system": "on",
        "pairing": "warn",
        "apply": "1",
        **{name: hidden[name] for name in ("expected_revision", "expected_count", "previewed")},
    }
    assert reviewer.post("/conversations/chat/operate/", body).status_code == 302
    assert visible() == 4
    assert reviewer.post(undo(reviewer)).status_code == 302
    assert visible() == 10
    assert reviewer.post(undo(reviewer)).status_code == 302
    assert visible() == 4


def test_an_undo_takes_nothing_back_that_came_after_the_change(reviewer: Client) -> None:
    chat()
    fields = {"operation": "truncate", "truncate-remove_first": "6", "pairing": "warn"}
    seen = {"expected_revision": "0", "expected_count": "10"}
    page = text(reviewer.post("/conversations/chat/operate/", {**fields, **seen, "preview": "1"}))
    previewed = re.findall(r'name="previewed" value="([^"]*)"', page)[0]
    body = {**fields, **seen, "previewed": previewed, "apply": "1"}
    assert reviewer.post("/conversations/chat/operate/", body).status_code == 302
    back = undo(reviewer)
    do(operation="truncate", truncate={"keep_last": 1})
    answer = reviewer.post(back)
    assert answer.status_code == 409
    assert "The view has changed since" in text(answer)
    assert visible() == 1


def test_hostile_texts_run_nothing_in_a_comparison(reviewer: Client) -> None:
    conversation(user(HOSTILE), user("b"), public_id="chat")
    do(operation="replace", replace={"index": 0, "message": user(HOSTILE + " more")})
    do(operation="truncate", truncate={"keep_last": 1})
    for path in ("diff/?from=0&to=1", "diff/?from=0&to=2", "rollback/0/"):
        assert "<script>alert" not in text(reviewer.get(f"/conversations/chat/{path}"))
