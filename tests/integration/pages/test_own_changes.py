"""A page does not report a person's own changes on another page as those of someone else."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import field_of, hidden, text
from tests.integration.pages.state_edits import apply, carried, opened, other_edit, send, typed

pytestmark = pytest.mark.django_db

THIRD_PERSON = ("Someone else", "Theirs", "Keep theirs", "They changed", "Their changes")


def own_edit(client: Client, run: Run, **values: str) -> None:
    """Apply something on another page of the same person."""
    assert apply(client, run, send(client, run, typed(opened(client, run), **values))).status_code
    assert run.snapshot()["version"] > 1


def spoken(answer: Any) -> str:
    html = text(answer)
    assert not [each for each in THIRD_PERSON if each in html.split("page-content")[1]]
    return html


def test_the_summary_of_what_one_changed_on_another_page_says_you(
    reviewer: Client, run: Run
) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend")
    own_edit(reviewer, run, count="9")
    html = spoken(send(reviewer, run, form))
    assert "You changed this in another tab" in html
    assert "Your changes from another tab" in html
    assert "(you)" in html.split("Changes since")[1]


def test_the_merge_with_it_says_you(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend")
    own_edit(reviewer, run, count="9")
    merged = apply(reviewer, run, send(reviewer, run, form))
    assert "Merged with your changes from another tab" in spoken(merged)


def test_the_columns_of_a_conflict_say_you(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend")
    own_edit(reviewer, run, draft="Dear Anna")
    html = spoken(send(reviewer, run, form))
    assert "You changed this in another tab" in html
    for words in (
        "Yours, from this tab",
        "Yours, applied in another tab",
        "Keep the applied value",
    ):
        assert words in html


def test_each_key_says_whose_it_is_if_both_wrote(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend", count="5")
    own_edit(reviewer, run, draft="Dear Anna")
    other_edit(run, count=9)
    html = text(send(reviewer, run, form))
    assert "You and others changed this while you were editing" in html
    parts = re.findall(r"<legend[^>]*>(\w+)<(.*?)</fieldset>", html, re.DOTALL)
    assert [key for key, _part in parts] == ["count", "draft"]
    assert ["Yours, applied in another tab" in part for _key, part in parts] == [False, True]
    assert re.search(r"<h3>Theirs \(.+\)</h3>", parts[0][1])


def test_a_key_that_one_deleted_oneself_is_ones_own(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend", count="5")
    fresh = opened(reviewer, run)
    gone = fresh | {f"gone-{field_of(fresh, 'draft')}": "1"}
    assert apply(reviewer, run, send(reviewer, run, gone)).status_code == 302
    other_edit(run, count=9)
    html = text(send(reviewer, run, form))
    parts = re.findall(r"<legend[^>]*>(\w+)<(.*?)</fieldset>", html, re.DOTALL)
    assert [key for key, _part in parts] == ["count", "draft"]
    assert ["Yours, applied in another tab" in part for _key, part in parts] == [False, True]


def test_what_was_resolved_is_shown_as_merged_with_ones_own(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend")
    own_edit(reviewer, run, draft="Dear Anna")
    conflict = send(reviewer, run, form)
    fields = carried(conflict, theirs=hidden(text(conflict), "theirs")) | {"choice-0": "mine"}
    merged = send(reviewer, run, fields, "resolve")
    assert "Merged with your changes from another tab" in spoken(merged)


def test_of_others_it_speaks_as_before(reviewer: Client, run: Run) -> None:
    form = typed(opened(reviewer, run), draft="Dear friend")
    other_edit(run, count=9)
    html = text(send(reviewer, run, form))
    assert "Someone else changed this" in html
    assert "(you)" not in html
