"""The page of an execution: what it shows, to whom, and at which cost."""

import re
from typing import Any

import pytest
from django.test import Client

from checkpoints.models import Execution
from ctxadmin.identity.roles import Role
from tests.factories import Api, conversation, signed_in, user
from tests.integration.checkpoints.flows import ok
from tests.integration.pages.execution_scenes import move, page, paused, running, status, text, url

pytestmark = pytest.mark.django_db


def test_who_is_not_signed_in_is_asked_to() -> None:
    run = running()
    answer = Client().get(url(run))
    assert answer.status_code == 302
    assert answer["Location"] == f"/sign-in/?next={url(run)}"


def test_an_ended_execution_is_not_called_running(reviewer: Client) -> None:
    run = paused()
    assert run.post("cancel").status_code == 200
    html = page(reviewer, run)
    assert "Cancelled" in html
    assert 'id="decide-head"' not in html


def test_a_paused_execution_says_where_it_waits_and_why(reviewer: Client) -> None:
    html = page(reviewer, paused())
    assert "Waiting for review" in html
    assert "look at this" in html
    assert "Dear customer" in html
    assert "where is my parcel?" in html
    assert 'aria-current="step"' in html


def proposed(html: str) -> str:
    """The part of the decision that shows what there is to decide on; empty if there is none."""
    return html.partition('class="proposal-sources"')[2].partition("</section>")[0]


def test_the_proposal_is_beside_the_buttons(reviewer: Client) -> None:
    run = running()
    run.save("old", state_data={f"a{number}": "long ago" for number in range(60)})
    run.save("new", state_data={"z-draft": "Dear customer", "z-file": "x" * 99_999})
    assert not proposed(page(reviewer, run)), "it runs, there is nothing to decide"
    run.save("pause", state_data={"z-draft": "Dear <b>", "z-file": "y" * 99_999}, status="PAUSED")
    shown = proposed(page(reviewer, run))
    assert "Dear &lt;b&gt;" in shown
    assert "97.7" in shown, "a large value is named with its size"
    assert "long ago" not in shown
    assert f'href="{url(run, "state/")}?q=z-draft"' in shown
    form = page(reviewer, run, "state/?q=z-draft")
    assert "a11" not in form
    assert f'href="{url(run, "state/")}">All keys' in form
    seen = proposed(page(signed_in(Role.VIEWER), run))
    assert "Dear &lt;b&gt;" in seen
    assert "/state/" not in seen


def test_a_conversation_without_an_execution_says_how_one_starts(reviewer: Client) -> None:
    conversation(user("hello"), public_id="idle")
    assert "No execution yet" in text(reviewer.get("/executions/idle/"))
    assert reviewer.get("/executions/idle/timeline/").status_code == 200
    assert reviewer.get("/executions/idle/diff/").status_code == 404
    assert reviewer.get("/executions/idle/state/").status_code == 409


def test_the_page_costs_as_many_queries_for_a_long_history_as_for_a_short_one(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    run = running()
    for number in range(25):
        run.save(f"c{number}", state_data={f"key-{number}": number})
    with django_assert_max_num_queries(24):
        reviewer.get(url(run))


@pytest.mark.parametrize(
    ("path", "most"),
    [("timeline/", 12), ("versions/20/", 24), ("diff/?from=2&to=25", 29), ("state/", 13)],
)
def test_every_page_costs_as_many_queries_for_many_keys_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any, path: str, most: int
) -> None:
    run = running()
    for number in range(24):
        run.save(f"c{number}", state_data={f"key-{number}": number})
    run.save("last", status="PAUSED")
    with django_assert_max_num_queries(most):
        assert reviewer.get(url(run, path)).status_code == 200


def test_a_comparison_says_what_happened_between_its_versions(reviewer: Client) -> None:
    run = running()
    run.save("one", state_data={"news": "it moved"})
    ok(run.post("cancel", {"reason": "asked for twice"}))
    html = page(reviewer, run, "diff/?from=1&to=2")
    assert "The state is the same." in html
    status = html.partition('id="page-content"')[2].partition("The state is the same.")[0]
    shown = re.sub(r"<[^>]+>|\s+", " ", status)
    assert re.search(r"Running +→ +Cancelled", shown)
    assert "Cancelled" in shown
    assert "“asked for twice”" in shown
    assert "what changed" not in shown
    assert re.search(
        r"Cancelled +→ +Running",
        re.sub(r"<[^>]+>|\s+", " ", page(reviewer, run, "diff/?from=2&to=1")),
    )
    # By itself it compares the latest versions that differ.
    assert "Changes from version 0 to 1" in page(reviewer, run, "diff/")


def test_a_comparison_over_many_versions_has_only_decisions(reviewer: Client) -> None:
    run = running()
    for number in range(6):
        run.save(f"c{number}", state_data={"n": number})
    ok(run.post("cancel", {"reason": "enough"}))
    html = page(reviewer, run, "diff/?from=0&to=7")
    assert html.count('<li class="happened') == 1
    assert "“enough”" in html
    assert "6 more versions in the timeline" in html


def test_a_page_without_a_socket_asks_for_a_running_execution_until_it_stops(
    reviewer: Client,
) -> None:
    run = running()
    html = page(reviewer, run)
    poll = html.split('data-poll="')[1].split('"')[0]
    assert reviewer.get(poll).status_code == 204
    run.save("one", state_data={"news": "it moved"})
    moved = text(reviewer.get(poll))
    assert "it moved" in moved
    assert 'id="page-content"' in moved
    run.pause_now()
    stopped = text(reviewer.get(poll))
    assert "Approve" in stopped
    assert "data-poll" not in stopped


def test_a_page_without_a_socket_is_notified_of_another_execution_at_the_same_version(
    reviewer: Client,
) -> None:
    run = running()
    poll = page(reviewer, run).split('data-poll="')[1].split('"')[0]
    ok(run.post("cancel"))
    ok(run.post("executions", {}))
    answer = reviewer.get(poll)
    assert answer.status_code == 200
    assert f'data-execution="{Execution.objects.get(number=2).public_id}"' in text(answer)


def test_hostile_texts_stay_texts(reviewer: Client) -> None:
    evil = "<script>alert(1)</script>"
    run = running(state={evil: {evil: [evil]}, "text": evil})
    run.append(user(evil))
    run.save("one", evil, state_data={"more": evil}, status="PAUSED")
    run.post("approve", {"reason": evil})
    move(reviewer, run, "pause", reason=evil)
    for path in ("", "timeline/", "versions/1/", "diff/?from=0&to=1"):
        assert evil not in page(reviewer, run, path)
    run.save("two", evil, status="PAUSED")
    assert evil not in page(reviewer, run, "state/")
    for path in ("/", "/executions/"):
        assert evil not in text(reviewer.get(path))


def test_large_values_are_named_and_not_shown(reviewer: Client) -> None:
    run = running()
    big = {f"big{number}": "x" * 100_000 for number in range(3)}
    run.save("one", state_data=big | {"small": "here"}, status="PAUSED")
    html = page(reviewer, run)
    assert len(html) < 200_000
    assert "Too large to show here" in html
    assert "here" in html
    assert "big0" in page(reviewer, run, "state/")


def test_a_foreign_execution_is_not_found() -> None:
    run = paused()
    stranger = signed_in(Role.ADMIN, "elsewhere")
    paths = ("", "live/", "timeline/", "diff/", "state/", "cancel/", "versions/0/")
    for path in (*paths, "versions/0/restore/", "versions/0/fork/"):
        assert stranger.get(url(run, path)).status_code == 404
    for path in ("move/", "cancel/", "state/", "versions/0/restore/", "versions/0/fork/"):
        assert stranger.post(url(run, path), {"move": "approve"}).status_code == 404
    assert url(run) not in text(stranger.get("/executions/"))
    assert status(run) == "PAUSED"


def test_engines_and_people_see_the_same_version(reviewer: Client) -> None:
    run = paused()
    assert f"version {run.snapshot()['version']}" in page(reviewer, run)
    assert Api().get(f"{run.path}/snapshot").json()["version"] == 1
