"""The card of a review says what was done to the messages beside what is proposed."""

import pytest
from django.test import Client

from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, conversation, system, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok
from tests.integration.pages.execution_scenes import (
    page,
    running,
)
from tests.integration.pages.proposal_scenes import (
    came_in,
    changes,
    operated,
    prompted,
    proposed,
    request_of,
)

pytestmark = pytest.mark.django_db


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
