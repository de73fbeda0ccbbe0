"""Summaries over REST and on the page (semantics 4.4)."""

import json
from typing import Any

import pytest
from django.test import Client

from conversations.lifecycle import transfers
from conversations.models import Conversation
from ctxadmin.accounts.services import default_workspace
from ctxadmin.identity.roles import Role
from tests.factories import conversation, engine, signed_in, user
from tests.integration.checkpoints.flows import Run, node, ok, publish, refused
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db

SUMMARY = {"role": "user", "content": "Summary: 订单 A-1042"}


@pytest.fixture
def run() -> Run:
    default_workspace()
    head = conversation(*[user(f"number {place}") for place in range(5)], public_id="chat")
    return Run(CheckedApi(), head)


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


def summarize(run: Run, start: int, end: int) -> Any:
    block = {"range": {"start": start, "end": end}, "message": SUMMARY}
    return ok(run.post("operations", {"operation": "summarize", "summarize": block}))


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_it_is_one_batch_that_a_rollback_undoes(run: Run) -> None:
    found = summarize(run, 1, 4)
    assert (found["batch"], found["hidden"], found["added"]) == (1, [[1, 4]], [[5, 6]])
    assert [each["index"] for each in ok(run.get("messages"))["results"]] == [0, 5, 4]
    last = ok(run.get("batches"))["results"][-1]
    assert last["config"]["summarize"]["sources"] == [[1, 4]]
    assert "1042" not in json.dumps(last, ensure_ascii=False)
    ok(run.post("rollback", {"batch": 0}))
    assert [each["index"] for each in ok(run.get("messages"))["results"]] == [0, 1, 2, 3, 4]


def test_nothing_to_cover_is_refused_at_its_place(run: Run) -> None:
    block = {"older_than": {"turns": 9}, "message": SUMMARY}
    body = {"operation": "summarize", "summarize": block}
    refused(run.post("operations", body), 422, "out_of_range", "/summarize/older_than")


def test_an_export_brings_it_back_with_what_it_covers(run: Run) -> None:
    summarize(run, 1, 4)
    document = json.loads(transfers.export(engine(), "chat"))
    again = ok(run.api.post("/conversations/import", document))
    path = f"/conversations/{again['id']}"
    last = ok(run.api.get(f"{path}/batches"))["results"][-1]
    assert (last["operation"], last["config"]["summarize"]["sources"]) == ("summarize", [[1, 4]])


def test_the_page_leads_from_a_summary_to_what_it_covers(run: Run, reviewer: Client) -> None:
    summarize(run, 1, 4)
    page = text(reviewer.get("/conversations/chat/"))
    message = page.split('id="m5"')[1].split("</article>")[0]
    assert "summary of 3 messages" in message
    url = "/conversations/chat/diff/?from=0&amp;to=1"
    assert url in message
    shown = text(reviewer.get(url.replace("&amp;", "&")))
    assert "number 2" in shown


def test_a_record_of_anything_is_no_summary(run: Run, reviewer: Client) -> None:
    summarize(run, 1, 4)
    document = json.loads(transfers.export(engine(), "chat"))
    blocks: list[Any] = [{}, [], {"message": {"index": 5}, "sources": [[4, 1], "x", [None, 2]]}]
    for block in blocks:
        document["revisions"][-1]["config"] = {"operation": "summarize", "summarize": block}
        again = ok(run.api.post("/conversations/import", document))
        assert "summary of" not in text(reviewer.get(f"/conversations/{again['id']}/"))


def test_selected_messages_are_summarized_in_the_form(run: Run, reviewer: Client) -> None:
    asked = "/conversations/chat/operate/?do=summarize&positions=1-2&revision=0&count=5"
    page = text(reviewer.get(asked))
    assert 'name="summarize-range-start"' in page
    form = {
        "operation": "summarize",
        "summarize-range-start": "1",
        "summarize-range-end": "3",
        "summarize-keep_system": "on",
        "summarize-message-role": "user",
        "summarize-message-content": "in short",
        "pairing": "keep",
        "expected_revision": "0",
        "expected_count": "5",
    }
    answer = reviewer.post("/conversations/chat/operate/", form)
    assert answer.status_code == 200
    assert "in short" in text(answer)
    previewed = text(answer).split('name="previewed" value="')[1].split('"')[0]
    answer = reviewer.post(
        "/conversations/chat/operate/", {**form, "previewed": previewed, "apply": "1"}
    )
    assert answer.status_code == 302
    assert Conversation.objects.get(public_id="chat").visible_count == 4


def test_a_node_that_summarizes_names_what_it_saw_and_hides_nothing_else() -> None:
    old = {"operation": "filter", "filter": {"older_than": {"turns": 1}}}
    publish("sum", [node("write", "llm", context_filter={"messages": [old]})], [])
    run = Run.start("sum", CheckedApi())
    ok(run.append(user("0"), user("1"), user("2")))
    seen = [each["index"] for each in ok(run.enter("write"))["messages"]]
    assert seen == [0, 1]
    ok(run.append(user("3"), user("4")))  # while the model writes
    sources = [[index, index + 1] for index in seen]
    block = {"older_than": {"turns": 1}, "sources": sources, "message": SUMMARY}
    found = ok(run.post("operations", {"operation": "summarize", "summarize": block}))
    assert found["hidden"] == [[0, 2]]
    assert [each["index"] for each in ok(run.get("messages"))["results"]] == [5, 2, 3, 4]
    record = ok(run.get("batches"))["results"][-1]["config"]["summarize"]
    assert record["sources"] == [[0, 2]]
    beyond = {**block, "sources": [[0, 99]]}
    answer = run.post("operations", {"operation": "summarize", "summarize": beyond})
    refused(answer, 422, "out_of_range", "/summarize/sources")
