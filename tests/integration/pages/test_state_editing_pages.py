"""Editing the state of a paused execution in a browser: form, summary, conflicts."""

import re
from typing import Any

import pytest
from django.test import Client

from ctxadmin.accounts.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import REVIEW, Run, edge, node, publish
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

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


@pytest.fixture
def run() -> Run:
    return paused()


def opened(client: Client, run: Run) -> dict[str, str]:
    """The form as it is shown."""
    return form_of(page(client, run, "state/"))


def typed(fields: dict[str, str], **values: str) -> dict[str, str]:
    """The form with other values in the rows of some keys."""
    return fields | {f"value-{field_of(fields, key)}": text for key, text in values.items()}


def send(client: Client, run: Run, fields: dict[str, str], step: str = "review") -> Any:
    return client.post(url(run, "state/"), fields | {"step": step})


def carried(answer: Any, **more: str) -> dict[str, str]:
    """The hidden fields of a summary or conflict page."""
    html = text(answer)
    return {name: hidden(html, name) for name in ("version", "execution", "changes")} | more


def apply(client: Client, run: Run, answer: Any, reason: str = "kinder") -> Any:
    """Press Apply on a summary."""
    return send(client, run, carried(answer, reason=reason), "apply")


def test_a_form_that_is_sent_as_it_came_changes_nothing(reviewer: Client, run: Run) -> None:
    answer = send(reviewer, run, opened(reviewer, run))
    assert answer.status_code == 200
    assert "Nothing was changed yet" in text(answer)


def test_changes_are_applied_and_approved_at_once(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    assert "Approve with these changes" in text(summary)
    answer = send(reviewer, run, carried(summary, reason="kinder"), "approve")
    assert answer.status_code == 302
    snapshot = run.snapshot()
    assert (snapshot["status"], snapshot["version"]) == ("RUNNING", 3)
    assert snapshot["state_data"]["draft"] == "Dear friend"
    assert [each["reason"] for each in run.versions()[:2]] == ["kinder", "kinder"]


def test_a_conflict_is_never_approved_unseen(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    edit = {"node_id": run.snapshot()["current_node_id"], "state_data": {"draft": "Dear foe"}}
    assert run.api.patch(f"/conversations/{run.head.public_id}/snapshot", edit).status_code == 200
    answer = send(reviewer, run, carried(summary, reason="kinder"), "approve")
    assert answer.status_code == 409
    assert "Approve with these changes" not in text(answer)
    assert run.snapshot()["status"] == "PAUSED"


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


def test_wrong_json_names_its_line_and_column_and_keeps_all_that_was_typed(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), facts='{"a": 1,\r\n "b" 2}', draft="Dear friend")
    answer = send(reviewer, run, fields)
    assert answer.status_code == 422
    assert "line 2 column" in text(answer)
    assert "Dear friend" in text(answer)
    assert run.snapshot()["version"] == 1


@pytest.mark.parametrize(
    "value", ["", "three", "NaN", "1e999", "true", "[1]", "18446744073709551616"]
)
def test_a_number_must_be_one(reviewer: Client, run: Run, value: str) -> None:
    answer = send(reviewer, run, typed(opened(reviewer, run), count=value))
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)


def test_a_key_is_deleted_and_another_added(reviewer: Client, run: Run) -> None:
    fields = opened(reviewer, run)
    place = field_of(fields, "facts")
    new = field_of(fields, "")
    fields |= {f"gone-{place}": "1", f"name-{new}": "mood", f"kind-{new}": "json"}
    fields[f"value-{new}"] = '["calm"]'
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert "facts" not in run.state()
    assert run.state()["mood"] == ["calm"]


def test_more_lines_for_new_keys_are_given_without_losing_what_was_typed(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    answer = send(reviewer, run, fields, "add")
    assert answer.status_code == 200
    assert "Dear friend" in text(answer)
    names = [name for name in form_of(text(answer)) if name.startswith("name-")]
    assert len(names) == len([name for name in fields if name.startswith("name-")]) + 1


@pytest.mark.parametrize("name", ["draft", "messages", "execution_history"])
def test_a_new_key_needs_a_name_of_its_own(reviewer: Client, run: Run, name: str) -> None:
    fields = opened(reviewer, run)
    new = field_of(fields, "")
    answer = send(reviewer, run, fields | {f"name-{new}": name, f"value-{new}": "x"})
    assert answer.status_code == 422
    assert run.snapshot()["version"] == 1


@pytest.mark.parametrize("name", ["", "draft", "k" * 201])
def test_a_bad_name_is_told_at_the_field_of_the_name(reviewer: Client, run: Run, name: str) -> None:
    fields = opened(reviewer, run)
    new = field_of(fields, "")
    html = text(send(reviewer, run, fields | {f"name-{new}": name, f"value-{new}": "x"}))
    inputs = re.findall(r'<(?:input|textarea) [^>]*aria-invalid="true"[^>]*>', html)
    assert [re.search(r' name="([a-z]+)', tag)[1] for tag in inputs] == ["name"]  # type: ignore[index]
    assert name[:40] in html


def test_a_key_that_is_too_long_is_named_in_a_json_text(reviewer: Client, run: Run) -> None:
    sent = form_of(text(send(reviewer, run, opened(reviewer, run), "raw")))
    html = text(send(reviewer, run, sent | {"raw": '{"%s": 1}' % ("k" * 201)}))
    assert "The key kkkk" in html
    assert "this one 201" in html


def test_a_value_without_a_name_is_not_lost(reviewer: Client, run: Run) -> None:
    fields = opened(reviewer, run)
    answer = send(reviewer, run, fields | {f"value-{field_of(fields, '')}": "a long text"})
    assert answer.status_code == 422
    assert "a long text" in text(answer)


def test_a_type_that_the_reducer_cannot_go_on_with_names_the_key(reviewer: Client) -> None:
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
        ('{"a": 1,\r\n  "b" 2}', "line 2 column"),
        ("[1]", "one JSON object"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ('{"messages": []}', "not edited here"),
        ('{"": 1}', "1 to 200"),
    ],
)
def test_a_wrong_json_text_is_told_and_kept(
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
    assert "Nothing was changed yet" in text(answer)
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


def other_edit(run: Run, **state: Any) -> None:
    answer = run.update("review", state_data={k: {"$replace": v} for k, v in state.items()})
    assert answer.status_code == 200


def test_the_summary_warns_of_a_newer_version_and_shows_what_it_changed(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    assert "Somebody else" not in text(send(reviewer, run, fields))
    other_edit(run, count=9)
    html = text(send(reviewer, run, fields))
    assert "You edit version 1; it is at version 2 now." in html
    assert "You both changed this" not in html
    assert "/count" in html.split("What they changed")[1]
    other_edit(run, draft="Dear Anna")
    html = text(send(reviewer, run, fields))
    assert "it is at version 3 now." in html
    assert "/draft" in html.split("You both changed this")[1].split("</p>")[0]


def test_the_summary_of_what_goes_on_already_says_so(reviewer: Client, run: Run) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    assert run.post("approve").status_code == 200
    answer = send(reviewer, run, fields)
    assert answer.status_code == 409
    assert "Your changes were not written" in text(answer)
    assert "Dear friend" in text(answer)


def test_changes_of_different_keys_are_merged_and_offered(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other_edit(run, count=9)
    offered = apply(reviewer, run, summary, "mine")
    assert offered.status_code == 409
    assert "Merged with what somebody else changed" in text(offered)
    assert "mine" in text(offered)
    assert run.state()["draft"] == "Dear customer"
    assert apply(reviewer, run, offered).status_code == 302
    assert (run.state()["draft"], run.state()["count"]) == ("Dear friend", 9)


def test_changes_inside_of_one_object_are_merged_too(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), facts='{"a": 5, "b": 2}'))
    other_edit(run, facts={"a": 1, "b": 7})
    assert apply(reviewer, run, apply(reviewer, run, summary)).status_code == 302
    assert run.state()["facts"] == {"a": 5, "b": 7}


def conflict(client: Client, run: Run) -> Any:
    """Two changed the draft; only one of them the count."""
    fields = typed(opened(client, run), draft="Dear friend", count="5")
    summary = send(client, run, fields)
    other_edit(run, draft="Dear Anna")
    return apply(client, run, summary, "mine is warmer")


def test_a_conflict_shows_all_three_sides_and_who_it_was(reviewer: Client, run: Run) -> None:
    answer = conflict(reviewer, run)
    assert answer.status_code == 409
    html = text(answer)
    for side in ("Dear customer", "Dear friend", "Dear Anna", "mine is warmer", "/count"):
        assert side in html
    assert "State edited" in html
    assert run.state()["draft"] == "Dear Anna"


def test_a_key_that_begins_like_the_one_in_conflict_is_told_as_merged(
    reviewer: Client, run: Run
) -> None:
    other_edit(run, draft_note="short")
    fields = typed(opened(reviewer, run), draft="Dear friend", draft_note="long")
    summary = send(reviewer, run, fields)
    other_edit(run, draft="Dear Anna")
    assert "/draft_note" in text(apply(reviewer, run, summary)).split("goes together")[1]


@pytest.mark.parametrize(
    ("choice", "value", "draft"),
    [
        ("mine", "", "Dear friend"),
        ("theirs", "", "Dear Anna"),
        ("edit", "Dear Anna,\r\nmy friend", "Dear Anna,\nmy friend"),
    ],
)
def test_a_conflict_is_decided_place_by_place(
    reviewer: Client, run: Run, choice: str, value: str, draft: str
) -> None:
    answer = conflict(reviewer, run)
    fields = carried(answer, theirs=hidden(text(answer), "theirs"), reason="both")
    fields |= {"choice-0": choice, "value-0": value, "kind-0": "text"}
    summary = send(reviewer, run, fields, "resolve")
    assert summary.status_code == 200
    assert apply(reviewer, run, summary).status_code == 302
    assert (run.state()["draft"], run.state()["count"]) == (draft, 5)


def test_a_conflict_that_nobody_decided_is_asked_again(reviewer: Client, run: Run) -> None:
    answer = conflict(reviewer, run)
    fields = carried(answer, theirs=hidden(text(answer), "theirs"))
    again = send(reviewer, run, fields, "resolve")
    assert again.status_code == 422
    assert "Some places are not decided yet" in text(again)


def test_wrong_json_in_a_conflict_is_kept(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), facts='{"a": 5, "b": 2}'))
    other_edit(run, facts={"a": 6, "b": 2})
    answer = apply(reviewer, run, summary)
    fields = carried(answer, theirs=hidden(text(answer), "theirs"))
    fields |= {"choice-0": "edit", "value-0": "7,", "kind-0": "json"}
    again = send(reviewer, run, fields, "resolve")
    assert again.status_code == 422
    assert "7,</textarea>" in text(again)
    fields["value-0"] = "7"
    assert apply(reviewer, run, send(reviewer, run, fields, "resolve")).status_code == 302
    assert run.state()["facts"] == {"a": 7, "b": 2}


def test_the_reducer_offers_to_put_numbers_together(reviewer: Client) -> None:
    run = paused("tallies", reducers={"count": "increment"})
    summary = send(reviewer, run, typed(opened(reviewer, run), count="5"))
    other_edit(run, count=4)
    answer = apply(reviewer, run, summary)
    assert "Both, as the reducer increment" in text(answer)
    fields = carried(answer, theirs=hidden(text(answer), "theirs")) | {"choice-0": "offer"}
    assert apply(reviewer, run, send(reviewer, run, fields, "resolve")).status_code == 302
    assert run.state()["count"] == 6


def test_taking_all_of_theirs_leaves_nothing_to_write(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other_edit(run, draft="Dear Anna")
    answer = apply(reviewer, run, summary)
    fields = carried(answer, theirs=hidden(text(answer), "theirs")) | {"choice-0": "theirs"}
    assert send(reviewer, run, fields, "resolve").status_code == 302
    assert run.snapshot()["version"] == 2


def test_somebody_who_is_faster_again_makes_another_conflict(reviewer: Client, run: Run) -> None:
    answer = conflict(reviewer, run)
    fields = carried(answer, theirs=hidden(text(answer), "theirs")) | {"choice-0": "mine"}
    summary = send(reviewer, run, fields, "resolve")
    other_edit(run, draft="Dear Bob")
    again = apply(reviewer, run, summary)
    assert again.status_code == 409
    assert "Dear Bob" in text(again)
    assert "Dear friend" in text(again)


@pytest.mark.parametrize("end", ["approve", "cancel"])
def test_what_was_typed_can_be_copied_when_it_does_not_wait_any_more(
    reviewer: Client, run: Run, end: str
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    run.post(end)
    answer = apply(reviewer, run, summary, "my reason")
    assert answer.status_code == 409
    html = text(answer)
    assert "does not wait any more" in html
    assert "Dear friend" in html
    assert "my reason" in html
    assert run.state()["draft"] == "Dear customer"


def test_an_edit_of_another_execution_of_the_conversation_is_not_merged(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    run.post("cancel")
    run.post("executions", {"workflow": "letter", "state": {"draft": "Another"}})
    run.complete("write", "again")
    answer = apply(reviewer, run, summary)
    assert answer.status_code == 409
    assert "Dear friend" in text(answer)
    assert run.state()["draft"] == "Another"


@pytest.mark.parametrize(
    "changes",
    [
        "[]",
        "nonsense",
        '{"draft": 1}',
        '{"draft": {"$delete": false}}',
        '{"messages": {"$replace": []}}',
    ],
)
def test_changes_that_no_page_wrote_are_refused(reviewer: Client, run: Run, changes: str) -> None:
    fields = opened(reviewer, run)
    sent = {"version": "1", "execution": fields["execution"], "changes": changes}
    assert send(reviewer, run, sent, "apply").status_code in (400, 422)
    assert run.snapshot()["version"] == 1


def test_a_form_that_does_not_say_what_was_seen_is_refused(reviewer: Client, run: Run) -> None:
    assert reviewer.post(url(run, "state/"), {"step": "apply"}).status_code == 422
    fields = opened(reviewer, run) | {"version": "77", "step": "review"}
    assert reviewer.post(url(run, "state/"), fields).status_code == 404


def test_only_what_is_paused_is_edited(reviewer: Client, run: Run) -> None:
    run.post("approve")
    assert reviewer.get(url(run, "state/")).status_code == 409


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


def test_what_is_written_anew_in_a_conflict_must_suit_the_reducer(reviewer: Client) -> None:
    run = Run.start(None, reducers={"count": "increment"})
    run.pause_now(state_data={"count": 1})
    summary = send(reviewer, run, typed(opened(reviewer, run), count="2"))
    assert run.update("a", state_data={"count": 4}).status_code == 200
    conflict = apply(reviewer, run, summary)
    chosen = carried(conflict, theirs="2", reason="")
    wrong = {"choice-0": "edit", "kind-0": "json", "value-0": '"many"'}
    answer = send(reviewer, run, chosen | wrong, "resolve")
    assert answer.status_code == 422
    assert "The key &#x27;count&#x27; is reduced by increment" in text(answer)
    assert "&quot;many&quot;" in text(answer)
    right = {"choice-0": "edit", "kind-0": "json", "value-0": "9"}
    merged = send(reviewer, run, chosen | right, "resolve")
    assert apply(reviewer, run, merged).status_code == 302
    assert run.state()["count"] == 9


def with_reducers(state: dict[str, Any], **reducers: str) -> Run:
    run = Run.start(None, reducers=reducers)
    run.pause_now(state_data=state)
    return run


def kind_of_row(fields: dict[str, str], key: str) -> str:
    return fields[f"kind-{field_of(fields, key)}"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [("a", "text"), (1.5, "number"), (True, "boolean"), ([1], "list"), ({"a": 1}, "object"),
     (None, "null"), ("\x00", "json")],
)  # fmt: skip
def test_each_value_has_the_input_of_its_kind_and_comes_back_as_it_was(
    reviewer: Client, value: Any, kind: str
) -> None:
    run = with_reducers({"it": value})
    fields = opened(reviewer, run)
    assert kind_of_row(fields, "it") == kind
    assert "Nothing was changed yet" in text(send(reviewer, run, fields))


@pytest.mark.parametrize(
    ("kind", "typed_text", "value"),
    [("null", "what stood there", None), ("list", "[1]", [1]), ("number", "2", 2),
     ("boolean", "true", True), ("object", "{}", {}), ("text", "[1]", "[1]")],
)  # fmt: skip
def test_a_key_takes_a_value_of_another_kind(
    reviewer: Client, kind: str, typed_text: str, value: Any
) -> None:
    run = with_reducers({"it": "a"})
    fields = typed(opened(reviewer, run), it=typed_text)
    fields[f"kind-{field_of(fields, 'it')}"] = kind
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state()["it"] == value


@pytest.mark.parametrize(("kind", "word"), [("list", "a list"), ("object", "an object")])
def test_a_value_that_is_not_of_the_chosen_kind_is_refused(
    reviewer: Client, kind: str, word: str
) -> None:
    run = with_reducers({"it": "a"})
    fields = typed(opened(reviewer, run), it="7")
    fields[f"kind-{field_of(fields, 'it')}"] = kind
    answer = send(reviewer, run, fields)
    assert answer.status_code == 422
    assert f"This must be {word}" in text(answer)


def test_declared_keys_that_are_not_set_are_offered_with_the_kind_of_their_reducer(
    reviewer: Client,
) -> None:
    run = with_reducers(
        {"draft": "a"}, count="increment", log="append", facts="merge", tone="overwrite",
        **{"more.*": "append"},
    )  # fmt: skip
    fields = opened(reviewer, run)
    kinds = {key: kind_of_row(fields, key) for key in ("count", "log", "facts", "tone")}
    assert kinds == {"count": "number", "log": "list", "facts": "object", "tone": "text"}
    assert "more.*" not in fields.values()
    assert "Nothing was changed yet" in text(send(reviewer, run, fields))
    fields = typed(fields, count="3", log='["a"]')
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state() == {"draft": "a", "count": 3, "log": ["a"]}
    assert "count" in opened(reviewer, run).values()


def test_a_declared_key_that_gets_the_wrong_kind_names_itself(reviewer: Client) -> None:
    run = with_reducers({"draft": "a"}, log="append")
    answer = send(reviewer, run, typed(opened(reviewer, run), log="7"))
    assert answer.status_code == 422
    assert "The key &#x27;log&#x27; is reduced by append, which needs a list" in text(answer)


def test_a_declared_key_that_is_typed_and_cleared_is_pending_no_more(reviewer: Client) -> None:
    run = with_reducers({"draft": "a"}, log="append")
    fields = typed(opened(reviewer, run), log='["a"]')
    assert send(reviewer, run, fields, "keep").json()["count"] == 1
    again = opened(reviewer, run)
    assert again[f"value-{field_of(again, 'log')}"] == '["a"]'
    assert send(reviewer, run, typed(again, log=""), "keep").json()["count"] == 0


def test_the_declared_keys_of_a_pinned_workflow_are_offered(reviewer: Client) -> None:
    nodes = [node("write"), node("review", config=REVIEW)]
    publish("declaring", nodes, [edge("write", "review")], reducers={"sums": "increment"})
    run = running("declaring")
    assert run.complete("write").status_code == 201
    assert kind_of_row(opened(reviewer, run), "sums") == "number"
