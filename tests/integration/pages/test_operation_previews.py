"""What a preview of an operation, a rollback or a restore tells before it is done."""

import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from checkpoints.models import Usage
from conversations.domain.configs import read_operation
from conversations.models import Conversation
from conversations.services.use_cases import apply_operation
from conversations.store.conversation import find_revision, view_of
from tests.factories import assistant, conversation, engine, system, user

pytestmark = pytest.mark.django_db

PAGE = "/conversations/chat/operate/"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def chat(count: int = 6) -> None:
    talk = [user(f"question {n}") if n % 2 else assistant(f"answer {n}") for n in range(1, count)]
    conversation(system("Be kind."), *talk, public_id="chat")


def selected(client: Client, do: str, positions: str, count: int = 6) -> str:
    asked = f"do={do}&positions={positions}&revision=0&count={count}"
    return text(client.get(f"{PAGE}?{asked}"))


def previewed(client: Client, **fields: str) -> str:
    head = Conversation.objects.get(public_id="chat")
    seen = {
        "expected_revision": str(head.current_revision),
        "expected_count": str(head.visible_count),
    }
    body = {"operation": "truncate", "pairing": "warn", "preview": "1", **seen, **fields}
    return text(client.post(PAGE, body))


def do(**operation: JsonValue) -> None:
    apply_operation(engine(), "chat", read_operation(operation))


def visible() -> list[int]:
    head = Conversation.objects.get(public_id="chat")
    return list(view_of(find_revision(head.key, head.current_revision)))


def apply(client: Client, page: str, **fields: str) -> None:
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    names = ("expected_revision", "expected_count", "previewed")
    body = {"operation": "truncate", "pairing": "warn", "apply": "1", **fields}
    answer = client.post(PAGE, {**body, **{name: hidden[name] for name in names}})
    assert answer.status_code == 302


def test_keep_from_here_on_keeps_the_system_message_and_says_so(reviewer: Client) -> None:
    chat()
    page = selected(reviewer, "keep_from", "3")
    assert "The system message stays: #0." in page
    assert "The system message will be hidden" not in page
    assert re.search(r'name="truncate-keep_system"[^>]* checked', page)
    apply(reviewer, page, **{"truncate-remove_first": "3", "truncate-keep_system": "on"})
    assert visible() == [0, 3, 4, 5]
    assert "Kept from #3 on" in text(reviewer.get("/conversations/chat/"))


def test_a_truncate_by_form_keeps_the_system_messages_unless_someone_says_otherwise(
    reviewer: Client,
) -> None:
    chat()
    assert re.search(r'name="truncate-keep_system"[^>]* checked', text(reviewer.get(PAGE)))
    page = previewed(reviewer, **{"truncate-keep_last": "2"})
    assert re.search(r"note-error.*The system message will be hidden: #0\.", page, re.DOTALL)
    kept = previewed(reviewer, **{"truncate-keep_last": "2", "truncate-keep_system": "on"})
    assert "The system message will be hidden" not in kept


def test_who_selects_only_system_messages_to_hide_means_them(reviewer: Client) -> None:
    chat()
    assert "The system message will be hidden: #0." in selected(reviewer, "hide", "0")
    assert "The system message stays: #0." in selected(reviewer, "hide", "0-3")


def test_a_clear_of_everything_says_that_the_system_message_goes(reviewer: Client) -> None:
    chat()
    assert "The system message will be hidden: #0." in previewed(reviewer, operation="clear")


def test_nothing_is_cut_without_saying_so_and_the_rest_can_be_unfolded(reviewer: Client) -> None:
    chat(60)
    page = previewed(reviewer, **{"truncate-keep_last": "10", "truncate-keep_system": "on"})
    assert re.search(r"<summary>and 41 more\s+hidden\s*</summary>", page)
    folded = page[page.index("<summary>and 41 more") : page.index("</details>")]
    assert folded.count('class="change change-hidden"') == 41
    assert "question 25" in folded
    # The last one that goes stands beside the first one that stays.
    kinds = re.findall(
        r'class="change change-(\w+)">\s*<div class="change-head"><a [^>]*>#(\d+)', page
    )
    place = kinds.index(("hidden", "49"))
    assert kinds[place : place + 2] == [("hidden", "49"), ("same", "50")]


def test_a_replaced_message_shows_the_words_that_change(reviewer: Client) -> None:
    chat()
    fields = {"replace-index": "3", "replace-message-role": "user"}
    page = previewed(
        reviewer, operation="replace", **fields, **{"replace-message-content": "question three"}
    )
    assert "question <del>3</del><ins>three</ins>" in page
    assert "replaces #3" in page


def test_a_rollback_shows_the_words_that_change_back(reviewer: Client) -> None:
    chat()
    do(operation="replace", replace={"index": 3, "message": user("question three")})
    page = text(reviewer.get("/conversations/chat/rollback/0/"))
    assert "question <del>three</del><ins>3</ins>" in page


def cost_in(page: str) -> str:
    found = re.search(r"<dt>Cost</dt><dd>([^<]*)</dd>", page)
    assert found is not None
    return found[1]


def test_a_preview_tells_what_is_sent_again_and_what_that_saves(reviewer: Client) -> None:
    chat(40)
    cost = cost_in(previewed(reviewer, **{"truncate-keep_last": "6"}))
    assert re.fullmatch(
        r"\d+ tokens must be sent again once; each later call sends \d+ fewer", cost
    )


def test_costs_are_in_dollars_if_the_price_of_the_model_is_known(reviewer: Client) -> None:
    chat(40)
    row = {"conversation": Conversation.objects.get().key, "execution": 0, "version": 1}
    counts = dict.fromkeys(("cached_tokens", "cache_write_tokens", "output_tokens"), 0)
    Usage.objects.create(
        **row, **counts, workspace=1, node_id="n", model="gpt-4o", input_tokens=9, day="2026-11-24"
    )
    cost = cost_in(previewed(reviewer, **{"truncate-keep_last": "6"}))
    assert re.fullmatch(
        r"\d+ tokens must be sent again once \(\$[\d.]+\); each later call sends \d+ fewer "
        r"\(\$[\d.]+\)",
        cost,
    )


def test_a_small_cut_at_the_front_is_warned_of_and_its_rollback_is_not(reviewer: Client) -> None:
    chat(40)
    shown = previewed(reviewer, **{"truncate-keep_last": "38"})
    assert re.search(r"It pays off only after [\d,]+ calls", shown)
    assert "set a budget" not in shown  # which is another operation
    do(operation="truncate", truncate={"keep_last": 38})
    page = text(reviewer.get("/conversations/chat/rollback/0/"))
    assert "tokens must be sent again once" in cost_in(page)
    assert "It pays off" not in page
