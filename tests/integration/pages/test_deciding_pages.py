"""Deciding on an execution: approve, reject, pause, resume, cancel."""

import re
from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.pages.execution_scenes import (
    failed,
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


def test_an_approval_lets_it_continue_and_is_on_record(reviewer: Client) -> None:
    run = paused()
    answer = move(reviewer, run, "approve", reason="well said", expected_version="1")
    assert answer.status_code == 302
    assert status(run) == "RUNNING"
    html = page(reviewer, run, "timeline/")
    assert "Approved" in html
    assert "well said" in html
    assert ">reviewer-default<" in html


def test_a_rejection_needs_a_reason(reviewer: Client) -> None:
    run = paused()
    answer = move(reviewer, run, "reject", reason="  ", expected_version="1")
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert status(run) == "PAUSED"
    assert re.search(r'id="move-reason"[^>]* aria-invalid="true"[^>]* autofocus', text(answer))
    assert reviewer.get(url(run, "move/"))["Location"] == url(run)
    assert move(reviewer, run, "reject", reason="too long").status_code == 302
    assert status(run) == "FAILED"
    assert "too long" in page(reviewer, run)


def test_what_was_decided_on_an_old_version_is_reported_with_the_reason_kept(
    reviewer: Client,
) -> None:
    run = paused()
    run.update("review", state_data={"count": 4})
    answer = move(reviewer, run, "approve", reason="well said", expected_version="1")
    assert answer.status_code == 409
    assert "is at version 2, not 1" in text(answer)
    assert "well said" in text(answer)
    assert status(run) == "PAUSED"


def test_the_conversation_says_that_a_pause_is_requested(reviewer: Client) -> None:
    run = running()
    address = f"/conversations/{run.head.public_id}/"
    assert "An execution is running." in text(reviewer.get(address))
    assert "Pause requested" not in text(reviewer.get(address))
    assert move(reviewer, run, "pause").status_code == 302
    shown = text(reviewer.get(address))
    assert "Pause requested. The execution pauses at the next checkpoint" in shown
    assert "An execution is running." not in shown
    run.save("one")
    assert "Pause requested" not in text(reviewer.get(address))


def test_a_pause_is_asked_for_and_comes_with_the_next_checkpoint(reviewer: Client) -> None:
    run = running()
    assert move(reviewer, run, "pause", reason="wait").status_code == 302
    shown = page(reviewer, run)
    assert "Pause requested" in shown
    assert "A requested pause cannot be withdrawn." in shown
    assert 'name="reason"' not in shown  # nobody could send it
    run.save("one")
    assert status(run) == "PAUSED"
    assert "wait" in page(reviewer, run)


def test_a_paused_execution_resumes_also_from_another_node(reviewer: Client) -> None:
    run = paused()
    refused = move(reviewer, run, "resume_from", expected_version="1")
    assert refused.status_code == 422
    unknown = move(reviewer, run, "resume_from", from_node="nowhere", reason="keep me")
    assert unknown.status_code == 422
    assert "keep me" in text(unknown)
    done = move(reviewer, run, "resume_from", from_node="write", expected_version="1")
    assert done.status_code == 302
    assert run.snapshot()["ready_nodes"] == ["write"]


def test_the_choice_of_another_node_has_no_say_in_an_approval(reviewer: Client) -> None:
    run = paused()
    assert move(reviewer, run, "approve", from_node="write").status_code == 302
    assert run.snapshot()["ready_nodes"] == ["review"]


def test_a_failed_execution_is_tried_again(reviewer: Client) -> None:
    run = failed()
    html = page(reviewer, run)
    assert "the tool broke" in html
    assert "Try again" in html
    assert move(reviewer, run, "resume", expected_version="1").status_code == 302
    assert status(run) == "RUNNING"


def test_an_approval_is_for_the_execution_that_was_seen(reviewer: Client) -> None:
    run = paused()
    seen = page(reviewer, run)
    run.post("cancel")
    run.post("executions", {"workflow": "letter"})
    run.complete("write", "again")
    sent = {"execution": hidden(seen, "execution"), "expected_version": "1"}
    assert move(reviewer, run, "approve", **sent).status_code == 409
    assert status(run) == "PAUSED"


def test_a_cancellation_is_asked_for_first(reviewer: Client) -> None:
    run = paused()
    question = page(reviewer, run, "cancel/")
    assert "cannot be resumed" in question
    assert 'name="expected_version" value="1"' in question
    assert reviewer.post(url(run, "cancel/"), {"expected_version": "0"}).status_code == 409
    assert reviewer.post(url(run, "cancel/"), {"expected_version": "1"}).status_code == 302
    assert status(run) == "CANCELLED"
    assert reviewer.post(url(run, "cancel/"), {}).status_code == 409


@pytest.mark.parametrize("name", ["", "fly", "cancel"])
def test_an_unknown_button_does_nothing(reviewer: Client, name: str) -> None:
    run = paused()
    assert move(reviewer, run, name).status_code == 422
    assert status(run) == "PAUSED"


@pytest.mark.parametrize("version", ["x", "-1", "9" * 12])
def test_a_version_that_is_no_number_does_nothing(reviewer: Client, version: str) -> None:
    run = paused()
    assert move(reviewer, run, "approve", expected_version=version).status_code == 422
    assert status(run) == "PAUSED"


def test_an_overlong_reason_is_refused(reviewer: Client) -> None:
    run = paused()
    assert move(reviewer, run, "approve", reason="x" * 10_001).status_code == 422
    assert status(run) == "PAUSED"


@pytest.mark.parametrize("role", list(Role))
def test_the_page_offers_only_what_role_and_status_allow(role: Role) -> None:
    client, may = signed_in(role), role is not Role.VIEWER
    run = paused()
    html = page(client, run)
    buttons = {name: f'value="{name}"' in html for name in ("approve", "reject", "resume")}
    assert set(buttons.values()) == {may}
    edit = re.escape(url(run, "state/"))
    assert (re.search(rf'href="{edit}["?]', html) is not None) == may
    assert ("/cancel/" in html) == may
    assert 'value="pause"' not in html
    if not may:
        for name in ("approve", "reject", "resume", "pause"):
            assert move(client, run, name, reason="why").status_code == 403
        assert client.post(url(run, "cancel/")).status_code == 403
        for path in ("state/", "versions/0/restore/", "versions/0/fork/"):
            assert client.get(url(run, path)).status_code == 403
            assert client.post(url(run, path)).status_code == 403
        assert status(run) == "PAUSED"


@pytest.mark.parametrize(
    ("make", "offered"),
    [
        (running, {"pause"}),
        (failed, {"resume", "resume_from"}),
        (paused, {"approve", "reject", "resume", "resume_from"}),
    ],
)
def test_each_status_has_its_buttons(reviewer: Client, make: Any, offered: set[str]) -> None:
    run = make()
    html = page(reviewer, run)
    names = {"approve", "reject", "resume", "resume_from", "pause"}
    assert {name for name in names if f'name="move" value="{name}"' in html} == offered
    for name in names - offered:
        before = run.snapshot()
        assert move(reviewer, run, name, reason="why", from_node="a").status_code == 409
        assert run.snapshot() == before


def test_what_has_ended_has_no_buttons(reviewer: Client) -> None:
    run = running()
    run.save("one", status="COMPLETED")
    html = page(reviewer, run)
    assert 'name="move"' not in html
    assert "/cancel/" not in html
    assert "/fork/" in page(reviewer, run, "versions/1/")
    assert "/restore/" not in page(reviewer, run, "versions/0/")
