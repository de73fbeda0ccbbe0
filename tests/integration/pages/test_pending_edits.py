"""What a reviewer types into a state is kept until it is applied or discarded."""

import json
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.editing import draft_store, pending_store
from checkpoints.editing.pending_store import EditKey, Pending, PendingQuery
from checkpoints.maintenance.thinning import thin
from checkpoints.models import PendingEdit
from checkpoints.store.executions import find_current
from conversations.lifecycle import erasure
from ctxadmin.accounts.models import User
from ctxadmin.accounts.services import system_actor
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import person, signed_in, workspace
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import form_of, hidden, page, paused, text, url
from tests.integration.pages.state_edits import carried, opened, send, typed, with_reducers

pytestmark = pytest.mark.django_db

BACKEND = "django.contrib.auth.backends.ModelBackend"


def kept(client: Client, run: Run, **values: str) -> Any:
    """Type and wait until the script has kept it; its answer."""
    return send(client, run, typed(form_of(page(client, run, "state/")), **values), "keep")


def values_in(html: str) -> dict[str, str]:
    fields = form_of(html)
    names = {number: fields[f"name-{number}"] for number in range(9) if f"name-{number}" in fields}
    return {name: fields.get(f"value-{number}", "") for number, name in names.items()}


def test_what_was_typed_is_there_when_the_form_is_opened_again(reviewer: Client, run: Run) -> None:
    assert kept(reviewer, run, draft="Dear friend").json()["count"] == 1
    html = page(reviewer, run, "state/")
    assert values_in(html)["draft"] == "Dear friend"
    assert "Not applied yet" in html
    assert ">saved <" in html
    assert ">customer<" in html  # what it was, beside what it would be
    assert run.snapshot()["state_data"]["draft"] == "Dear customer"


def test_a_text_that_is_no_json_yet_is_kept_as_it_is(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, facts='{"a": ')
    html = page(reviewer, run, "state/")
    assert values_in(html)["facts"] == '{"a": '
    assert "Fix before applying:" in html


def test_a_whole_text_that_is_no_json_yet_is_kept_too(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    fields = form_of(page(reviewer, run, "state/?raw=1"))
    assert "Dear friend" in fields["raw"]
    send(reviewer, run, fields | {"raw": '{"draft": '}, "keep")
    html = page(reviewer, run, "state/?raw=1")
    assert form_of(html)["raw"] == '{"draft": '
    assert values_in(page(reviewer, run, "state/"))["draft"] == "Dear friend"


def test_a_large_state_is_fetched_as_a_text_and_never_in_the_page(reviewer: Client) -> None:
    run = paused(state={"large": ["x" * 1000] * 600})
    html = page(reviewer, run, "state/?raw=1")
    assert len(html) < 100_000
    fetched = reviewer.get(hidden_url(html))
    assert fetched["Content-Type"].startswith("text/plain")
    assert json.loads(fetched.content)["large"] == ["x" * 1000] * 600


def hidden_url(html: str) -> str:
    return unescape(html.split('data-json-url="')[1].split('"')[0])


def test_a_value_that_is_typed_back_is_pending_no_more(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    assert kept(reviewer, run, draft="Dear customer").json()["count"] == 0
    assert not PendingEdit.objects.exists()


def test_one_key_is_taken_back_and_the_others_stay(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend", count="4")
    fields = typed(form_of(page(reviewer, run, "state/")), sent="true")
    answer = reviewer.post(url(run, "state/"), fields | {"take-back": "draft"})
    assert answer.status_code == 302
    values = values_in(page(reviewer, run, "state/"))
    assert (values["draft"], values["count"], values["sent"]) == ("Dear customer", "4", "true")


def test_a_new_key_is_kept_and_taken_out_again(reviewer: Client, run: Run) -> None:
    fields = form_of(page(reviewer, run, "state/"))
    empty = next(n for n, value in fields.items() if n.startswith("name-") and not value)[5:]
    new = {f"name-{empty}": "tone", f"value-{empty}": "warm"}
    assert send(reviewer, run, fields | new, "keep").json()["count"] == 1
    html = page(reviewer, run, "state/")
    assert values_in(html)["tone"] == "warm"
    form = form_of(html)
    without = form | {n: "" for n, value in form.items() if value in ("tone", "warm")}
    assert send(reviewer, run, without, "keep").json()["count"] == 0


def test_two_pages_of_one_person_add_up(reviewer: Client, run: Run) -> None:
    first, second = (form_of(page(reviewer, run, "state/")) for _each in range(2))
    empty = next(n for n, value in first.items() if n.startswith("name-") and not value)[5:]
    send(reviewer, run, first | {f"name-{empty}": "tone", f"value-{empty}": "warm"}, "keep")
    send(reviewer, run, typed(second, draft="Dear friend"), "keep")
    values = values_in(page(reviewer, run, "state/"))
    assert (values["draft"], values["tone"]) == ("Dear friend", "warm")


def test_a_page_does_not_take_back_what_another_one_typed_into_other_keys(
    reviewer: Client, run: Run
) -> None:
    first, second = (form_of(page(reviewer, run, "state/")) for _each in range(2))
    first = send(reviewer, run, typed(first, draft="Dear friend"), "keep").form
    send(reviewer, run, typed(second, count="9"), "keep")
    again = typed(first, draft="Dear old friend")
    send(reviewer, run, again, "keep")
    summary = text(send(reviewer, run, again))
    assert "<ins>9</ins>" in summary
    values = values_in(page(reviewer, run, "state/"))
    assert (values["draft"], values["count"]) == ("Dear old friend", "9")


def test_what_is_applied_is_pending_no_more(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    summary = send(reviewer, run, form_of(page(reviewer, run, "state/")))
    fields = carried(summary, seq=hidden(text(summary), "seq"), reason="kinder")
    assert send(reviewer, run, fields, "apply").status_code == 302
    assert run.snapshot()["state_data"]["draft"] == "Dear friend"
    assert not PendingEdit.objects.exists()


def test_what_another_page_typed_after_the_summary_stays(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    summary = send(reviewer, run, form_of(page(reviewer, run, "state/")))
    kept(reviewer, run, draft="Dear friend", count="9")
    fields = carried(summary, seq=hidden(text(summary), "seq"), reason="")
    send(reviewer, run, fields, "apply")
    assert values_in(page(reviewer, run, "state/"))["count"] == "9"


def test_the_edit_of_an_older_version_is_merged_when_it_is_applied(
    reviewer: Client, run: Run
) -> None:
    older = typed(form_of(page(reviewer, run, "state/")), draft="Dear friend")
    send(reviewer, run, older, "keep")
    other = signed_in(Role.DESIGNER)
    theirs = send(other, run, typed(form_of(page(other, run, "state/")), count="7"))
    send(other, run, carried(theirs, reason=""), "apply")
    answer = send(reviewer, run, older)
    merged = send(reviewer, run, carried(answer, reason=""), "apply")
    send(reviewer, run, carried(merged, reason=""), "apply")
    state = run.snapshot()["state_data"]
    assert (state["draft"], state["count"]) == ("Dear friend", 7)
    assert not PendingEdit.objects.filter(conversation=run.head.key).exists()


def test_what_a_merge_made_is_pending_from_then_on(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    merged = merged_with_theirs(reviewer, run)
    form = form_of(page(reviewer, run, "state/"))
    assert form["version"] == "2"
    assert values_in(page(reviewer, run, "state/"))["draft"] == "Dear friend"
    fields = carried(merged, seq=hidden(text(merged), "seq"), reason="")
    assert send(reviewer, run, fields, "apply").status_code == 302
    assert not PendingEdit.objects.exists()


def test_a_merge_leaves_alone_what_another_page_typed_meanwhile(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    merged_with_theirs(reviewer, run, meanwhile={"sent": "true"})
    form = form_of(page(reviewer, run, "state/"))
    values = values_in(page(reviewer, run, "state/"))
    assert (form["version"], values["draft"], values["sent"]) == ("2", "Dear friend", "true")


def merged_with_theirs(reviewer: Client, run: Run, meanwhile: dict[str, str] | None = None) -> Any:
    """Look at the changes, let someone else apply, and apply; the summary of both."""
    summary = send(reviewer, run, form_of(page(reviewer, run, "state/")))
    other = signed_in(Role.DESIGNER)
    theirs = send(other, run, typed(form_of(page(other, run, "state/")), count="7"))
    send(other, run, carried(theirs, reason=""), "apply")
    if meanwhile:
        kept(reviewer, run, **meanwhile)
    fields = carried(summary, seq=hidden(text(summary), "seq"), reason="")
    merged = send(reviewer, run, fields, "apply")
    assert merged.status_code == 409
    return merged


def test_it_is_shown_and_kept_when_the_execution_continues(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    run.post("approve")
    answer = reviewer.get(url(run, "state/"))
    assert answer.status_code == 409
    assert "Dear friend" in text(answer)
    assert "in case the execution pauses again" in text(answer)
    fields = {name: hidden(text(answer), name) for name in ("version", "execution")}
    assert send(reviewer, run, fields, "discard").status_code == 302
    assert not PendingEdit.objects.exists()


def test_all_edits_are_discarded_after_a_question(reviewer: Client, run: Run) -> None:
    """What was typed last is kept for who keeps editing; without edits nothing is asked."""
    form = opened(reviewer, run)
    asked = send(reviewer, run, typed(form, draft="Dear friend"), "ask-discard")
    assert asked["Location"] == url(run, "state/") + "?discard=1"
    question = text(reviewer.get(asked["Location"]))
    assert "1 unapplied change will be lost." in question
    assert f'href="{url(run, "state/")}"' in question
    assert "Dear friend" in page(reviewer, run, "state/")
    fields = {name: hidden(question, name) for name in ("version", "execution", "step")}
    assert reviewer.post(url(run, "state/"), fields)["Location"] == url(run)
    assert not PendingEdit.objects.exists()
    assert send(reviewer, run, opened(reviewer, run), "ask-discard")["Location"] == url(run)
    assert "Discard all edits" not in page(reviewer, run, "state/?discard=1")


def test_what_an_edit_began_at_keeps_its_state_when_others_are_thinned(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = with_reducers({"draft": "Dear customer"})
    kept(reviewer, run, draft="Dear friend")
    began = run.snapshot()["version"]
    run.post("resume")
    for number in range(8):
        run.save(f"s{number}", state_data={"draft": f"by a program {number}"})
    run.pause_now("again", state_data={})
    later = clock.now() + timedelta(days=20)
    monkeypatch.setattr(clock, "now", lambda: later)
    row = find_current(run.head.key)
    assert row is not None
    policy = RetentionPolicy(keep_last=1, hourly_days=0)
    actor = system_actor(workspace(), "tests")
    assert thin(actor, run.head.public_id, row, policy).versions
    assert run.get(f"checkpoints/{began}").status_code == 200
    # Twenty days later the session has ended.
    reviewer.force_login(User.objects.get(username="reviewer-default"), BACKEND)
    assert values_in(page(reviewer, run, "state/"))["draft"] == "Dear friend"


def test_what_was_typed_into_an_execution_that_ended_is_found_when_another_one_began(
    reviewer: Client,
) -> None:
    run = with_reducers({"draft": "Dear customer", "count": 3})
    kept(reviewer, run, draft="Dear friend", count="many")
    run.post("cancel")
    assert run.post("executions", {}).status_code == 201
    running = text(reviewer.get(url(run, "state/")))
    assert "Dear friend" in running
    assert "count: many" in running
    run.pause_now("other", state_data={"draft": "another one"})
    html = page(reviewer, run, "state/")
    assert values_in(html)["draft"] == "another one"
    assert "?former=" in html
    answer = reviewer.get(url(run, "state/?former=1"))
    fields = {name: hidden(text(answer), name) for name in ("version", "execution", "former")}
    assert send(reviewer, run, fields, "discard").status_code == 302
    assert not PendingEdit.objects.exists()
    assert "?former=" not in page(reviewer, run, "state/")
    assert reviewer.get(url(run, "state/?former=1")).status_code == 404


def test_a_decision_warns_of_changes_that_are_not_applied(reviewer: Client, run: Run) -> None:
    told = "You have 1 unapplied edit"
    assert told not in page(reviewer, run)
    kept(reviewer, run, draft="Dear friend")
    assert told in page(reviewer, run)
    assert told not in page(signed_in(Role.DESIGNER), run)


def test_signs_that_a_field_does_not_show_are_reported_below_it(reviewer: Client, run: Run) -> None:
    assert "It contains characters" not in page(reviewer, run, "state/")
    kept(reviewer, run, draft="v\u202eeulav")
    html = page(reviewer, run, "state/")
    assert html.count("It contains characters that the field does not show:") == 1
    assert "U+202E</span>eulav" in html


def test_what_the_first_release_kept_is_still_offered_and_applied(
    reviewer: Client, run: Run
) -> None:
    kept(reviewer, run, draft="Dear friend")
    row = {"name": "draft", "kind": "text", "text": "Dear Anna", "old": True, "gone": False}
    stored = {
        "rows": [row],
        "others": [row | {"text": "Dear Bob"}],
        "texts": [{"text": "{no JSON", "given": {}}],
    }
    PendingEdit.objects.update(typed=json.dumps(stored).encode(), seq=3)
    html = page(reviewer, run, "state/")
    assert values_in(html)["draft"] == "Dear Anna"
    assert "Bob" in html
    assert "{no JSON" in page(reviewer, run, "state/?raw=1")
    form = typed(form_of(html), count="9")
    assert send(reviewer, run, form, "keep").json() == {"seq": 4, "count": 4, "told": ""}
    summary = send(reviewer, run, form_of(page(reviewer, run, "state/")))
    assert send(reviewer, run, carried(summary, reason=""), "apply").status_code == 302
    state = run.snapshot()["state_data"]
    assert (state["draft"], state["count"]) == ("Dear Anna", 9)
    assert "Bob" in page(reviewer, run, "state/")  # until it is discarded


def test_who_looked_at_a_draft_cannot_apply_another_one(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    summary = send(reviewer, run, form_of(page(reviewer, run, "state/")))
    form = form_of(page(reviewer, run, "state/"))
    send(reviewer, run, form, "discard")
    kept(reviewer, run, draft="Dear foe")
    answer = send(reviewer, run, carried(summary, reason=""), "approve")
    assert answer.status_code == 409
    assert "You edited this in another tab. Check the changes again." in text(answer)
    assert "<ins>foe</ins>" in text(answer)
    assert (run.snapshot()["version"], run.snapshot()["status"]) == (1, "PAUSED")


def test_no_one_sees_what_another_person_typed(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    html = page(signed_in(Role.ADMIN), run, "state/")
    assert "Dear friend" not in html
    assert 'id="pending-title"' not in html


def test_too_much_is_refused_and_what_was_kept_stays(
    reviewer: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(reviewer, run, draft="short")
    monkeypatch.setattr(draft_store, "MOST_BYTES", 300)
    answer = kept(reviewer, run, draft="long " * 100)
    assert answer.status_code == 413
    assert values_in(page(reviewer, run, "state/"))["draft"] == "short"


def test_erasing_the_conversation_erases_it(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, draft="Dear friend")
    erasure.erase(person(Role.ADMIN), run.head.public_id)
    assert not PendingEdit.objects.exists()


def test_who_may_not_edit_keeps_nothing(run: Run) -> None:
    viewer = signed_in(Role.VIEWER)
    sent = {"execution": "x", "version": 1, "seen_seq": 0, "operations": []}
    answer = viewer.patch(url(run, "state/draft/"), sent, content_type="application/json")
    assert answer.status_code == 403


def test_who_was_faster_in_between_is_heeded() -> None:
    place = EditKey(1, 1, 1)
    pending_store.change(place, lambda kept: PendingQuery(1, b"[1]", 1))
    seen: list[bytes | None] = []

    def decide(kept: Pending | None) -> PendingQuery:
        seen.append(None if kept is None else kept.typed)
        if len(seen) == 1:
            pending_store.change(place, lambda kept: PendingQuery(1, b"[2]", 2))
        return PendingQuery(1, b"[3]", len(seen) + 1)

    found = pending_store.change(place, decide)
    assert seen == [b"[1]", b"[2]"]
    assert found is not None
    assert (found.typed, found.seq) == (b"[3]", 3)
