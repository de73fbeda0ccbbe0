"""A decision on what has changed since is refused, and says what changed."""

import pytest
from django.test import Client

from tests.factories import user
from tests.integration.checkpoints.flows import ok
from tests.integration.pages.execution_scenes import (
    hidden,
    move,
    page,
    paused,
    status,
    text,
    url,
)
from tests.integration.pages.proposal_scenes import replaced

pytestmark = pytest.mark.django_db


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
