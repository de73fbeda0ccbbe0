"""Working through the queue of reviews: its order, the next one, and several at once."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Execution
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import assistant, signed_in, user
from tests.integration.checkpoints.flows import Run, ok
from tests.integration.pages.execution_scenes import (
    form_of,
    move,
    page,
    paused,
    status,
    text,
    url,
)
from tests.integration.pages.state_edits import carried, opened, send, typed
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def name(run: Run) -> str:
    return str(run.head.public_id)


def waits_until(run: Run, minutes: int | None) -> None:
    deadline = None if minutes is None else clock.now() + timedelta(minutes=minutes)
    Execution.objects.filter(conversation=run.head.key).update(deadline=deadline)


def order(html: str) -> list[str]:
    return re.findall(r'class="waiting-title" href="/executions/([^/]+)/', html)


def look(client: Client, run: Run) -> str:
    """What the card gives to a script that was open."""
    found = re.search(r'data-look="([^"]*)"', page(client, run))
    assert found is not None
    return unescape(found[1])


def approve(client: Client, *looks: str, **fields: str) -> str:
    answer = client.post("/reviews/approve/", {"look": looks, **fields}, follow=True)
    assert answer.status_code == 200
    return text(answer)


def test_the_queue_is_sorted_by_wait_and_by_deadline_in_pages(reviewer: Client) -> None:
    runs = [paused(each) for each in ("one", "two", "three")]
    for run, minutes in zip(runs, (None, 50, 10), strict=True):
        waits_until(run, minutes)
    one, two, three = map(name, runs)
    assert order(text(reviewer.get("/reviews/"))) == [one, two, three]
    lines = text(reviewer.get("/reviews/")).split('class="waiting-meta">')[1:]
    # What is cut off in a low window is not what happens by itself.
    assert [line.startswith('<span class="deadline">') for line in lines] == [False, True, True]
    assert order(text(reviewer.get("/reviews/?sort=latest"))) == [three, two, one]
    address, found = "/reviews/?sort=deadline&limit=1", list[str]()
    for _ in runs:
        html = text(reviewer.get(address))
        found += order(html)
        on = re.findall(r'href="(\?[^"]*cursor=[^"]*)"', html)
        address = f"/reviews/{unescape(on[0])}" if on else ""
    assert found == [three, two, one]
    assert address == ""
    assert reviewer.get("/reviews/?sort=x").status_code == 422


def test_a_line_of_the_queue_says_how_the_proposed_answer_begins(reviewer: Client) -> None:
    run = paused()
    assert "waiting-proposed" not in text(reviewer.get("/reviews/"))
    run.append(assistant("It is on\n its way."))
    assert "It is on its way." in text(reviewer.get("/reviews/"))


def test_lines_of_one_title_are_told_apart_and_have_the_name_of_their_workflow(
    reviewer: Client,
) -> None:
    one = paused("one")
    Workflow.objects.filter(slug="one").update(name="The first letter")
    alone = text(reviewer.get("/reviews/"))
    assert '<span translate="no">The first letter</span>' in alone
    assert f'<code translate="no">{name(one)}</code>' not in alone
    paused("two")
    assert f'<code translate="no">{name(one)}</code>' in text(reviewer.get("/reviews/"))


def test_the_card_tells_its_place_and_leads_to_its_neighbors(reviewer: Client) -> None:
    one, two, three = (paused(each) for each in ("one", "two", "three"))
    html = page(reviewer, two, "?queue=waiting")
    assert "2 of 3 in the queue" in html
    assert f'href="/executions/{name(one)}/?queue=waiting" rel="prev"' in html
    assert f'href="/executions/{name(three)}/?queue=waiting" rel="next"' in html
    elsewhere = page(reviewer, two, "?queue=waiting&workflow=three")
    assert "1 in the queue" in elsewhere
    assert "in the queue" not in page(signed_in(Role.VIEWER), two)
    assert reviewer.get(url(two, "?queue=x")).status_code == 422


def test_a_decision_leads_to_the_next_review_of_the_same_queue(reviewer: Client) -> None:
    one, two, three = (paused(each) for each in ("one", "two", "three"))
    answer = move(reviewer, two, "approve", expected_version="1", queue="waiting")
    assert answer["Location"] == f"{url(three)}?queue=waiting"
    answer = move(reviewer, three, "reject", reason="no", queue="waiting")
    assert answer["Location"] == f"{url(one)}?queue=waiting"
    answer = move(reviewer, one, "approve", queue="waiting", who="free")
    assert answer["Location"] == "/reviews/?sort=waiting&who=free"


def test_who_came_by_a_link_stays_and_is_offered_the_next_review(reviewer: Client) -> None:
    one, two = paused("one"), paused("two")
    answer = move(reviewer, one, "approve", expected_version="1")
    assert answer["Location"] == url(one)
    decided = page(reviewer, one).split('id="decided-head"')[1]
    assert f'href="{url(two)}?queue=waiting" data-key="n"' in decided
    move(reviewer, two, "approve", expected_version="1")
    assert 'href="/reviews/?sort=waiting">' in page(reviewer, two).split('id="decided-head"')[1]


def test_an_approval_with_changes_leads_to_the_next_review_of_the_same_queue(
    reviewer: Client,
) -> None:
    one, two, three = (paused(each) for each in ("one", "two", "three"))
    fields = form_of(page(reviewer, two, "state/?queue=waiting&workflow="))
    summary = send(reviewer, two, typed(fields, draft="Dear friend"))
    form = carried(summary)
    assert form["queue"] == "waiting"
    answer = send(reviewer, two, form, "approve")
    assert answer["Location"] == f"{url(three)}?queue=waiting"
    assert "Approved with your changes: hello" in text(reviewer.get(answer["Location"]))
    summary = send(reviewer, one, typed(opened(reviewer, one), draft="Dear friend"))
    assert send(reviewer, one, carried(summary), "approve")["Location"] == url(one)


def test_an_edit_that_is_applied_or_discarded_stays_in_the_queue(reviewer: Client) -> None:
    run = paused("one")
    fields = form_of(page(reviewer, run, "state/?queue=waiting"))
    summary = send(reviewer, run, typed(fields, draft="Dear friend"))
    there = f"{url(run)}?queue=waiting"
    assert send(reviewer, run, carried(summary), "apply")["Location"] == there
    fields = form_of(page(reviewer, run, "state/?queue=waiting"))
    assert send(reviewer, run, fields, "discard")["Location"] == there


def test_a_decision_on_a_page_that_was_opened_by_itself_stays_there(reviewer: Client) -> None:
    one, _two = paused("one"), paused("two")
    assert move(reviewer, one, "approve", expected_version="1")["Location"] == url(one)


def test_several_are_approved_after_a_look_at_each(reviewer: Client) -> None:
    runs = [paused("one"), paused("two")]
    html = approve(reviewer, *(look(reviewer, run) for run in runs), reason="all well")
    assert "2 reviews approved." in html
    assert [status(run) for run in runs] == ["RUNNING", "RUNNING"]
    assert "all well" in page(reviewer, runs[0], "timeline/")


def test_one_that_changed_since_the_look_is_refused_and_the_others_approved(
    reviewer: Client,
) -> None:
    edited, heard, same = (paused(each) for each in ("one", "two", "three"))
    looks = [look(reviewer, run) for run in (edited, heard, same)]
    edited.update("review", state_data={"count": 4})
    heard.append(user("One more thing"))
    html = approve(reviewer, *looks)
    assert "1 review approved." in html
    assert "2 reviews were not approved:" in html
    assert f'not approved: <a href="{url(edited)}">' in html
    assert "by test token (token) since you read this (version 2): count" in html
    assert "1 message was added by test token (token) since you read this." in html
    assert [status(run) for run in (edited, heard, same)] == ["PAUSED", "PAUSED", "RUNNING"]


def test_none_is_approved_without_a_look_of_the_same_person(reviewer: Client) -> None:
    run = paused()
    proved = look(reviewer, run)
    version = f"{run.snapshot()['version']}"
    forged = proved.replace(f".{version}.", ".2.", 1)
    colleague = signed_in(Role.DESIGNER)
    for client, text_ in ((reviewer, forged), (reviewer, "x"), (colleague, proved)):
        assert "Open it before you approve it." in approve(client, text_)
    assert "Select the reviews to approve." in approve(reviewer)
    assert status(run) == "PAUSED"
    assert signed_in(Role.VIEWER).post("/reviews/approve/", {"look": proved}).status_code == 403


def test_sent_again_after_a_lost_answer_it_says_approved(reviewer: Client) -> None:
    run = paused()
    proved = look(reviewer, run)
    assert "1 review approved." in approve(reviewer, proved)
    assert "1 review approved." in approve(reviewer, proved)


def test_at_most_fifty_at_once(reviewer: Client) -> None:
    sent: Any = {"look": [f"x{each}" for each in range(51)]}
    assert reviewer.post("/reviews/approve/", sent).status_code == 422


def test_the_line_of_what_a_node_saw_has_messages_tokens_and_dropped_names(
    reviewer: Client,
) -> None:
    run = paused()
    line = page(reviewer, run, "versions/1/context-seen/")
    assert "Saw 2 of 2 messages" in line
    assert f'href="{url(run, "versions/1/saw/")}"' in line
    assert reviewer.get(url(run, "versions/9/context-seen/")).status_code == 404


def test_the_place_in_a_long_queue_costs_a_bounded_number_of_queries(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    runs = [paused(f"flow-{each}") for each in range(4)]
    page(reviewer, runs[1])
    with django_assert_max_num_queries(41):
        page(reviewer, runs[1])


def test_a_reader_who_comes_too_late_is_told_who_decided_and_goes_on(reviewer: Client) -> None:
    one, two = paused("one"), paused("two")
    ok(one.post("approve", {"reason": "all well"}))
    html = page(reviewer, one, "?queue=waiting")
    assert "test token (token) approved this." in html
    assert "all well" in html
    assert f'href="{url(two)}?queue=waiting"' in html
    assert 'id="move-reason"' not in html, "what is typed there is not for a pause"
    assert "(token) approved this." in page(reviewer, one), "nothing came after it"
    assert "(token) approved this." not in page(reviewer, two, "?queue=waiting")


def test_an_approval_of_several_names_who_was_faster(reviewer: Client) -> None:
    run = paused("one")
    seen = look(reviewer, run)
    ok(run.post("approve", {}))
    html = approve(reviewer, seen)
    assert "test token (token) approved this." in html
    assert "version" not in html.partition("approved this.")[0][-200:]
