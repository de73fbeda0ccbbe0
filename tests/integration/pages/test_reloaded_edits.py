"""A reload of the form of a state shows what others applied, with one's own edit over it."""

import pytest
from django.test import Client

from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import form_of, page, text
from tests.integration.pages.state_edits import apply, other_edit, send, typed

pytestmark = pytest.mark.django_db


def values(html: str) -> dict[str, str]:
    fields = form_of(html)
    names = {number: fields[f"name-{number}"] for number in range(9) if f"name-{number}" in fields}
    return {name: fields.get(f"value-{number}", "") for number, name in names.items()}


def kept(client: Client, run: Run, **changes: str) -> None:
    form = typed(form_of(page(client, run, "state/")), **changes)
    assert send(client, run, form, "keep").status_code == 200


def test_a_reload_moves_the_edit_to_the_version_of_what_others_applied(
    reviewer: Client, run: Run
) -> None:
    """Of other keys without a conflict: nothing but the typed key differs from what is there."""
    kept(reviewer, run, draft="mine")
    other_edit(run, count=9, added="by another")
    html = page(reviewer, run, "state/")
    shown = values(html)
    assert (shown["draft"], shown["count"], shown["added"]) == ("mine", "9", "by another")
    assert form_of(html)["version"] == "2"
    assert "Conflicts" not in html
    assert apply(reviewer, run, send(reviewer, run, form_of(html))).status_code == 302
    assert (run.state()["draft"], run.state()["count"]) == ("mine", 9)


def test_a_reload_shows_what_others_applied_to_other_keys_even_in_a_conflict(
    reviewer: Client, run: Run
) -> None:
    kept(reviewer, run, draft="mine")
    other_edit(run, draft="theirs", count=9, added="by another")
    html = page(reviewer, run, "state/")
    shown = values(html)
    assert (shown["draft"], shown["count"], shown["added"]) == ("mine", "9", "by another")
    assert "Conflicts: draft." in html
    assert "based on version 2" in html


def test_a_conflict_is_asked_and_no_ones_change_of_another_key_is_written_over(
    reviewer: Client, run: Run
) -> None:
    kept(reviewer, run, draft="mine")
    other_edit(run, draft="theirs", count=9)
    form = form_of(page(reviewer, run, "state/"))
    conflict = send(reviewer, run, form)
    assert "Your other changes" not in text(conflict)
    assert 'name="choice-0"' in text(conflict)
    assert 'name="choice-1"' not in text(conflict)
    assert run.state()["count"] == 9
    assert run.state()["draft"] == "theirs"


def test_parts_of_one_key_that_go_together_are_rebased(reviewer: Client, run: Run) -> None:
    kept(reviewer, run, facts='{"a": 5, "b": 2}')
    other_edit(run, facts={"a": 1, "b": 7})
    html = page(reviewer, run, "state/")
    assert form_of(html)["version"] == "2"
    assert '"a": 5' in values(html)["facts"]
    assert '"b": 7' in values(html)["facts"]
    assert apply(reviewer, run, send(reviewer, run, form_of(html))).status_code == 302
    assert run.state()["facts"] == {"a": 5, "b": 7}


def test_a_form_that_was_reloaded_in_a_conflict_says_only_what_was_typed(
    reviewer: Client, run: Run
) -> None:
    kept(reviewer, run, draft="mine")
    other_edit(run, draft="theirs", count=9, added="by another")
    form = form_of(page(reviewer, run, "state/"))
    answer = send(reviewer, run, typed(form, draft="mine, longer"), "keep")
    assert answer.json()["count"] == 1
    wrong = text(send(reviewer, run, typed(form, facts="{")))
    assert values(wrong)["count"] == "9"
    again = send(reviewer, run, typed(form_of(wrong), facts='{"a": 1, "b": 2}'), "keep")
    assert again.json()["count"] == 1
