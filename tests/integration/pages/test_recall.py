"""Lines about hidden messages, recalls and pins on pages."""

from typing import Any

import pytest
from django.test import Client

from conversations.services import pins
from ctxadmin.identity.roles import Role
from tests.factories import Api, conversation, engine, signed_in, user
from tests.integration.checkpoints.flows import Run, chain, node, ok, publish
from tests.integration.pages.execution_scenes import running

pytestmark = pytest.mark.django_db

LAST = {"operation": "truncate", "truncate": {"keep_last": 1}, "leave_pointer": True}


def text(answer: Any) -> str:
    return str(answer.content.decode())


def talk(name: str = "chat") -> Run:
    return Run(Api(), conversation(*[user(str(n)) for n in range(4)], public_id=name))


def test_the_form_previews_and_applies_an_operation_with_a_line(reviewer: Client) -> None:
    run = talk()
    form = {
        "operation": "truncate",
        "truncate-keep_last": "1",
        "pairing": "keep",
        "leave_pointer": "on",
        "expected_revision": "0",
        "expected_count": "4",
    }
    page = text(reviewer.get("/conversations/chat/operate/"))
    assert "Leave a recall line" in page
    page = text(reviewer.post("/conversations/chat/operate/", form))
    assert "[3 messages are hidden: 0-2." in page
    digest = page.split('name="previewed" value="')[1].split('"')[0]
    sent = {**form, "apply": "1", "previewed": digest}
    assert reviewer.post("/conversations/chat/operate/", sent).status_code == 302
    assert [each["index"] for each in ok(run.get("messages"))["results"]] == [4, 3]
    page = text(reviewer.get("/conversations/chat/"))
    assert "leaving a note that lists them" in page


def test_a_recalled_message_says_how_often(reviewer: Client) -> None:
    run = talk()
    ok(run.post("operations", LAST))
    page = text(reviewer.get("/conversations/chat/?view=all"))
    assert "recalled" not in page
    ok(run.get("messages/1"))
    ok(run.get("messages/2"))
    ok(run.get("messages/2"))
    page = text(reviewer.get("/conversations/chat/?view=all"))
    assert "recalled once" in page.split('id="m1"')[1].split("</header>")[0]
    assert "recalled 2 times" in page.split('id="m2"')[1].split("</header>")[0]
    hidden = text(reviewer.get("/conversations/chat/hidden/?start=0&stop=3"))
    assert "recalled 2 times" in hidden
    assert "recalled 2 times" in text(reviewer.get("/conversations/chat/messages/2/"))


def test_people_who_read_hidden_messages_recall_nothing(reviewer: Client) -> None:
    run = talk()
    ok(run.post("operations", LAST))
    reviewer.get("/conversations/chat/messages/1/")
    reviewer.get("/conversations/chat/?view=all")
    assert ok(run.get("recalls"))["results"] == []


def test_usage_names_the_nodes_that_recall_most(reviewer: Client) -> None:
    chain("line", "a", "b")
    run = Run.start("line")
    ok(run.append(user("0"), user("1")))
    assert "Recalled messages" not in text(reviewer.get("/usage/"))
    for _ in range(3):
        ok(run.get("messages/0?node=b"))
    ok(run.get("messages/1?node=a"))
    for address in ("/usage/", "/usage/?workflow=line"):
        page = text(reviewer.get(address)).split("Recalled messages")[1]
        first, second = page.split("<tr>")[2:4]
        assert (">b<" in first, ">3<" in first) == (True, True)
        assert (">a<" in second, ">1<" in second) == (True, True)
    assert "Recalled messages" not in text(reviewer.get("/usage/?workflow=other"))


def test_the_page_of_an_execution_shows_and_sets_pins(reviewer: Client) -> None:
    publish("wait", [node("a", config={"pause": "before"})], [])
    run = Run.start("wait")
    ok(run.append(user("order A-1042")))
    name = run.head.public_id
    page = text(reviewer.get(f"/executions/{name}/"))
    assert 'data-href="{message}pin/?do=pin&amp;back=execution"' in page
    link = f"/conversations/{name}/messages/0/pin/?do=pin&back=execution"
    answer = reviewer.post(link, {"reason": "the order"})
    assert answer["Location"].endswith(f"/executions/{name}/#m0")
    page = text(reviewer.get(answer["Location"]))
    assert "pinned" in page.split('id="m0"')[1].split("</header>")[0]
    assert "data-pinned" in page.split('id="m0"')[0]
    assert "back=execution" not in text(signed_in(Role.VIEWER).get(f"/executions/{name}/"))


def test_context_seen_marks_pins_and_offers_them(reviewer: Client) -> None:
    publish("one", [node("a", "llm", context_filter={"messages": [LAST]})], [])
    run = Run.start("one")
    ok(run.append(user("0"), user("1"), user("2")))
    ok(run.enter("a"))
    ok(run.complete("a", "c-1", result={"output": "done"}))
    name = run.head.public_id
    pins.pin(engine(), name, "0", pinned=True)
    page = text(reviewer.get(f"/executions/{name}/versions/1/saw/"))
    assert "[1 message is hidden: 1." in page
    assert f"/conversations/{name}/messages/0/pin/?do=unpin" in page
    assert f"/conversations/{name}/messages/1/pin/?do=pin" in page
    assert f"/conversations/{name}/messages/3/pin/" not in page


def test_a_review_card_marks_what_is_pinned(reviewer: Client) -> None:
    run = running()
    ok(run.append(user("order A-1042")))
    pins.pin(engine(), run.head.public_id, "0", pinned=True)
    ok(run.post("pause", {}))
    page = text(reviewer.get(f"/executions/{run.head.public_id}/"))
    assert "pinned" in page
