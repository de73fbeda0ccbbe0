"""The messages of a conversation as a reader meets them: joined, hidden in place, found."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape
from pydantic import JsonValue
from pytest_django import DjangoAssertNumQueries

from conversations.domain.configs import read_operation
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.reading import message_search
from conversations.reading.node_visits import node_visits
from conversations.reading.queries import log_window
from conversations.services.use_cases import apply_operation, rollback
from tests.factories import Api, assistant, calls, conversation, engine, result, system, user
from tests.integration.pages.execution_scenes import paused, url

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOSTILE = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def message_of(page: str, index: int) -> str:
    """From where a message starts to the next one that is not in it."""
    return page.split(f'id="m{index}"', 1)[1]


def cut(name: str, **truncate: JsonValue) -> None:
    apply_operation(
        engine(),
        name,
        read_operation({"operation": "truncate", "truncate": truncate}),
        reason="too long",
    )


def test_results_stand_in_the_cards_of_their_calls(reviewer: Client) -> None:
    conversation(calls("a", "b"), result("a"), result("b", "second"), user("go"), public_id="t")
    page = text(reviewer.get("/conversations/t/"))
    call = page.split('id="m0"')[1].split('id="m3"')[0]
    assert call.count('class="tool-call"') == 2
    assert call.index("<code translate") < call.index('id="m1"') < call.index('id="m2"')
    assert "no result yet" not in page
    assert page.count("<article") == page.count("</article>") == 4


def test_a_result_further_away_stays_where_the_model_sees_it(reviewer: Client) -> None:
    conversation(calls("a"), user("between"), result("a"), calls("b"), public_id="t")
    page = text(reviewer.get("/conversations/t/"))
    assert "result in #2" in message_of(page, 0).split("</article>")[0]
    assert page.count("no result yet") == 1


def test_code_is_set_as_code_and_an_open_fence_is_text(reviewer: Client) -> None:
    fenced = "look\n```py\nif a < b:\n    pass\n```\nthen\n```\nnever closed"
    conversation(assistant(fenced), public_id="t")
    page = text(reviewer.get("/conversations/t/")).split('class="message-body"')[1]
    page = page.split("<details")[0]
    assert page.count("<pre") == 1
    assert "if a &lt; b:\n    pass" in page
    assert "never closed" in page.split("</pre>")[1]


def called_with(arguments: str) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize(
    "arguments", ['{"n": 12345678901234567890123}', '{"a": 1, "a": 2}', "[" * 70 + "]" * 70]
)
def test_json_of_which_a_tree_would_say_something_else_stays_a_text(
    reviewer: Client, arguments: str
) -> None:
    conversation(called_with(arguments), public_id="t")
    page = text(reviewer.get("/conversations/t/"))
    card = page.split('class="tool-call"')[1].split("</article>")[0]
    assert escape(arguments) in card
    assert 'class="json"' not in card
    assert "arguments are not JSON" not in card


def test_arguments_that_are_no_json_are_marked_and_shown_as_they_came(reviewer: Client) -> None:
    conversation(called_with('{"a": 1, bad'), called_with('{"a": 1}'), public_id="t")
    page = text(reviewer.get("/conversations/t/"))
    assert page.count("arguments are not JSON") == 1
    assert escape('{"a": 1, bad') in page.split("arguments are not JSON")[0].rsplit("<summary")[-1]
    assert escape('{"a": 1, bad') in page.split("arguments are not JSON")[1].split("</details>")[0]


def test_markdown_is_drawn_and_loads_no_image(reviewer: Client) -> None:
    conversation(assistant("**bold** ![x](https://evil.example/a.png)"), public_id="t")
    page = message_of(text(reviewer.get("/conversations/t/")), 0)
    assert "<strong>bold</strong>" in page
    assert "<img" not in page


def test_a_message_is_shown_as_plain_text_or_as_it_is_stored_on_demand(reviewer: Client) -> None:
    conversation(assistant("**bold**"), public_id="t")
    plain = text(reviewer.get("/conversations/t/messages/0/?as=plain"))
    assert "**bold**" in plain
    raw = reviewer.get("/conversations/t/messages/0/?as=raw", headers={"HX-Request": "true"})
    assert escape('"content": "**bold**"') in text(raw)
    assert "<html" not in text(raw)
    assert reviewer.get("/conversations/t/messages/0/?as=poem").status_code == 422


def test_a_call_is_one_line_with_what_came_back(reviewer: Client) -> None:
    failed = result("a", "Error: no such seat")
    conversation(called_with('{"seat": "12A"}'), failed | {"tool_call_id": "c1"}, public_id="t")
    line = text(reviewer.get("/conversations/t/")).split("tool-call-head")[1].split("</summary>")[0]
    for words in ("find", "seat: 12A", "→ Error: no such seat", "error</span>"):
        assert words in line


def test_what_is_hidden_behind_a_result_is_marked_outside_of_its_folded_call(
    reviewer: Client,
) -> None:
    conversation(calls("a"), result("a"), user("gone"), user("stays"), public_id="t")
    cut("t", remove_ranges=[{"start": 2, "end": 3}])
    page = text(reviewer.get("/conversations/t/"))
    between = page.split('id="m0"')[1].split("1 hidden message: #2")[0]
    assert between.count("<details") == between.count("</details>") > 0


def test_json_that_a_model_wrote_unfolds_and_what_a_user_wrote_stays(reviewer: Client) -> None:
    conversation(user('{"ask": 1}'), assistant('{"answer": 42}'), public_id="t")
    page = text(reviewer.get("/conversations/t/"))
    assert 'class="json"' not in page.split('id="m1"')[0]
    assert 'class="json"' in message_of(page, 1).split("</article>")[0]


@pytest.mark.only("sqlite")
@pytest.mark.parametrize(
    "long",
    [
        user("\u202e<" * 40_000),
        user("```\nx\n```\n" * 10_000),
        {"role": "user", "content": [{"type": "text", "text": "a"}] * 10_000},
        result("a", json.dumps({"deep": ["\u202e" * 100_000], "k" * 100_000: 1})),
        called_with(json.dumps({"a": "\u202e" * 100_000})),
        called_with("\u202e" * 100_000),
    ],
    ids=["signs", "fences", "parts", "json", "arguments", "text arguments"],
)
def test_a_long_message_is_shortened_in_the_list_and_whole_on_a_page_of_its_own(
    reviewer: Client, long: dict[str, Any]
) -> None:
    conversation(user("go"), long, public_id="t")
    page = reviewer.get("/conversations/t/")
    assert len(page.content) < 3_000_000
    assert 'href="/conversations/t/messages/1/"' in text(page)
    assert "Show all" not in text(page)
    alone = reviewer.get("/conversations/t/messages/1/")
    assert alone.status_code == 200
    raw = reviewer.get("/conversations/t/messages/1/?as=raw")
    assert len(raw.content) > len(json.dumps(long)) / 2
    assert "The whole message" not in text(alone)


def test_a_message_that_is_not_there_has_no_page(reviewer: Client) -> None:
    conversation(user("go"), public_id="t")
    assert reviewer.get("/conversations/t/messages/1/").status_code == 404


def test_images_and_files_are_named_and_never_loaded(reviewer: Client) -> None:
    parts: list[JsonValue] = [
        {"type": "image_url", "image_url": {"url": "https://x.example/cat.png"}},
        {"type": "file", "file": {"filename": "report.pdf", "file_data": "AAAA"}},
    ]
    conversation({"role": "user", "content": parts}, public_id="t")
    page = text(reviewer.get("/conversations/t/"))
    assert "https://x.example/cat.png" in page
    assert "report.pdf, 4 characters" in page
    assert 'src="https://x' not in page


def test_the_view_is_shown_against_the_budget_in_the_metadata(reviewer: Client) -> None:
    conversation(user("hi"), public_id="t", metadata=b'{"token_budget":8000}')
    assert re.search(r'<meter [^>]*max="8000"', text(reviewer.get("/conversations/t/")))
    conversation(user("hi"), public_id="odd", metadata=b'{"token_budget":"8000"}')
    assert "<meter" not in text(reviewer.get("/conversations/odd/"))


def long_chat(count: int = 12) -> Conversation:
    return conversation(*[user(f"number {n}") for n in range(count)], public_id="chat", title="C")


def test_what_is_hidden_is_reported_in_its_place_and_fetched_on_demand(reviewer: Client) -> None:
    long_chat()
    cut("chat", keep_first=2, keep_last=3)
    page = text(reviewer.get("/conversations/chat/"))
    assert "7 hidden messages: #2–#8" in message_of(page, 1).split('id="m9"')[0]
    address = re.findall(r'hx-get="(/conversations/chat/hidden/[^"]*)"', page)[0]
    part = text(reviewer.get(address.replace("&amp;", "&")))
    assert re.findall(r'id="m(\d+)"', part) == [str(n) for n in range(2, 9)]
    assert part.count("hidden by batch 1: Kept the first 2 and the last 3 messages") == 7
    assert "“too long”" in part
    assert "/conversations/chat/diff/?from=0&amp;to=1" in part


def test_one_hidden_message_has_one_number_in_every_language(reviewer: Client) -> None:
    long_chat()
    cut("chat", keep_first=2, keep_last=9)
    assert "1 hidden message: #2<" in text(reviewer.get("/conversations/chat/"))
    reviewer.cookies["language"] = "zh-hans"
    assert "1 条隐藏消息：#2<" in text(reviewer.get("/conversations/chat/"))


def test_a_conversation_without_messages_says_where_they_come_from(reviewer: Client) -> None:
    conversation(public_id="new")
    page = text(reviewer.get("/conversations/new/"))
    assert "No messages yet" in page
    assert "hidden by an operation" not in page


def test_many_hidden_messages_come_fifty_at_a_time(reviewer: Client) -> None:
    long_chat(130)
    cut("chat", keep_last=10)
    part = text(reviewer.get("/conversations/chat/hidden/?start=0&stop=120"))
    assert part.count("<article") == 50
    assert "70 hidden messages: #50–#119" in part


def test_each_hidden_message_is_reported_with_the_operation_that_hid_it(reviewer: Client) -> None:
    long_chat()
    for first in (9, 6, 3):
        cut("chat", keep_last=first)
    part = text(reviewer.get("/conversations/chat/hidden/?start=0&stop=9"))
    for index, batch in ((0, 1), (2, 1), (3, 2), (5, 2), (6, 3), (8, 3)):
        card = message_of(part, index).split("</article>")[0]
        assert f"hidden by batch {batch}: Kept the last" in card


def test_a_message_of_a_rolled_back_branch_says_so(reviewer: Client) -> None:
    long_chat()
    cut("chat", keep_last=2)
    engine_api = Api()
    engine_api.post("/conversations/chat/messages", {"messages": [user("late")]})
    rollback(engine(), "chat", 0)
    page = text(reviewer.get("/conversations/chat/?view=all"))
    assert "of batch 1 (rolled back)" in message_of(page, 12)


def test_a_replaced_message_waits_behind_the_one_before_it(reviewer: Client) -> None:
    long_chat(4)
    body: JsonValue = {"operation": "replace", "replace": {"index": 2, "message": user("new")}}
    apply_operation(engine(), "chat", read_operation(body))
    page = text(reviewer.get("/conversations/chat/"))
    between = message_of(page, 1).split('id="m4"')[0]
    assert "1 hidden message: #2" in between


def test_finding_hidden_messages_costs_a_bounded_number_of_queries(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    long_chat(60)
    for _ in range(40):
        cut("chat", remove_first=1)
    with django_assert_max_num_queries(110):
        part = text(reviewer.get("/conversations/chat/hidden/?start=0&stop=40"))
    assert part.count("hidden by batch") == 40


def test_the_view_is_looked_through_by_itself_and_the_log_if_asked(reviewer: Client) -> None:
    long_chat()
    cut("chat", keep_last=2)
    assert "#m3" not in text(reviewer.get("/conversations/chat/find/?q=number+3"))
    assert "#m3" in text(reviewer.get("/conversations/chat/find/?view=all&q=number+3"))


def test_many_hits_come_in_parts(reviewer: Client) -> None:
    long_chat(120)
    page = reviewer.get("/conversations/chat/find/?q=number", headers={"HX-Request": "true"})
    assert text(page).count('class="hit"') == message_search.MOST_HITS
    assert "<html" not in text(page)
    on = re.findall(r'<a href="([^"]*from=[^"]*)"', text(page))[0].replace("&amp;", "&")
    assert re.findall(r"at=(\d+)#m", text(reviewer.get(on)))[0] == "50"


def test_a_search_looks_through_a_bounded_part_and_continues(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_chat(30)
    monkeypatch.setattr(message_search, "MOST_MESSAGES", 10)
    page = text(reviewer.get("/conversations/chat/find/?q=number+25"))
    assert "Searched 10 of 30 messages" in page
    assert "#m25" in text(reviewer.get("/conversations/chat/find/?q=number+25&from=20"))


def test_a_search_reads_a_thousand_messages_with_one_query(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    head = long_chat(1500)
    with django_assert_max_num_queries(2):
        found = message_search.find(head, View([(0, 1500)]), "nothing of this")
    assert (list(found.hits), found.next) == ([], None)


@pytest.mark.parametrize(
    "path", ["find/?q=a", "hidden/?start=0&stop=2", "messages/?start=0", "messages/0/"]
)
def test_conversations_of_others_are_not_found(reviewer: Client, path: str) -> None:
    conversation(user("secret"), actor=engine(slug="other"), public_id="theirs")
    answer = reviewer.get(f"/conversations/theirs/{path}")
    assert answer.status_code == 404
    assert "secret" not in text(answer)


@pytest.mark.parametrize(
    "path",
    ["find/?q=a&from=x", "hidden/?start=-1&stop=2", "hidden/?view=nope&start=0&stop=2"],
)
def test_addresses_that_say_nothing_are_refused(reviewer: Client, path: str) -> None:
    long_chat(3)
    assert reviewer.get(f"/conversations/chat/{path}").status_code == 422


def test_words_that_are_too_long_are_refused(reviewer: Client) -> None:
    long_chat(3)
    assert reviewer.get(f"/conversations/chat/find/?q={'a' * 201}").status_code == 422


@pytest.mark.only("sqlite")
def test_hostile_words_and_messages_run_nothing(reviewer: Client) -> None:
    conversation(
        user(HOSTILE), calls("<b>"), result("<b>", json.dumps({"<i>": HOSTILE})), public_id="evil"
    )
    cut("evil", keep_first=1)
    for path in ("find/?q=<script>", "find/?view=all&q=onerror", "?q=<script>", "?hidden=1"):
        page = text(reviewer.get(f"/conversations/evil/{path}"))
        assert "<script>alert" not in page
        assert "<img src=http" not in page
    part = text(reviewer.get("/conversations/evil/hidden/?start=1&stop=3"))
    assert "&lt;script&gt;alert" in part
    assert "<script>alert" not in part


def test_a_message_leads_to_the_step_that_wrote_it_and_back(reviewer: Client) -> None:
    run = paused()
    name = run.head.public_id
    first = run.snapshot()["version"]
    run.api.post(f"/conversations/{name}/approve", {})
    done = run.complete("review", messages=[assistant("looked at it")])
    assert done.status_code == 201, done.content
    page = text(reviewer.get(f"/conversations/{name}/"))
    assert f"/executions/{name}/written/2/" in page
    answer = reviewer.get(url(run, "written/2/"))
    assert answer["Location"] == url(run, f"versions/{done.json()['version']}/")
    version = text(reviewer.get(answer["Location"]))
    assert f"/conversations/{name}/?view=all&amp;at=2#m2" in version
    assert done.json()["version"] > first


def test_a_message_that_no_step_wrote_has_none(reviewer: Client) -> None:
    conversation(system("hi"), public_id="t")
    run = paused()
    assert reviewer.get("/executions/t/written/0/").status_code == 404
    assert reviewer.get(url(run, "written/999/")).status_code == 404


def test_rounds_of_a_loop_are_told_apart(
    reviewer: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rounds = [assistant(f"{at}") | {"node_id": "ab"[at % 2]} for at in range(4)]
    head = conversation(user("Hi"), *rounds, user("Go"), assistant("a") | {"node_id": "a"})
    page = text(reviewer.get(f"/conversations/{head.public_id}/"))
    assert page.count("round 2</span>") == 2
    assert "round 1" not in page
    messages = log_window(head, 3, 4).messages
    with django_assert_num_queries(2):
        assert node_visits(head, messages) == {1: 1, 2: 1, 3: 2, 4: 2, 6: 1}
