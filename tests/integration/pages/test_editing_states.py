"""Changing the state of a paused execution: type, look at the summary, apply."""

import json

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in, user
from tests.integration.checkpoints.flows import Run, ok
from tests.integration.pages.execution_scenes import (
    field_of,
    form_of,
    hidden,
    page,
    paused,
    running,
    text,
    url,
)
from tests.integration.pages.state_edits import (
    apply,
    carried,
    opened,
    other_edit,
    send,
    typed,
    with_reducers,
)

pytestmark = pytest.mark.django_db


def test_a_form_that_is_sent_as_it_came_changes_nothing(reviewer: Client, run: Run) -> None:
    answer = send(reviewer, run, opened(reviewer, run))
    assert answer.status_code == 200
    assert "There are no changes yet" in text(answer)


def test_changes_are_applied_and_approved_at_once(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    assert "Approve with these changes" in text(summary)
    answer = send(reviewer, run, carried(summary, reason="kinder"), "approve")
    assert answer.status_code == 302
    snapshot = run.snapshot()
    assert (snapshot["status"], snapshot["version"]) == ("RUNNING", 3)
    assert snapshot["state_data"]["draft"] == "Dear friend"
    assert [each["reason"] for each in run.versions()[:2]] == ["kinder", "kinder"]


def test_changes_to_what_another_has_claimed_are_approved_after_a_question(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    signed_in(Role.DESIGNER).post(url(run, "claim/"), {"do": "claim"})
    answer = send(reviewer, run, carried(summary, reason="kinder"), "approve")
    assert answer.status_code == 409
    assert "designer-default has claimed this meanwhile. Nothing is applied yet." in text(answer)
    assert "Approve anyway with these changes" in text(answer)
    assert "kinder</textarea>" in text(answer)
    assert run.snapshot()["version"] == 1
    assert send(reviewer, run, carried(answer, reason="kinder"), "approve").status_code == 302
    assert (run.snapshot()["status"], run.state()["draft"]) == ("RUNNING", "Dear friend")


def test_changes_to_what_another_edits_are_approved_after_a_question(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other = signed_in(Role.DESIGNER)
    send(other, run, typed(opened(other, run), count="4"), "keep")
    answer = send(reviewer, run, carried(summary, reason="kinder"), "approve")
    assert answer.status_code == 409
    assert "Others edit this meanwhile: designer-default (count)." in text(answer)
    assert "Approve anyway with these changes" in text(answer)
    assert run.snapshot()["version"] == 1
    assert send(reviewer, run, carried(answer, reason="kinder"), "approve").status_code == 302
    assert (run.snapshot()["status"], run.state()["draft"]) == ("RUNNING", "Dear friend")


def test_the_reason_is_written_at_once_unless_something_is_read_first(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    summary = text(send(reviewer, run, fields))
    assert _begins_at_reason(summary)
    assert "data-key-asks" not in summary
    other_edit(run, count=9)
    behind = text(send(reviewer, run, fields))
    assert "Someone else changed this" in behind
    assert not _begins_at_reason(behind)


def test_no_key_alone_approves_against_a_claim(reviewer: Client, run: Run) -> None:
    signed_in(Role.DESIGNER).post(url(run, "claim/"), {"do": "claim"})
    summary = text(send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend")))
    assert "Approve anyway with these changes" in summary
    assert "data-key-asks" in summary
    assert _begins_at_reason(summary)


def _begins_at_reason(html: str) -> bool:
    return "data-goes-on" in html.partition('id="reason"')[2].partition(">")[0]


def test_changes_to_what_another_has_claimed_are_applied_without_a_question(
    reviewer: Client, run: Run
) -> None:
    signed_in(Role.DESIGNER).post(url(run, "claim/"), {"do": "claim"})
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    assert apply(reviewer, run, summary).status_code == 302
    assert run.state()["draft"] == "Dear friend"


def test_changes_are_shown_first_and_then_written_as_one_version(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend", count="4", sent="true")
    summary = send(reviewer, run, fields)
    assert "<ins>friend</ins>" in text(summary)
    assert run.snapshot()["version"] == 1
    assert apply(reviewer, run, summary).status_code == 302
    assert run.snapshot()["version"] == 2
    changed = {"draft": "Dear friend", "count": 4, "sent": True}
    assert {key: run.state()[key] for key in changed} == changed
    newest = run.versions()[0]
    assert (newest["kind"], newest["reason"]) == ("update", "kinder")
    assert sorted(newest["changed_keys"]) == ["count", "draft", "sent"]


def test_json_is_edited_as_json(reviewer: Client, run: Run) -> None:
    fields = typed(opened(reviewer, run), facts='{"a": 1,\r\n "b": [true, null]}')
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state()["facts"] == {"a": 1, "b": [True, None]}


def test_a_type_that_the_reducer_cannot_continue_with_names_the_key(reviewer: Client) -> None:
    run = paused("tallies", reducers={"count": "increment", "facts": "merge"})
    fields = typed(opened(reviewer, run), facts="[1]")
    answer = send(reviewer, run, fields)
    assert answer.status_code == 422
    assert "The key &#x27;facts&#x27; is reduced by merge" in text(answer)


def test_an_edit_replaces_what_reducers_would_add_to(reviewer: Client) -> None:
    run = paused("tallies", reducers={"count": "increment", "facts": "merge"})
    fields = typed(opened(reviewer, run), count="10", facts='{"only": 1}')
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state()["count"] == 10
    assert run.state()["facts"] == {"only": 1}


def test_a_json_text_has_the_keys_in_the_order_of_the_form_and_begins_at_the_wanted_one(
    reviewer: Client,
) -> None:
    large = {"z": "x" * 70_000, "a": 1}
    state = {"line14": 1, "huge": large, "line2": 1, "vast": large, "first": 1}
    run = with_reducers(state)
    assert hidden(page(reviewer, run, "state/"), "raw-at") == "huge"
    assert hidden(page(reviewer, run, "state/?q=vast"), "raw-at") == "vast"
    raw = send(reviewer, run, form_of(page(reviewer, run, "state/?q=vast")), "raw")
    assert 'data-at="vast"' in text(raw)
    form = form_of(text(raw))
    written = json.loads(form["raw"])
    assert list(written) == ["first", "huge", "line2", "line14", "vast"]
    assert list(written["huge"]) == ["z", "a"]
    assert "There are no changes yet" in text(send(reviewer, run, form))


def test_the_same_is_edited_as_one_json_text(reviewer: Client, run: Run) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    raw = send(reviewer, run, fields, "raw")
    assert "Dear friend" in text(raw)
    sent = form_of(text(raw))
    sent["raw"] = sent["raw"].replace('"count": 3', '"count": 30').replace("false", "true")
    back = send(reviewer, run, sent, "form")
    assert form_of(text(back))[f"value-{field_of(form_of(text(back)), 'count')}"] == "30"
    assert apply(reviewer, run, send(reviewer, run, sent)).status_code == 302
    assert (run.state()["draft"], run.state()["count"]) == ("Dear friend", 30)
    assert run.state()["sent"] is True


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ('{"a": 1,\r\n  "b" 2}', "Line 2, column 7: a colon is missing"),
        ("[1]", "one JSON object"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ('{"messages": []}', "cannot be edited here"),
        ('{"": 1}', "1 to 200"),
    ],
)
def test_a_wrong_json_text_is_reported_and_kept(
    reviewer: Client, run: Run, raw: str, told: str
) -> None:
    sent = form_of(text(send(reviewer, run, opened(reviewer, run), "raw"))) | {"raw": raw}
    answer = send(reviewer, run, sent)
    assert answer.status_code == 422
    assert told in text(answer)
    assert "&quot;" in text(answer) or raw in text(answer)


def test_what_is_left_out_of_the_json_text_is_deleted(reviewer: Client, run: Run) -> None:
    sent = form_of(text(send(reviewer, run, opened(reviewer, run), "raw")))
    summary = send(reviewer, run, sent | {"raw": '{"draft": "alone"}'})
    assert apply(reviewer, run, summary).status_code == 302
    assert run.state() == {"draft": "alone"}


def test_strange_keys_and_texts_come_back_as_they_were(reviewer: Client) -> None:
    strange = {
        "line\nend": "a\r\nb\rc",
        "nul\x00": "\x00\x1b",
        "<b>&'\"": "\n leading",
        "emoji 🚲 中文": "  \n",
        "float": 2.0,
        "empty": "",
        "nothing": None,
    }
    run = paused()
    run.update("review", state_data=strange)
    answer = send(reviewer, run, opened(reviewer, run))
    assert "There are no changes yet" in text(answer)
    fields = opened(reviewer, run)
    fields[f"gone-{field_of(fields, 'line%0Aend')}"] = "1"
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert "line\nend" not in run.state()
    assert run.state()["nul\x00"] == "\x00\x1b"


def test_one_goes_back_from_the_summary_with_everything_typed(reviewer: Client, run: Run) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    fields[f"gone-{field_of(fields, 'facts')}"] = "1"
    again = send(reviewer, run, carried(send(reviewer, run, fields)), "back")
    html = text(again)
    assert "Dear friend" in html
    assert html.count('value="1" checked>') == 1


@pytest.mark.parametrize("step", ["apply", "approve"])
def test_who_typed_nothing_applies_nothing(reviewer: Client, run: Run, step: str) -> None:
    fields = opened(reviewer, run)
    sent = {name: fields[name] for name in ("version", "execution", "seq")}
    answer = reviewer.post(url(run, "state/"), sent | {"step": step}, follow=True)
    assert "applied or discarded in another tab" in text(answer)
    assert (run.snapshot()["version"], run.snapshot()["status"]) == (1, "PAUSED")


def test_an_approval_with_changes_names_the_messages_that_were_seen(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    run.append(user("one more thing"))
    fields = carried(summary, reason="kinder")
    answer = send(reviewer, run, fields, "approve")
    assert answer.status_code == 409
    assert (run.snapshot()["version"], run.snapshot()["status"]) == (1, "PAUSED")
    assert send(reviewer, run, carried(answer, reason="kinder"), "approve").status_code == 302
    assert (run.snapshot()["version"], run.snapshot()["status"]) == (3, "RUNNING")


def test_a_form_that_does_not_say_what_was_seen_is_refused(reviewer: Client, run: Run) -> None:
    assert reviewer.post(url(run, "state/"), {"step": "apply"}).status_code == 422
    fields = opened(reviewer, run) | {"version": "77", "step": "review"}
    assert reviewer.post(url(run, "state/"), fields).status_code == 404


def test_only_what_is_paused_is_edited(reviewer: Client, run: Run) -> None:
    run.post("approve")
    answer = reviewer.get(url(run, "state/"))
    assert answer.status_code == 409
    assert f'href="{url(run)}">Open the execution</a>' in text(answer)


def test_a_state_of_many_keys_is_found_by_name(reviewer: Client, run: Run) -> None:
    run.update("review", state_data={f"key-{number:03}": number for number in range(150)})
    html = page(reviewer, run, "state/")
    assert "more keys are not shown" in html
    found = page(reviewer, run, "state/?q=key-149")
    assert "key-149" in found
    fields = form_of(found)
    assert (
        apply(reviewer, run, send(reviewer, run, typed(fields, **{"key-149": "0"}))).status_code
        == 302
    )
    assert run.state()["key-149"] == 0
    assert run.state()["key-001"] == 1


def test_what_only_its_engine_changes_has_no_field_and_is_named(reviewer: Client) -> None:
    run = running()
    ok(
        run.save(
            "c1",
            state_data={"draft": "Dear"},
            opaque={"graph": {"type": "msgpack", "base64": "gA=="}},
            pause_before="review",
        )
    )
    form = opened(reviewer, run)
    names = [value for field, value in form.items() if field.startswith("name-") and value]
    assert [name for name in names if "graph" in name] == []
    html = page(reviewer, run, "state/")
    assert "Only the engine changes these:" in html
    assert "graph</code> (msgpack, 1" in html
    fields = typed(form, draft="Dear friend")
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state()["draft"] == "Dear friend"
    assert ok(run.get("snapshot"))["opaque"] == {"graph": {"type": "msgpack", "base64": "gA=="}}
