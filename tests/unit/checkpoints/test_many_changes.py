"""Many changes within one key of a state: the first are in sight, the others fold."""

from django.template import Context, Template
from pydantic import JsonValue

from checkpoints.pages.state.change_tree import tree_of
from checkpoints.pages.state.state_rows import state_rows
from ctxadmin.lib.structural_diff import Difference, diff

SHOW = Template('{% load ui %}{% diff_rows rows "Changes" %}')
LONG = [f"entry {number}" for number in range(30)]
BEFORE: JsonValue = {"log": [*LONG], "plan": "ask"}
AFTER: JsonValue = {"log": [*LONG[:2]], "plan": "act"}


def differences(before: JsonValue = BEFORE, after: JsonValue = AFTER) -> list[Difference]:
    return list(diff(before, after))


def test_of_many_rows_of_a_key_the_first_are_shown_and_the_next_key_follows() -> None:
    html = SHOW.render(Context({"rows": state_rows(differences(), AFTER)}))
    before, folded = html.split("<details", 1)
    folded, behind = folded.split("</details>", 1)
    assert "20 more changes in log" in folded
    assert [part.count("<tr class=") for part in (before, folded, behind)] == [8, 20, 1]
    assert "plan" in behind


def test_a_few_rows_are_all_shown() -> None:
    after: JsonValue = {"log": [*LONG[:18]], "plan": "act"}
    html = SHOW.render(Context({"rows": state_rows(differences(after=after), after)}))
    assert "<details" not in html
    assert html.count("<table") == 1


def test_a_list_in_the_tree_folds_its_later_changes() -> None:
    (log, plan) = tree_of(differences(), AFTER)
    assert (len(log.shown), len(log.folded), log.folded_count) == (8, 20, 20)
    assert not plan.folded
