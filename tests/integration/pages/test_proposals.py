"""The card of a review shows what is reviewed, whatever was edited since."""

import re
from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, conversation, system, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok
from tests.integration.pages.execution_scenes import (
    hidden,
    move,
    page,
    paused,
    running,
    status,
    text,
    url,
)

pytestmark = pytest.mark.django_db


def card(html: str) -> str:
    """The part of the page between the head of the decision and its form."""
    return html.partition('<div class="proposal">')[2].partition('id="decide-form"')[0]


def key(html: str, name: str) -> str:
    """The part of the card about one key."""
    parts = re.split(r"<dt>", card(html))
    return next(part for part in parts if f">{name}<" in part)


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


def test_a_restore_and_a_removed_key_are_reported(reviewer: Client) -> None:
    run = paused()
    ok(run.update("review", state_data={"draft": "Dear Mia"}))
    ok(run.update("review", state_data={"sent": {"$delete": True}}))
    assert "removed by" in key(page(reviewer, run), "sent")
    ok(run.post("checkpoints/1/restore", {"expected_version": 3}))
    html = page(reviewer, run)
    assert "Dear customer" in key(html, "draft")
    assert "edited by" not in card(html)


def request_of(html: str) -> str:
    """The part of the card about the request, without what came in since."""
    before = card(html).partition("proposal-sources")[0]
    return before.partition("Received since")[0]


def came_in(html: str) -> str:
    """The part of the card about what came in since it was proposed."""
    return card(html).partition("proposal-sources")[0].partition("Received since")[2]


def proposed(html: str) -> str:
    """The part of the card about what was proposed."""
    return card(html).partition("proposal-sources")[2]


def answered() -> Run:
    """An execution that waits with an answer of its node ``write``, the third message."""
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    return run


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


def test_a_node_that_wrote_nothing_says_what_an_approval_means(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write"))
    assert "continue with the state as it is" in card(page(reviewer, run))


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


def replaced(run: Run, index: int, message: dict[str, Any]) -> None:
    body = {"operation": "replace", "replace": {"index": index, "message": message}}
    ok(run.post("operations", body))


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


def changes(html: str) -> str:
    """The part of the card about what else was done to the messages."""
    return card(html).partition("Other changes to the messages")[2]


def prompted() -> Run:
    """As ``answered``, with a system prompt before the request."""
    chain("letter", "write", "review", configs={"review": REVIEW})
    first = [system("Never promise a date."), user("where is my parcel?")]
    run = Run(Api(), conversation(*first))
    ok(run.post("executions", {"workflow": "letter"}))
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    return run


def operated(run: Run, operation: str, reason: str | None = None, **block: Any) -> None:
    body = {"operation": operation, operation: block, "pairing": "keep", "reason": reason}
    ok(run.by(Scope.REVIEW).post("operations", body))


def test_a_system_prompt_that_was_hidden_is_on_the_card_with_who_why_and_a_link(
    reviewer: Client,
) -> None:
    run = prompted()
    assert changes(page(reviewer, run)) == ""
    operated(run, "truncate", "it was too strict", remove_first=1)
    html = changes(page(reviewer, run))
    assert "hidden by test token (token)" in html
    assert "Never promise a date." in html
    assert "it was too strict" in html
    assert 'diff/?from=0&amp;to=1"' in html


def test_a_hidden_system_prompt_stays_on_the_card_behind_many_newer_changes(
    reviewer: Client,
) -> None:
    run = prompted()
    operated(run, "truncate", "it was too strict", remove_first=1)
    for number in range(9):
        operated(run, "insert", position=1, messages=[user(f"aside {number}")])
    html = changes(page(reviewer, run))
    assert html.index("Never promise a date.") < html.index("aside 8")
    assert "it was too strict" in html
    assert "and 2 more changes" in html


def test_behind_too_many_revisions_no_one_is_named_for_a_hidden_message(
    reviewer: Client,
) -> None:
    run = prompted()
    operated(run, "clear")
    ok(run.by(Scope.REVIEW).post("rollback", {"batch": 0, "reason": "that was a mistake"}))
    operated(run, "truncate", "it was too strict", remove_first=1)
    for number in range(41):
        operated(run, "insert", position=1, messages=[user(f"aside {number}")])
    html = changes(page(reviewer, run))
    assert "Never promise a date." in html
    assert "that was a mistake" not in html


def test_a_message_that_was_inserted_did_not_come_in(reviewer: Client) -> None:
    run = prompted()
    operated(run, "insert", "so that it is polite", position=1, messages=[system("Be polite.")])
    html = page(reviewer, run)
    assert "Be polite." not in came_in(html)
    assert "inserted by test token (token)" in changes(html)
    assert "Be polite." in changes(html)
    assert "so that it is polite" in changes(html)


def test_a_system_prompt_that_was_replaced_shows_its_words(reviewer: Client) -> None:
    run = prompted()
    operated(run, "replace", "a new rule", index=0, message=system("Always promise a date."))
    html = changes(page(reviewer, run))
    assert "<del>Never </del><ins>Always </ins>promise a date." in html
    assert "edited by test token (token)" in html
    assert "a new rule" in html


def test_what_is_shown_again_is_reported(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    first = [system("Never promise a date."), user("where is my parcel?")]
    run = Run(Api(), conversation(*first))
    ok(run.post("executions", {"workflow": "letter"}))
    ok(run.post("operations", {"operation": "truncate", "truncate": {"remove_first": 1}}))
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    ok(run.by(Scope.REVIEW).post("rollback", {"batch": 0, "reason": "it was missing"}))
    html = changes(page(reviewer, run))
    assert "shown again by test token (token)" in html
    assert "it was missing" in html
    assert 'diff/?from=1&amp;to=0"' in html


def test_many_hidden_messages_are_counted_with_the_system_prompt_first(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    first = [*(user(f"before {place}") for place in range(6)), system("Never promise a date.")]
    run = Run(Api(), conversation(*first, user("where is my parcel?")))
    ok(run.post("executions", {"workflow": "letter"}))
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    operated(run, "truncate", remove_first=7)
    html = changes(page(reviewer, run))
    assert html.index("Never promise a date.") > 0
    assert "before 1" in html
    assert "before 2" not in html
    assert "and 4 more messages" in html


def test_the_reasons_of_a_hidden_request_and_an_edited_answer_are_shown(reviewer: Client) -> None:
    run = prompted()
    operated(run, "replace", "wrong day", index=2, message=assistant("It left on Thursday."))
    operated(run, "truncate", "not for them", remove_first=2)
    html = page(reviewer, run)
    assert "wrong day" in proposed(html)
    assert "not for them" in request_of(html)
    assert 'diff/?from=0&amp;to=1"' in proposed(html)
    assert 'diff/?from=1&amp;to=2"' in request_of(html)


def test_a_restored_view_tells_who_moved_it(reviewer: Client) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.post("operations", {"operation": "truncate", "truncate": {"keep_last": 1}}))
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    ok(run.post("rollback", {"batch": 0}))
    html = page(reviewer, run)
    assert "hidden by test token (token)" in proposed(html)


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


@pytest.mark.parametrize("change", ["append", "operate"])
def test_a_decision_is_not_taken_when_the_messages_changed_since(
    reviewer: Client, change: str
) -> None:
    run = paused()
    html = page(reviewer, run).partition('id="decide-form"')[2]
    names = ("execution", "expected_version", "expected_revision", "expected_count")
    seen = {name: hidden(html, name) for name in names}
    if change == "append":
        ok(run.append(user("Wait, not yet!")))
    else:
        ok(run.post("operations", {"operation": "clear", "clear": {}}))
    answer = move(reviewer, run, "approve", **seen, reason="as asked")
    assert answer.status_code == 409
    assert status(run) == "PAUSED"
    shown = text(answer)
    assert "Nothing was changed" in shown
    what = {
        "append": "1 message was added by test token (token)",
        "operate": "2 messages were hidden by test token (token)",
    }
    assert f"{what[change]} since you read this." in shown
    assert "as asked" in shown
    again = {name: hidden(shown.partition('id="decide-form"')[2], name) for name in names}
    assert move(reviewer, run, "approve", **again).status_code == 302
    assert status(run) == "RUNNING"


SEEN = ("execution", "expected_version", "expected_revision", "expected_count")


def seen_on(html: str, mark: str) -> dict[str, str]:
    """What a form of a page says that it was drawn from."""
    form = html.partition(mark)[2]
    return {name: hidden(form, name) for name in SEEN}


def test_a_refused_decision_lists_each_change_with_its_author(reviewer: Client) -> None:
    run = paused()
    seen = seen_on(page(reviewer, run), 'id="decide-form"')
    replaced(run, 1, user("where is my charger?"))
    ok(run.update("review", state_data={"draft": "Dear Mia", "count": 4}))
    run.append(user("one"), user("two"))
    shown = text(move(reviewer, run, "approve", **seen))
    assert "1 message was edited by test token (token) since you read this." in shown
    assert "2 messages were added by test token (token) since you read this." in shown
    assert (
        "State edited by test token (token) since you read this (version 2): count, draft" in shown
    )
    again = seen_on(shown, 'id="decide-form"')
    assert "since you read this" not in text(move(reviewer, run, "reject", **again))


def test_what_was_never_there_is_no_change_since(reviewer: Client) -> None:
    run = paused()
    seen = seen_on(page(reviewer, run), 'id="decide-form"') | {"expected_revision": "99"}
    answer = move(reviewer, run, "approve", **seen)
    assert answer.status_code == 409
    assert "since you read this" not in text(answer)


@pytest.mark.parametrize("path", ["cancel/", "versions/0/restore/"])
def test_a_cancellation_and_a_restore_name_what_they_were_drawn_from(
    reviewer: Client, path: str
) -> None:
    run = paused()
    seen = seen_on(page(reviewer, run, path), 'id="confirm"')
    ok(run.post("operations", {"operation": "clear", "clear": {}}))
    answer = reviewer.post(url(run, path), {**seen, "reason": "as asked"})
    assert answer.status_code == 409
    assert status(run) == "PAUSED"
    assert run.snapshot()["version"] == 1
    assert "2 messages were hidden by test token (token) since you read this." in text(answer)
    seen = seen_on(page(reviewer, run, path), 'id="confirm"')
    assert reviewer.post(url(run, path), seen).status_code == 302


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
    assert "(200007 characters)" in key(html, "write_output")
    assert "still has the text before the edit" in key(html, "write_output")
    assert "Show the whole value" in key(html, "write_output")
    assert 'class="proposal-message"' not in card(html).partition("proposal-sources")[2]


def test_an_edit_too_large_for_the_page_is_linked(reviewer: Client) -> None:
    run = proposed_output("Your parcel left on Friday.")
    ok(run.update("review", state_data={"write_output": "word " * 120_000}))
    html = page(reviewer, run)
    assert 'versions/2/">version 2</a>' in key(html, "write_output")
    assert 'class="proposal-message"' not in card(html).partition("proposal-sources")[2]


def proposed_output(answer: str) -> Run:
    """An execution whose node said its output as a message."""
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", messages=[assistant(answer)], result={"output": answer}))
    return run
