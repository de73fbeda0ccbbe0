"""Two pages of one person: what each says is put together, and nothing that was typed is lost."""

import json
from typing import Any

import pytest
from django.test import Client

from checkpoints.pages.editing.edit_page import EditPage
from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import Form, field_of, form_of, hidden, page, text
from tests.integration.pages.state_edits import apply, carried, kept, other_edit, send, typed

pytestmark = pytest.mark.django_db


def opened(client: Client, run: Run, query: str = "") -> Form:
    return form_of(page(client, run, f"state/{query}"))


def keep(client: Client, run: Run, fields: Form) -> Form:
    """Keep what a page says; the page as it is then."""
    answer = kept(client, run, fields)
    assert answer.status_code == 200, answer.content
    assert isinstance(answer.form, Form)
    return answer.form


def whole(fields: Form, **values: Any) -> Form:
    """The page of the state as JSON with other values for some keys, None takes one out."""
    state = json.loads(fields["raw"]) | values
    left = {name: value for name, value in state.items() if value is not None}
    return fields | {"raw": json.dumps(left)}


def value(client: Client, run: Run, key: str) -> str:
    fields = opened(client, run)
    return fields[f"value-{field_of(fields, key)}"]


def pending(client: Client, run: Run) -> Any:
    shown = client.get(f"/executions/{run.head.public_id}/state/").context["page"]
    assert isinstance(shown, EditPage)
    return shown.pending


def others(client: Client, run: Run) -> list[str]:
    return [line.rows[0].after for line in pending(client, run).others]


def test_two_whole_states_add_up_by_key(reviewer: Client, run: Run) -> None:
    first, second = (opened(reviewer, run, "?raw=1") for _each in range(2))
    keep(reviewer, run, whole(first, draft="Dear friend"))
    keep(reviewer, run, whole(second, count=9))
    assert value(reviewer, run, "draft") == "Dear friend"
    assert value(reviewer, run, "count") == "9"
    summary = text(send(reviewer, run, whole(first, draft="Dear friend")))
    assert "<ins>9</ins>" in summary


def test_a_whole_state_and_a_form_add_up_too(reviewer: Client, run: Run) -> None:
    state, form = opened(reviewer, run, "?raw=1"), opened(reviewer, run)
    keep(reviewer, run, whole(state, draft=None))
    keep(reviewer, run, typed(form, count="9"))
    lines = {line.name for line in pending(reviewer, run).lines}
    assert lines == {"draft", "count"}


def test_a_key_that_a_whole_state_leaves_out_keeps_its_value_in_the_form(
    reviewer: Client, run: Run
) -> None:
    keep(reviewer, run, whole(opened(reviewer, run, "?raw=1"), draft=None))
    fields = opened(reviewer, run)
    place = field_of(fields, "draft")
    assert (fields[f"gone-{place}"], fields[f"value-{place}"]) == ("1", "Dear customer")


@pytest.mark.parametrize("raw", [True, False])
def test_of_one_key_both_texts_are_kept_and_the_page_is_notified_of_it(
    reviewer: Client, run: Run, *, raw: bool
) -> None:
    query = "?raw=1" if raw else ""
    first, second = (opened(reviewer, run, query) for _each in range(2))

    def said(fields: Form, draft: str) -> Form:
        return whole(fields, draft=draft) if raw else typed(fields, draft=draft)

    keep(reviewer, run, said(first, "one"))
    answer = kept(reviewer, run, said(second, "two"))
    assert answer.told.startswith("Another tab of yours has a different value for the key draft")
    assert value(reviewer, run, "draft") == "two"
    assert others(reviewer, run) == ["one"]


def test_who_types_on_in_both_tabs_has_one_text_of_each(reviewer: Client, run: Run) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    for text_ in ("a", "ab"):
        first = keep(reviewer, run, typed(first, draft=text_))
        second = keep(reviewer, run, typed(second, draft=text_.upper()))
    assert value(reviewer, run, "draft") == "AB"
    assert others(reviewer, run) == ["ab"]


def test_a_tab_that_is_closed_is_not_asked_and_loses_nothing(reviewer: Client, run: Run) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    keep(reviewer, run, typed(first, draft="one"))
    operation = {"op": "set", "place": "0:draft", "kind": "text", "text": "two"}
    sent = {
        "execution": second["execution"],
        "version": 1,
        "seen_seq": 0,
        "operations": [operation],
    }
    path = f"/executions/{run.head.public_id}/state/draft/"
    asked = reviewer.patch(path, sent, content_type="application/json")
    assert asked.status_code == 409
    assert [each["text"] for each in asked.json()["changed"]] == ["one"]
    assert value(reviewer, run, "draft") == "one"
    told = reviewer.patch(path, sent | {"leaves": True}, content_type="application/json")
    assert told.status_code == 200
    assert value(reviewer, run, "draft") == "two"
    assert others(reviewer, run) == ["one"]


def test_the_other_text_is_taken_or_discarded(reviewer: Client, run: Run) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    keep(reviewer, run, typed(first, draft="one"))
    keep(reviewer, run, typed(second, draft="two"))
    [line] = pending(reviewer, run).others
    send(reviewer, run, opened(reviewer, run) | {"use": line.mark}, "")
    assert value(reviewer, run, "draft") == "one"
    [line] = pending(reviewer, run).others
    send(reviewer, run, opened(reviewer, run) | {"drop": line.mark}, "")
    assert value(reviewer, run, "draft") == "one"
    assert not pending(reviewer, run).others


def test_the_other_text_outlives_an_apply(reviewer: Client, run: Run) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    keep(reviewer, run, typed(first, draft="one"))
    summary = send(reviewer, run, typed(second, draft="two"))
    send(reviewer, run, carried(summary, seq=hidden(text(summary), "seq")), "apply")
    assert run.snapshot()["state_data"]["draft"] == "two"
    assert others(reviewer, run) == ["one"]


def test_the_other_text_does_not_hold_the_form_at_an_old_version(
    reviewer: Client, run: Run
) -> None:
    first, second = opened(reviewer, run), opened(reviewer, run)
    keep(reviewer, run, typed(first, draft="one"))
    summary = send(reviewer, run, typed(second, draft="two"))
    send(reviewer, run, carried(summary, seq=hidden(text(summary), "seq")), "apply")
    other_edit(run, count=7)
    form = opened(reviewer, run)
    assert (form["version"], value(reviewer, run, "count")) == ("3", "7")
    assert value(reviewer, run, "draft") == "two"
    [line] = pending(reviewer, run).others
    send(reviewer, run, form | {"use": line.mark}, "")
    form = opened(reviewer, run)
    assert (form["version"], value(reviewer, run, "draft")) == ("3", "one")
    apply(reviewer, run, send(reviewer, run, form))
    state = run.snapshot()["state_data"]
    assert (state["draft"], state["count"]) == ("one", 7)


def test_what_one_tab_takes_back_does_not_come_again_from_another(
    reviewer: Client, run: Run
) -> None:
    keep(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    first, second = opened(reviewer, run), opened(reviewer, run)
    reviewer.post(
        f"/executions/{run.head.public_id}/state/", first | {"take-back": "draft", "step": ""}
    )
    second = typed(second, count="9")
    assert second[f"value-{field_of(second, 'draft')}"] == "Dear friend"
    summary = text(send(reviewer, run, second))
    assert "<ins>9</ins>" in summary
    assert "friend" not in summary
    assert [line.name for line in pending(reviewer, run).lines] == ["count"]


def test_texts_of_two_tabs_that_are_no_json_yet_are_both_kept(reviewer: Client, run: Run) -> None:
    first, second = (opened(reviewer, run, "?raw=1") for _each in range(2))
    first = keep(reviewer, run, first | {"raw": '{"draft": '})
    second = keep(reviewer, run, second | {"raw": '{"count": '})
    marks = pending(reviewer, run).texts
    assert marks == [first["text-given"], second["text-given"]]
    shown = [opened(reviewer, run, f"?raw=1&text={mark}")["raw"] for mark in marks]
    assert shown == ['{"draft": ', '{"count": ']
    keep(reviewer, run, first | {"raw": '{"draft": "x'})
    assert len(pending(reviewer, run).texts) == 2


def test_a_text_that_becomes_json_leaves_what_another_tab_typed_meanwhile(
    reviewer: Client, run: Run
) -> None:
    state = opened(reviewer, run, "?raw=1")
    finished = whole(state, draft="Dear friend")
    state = keep(reviewer, run, state | {"raw": finished["raw"][:-1]})
    keep(reviewer, run, typed(opened(reviewer, run), count="9"))
    again = opened(reviewer, run, f"?raw=1&text={state['text-given']}")
    assert again["raw"] == finished["raw"][:-1]
    keep(reviewer, run, again | {"raw": finished["raw"]})
    assert {line.name for line in pending(reviewer, run).lines} == {"draft", "count"}
    assert not pending(reviewer, run).texts


def test_what_is_typed_moves_to_a_version_that_left_its_keys_alone(
    reviewer: Client, run: Run
) -> None:
    old = keep(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other_edit(run, count=7)
    form = opened(reviewer, run)
    assert (form["version"], value(reviewer, run, "count")) == ("2", "7")
    assert value(reviewer, run, "draft") == "Dear friend"
    keep(reviewer, run, typed(form, sent="true"))
    keep(reviewer, run, typed(old, draft="Dear old friend"))  # an older page continues
    assert {line.name for line in pending(reviewer, run).lines} == {"draft", "sent"}
    assert value(reviewer, run, "count") == "7"


def test_what_is_typed_stays_at_its_version_if_someone_changed_the_same_key(
    reviewer: Client, run: Run
) -> None:
    keep(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    other_edit(run, draft="Dear all")
    assert opened(reviewer, run)["version"] == "1"
    html = page(reviewer, run, "state/")
    assert "Conflicts: draft." in html
    assert "The execution is now at version 2." not in html  # said once


def test_a_new_key_that_someone_else_added_meanwhile_is_no_edit_of_theirs(
    reviewer: Client, run: Run
) -> None:
    form = opened(reviewer, run)
    empty = next(n for n, value in form.items() if n.startswith("name-") and not value)[5:]
    keep(reviewer, run, form | {f"name-{empty}": "tone", f"value-{empty}": "warm"})
    other_edit(run, tone="cool")
    assert opened(reviewer, run)["version"] == "1"


def test_what_a_page_without_a_line_typed_stays_beside_what_another_page_typed_since(
    reviewer: Client, run: Run
) -> None:
    away, there = opened(reviewer, run), opened(reviewer, run)
    other_edit(run, draft="by another", count=7)
    there = opened(reviewer, run)
    keep(reviewer, run, typed(there, count="8"))
    back = keep(reviewer, run, typed(away, draft="without a line", count="9"))
    assert value(reviewer, run, "draft") == "by another"
    assert value(reviewer, run, "count") == "8"
    assert sorted(others(reviewer, run)) == ["9", "without a line"]
    keep(reviewer, run, typed(back, draft="without a line, longer"))
    assert others(reviewer, run) == ["9", "without a line, longer"]
    line = next(each for each in pending(reviewer, run).others if each.name == "draft")
    assert line.rows[0].before == "by another"
    send(reviewer, run, opened(reviewer, run) | {"use": line.mark}, "")
    assert value(reviewer, run, "draft") == "without a line, longer"


def test_a_page_without_a_line_that_is_looked_at_is_kept_beside_what_another_page_typed(
    reviewer: Client, run: Run
) -> None:
    away = opened(reviewer, run)
    other_edit(run, draft="by another")
    keep(reviewer, run, typed(opened(reviewer, run), draft="on another page"))
    answer = send(reviewer, run, typed(away, draft="without a line"))
    assert answer.status_code == 302
    assert "different value for the key draft" in page(reviewer, run, "state/")
    assert value(reviewer, run, "draft") == "on another page"
    [line] = pending(reviewer, run).others
    send(reviewer, run, opened(reviewer, run) | {"use": line.mark}, "")
    summary = send(reviewer, run, opened(reviewer, run))
    assert "<del>by another</del>" in text(summary)  # seen before it is written over
    assert apply(reviewer, run, summary).status_code == 302
    assert run.state()["draft"] == "without a line"
    assert value(reviewer, run, "draft") == "without a line"
    assert others(reviewer, run) == ["on another page"]


def test_keys_that_no_one_changed_go_back_to_the_version_of_what_is_kept(
    reviewer: Client, run: Run
) -> None:
    away = opened(reviewer, run)
    other_edit(run, draft="by another")
    there = opened(reviewer, run)
    keep(reviewer, run, typed(away, draft="without a line"))
    keep(reviewer, run, typed(there, count="9"))
    lines = {line.name for line in pending(reviewer, run).lines}
    assert lines == {"draft", "count"}
    assert others(reviewer, run) == []


def test_a_text_that_cannot_be_read_of_another_version_is_refused_and_says_why(
    reviewer: Client, run: Run
) -> None:
    away = opened(reviewer, run, "?raw=1")
    other_edit(run, draft="by another")
    keep(reviewer, run, typed(opened(reviewer, run), draft="newer"))
    answer = send(reviewer, run, away | {"raw": "{no JSON"}, "keep")
    assert answer.status_code == 409
    assert "a different version" in answer.json()["detail"]
    assert value(reviewer, run, "draft") == "newer"


def test_a_mark_that_is_none_changes_nothing(reviewer: Client, run: Run) -> None:
    keep(reviewer, run, typed(opened(reviewer, run), draft="Dear friend"))
    for button in ("use", "drop"):
        send(reviewer, run, opened(reviewer, run) | {button: "nothing"}, "")
    assert [line.name for line in pending(reviewer, run).lines] == ["draft"]
    broken = opened(reviewer, run) | {"given": '{"0:draft": 1, '}
    assert send(reviewer, run, broken).status_code == 200


def test_another_person_has_tabs_of_their_own(reviewer: Client, run: Run) -> None:
    keep(reviewer, run, typed(opened(reviewer, run), draft="mine"))
    other = signed_in(Role.DESIGNER)
    assert kept(other, run, typed(opened(other, run), draft="theirs")).json()["told"] == ""
    assert value(reviewer, run, "draft") == "mine"
