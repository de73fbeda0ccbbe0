"""The page of results, and what the palette asks for."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from conversations.domain.configs import read_operation
from conversations.lifecycle.archival import archive
from conversations.services.comments import About, comment
from conversations.services.use_cases import append, apply_operation
from ctxadmin.identity.roles import Role
from search import indexer
from search.tool_names import recent_tool_names
from tests.factories import (
    calls,
    conversation,
    drafts,
    engine,
    person,
    result,
    signed_in,
    user,
)
from tests.integration.pages.execution_scenes import paused, text, url

NOTHING_LEFT = read_operation({"operation": "clear"})
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def page(client: Client, **query: str) -> str:
    indexer.run_until_done()
    return text(client.get(f"/search/?{urlencode(query)}"))


def suggested(client: Client, words: str) -> dict[str, Any]:
    indexer.run_until_done()
    found: dict[str, Any] = client.get(f"/search/palette/?{urlencode({'q': words})}").json()
    return found


def test_a_hit_is_shown_in_its_context_and_leads_to_its_place(reviewer: Client) -> None:
    head = conversation(user("one"), user("The Charger is <lost> & gone"), title="Parcel")
    html = page(reviewer, q="charger")
    assert "The <mark>Charger</mark> is &lt;lost&gt; &amp; gone" in html
    link = f"/conversations/{head.public_id}/?at=1&amp;q=Charger&amp;whole=1#m1"
    assert f'href="{link}"' in html
    assert 'id="m1"' in text(reviewer.get(link.replace("&amp;", "&").split("#")[0]))


def test_state_comments_and_statuses_lead_to_theirs(reviewer: Client) -> None:
    run = paused()
    name = run.head.public_id
    comment(person(), name, About(), "Ask the warehouse")
    html = page(reviewer, q="status:paused")
    assert f'href="/conversations/{name}/"' in html
    assert f'class="search-hit-status" href="{url(run)}"' in html
    assert "Ask the <mark>warehouse</mark>" in page(reviewer, q="warehouse")


def test_a_comment_on_a_message_is_led_to_with_its_words(reviewer: Client) -> None:
    head = conversation(user("one"), user("two"))
    said = comment(person(), head.public_id, About(message=1), "Ask the warehouse")
    html = page(reviewer, q="warehouse")
    link = f"/conversations/{head.public_id}/?at=1&amp;words=warehouse&amp;whole=1"
    assert f'href="{link}#c{said.number}"' in html
    apply_operation(person(), head.public_id, NOTHING_LEFT)
    answer = reviewer.get(link.replace("&amp;", "&"))
    assert answer["Location"].endswith("?view=all&at=1&words=warehouse&whole=1")


def test_filters_among_the_words_move_into_the_form(reviewer: Client) -> None:
    conversation(user("needle"))
    html = page(reviewer, q="needle role:tool since:3h")
    assert 'name="q" value="needle"' in html
    assert '<option value="tool" selected>' in html
    assert '<option value="3h" selected>' in html
    assert "Nothing found" in html
    assert '<details class="search-more" open>' in html


def test_the_page_finds_what_the_palette_found_by_the_beginning_of_a_word(
    reviewer: Client,
) -> None:
    conversation(user("Two refunds"), title="Parcel")
    assert [each["label"] for each in suggested(reviewer, "refu")["texts"]]
    assert "Two <mark>refunds</mark>" in page(reviewer, q="refu")
    assert "Nothing found" in page(reviewer, q='"refu"')


def test_a_workflow_that_never_was_is_named_where_nothing_is_found(reviewer: Client) -> None:
    paused("letter")
    assert "No workflow has the id “nope”." in page(reviewer, q="workflow:nope needle")
    for known in ("workflow:letter needle", "needle"):
        html = page(reviewer, q=known)
        assert "Nothing found" in html
        assert "No workflow" not in html


def test_hits_of_the_chosen_kind_alone_are_counted(reviewer: Client) -> None:
    conversation(user("a needle"), title="The needle")
    assert "2 hits" in page(reviewer, q="needle")
    assert "1 hit<" in page(reviewer, q="needle in:message")


def test_hits_are_grouped_by_kind_with_their_counts(reviewer: Client) -> None:
    conversation(*[user(f"needle {number}") for number in range(30)], title="A needle")
    html = page(reviewer, q="needle")
    assert "31 hits" in html
    assert [*re.findall(r'in=(\w+)" *>(\w+) <span class="tab-count">(\d+)', html)] == [
        ("conversation", "Conversations", "1"),
        ("message", "Messages", "30"),
    ]
    assert re.findall(r'<h2 class="search-group">.*?</svg>(\w+) ', html) == [
        "Conversations",
        "Messages",
    ]
    only = page(reviewer, **{"q": "needle", "in": "conversation"})
    assert only.count('class="search-hit"') == 1
    assert "31" in only.split("Everything")[2]


def test_many_hits_in_one_conversation_are_folded_behind_the_latest_two(reviewer: Client) -> None:
    conversation(user("an old needle"))
    many = conversation(*[user(f"needle {number}") for number in range(30)], title="Many")
    conversation(*[user(f"new needle {number}") for number in range(3)])
    html = page(reviewer, q="needle")
    beginning, rest = html.split('<li class="search-same">')
    assert re.findall(r"(?:new )?<mark>needle</mark> \d+", beginning) == [
        *[f"new <mark>needle</mark> {number}" for number in (2, 1, 0)],
        *[f"<mark>needle</mark> {number}" for number in (29, 28)],
    ]
    assert "28 more hits in the same conversation" in rest
    assert "an old <mark>needle</mark>" in rest
    assert "Next page" not in rest
    url = f"q=needle&amp;in=message&amp;conversation={many.public_id}"
    assert f'href="?{url}"' in rest
    alone = text(reviewer.get(f"/search/?{url.replace('&amp;', '&')}"))
    assert 'Only in the conversation "Many"' in alone
    assert "30 hits" in alone
    assert alone.count('class="search-hit"') == 25
    assert f'name="conversation" value="{many.public_id}"' in alone
    assert 'href="?q=needle&amp;in=message">Search all conversations' in alone


def test_a_conversation_that_is_not_there_is_not_searched_alone() -> None:
    head = conversation(user("a needle"))
    elsewhere = signed_in(Role.ADMIN, "elsewhere")
    answer = elsewhere.get(f"/search/?q=needle&conversation={head.public_id}")
    assert answer.status_code == 404


def test_the_palette_counts_archived_hits_where_it_finds_nothing_else(reviewer: Client) -> None:
    hidden = conversation(user("a needle"), user("Another needle"))
    archive(person(), hidden.public_id)
    found = suggested(reviewer, "needle")
    assert (found["texts"], found["archived"]) == ([], 2)
    conversation(user("a needle"))
    assert suggested(reviewer, "needle")["archived"] == 0


def test_few_hits_say_how_much_of_each_text_is_searched(reviewer: Client) -> None:
    said = "Only the first 16,000 characters of each text are searched."
    assert said in page(reviewer, q="needle")
    conversation(user("x " * 8000 + "beyond"), user("a needle"))
    assert said in page(reviewer, q="beyond")
    assert said in page(reviewer, q="needle")
    conversation(*(user(f"needle {n}") for n in range(5)))
    assert said not in page(reviewer, q="needle")
    assert said not in page(reviewer)


def test_archived_hits_are_counted_marked_and_a_link_away(reviewer: Client) -> None:
    conversation(user("a needle"))
    hidden = conversation(user("an old needle"))
    archive(person(), hidden.public_id)
    html = page(reviewer, q="needle")
    assert "1 more in archived conversations" in html
    assert "an old <mark>" not in html
    both = page(reviewer, q="needle", archived="also")
    assert 'href="?q=needle&amp;archived=also"' in html
    assert both.count('class="search-hit"') == 2
    assert len(re.findall(r"</svg>archived</span>", both)) == 1
    assert "more in archived" not in both


def test_a_mistyped_filter_is_searched_as_words_and_named(reviewer: Client) -> None:
    html = page(reviewer, q="needle rol:tool")
    assert "Unknown filter <code>rol:</code>" in html
    assert 'href="?q=needle+role%3Atool"' in html
    assert "Unknown filter" not in page(reviewer, q="http://example.com note:this")


def test_a_wrong_filter_is_named_beside_the_form(reviewer: Client) -> None:
    answer = reviewer.get("/search/?q=a1&role=boss")
    assert answer.status_code == 422
    assert "Unknown role. Use one of: system, developer" in text(answer)
    assert 'name="q" value="a1"' in text(answer)


def test_words_without_letters_and_digits_are_said_to_find_nothing(reviewer: Client) -> None:
    html = reviewer.get("/search/", {"q": " 😀 !"}).content.decode()
    assert "Enter at least one letter or digit." in html
    assert "Find what was said" not in html


def test_an_empty_search_says_what_can_be_found(reviewer: Client) -> None:
    html = page(reviewer)
    assert "Find what was said" in html
    assert ">Nothing found<" not in html


def test_the_page_says_that_the_index_is_behind(reviewer: Client) -> None:
    indexer.run_until_done()
    conversation(user("needle"))
    html = text(reviewer.get("/search/?q=needle"))
    assert "1 latest change cannot be found yet." in html
    assert "search-behind" not in page(reviewer, q="needle")


def cursor_of(html: str) -> str:
    return html.split("cursor=")[1].split('"')[0] if "cursor=" in html else ""


def test_a_page_counts_conversations_and_each_comes_once(reviewer: Client) -> None:
    heads = [conversation(user("needle"), user("needle again")) for _ in range(30)]
    append(engine(), heads[0].public_id, drafts(user("one more needle")))
    first = page(reviewer, q="needle")
    assert first.count('class="search-hit"') == 25 * 2 + 1
    second = page(reviewer, q="needle", cursor=cursor_of(first))
    assert second.count('class="search-hit"') == 5 * 2
    named = [set(re.findall(r"/conversations/([^/]+)/\?at=", html)) for html in (first, second)]
    assert named[0] | named[1] == {head.public_id for head in heads}
    assert not named[0] & named[1]
    assert 'rel="next"' not in second


def test_beyond_the_texts_that_are_grouped_at_once_pages_go_on_and_say_so(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.conversation_hits.MOST", 4)
    monkeypatch.setattr("search.latest_texts.MOST", 4)
    monkeypatch.setattr("search.queries._SOON", 2)
    monkeypatch.setattr("search.queries._LATER", 2)
    old = conversation(*[user(f"needle {number}") for number in range(6)])
    first = page(reviewer, q="needle")
    assert "2 more hits in the same conversation" in first
    assert "a later page can have earlier hits of the same conversation" in first
    second = page(reviewer, q="needle", cursor=cursor_of(first))
    assert re.findall(rf"{old.public_id}/\?at=(\d)", second) == ["1", "0"]
    assert reviewer.get("/search/?q=needle&cursor=WzFd").status_code == 422


def test_a_kind_and_the_archive_are_found_behind_many_other_texts(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.latest_texts.MOST", 2)
    monkeypatch.setattr("search.queries._LATER", 2)
    monkeypatch.setattr("search.queries._SOON", 2)
    titled = conversation(title="needle of old").public_id
    archived = conversation(user("needle"), user("needle"), user("needle"))
    archive(person(), archived.public_id)
    for _ in range(3):
        conversation(user("needle"))
    assert f"/conversations/{titled}/" in page(reviewer, q="needle in:conversations")
    assert f"/conversations/{archived.public_id}/" in page(reviewer, q="needle", archived="true")


def test_text_of_others_runs_nothing(reviewer: Client) -> None:
    conversation(user("needle <script>alert(1)</script> \u202e"), title='"><img src=x>')
    html = page(reviewer, q="needle")
    assert "<script>alert" not in html
    assert "<img" not in html.split("<main")[1].split("</main>")[0]
    (found,) = suggested(reviewer, "needle")["texts"]
    assert "U+202E" in "".join(piece for piece, _ in found["passage"])


def test_the_palette_finds_beginnings_and_a_few_of_each_conversation(reviewer: Client) -> None:
    conversation(*[user(f"needle {number}") for number in range(9)], title="Needles")
    head = conversation(user("a needle"), title="Other")
    found = suggested(reviewer, "needl")
    assert [each["label"] for each in found["conversations"]] == ["Needles"]
    assert [each["label"] for each in found["texts"]] == ["Other", "Needles", "Needles", "Needles"]
    assert found["conversations"][0]["url"] == found["texts"][1]["url"]
    assert found["texts"][0]["url"] == f"/conversations/{head.public_id}/?at=0&q=needle&whole=1#m0"
    assert found["texts"][0]["passage"] == [["a ", False], ["needle", True]]


def test_the_palette_shows_the_beginning_of_a_text_that_only_filters_found(
    reviewer: Client,
) -> None:
    conversation(user("Change my **flight**"), title="Flight")
    found = suggested(reviewer, "role:user")
    assert [each["passage"] for each in found["texts"]] == [[["Change my flight", False]]]
    found = suggested(reviewer, "flight in:conversations")
    assert [each["passage"] for each in found["conversations"]] == [[]]


def test_filters_of_conversations_find_no_texts_in_the_palette_as_on_the_page(
    reviewer: Client,
) -> None:
    name = paused().head.public_id
    found = suggested(reviewer, "status:paused")
    assert [each["url"] for each in found["conversations"]] == [f"/conversations/{name}/"]
    assert (found["texts"], found["workflows"]) == ([], [])
    assert "1 hit<" in page(reviewer, q="status:paused")


def test_the_palette_says_what_is_wrong_and_finds_nothing_for_nothing(reviewer: Client) -> None:
    assert "Unknown status" in suggested(reviewer, "status:sleeping")["problem"]
    empty = suggested(reviewer, "")
    assert empty["texts"] == empty["conversations"] == empty["workflows"] == []


def test_the_palette_completes_the_names_of_tools_and_workflows(reviewer: Client) -> None:
    paused("letter")
    conversation(user("needle"), calls("c1"), result("c1"))
    assert suggested(reviewer, "tool:")["completions"] == ["tool:look_up"]
    found = suggested(reviewer, "needle tool:LOOK")
    assert found["completions"] == ["tool:look_up"]
    assert [each["place"] for each in found["texts"]] == ["#0 user"]
    assert len(suggested(reviewer, "tool:look_up")["texts"]) == 2
    assert suggested(reviewer, "workflow:le")["completions"] == ["workflow:letter"]
    assert suggested(reviewer, "workflow:le ")["completions"] == []


def test_names_of_other_workspaces_complete_nothing() -> None:
    conversation(user("needle"), calls("c1"), result("c1"))
    paused("letter")
    stranger = signed_in(Role.REVIEWER, "other")
    assert suggested(stranger, "tool:")["completions"] == []
    assert suggested(stranger, "workflow:")["completions"] == []


def test_the_names_of_tools_take_three_queries_however_many_messages_there_are(
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(3):
        ids = [f"c{number}-{each}" for each in range(20)]
        conversation(user("needle"), calls(*ids), *[result(each) for each in ids])
    indexer.run_until_done()
    workspace = person().workspace
    with django_assert_max_num_queries(3):
        assert recent_tool_names(workspace) == ["look_up"]


@pytest.mark.parametrize("words", ["status:", "since:", "status:pau", "in:mess", "role:"])
def test_a_filter_that_is_being_typed_is_not_searched_as_text(reviewer: Client, words: str) -> None:
    conversation(user("a status, since a role in the mess"), title="Parcel")
    found = suggested(reviewer, words)
    assert (found["texts"], found["conversations"]) == ([], [])
    assert "Unknown" not in found["problem"]
    if words.endswith(":"):
        assert f"Enter a value after “{words}”." in page(reviewer, q=words)
    labels = [each["label"] for each in suggested(reviewer, f"parcel {words}")["conversations"]]
    assert labels == ["Parcel"]


def test_the_palette_says_that_signs_alone_find_nothing(reviewer: Client) -> None:
    assert suggested(reviewer, "😀 !")["problem"] == "Enter at least one letter or digit."
    assert suggested(reviewer, "tool:")["problem"] == "Enter a value after “tool:”."


def test_wrong_values_of_filters_are_answered_with_those_that_can_be_typed(
    reviewer: Client,
) -> None:
    assert "paused, running" in suggested(reviewer, "status:foo")["problem"]
    assert "messages, conversations" in suggested(reviewer, "in:foo")["problem"]


def test_conversations_of_one_title_have_their_ids_in_the_palette(reviewer: Client) -> None:
    twins = [conversation(user("needle"), title="A parcel").public_id for _number in range(2)]
    conversation(user("needle"), title="Another parcel")
    found = suggested(reviewer, "parcel")
    assert {each["place"] for each in found["conversations"]} == {*twins, ""}
    found = suggested(reviewer, "needle")
    assert {each["place"] for each in found["texts"]} == {
        *(f"#0 user · {each}" for each in twins),
        "#0 user",
    }


def test_pages_are_found_by_their_names_in_both_languages() -> None:
    admin = signed_in(Role.ADMIN)
    english = text(admin.get("/search/"))
    assert re.search(r'<a href="/audit/" [^>]*data-names="审计[^"]*">Audit<', english)
    chinese = text(admin.get("/search/", headers={"accept-language": "zh-hans"}))
    assert re.search(r'<a href="/audit/" [^>]*data-names="Audit">审计', chinese)


def test_the_palette_offers_what_its_reader_may_open() -> None:
    viewer = text(signed_in(Role.VIEWER).get("/search/"))
    assert 'href="/conversations/import/"' not in viewer
    admin = text(signed_in(Role.ADMIN).get("/search/"))
    places = admin.split('id="palette-places"')[1].split("</div>")[0]
    assert "/settings/people/" in places
    assert "/workflows/+new/" in places
