"""The card of a review shows what is reviewed, whatever was edited since."""

import re
from typing import Any

import pytest
from django.test import Client

from checkpoints.models import StateValue
from checkpoints.store.state import HISTORY
from ctxadmin.identity.roles import Scope
from tests.factories import assistant, user
from tests.integration.checkpoints.flows import REVIEW, chain, ok
from tests.integration.pages.execution_scenes import (
    page,
    paused,
    running,
    url,
)
from tests.integration.pages.proposal_scenes import (
    answered,
    came_in,
    card,
    key,
    proposed,
    proposed_output,
    replaced,
    request_of,
)
from tests.integration.pages.state_edits import carried, opened, send, typed

pytestmark = pytest.mark.django_db


def test_what_is_reviewed_stays_on_the_card_when_another_key_is_edited(reviewer: Client) -> None:
    run = paused()
    ok(run.update("review", state_data={"priority": "high"}))
    html = page(reviewer, run)
    assert "Proposed by “<b" in card(html)
    assert "Dear customer" in key(html, "draft")
    assert "edited by" not in key(html, "draft")
    assert "Also edited" in card(html)
    assert "edited by" in key(html, "priority")


def test_an_edit_is_marked_with_who_and_what_stood_before(reviewer: Client) -> None:
    run = paused()
    ok(run.update("review", state_data={"draft": "Dear Mia"}))
    ok(run.update("review", state_data={"facts": {"a": 1, "b": 3}}))
    html = page(reviewer, run)
    assert "Dear <del>customer</del><ins>Mia</ins>" in key(html, "draft")
    assert "edited by test token (token)" in key(html, "draft")
    assert "Show original" in key(html, "draft")
    assert "facts / b" in key(html, "facts")
    ok(run.update("review", state_data={"draft": "Dear customer"}))
    assert "edited by" not in key(page(reviewer, run), "draft"), "it was changed back"


def test_a_key_that_several_people_edited_names_them_all(reviewer: Client) -> None:
    run = paused()
    ok(run.update("review", state_data={"facts": {"a": 1, "b": 3}}))
    form = opened(reviewer, run)
    summary = send(reviewer, run, typed(form, facts='{"a": 2, "b": 3}'))
    send(reviewer, run, carried(summary, reason="checked"), "apply")
    said = key(page(reviewer, run), "facts")
    assert re.search(r"edited by [^<]+, test token \(token\)", said)


def test_a_restore_and_a_removed_key_are_reported(reviewer: Client) -> None:
    run = paused()
    ok(run.update("review", state_data={"draft": "Dear Mia"}))
    ok(run.update("review", state_data={"sent": {"$delete": True}}))
    assert "removed by" in key(page(reviewer, run), "sent")
    ok(run.post("checkpoints/1/restore", {"expected_version": 3}))
    html = page(reviewer, run)
    assert "Dear customer" in key(html, "draft")
    assert "edited by" not in card(html)


def test_the_request_is_what_was_answered_and_later_messages_came_in_since(
    reviewer: Client,
) -> None:
    run = answered()
    assert "Received since" not in card(page(reviewer, run))
    run.append(user("And the charger?"))
    ok(run.update("review", state_data={"priority": "high"}))
    html = page(reviewer, run)
    assert "where is my parcel?" in request_of(html)
    assert "And the charger?" not in request_of(html)
    assert "And the charger?" in came_in(html)
    assert "test token (token)" in came_in(html)
    assert "Your parcel left" not in came_in(html)
    run.append(*(user(f"Hurry {place}") for place in range(3)))
    html = page(reviewer, run)
    assert "1 earlier message" in came_in(html)
    assert "Hurry 2" in came_in(html)


def test_an_answer_that_is_a_key_and_a_message_is_shown_once_until_one_is_edited(
    reviewer: Client,
) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    answer = "Your parcel left on Friday."
    ok(run.complete("write", messages=[assistant(answer)], state_data={"draft": answer}))
    html = page(reviewer, run)
    assert card(html).count(answer) == 1
    assert "Message #2 says the same" in key(html, "draft")
    ok(run.update("review", state_data={"draft": "Your parcel left on Monday."}))
    html = page(reviewer, run)
    assert "left on <del>Friday</del><ins>Monday</ins>" in key(html, "draft")
    assert "says the same" not in html
    assert "Message #2 still has the text before the edit" in key(html, "draft")
    assert answer not in card(html).partition("</dl>")[2]


def test_an_edited_answer_is_formatted_with_its_changed_words_and_its_source_on_demand(
    reviewer: Client,
) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    answer = "Your parcel left on **Friday**."
    ok(run.complete("write", messages=[assistant(answer)], state_data={"draft": answer}))
    ok(run.update("review", state_data={"draft": "Your parcel left on **Monday**."}))
    draft = key(page(reviewer, run), "draft")
    assert "<strong><del>Friday</del><ins>Monday</ins></strong>" in draft
    assert "**<del>Friday</del><ins>Monday</ins>**" in draft.partition("Show changes in")[2]
    ok(run.update("review", state_data={"draft": "Your parcel left on Friday."}))
    assert "<del>**</del>Friday" in key(page(reviewer, run), "draft"), "only the source differs"


def test_no_page_leaves_out_what_the_model_reads(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    hidden = ["in a definition", "in a cell", "deep inside", "in a title"]
    answer = (
        f"Your **parcel** left.\n\n[//]: # ({hidden[0]})\n\n|a|\n|-|\n|1|{hidden[1]}|\n\n"
        f'{"> " * 25}{hidden[2]}\n\n[b](http://c.example "{hidden[3]}")'
    )
    ok(run.complete("write", messages=[assistant(answer)]))
    conversation = f"{run.path}/"
    pages = [proposed(page(reviewer, run))]
    pages += [
        reviewer.get(f"{conversation}{each}").content.decode() for each in ("", "messages/2/")
    ]
    replaced(run, 2, assistant(answer.replace("left", "arrived")))
    pages.append(proposed(page(reviewer, run)).partition("Show original")[0])
    assert "<del>left</del><ins>arrived</ins>" in pages[-1]
    for html in pages:
        drawn = html.partition('class="proposal-more"')[0]
        assert "<strong>parcel</strong>" in drawn
        assert all(words in drawn for words in hidden)


def test_a_node_that_wrote_nothing_says_what_an_approval_means(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write"))
    assert "continue with the state as it is" in card(page(reviewer, run))


def test_a_response_that_only_the_execution_history_has_is_proposed(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    result = {"prompt": "p" * 5000, "response": "It left **on Friday**."}
    ok(run.complete("write", result=result, state_data={"note": "none"}))
    shown = card(page(reviewer, run))
    assert "It left <strong>on Friday</strong>." in shown
    assert "only in the execution history" in shown
    assert shown.index("on Friday") < shown.index(">note<")
    assert "continue with the state as it is" not in shown


@pytest.mark.parametrize("damaged", [b"7", b"{", b'{"response": 1}', b"[7, null]"])
def test_a_damaged_history_proposes_nothing_and_every_list_is_there(
    reviewer: Client, damaged: bytes
) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", result={"response": "It left on Friday."}))
    StateValue.objects.filter(conversation=run.head.key, key=HISTORY).update(value=damaged)
    for address in ("/", "/reviews/", "/conversations/", "/executions/"):
        answer = reviewer.get(address)
        assert answer.status_code == 200, address
        assert b"It left on Friday." not in answer.content


@pytest.mark.parametrize("response", ["", None, {"parts": ["It left on Friday."]}])
def test_a_response_of_another_kind_is_shown_and_none_is_said(
    reviewer: Client, response: Any
) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", result={"response": response}))
    shown = card(page(reviewer, run))
    assert ("It left on Friday." in shown) == bool(response)
    assert ("continue with the state as it is" in shown) != bool(response)


def test_a_response_is_shown_once_where_the_node_said_or_put_it_out(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    result = {"response": "It left on Friday.", "output": "It left on Friday."}
    ok(run.complete("write", result=result, messages=[assistant("It left on Friday.")]))
    shown = card(page(reviewer, run))
    assert "only in the execution history" not in shown
    assert shown.count("It left on Friday.") == 1


def test_the_answer_stands_before_other_keys_of_its_node(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    answer = "It left on Friday."
    state = {"a_note": "Mention the voucher.", "draft": answer}
    ok(run.complete("write", messages=[assistant(answer)], state_data=state))
    html = card(page(reviewer, run))
    assert html.index(">draft<") < html.index(">a_note<")


def test_a_message_that_came_while_the_node_ran_is_not_proposed(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    run.append(user("Are you there?"))
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    html = page(reviewer, run)
    assert "Are you there?" in request_of(html)
    assert "Are you there?" not in proposed(html)
    assert "Your parcel left" in proposed(html)


def test_what_the_engine_appended_for_the_node_is_proposed(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    run.append(user("Are you there?"), assistant("Your parcel left on Friday."))
    ok(run.complete("write", state_data={"draft": "Friday"}))
    html = page(reviewer, run)
    assert "Your parcel left" in proposed(html)
    assert "Are you there?" in request_of(html)


def test_a_replaced_proposed_message_shows_its_current_text(reviewer: Client) -> None:
    run = answered()
    replaced(run, 2, assistant("Your parcel left on Thursday."))
    html = page(reviewer, run)
    assert "left on <del>Friday</del><ins>Thursday</ins>" in proposed(html)
    assert "edited by test token (token)" in proposed(html)
    assert "Show original" in proposed(html)
    assert "Received since" not in card(html)
    replaced(run, 2, assistant("Your parcel left on Monday."))
    assert "left on <del>Friday</del><ins>Monday</ins>" in proposed(page(reviewer, run))
    ok(run.post("rollback", {"batch": 0}))
    assert "edited by" not in proposed(page(reviewer, run))


def test_a_proposed_message_that_was_hidden_says_who_hid_it(reviewer: Client) -> None:
    run = answered()
    ok(run.by(Scope.REVIEW).post("operations", {"operation": "clear", "clear": {}}))
    html = page(reviewer, run)
    assert "hidden by test token (token)" in proposed(html)
    assert "Your parcel left on Friday." in proposed(html)
    assert "hidden by" in request_of(html)
    assert "where is my parcel?" in request_of(html)


def test_messages_that_came_along_are_no_key_that_was_removed(reviewer: Client) -> None:
    chain("short", "write", "review", configs={"review": REVIEW})
    run = running("short")
    ok(run.complete("write", state_data={"draft": "Hi"}, messages=[assistant("It is written.")]))
    html = card(page(reviewer, run))
    assert "It is written." in html
    assert ">messages<" not in html
    assert "removed" not in html


def test_large_and_long_values_and_many_keys_stay_within_the_page(reviewer: Client) -> None:
    chain("long", "write", "review", configs={"review": REVIEW})
    run = running("long")
    state = {f"k{place:02}": "w " * 2000 for place in range(12)} | {"huge": "y" * 99_999}
    ok(run.complete("write", state_data=state, messages=[assistant("It is written.")]))
    html = card(page(reviewer, run))
    assert "and 5 more keys" in html
    assert "97.7" in html
    assert "Show all: 4,000 characters" in html
    assert "It is written." in html
    assert f'href="{url(run, "versions/1/")}"' in html


def test_the_answer_of_many_keys_is_first_and_formatted(reviewer: Client) -> None:
    chain("many", "write", "review", configs={"review": REVIEW})
    run = running("many")
    answer = "We are **sorry** about that."
    state = {f"a{n:02}": n for n in range(20)}
    ok(run.complete("write", messages=[assistant(answer)], state_data={**state, "reply": answer}))
    ok(run.update("review", state_data={"a19": 77}))
    html = card(page(reviewer, run))
    names = re.findall(r'state-key-name" translate="no">(\w+)<', html)
    assert names[:3] == ["reply", "a19", "a00"]
    assert "We are <strong>sorry</strong> about that." in key(page(reviewer, run), "reply")
    short = key(page(reviewer, run), "a19")
    assert "Before the edit: </span><del>19</del>" in short
    assert "Now: </span><ins>77</ins>" in short


def test_empty_texts_say_so(reviewer: Client) -> None:
    chain("empty", "write", "review", configs={"review": REVIEW})
    run = running("empty")
    ok(run.complete("write", result={"output": ""}, state_data={}))
    assert "no text" in key(page(reviewer, run), "write_output")


def test_a_large_edit_is_compared_and_stands_for_the_message(reviewer: Client) -> None:
    answer = "Your parcel left on Friday."
    run = proposed_output(answer)
    ok(run.update("review", state_data={"write_output": "Hello.\n" + "word " * 40_000}))
    html = page(reviewer, run)
    assert "edited by" in key(html, "write_output")
    assert "Hello." in key(html, "write_output")
    assert answer in key(html, "write_output")
    assert "more added characters" in key(html, "write_output")
    assert "still has the text before the edit" in key(html, "write_output")
    assert "Show the whole value" in key(html, "write_output")
    assert 'class="proposal-message"' not in card(html).partition("proposal-sources")[2]


def test_an_edit_too_large_for_the_page_is_linked(reviewer: Client) -> None:
    run = proposed_output("Your parcel left on Friday.")
    ok(run.update("review", state_data={"write_output": "word " * 120_000}))
    html = page(reviewer, run)
    assert 'versions/2/">version 2</a>' in key(html, "write_output")
    assert 'class="proposal-message"' not in card(html).partition("proposal-sources")[2]
