"""Two who edit one state: nothing is lost, and nothing applied unseen."""

import re
from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import field_of, hidden, page, paused, text
from tests.integration.pages.state_edits import (
    apply,
    carried,
    opened,
    other_edit,
    send,
    typed,
)

pytestmark = pytest.mark.django_db


def test_a_conflict_is_never_approved_unseen(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    edit = {"node_id": run.snapshot()["current_node_id"], "state_data": {"draft": "Dear foe"}}
    assert run.api.patch(f"/conversations/{run.head.public_id}/snapshot", edit).status_code == 200
    answer = send(reviewer, run, carried(summary, reason="kinder"), "approve")
    assert answer.status_code == 409
    assert "Approve with these changes" not in text(answer)
    assert run.snapshot()["status"] == "PAUSED"


def test_the_summary_shows_what_a_newer_version_changed_and_conflicts_are_asked_at_once(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    assert "Somebody else" not in text(send(reviewer, run, fields))
    other_edit(run, count=9)
    html = text(send(reviewer, run, fields))
    assert "You are editing version 1; the latest is version 2." in html
    assert "Conflicting changes" not in html
    assert ">count<" in html.split("Their changes")[1]
    other_edit(run, draft="Dear Anna")
    html = text(send(reviewer, run, fields))
    assert "You edited version 1; the latest is version 3." in html
    assert "Conflicting changes" in html
    assert 'name="choice-0"' in html
    assert html.count("<del>") + html.count("<ins>") >= 1


def test_a_value_of_someone_else_says_which_version_wrote_it_beside_a_conflict(
    reviewer: Client, run: Run
) -> None:
    send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other_edit(run, draft="Dear Anna", count=9)
    html = page(reviewer, run, "state/")
    rows = re.split(r'(?=<[^>]+class="edit-key[ "])', html)
    said = {
        name: row for row in rows for name in ("draft", "count") if f'data-key-name="{name}"' in row
    }
    assert "version 1<" in said["draft"]
    assert "version 2<" in said["count"]


def test_a_long_value_of_someone_else_is_shown_from_its_change_on(
    reviewer: Client, run: Run
) -> None:
    same = "word " * 2_000
    other_edit(run, draft=f"{same}end")
    send(reviewer, run, typed(opened(reviewer, run), draft="mine"))
    other_edit(run, draft=f"{same}their end")
    theirs = page(reviewer, run, "state/").partition("edit-key-theirs")[2].partition("</code>")[0]
    assert theirs.endswith("word their end")
    assert len(theirs) < 1_000


def test_the_summary_of_what_continues_already_says_so(reviewer: Client, run: Run) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    assert run.post("approve").status_code == 200
    answer = send(reviewer, run, fields)
    assert answer.status_code == 409
    assert "Your changes were not applied" in text(answer)
    assert "Dear friend" in text(answer)


def test_changes_of_different_keys_are_merged_and_offered(reviewer: Client, run: Run) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other_edit(run, count=9)
    offered = apply(reviewer, run, summary, "mine")
    assert offered.status_code == 409
    assert "Merged with someone else’s changes" in text(offered)
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
    for side in ("Dear customer", "mine is warmer", ">count<"):
        assert side in html
    assert "Dear <del>customer</del><ins>friend</ins>" in html
    assert "Dear <del>customer</del><ins>Anna</ins>" in html
    assert "State edited" in html
    assert run.state()["draft"] == "Dear Anna"


def test_a_conflict_behind_thousands_of_characters_shows_what_each_changed(
    reviewer: Client, run: Run
) -> None:
    long = "".join(f"Line {number} of a long draft.\n" for number in range(400))
    other_edit(run, draft=f"{long}ask")
    summary = send(reviewer, run, typed(opened(reviewer, run), draft=f"{long}act"))
    other_edit(run, draft=f"{long}wait")
    html = text(apply(reviewer, run, summary))
    assert "<ins>act</ins>" in html
    assert "<ins>wait</ins>" in html


def test_of_a_list_each_side_shows_its_changes_and_the_whole(reviewer: Client, run: Run) -> None:
    other_edit(run, facts={"tags": ["late", "paid"]})
    fields = typed(opened(reviewer, run), facts='{"tags": ["late", "refund"]}')
    summary = send(reviewer, run, fields)
    other_edit(run, facts={"tags": ["late", "paid", "urgent"]})
    html = text(apply(reviewer, run, summary))
    assert re.findall(r"<legend[^>]*>([^<]+)<", html) == ["facts / tags"]
    mine, theirs = html.split("side-mine")[1].split("side-theirs")
    assert "item 2" in mine
    assert ">refund<" in mine
    assert "item 3" in theirs.split("</details>")[0]
    assert "Show the whole value" in mine


def test_a_key_that_begins_like_the_one_in_conflict_is_reported_as_merged(
    reviewer: Client, run: Run
) -> None:
    other_edit(run, draft_note="short")
    fields = typed(opened(reviewer, run), draft="Dear friend", draft_note="long")
    summary = send(reviewer, run, fields)
    other_edit(run, draft="Dear Anna")
    assert ">draft_note<" in text(apply(reviewer, run, summary)).split("Your other changes")[1]


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


def test_a_new_value_needs_no_choice_beside_it(reviewer: Client, run: Run) -> None:
    answer = conflict(reviewer, run)
    assert 'data-chooses="c0-edit"' in text(answer)
    fields = carried(answer, theirs=hidden(text(answer), "theirs"))
    fields |= {"value-0": "Dear all", "kind-0": "text"}
    assert apply(reviewer, run, send(reviewer, run, fields, "resolve")).status_code == 302
    assert run.state()["draft"] == "Dear all"


def test_a_conflict_that_no_one_decided_is_asked_again(reviewer: Client, run: Run) -> None:
    answer = conflict(reviewer, run)
    fields = carried(answer, theirs=hidden(text(answer), "theirs"))
    again = send(reviewer, run, fields, "resolve")
    assert again.status_code == 422
    assert "Resolve all conflicts first" in text(again)


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
    assert "Both, merged by the reducer increment" in text(answer)
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


def test_neither_the_summary_nor_a_conflict_discards_edits_unasked(
    reviewer: Client, run: Run
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend", count="5"))
    other_edit(run, draft="Dear Anna")
    for shown in (summary, apply(reviewer, run, summary)):
        assert 'value="ask-discard"' in text(shown)
        assert 'value="discard"' not in text(shown)
        asked = send(reviewer, run, carried(shown), "ask-discard")
        assert "2 unapplied changes will be lost." in page(reviewer, run, "state/?discard=1")
        assert asked["Location"].endswith("?discard=1")
    assert "Dear friend" in page(reviewer, run, "state/")


@pytest.mark.both_databases
def test_someone_who_is_faster_again_makes_another_conflict(reviewer: Client, run: Run) -> None:
    answer = conflict(reviewer, run)
    fields = carried(answer, theirs=hidden(text(answer), "theirs")) | {"choice-0": "mine"}
    summary = send(reviewer, run, fields, "resolve")
    other_edit(run, draft="Dear Bob")
    again = apply(reviewer, run, summary)
    assert again.status_code == 409
    assert "<ins>Bob</ins>" in text(again)
    assert "Dear friend" in text(again)


@pytest.mark.parametrize("end", ["approve", "cancel"])
def test_what_was_typed_can_be_copied_when_it_does_not_wait_any_longer(
    reviewer: Client, run: Run, end: str
) -> None:
    summary = send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    run.post(end)
    answer = apply(reviewer, run, summary, "my reason")
    assert answer.status_code == 409
    html = text(answer)
    assert "No longer paused" in html
    assert "Dear friend" in html
    assert "my reason" in html
    assert run.state()["draft"] == "Dear customer"


@pytest.mark.both_databases
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


def test_a_new_value_in_a_conflict_must_suit_the_reducer(reviewer: Client) -> None:
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


def test_who_deleted_a_key_is_named_at_its_row(reviewer: Client, run: Run) -> None:
    send(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"), "keep")
    designer = signed_in(Role.DESIGNER)
    form = opened(designer, run)
    deleted = form | {f"gone-{field_of(form, 'draft')}": "1"}
    assert apply(designer, run, send(designer, run, deleted)).status_code == 302
    row = page(reviewer, run, "state/").split("edit-key-theirs", 1)[1].split("</p>")[0]
    assert "designer-default changed this too (version 2): <i>deleted</i>" in row
