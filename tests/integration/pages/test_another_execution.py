"""A form is still of one execution when another one of the conversation has begun."""

import json
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from checkpoints.editing import draft_store
from checkpoints.models import Checkpoint, PendingEdit
from checkpoints.pages.editing.lost_edit_page import LostEditPage
from checkpoints.services import state_updates
from ctxadmin.accounts.models import Membership
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import form_of, hidden, page, text, url
from tests.integration.pages.state_edits import (
    apply,
    carried,
    opened,
    send,
    typed,
    with_reducers,
)

pytestmark = pytest.mark.django_db

STATE = {"draft": "Dear customer", "count": 3}
OTHER = {"draft": "of the new one", "count": 70}


@pytest.fixture
def run() -> Run:
    """It waits at version 1 without a workflow, so that another execution stands at the same."""
    run = Run.start(None)
    run.pause_now(state_data=STATE)
    return run


def begin_another(run: Run) -> None:
    """End the execution and have the next one wait at the same node and version."""
    assert run.post("cancel").status_code == 200
    assert run.post("executions", {}).status_code == 201
    run.pause_now(f"again-{uuid4().hex[:8]}", state_data=OTHER)
    assert run.snapshot()["version"] == 1


def lost_page(answer: Any) -> LostEditPage:
    assert answer.status_code == 409, answer.content
    shown = answer.context["page"]
    assert isinstance(shown, LostEditPage)
    return shown


def changes(answer: Any) -> Any:
    """What a page gives to be copied, by key."""
    return json.loads(lost_page(answer).changes or "{}")


@pytest.mark.both_databases
def test_what_is_typed_after_it_began_is_kept_with_what_was_typed_before(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    send(reviewer, run, typed(form, draft="typed before"), "keep")
    begin_another(run)
    answer = send(reviewer, run, typed(form, count="typed after"), "keep")
    assert answer.status_code == 200
    assert answer.json()["told"].startswith("Saved for you, but it cannot be applied")
    html = text(reviewer.get(url(run, "state/?former=1")))
    assert "typed before" in html
    assert "count: typed after" in html


def test_looking_shows_all_of_it_and_says_that_another_execution_was_started(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    send(reviewer, run, typed(form, draft="typed before"), "keep")
    begin_another(run)
    answer = send(reviewer, run, typed(form, count="9"))
    assert changes(answer) == {"draft": "typed before", "count": 9}
    html = text(answer)
    assert "Another execution of this conversation has started" in html
    assert "The execution continued" not in html
    assert PendingEdit.objects.get().execution == 1
    assert run.state() == OTHER


@pytest.mark.parametrize("step", ["look", "apply", "approve", "back"])
def test_each_button_of_a_summary_leads_to_what_was_typed_and_writes_nothing(
    reviewer: Client, run: Run, step: str
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    begin_another(run)
    fields = carried(summary, seq=hidden(text(summary), "seq"), reason="my reason")
    answer = send(reviewer, run, fields, step)
    assert changes(answer) == {"draft": "Dear friend"}
    assert lost_page(answer).reason == "my reason"
    assert (run.state(), run.snapshot()["status"]) == (OTHER, "PAUSED")


def test_what_was_written_again_in_a_conflict_is_shown_and_kept_with_its_place(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend", count="9"))
    change = {"node_id": "a", "state_data": {"draft": "Dear Anna", "count": 5}}
    assert run.api.patch(f"{run.path}/snapshot", change).status_code == 200
    conflict = apply(reviewer, run, summary, "both")
    begin_another(run)
    boxes = {"choice-0": "mine", "value-0": "9", "kind-0": "json"}
    boxes |= {"choice-1": "edit", "value-1": "Dear Anna,\r\nmy friend", "kind-1": "text"}
    fields = carried(conflict, theirs=hidden(text(conflict), "theirs"), reason="both") | boxes
    answer = send(reviewer, run, fields, "resolve")
    assert changes(answer) == {"draft": "Dear friend", "count": 9}
    assert lost_page(answer).texts == ["draft: Dear Anna,\nmy friend"]
    assert "Dear Anna,\nmy friend" in text(reviewer.get(url(run, "state/?former=1")))
    assert run.state() == OTHER


def test_a_whole_state_is_read_against_the_execution_that_it_is_of(
    reviewer: Client, run: Run
) -> None:
    form = form_of(page(reviewer, run, "state/?raw=1"))
    begin_another(run)
    answer = send(reviewer, run, form | {"raw": '{"draft": "Dear friend", "count": 3}'})
    assert changes(answer) == {"draft": "Dear friend"}


@pytest.mark.parametrize("step", ["keep", "review", "form"])
def test_a_whole_state_that_cannot_be_read_is_kept_as_it_is(
    reviewer: Client, run: Run, step: str
) -> None:
    form = form_of(page(reviewer, run, "state/?raw=1"))
    begin_another(run)
    send(reviewer, run, form | {"raw": '{"draft": "half'}, step)
    former = reviewer.get(url(run, "state/?former=1")).context["page"]
    assert former.texts == ['{"draft": "half']


def test_a_text_that_cannot_be_read_is_kept_beside_what_is_of_another_version(
    reviewer: Client, run: Run
) -> None:
    raw = form_of(page(reviewer, run, "state/?raw=1"))
    assert run.update("a", state_data={"draft": "by another"}).status_code == 200
    send(reviewer, run, typed(opened(reviewer, run), draft="newer"), "keep")
    begin_another(run)
    answer = send(reviewer, run, raw | {"raw": "{no JSON"})
    assert changes(answer) == {"draft": "newer"}
    assert lost_page(answer).texts == ["{no JSON"]


def test_two_pages_of_the_former_execution_keep_both_texts(reviewer: Client, run: Run) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    begin_another(run)
    send(reviewer, run, typed(first, draft="one"), "keep")
    answer = send(reviewer, run, typed(second, draft="two"))
    assert changes(answer) == {"draft": "two"}
    assert lost_page(answer).texts == ["draft: one"]


def test_a_press_that_is_sent_twice_shows_the_same(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend")
    begin_another(run)
    first, second = (lost_page(send(reviewer, run, form)) for _each in range(2))
    assert (first.changes, first.texts) == (second.changes, second.texts)


def test_edits_of_the_former_execution_are_in_no_form_of_the_new_one(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    begin_another(run)
    send(reviewer, run, typed(form, draft="Dear friend"))
    html = page(reviewer, run, "state/")
    assert "Dear friend" not in html
    assert "?former=1" in html
    mine = typed(form_of(html), count="71")
    assert apply(reviewer, run, send(reviewer, run, mine)).status_code == 302
    assert run.state() == {"draft": "of the new one", "count": 71}
    assert PendingEdit.objects.get().execution == 1


def test_discarding_in_it_discards_what_is_of_the_former_one_alone(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    send(reviewer, run, typed(form, draft="Dear friend"), "keep")
    begin_another(run)
    send(reviewer, run, typed(opened(reviewer, run), draft="of now"), "keep")
    assert send(reviewer, run, form, "discard").status_code == 302
    assert PendingEdit.objects.get().execution == 2


@pytest.mark.parametrize("button", ["take-back", "drop", "use"])
def test_the_buttons_beside_what_is_pending_reach_no_further(
    reviewer: Client, run: Run, button: str
) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    send(reviewer, run, typed(first, draft="one"), "keep")
    send(reviewer, run, typed(second, draft="two", count="9"), "keep")
    form = page(reviewer, run, "state/")
    value = "draft" if button == "take-back" else form.split(f'name="{button}" value="')[1][:16]
    begin_another(run)
    send(reviewer, run, typed(opened(reviewer, run), draft="of now"), "keep")
    answer = send(reviewer, run, form_of(form) | {button: value}, "")
    wanted: dict[str, Callable[[], Any]] = {
        "take-back": lambda: (None, ["draft: one"]),
        "drop": lambda: ("two", []),
        "use": lambda: ("one", ["draft: two"]),
    }
    draft = changes(answer).get("draft")
    assert (draft, lost_page(answer).texts) == wanted[button]()
    assert PendingEdit.objects.get(execution=2)


def test_who_typed_nothing_is_reported_and_led_to_the_execution_of_now(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    begin_another(run)
    answer = reviewer.post(url(run, "state/"), form | {"step": "review"}, follow=True)
    assert "You had no edits in the earlier one" in text(answer)
    assert not PendingEdit.objects.exists()


def test_a_former_version_without_its_state_is_answered_by_the_last_one(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    assert run.update("a", state_data={"count": 4}).status_code == 200
    begin_another(run)
    Checkpoint.objects.filter(conversation=run.head.key, execution=1, version=1).update(
        thinned_at=clock.now()
    )
    answer = send(reviewer, run, typed(form, draft="Dear friend"))
    assert changes(answer)["draft"] == "Dear friend"


def test_what_is_too_large_to_be_kept_is_shown_and_said(
    reviewer: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = opened(reviewer, run)
    send(reviewer, run, typed(form, draft="short"), "keep")
    begin_another(run)
    monkeypatch.setattr(draft_store, "MOST_BYTES", 200)
    answer = send(reviewer, run, typed(form, count='"' + "long " * 100))
    assert changes(answer) == {}
    assert "draft: short" in lost_page(answer).texts
    assert any("long long" in each for each in lost_page(answer).texts)
    assert "Your latest edits are not saved" in text(answer)


@pytest.mark.both_databases
def test_an_execution_that_begins_while_it_is_applied_gets_nothing_of_it(
    reviewer: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    write = state_updates.update

    def begins_first(*given: Any, **named: Any) -> Any:
        begin_another(run)
        return write(*given, **named)

    monkeypatch.setattr(state_updates, "update", begins_first)
    answer = apply(reviewer, run, summary)
    assert changes(answer) == {"draft": "Dear friend"}
    assert run.state() == OTHER


def test_what_the_same_press_wrote_before_it_ended_is_reported_as_written(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    apply(reviewer, run, summary)
    begin_another(run)
    fields = carried(summary, reason="kinder") | {"step": "apply"}
    answer = reviewer.post(url(run, "state/"), fields, follow=True)
    assert "Already saved as version 2 of the earlier execution." in text(answer)
    assert run.state() == OTHER


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["", "none-such", "größe", "x" * 500])
def test_an_execution_that_there_is_none_of_keeps_nothing(
    reviewer: Client, run: Run, name: str
) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend") | {"execution": name}
    assert send(reviewer, run, form, "keep").status_code == 409
    answer = send(reviewer, run, form)
    assert changes(answer)["draft"] == "Dear friend"
    assert not PendingEdit.objects.exists()


def test_the_execution_of_another_conversation_is_none_of_this_one(
    reviewer: Client, run: Run
) -> None:
    other = with_reducers({"draft": "theirs"})
    form = typed(opened(reviewer, other), draft="Dear friend")
    assert send(reviewer, run, form, "keep").status_code == 409
    assert not PendingEdit.objects.exists()


def links(client: Client, run: Run) -> list[str]:
    """Where the page of the execution leads to look at what one typed."""
    return re.findall(r'href="([^"]*)"[^>]*>Show my edits', page(client, run))


def test_the_page_of_an_execution_leads_to_what_one_typed_into_it(
    reviewer: Client, run: Run
) -> None:
    assert links(reviewer, run) == []
    send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"), "keep")
    assert links(reviewer, run) == []  # the form has it
    run.post("cancel")
    assert links(reviewer, run) == [url(run, "state/")]
    assert "Dear friend" in text(reviewer.get(url(run, "state/")))
    assert links(signed_in(Role.DESIGNER), run) == []


def test_the_page_leads_to_it_also_when_others_follow(reviewer: Client, run: Run) -> None:
    for draft in ("first", "second", "third"):
        send(reviewer, run, typed(opened(reviewer, run), draft=draft), "keep")
        begin_another(run)
    wanted = [url(run, f"state/?former={number}") for number in (3, 2, 1)]
    assert links(reviewer, run) == wanted
    for draft, link in zip(("third", "second", "first"), wanted, strict=True):
        assert f"&quot;{draft}&quot;" in text(reviewer.get(link))


def test_without_the_right_to_edit_there_is_no_link_to_the_edits(
    reviewer: Client, run: Run
) -> None:
    send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"), "keep")
    run.post("cancel")
    Membership.objects.filter(user__id=reviewer.session["_auth_user_id"]).update(role=Role.VIEWER)
    assert links(reviewer, run) == []
