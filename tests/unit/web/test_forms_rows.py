"""Rows of a list form: added, removed and moved by plain submit buttons."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.ui.forms.boxes import RowsBox
from ctxadmin.ui.forms.flat import RowEdit
from tests.unit.web.form_models import (
    Filter,
    FilterForm,
    OperationForm,
    PlanForm,
    Rule,
    sent,
    shown,
)


def three_rules(button: str) -> QueryDict:
    return sent(
        rules__count="3",
        rules__0__pattern="a",
        rules__0__type="include",
        rules__1__pattern="b",
        rules__1__type="exclude",
        rules__2__pattern="c",
        rules__2__type="include",
        priority="not a number yet",
        _rows=button,
    )


def patterns(form: FilterForm) -> list[str]:
    count = int(form.data["rules-count"])
    return [form.data.get(f"rules-{index}-pattern", "") for index in range(count)]


def rows_box(form: FilterForm) -> RowsBox:
    return next(box for box in form.box.boxes if isinstance(box, RowsBox))


@pytest.mark.parametrize(
    ("button", "expected"),
    [
        ("add:rules", ["a", "b", "c", ""]),
        ("remove:rules:1", ["a", "c"]),
        ("remove:rules:9", ["a", "b", "c"]),
        ("up:rules:2", ["a", "c", "b"]),
        ("up:rules:0", ["a", "b", "c"]),
        ("down:rules:0", ["b", "a", "c"]),
        ("down:rules:2", ["a", "b", "c"]),
    ],
)
def test_a_button_changes_the_rows_and_nothing_else(button: str, expected: list[str]) -> None:
    form = FilterForm(three_rules(button))
    assert patterns(form) == expected
    assert form.data["priority"] == "not a number yet"


def test_a_moved_row_takes_all_its_fields_along() -> None:
    form = FilterForm(three_rules("up:rules:1"))
    assert form.data["rules-0-type"] == "exclude"
    assert form.data["rules-1-type"] == "include"


def test_a_form_whose_rows_change_is_not_judged_and_not_saved() -> None:
    form = FilterForm(three_rules("add:rules"))
    assert form.edited
    assert not form.is_valid()
    assert form.errors == {}


def test_an_unknown_button_is_a_plain_save() -> None:
    form = FilterForm(three_rules("explode:rules"))
    assert not form.edited
    assert list(form.errors) == ["priority"]


@pytest.mark.parametrize("button", ["add:nothing", "add:rules-0", "up:priority:1", "add:rules-0-x"])
def test_a_button_of_a_list_that_is_not_there_changes_nothing(button: str) -> None:
    assert patterns(FilterForm(three_rules(button))) == ["a", "b", "c"]


def test_an_added_row_starts_with_the_defaults_and_the_cursor_in_it() -> None:
    form = FilterForm(three_rules("add:rules"))
    assert form.data["rules-3-target"] == "variables"
    assert form.fields["rules-3-type"].widget.attrs["autofocus"] is True


def test_a_moved_row_keeps_the_focus_on_its_button() -> None:
    assert rows_box(FilterForm(three_rules("up:rules:2"))).focus == ("up", 1)
    assert rows_box(FilterForm(three_rules("remove:rules:2"))).focus == ("remove", 1)


def test_no_more_rows_than_the_model_allows() -> None:
    full = Filter(rules=(Rule(type="include", pattern="a"),) * 5)
    data = shown(FilterForm(initial=full))
    data["_rows"] = "add:rules"
    form = FilterForm(data)
    assert len(rows_box(form).rows) == 5
    assert rows_box(form).is_full


@pytest.mark.parametrize("count", ["-1", "1e9", "99999999", "x", ""])
def test_nonsense_as_the_number_of_rows_counts_as_none(count: str) -> None:
    form = FilterForm(sent(rules__count=count))
    assert rows_box(form).rows == []


def test_a_list_inside_of_an_optional_block_can_be_edited() -> None:
    form = OperationForm(
        sent(operation="insert", insert__messages__count="0", _rows="add:insert-messages")
    )
    assert form.data["insert-messages-count"] == "1"
    assert "insert-messages-0-role" in form.fields


def test_a_list_of_variants_can_be_edited() -> None:
    form = PlanForm(
        sent(
            first__kind="skip",
            then__count="1",
            then__0__kind="retry",
            then__0__retry__times="2",
            _rows="add:then",
        )
    )
    assert form.data["then-0-retry-times"] == "2"
    assert {"then-1-kind", "then-1-skip-reason"} <= set(form.fields)


def test_rows_of_a_form_with_a_root_are_its_own() -> None:
    data = sent(edge__rules__count="0", **{"edge-_rows": "add:edge-rules"})
    form = FilterForm(data, root="edge")
    assert form.data["edge-rules-count"] == "1"
    assert not FilterForm(data).edited


edits = st.builds(
    RowEdit,
    action=st.sampled_from(["add", "remove", "up", "down"]),
    rows=st.just("rules"),
    index=st.integers(0, 5),
)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=4), st.lists(edits, max_size=6))
def test_rows_move_as_the_elements_of_a_list_do(start: list[str], steps: list[RowEdit]) -> None:
    data = sent(rules__count=str(len(start)))
    for index, pattern in enumerate(start):
        data[f"rules-{index}-pattern"] = pattern
    expected = list(start)
    for step in steps:
        data["_rows"] = f"{step.action}:rules:{step.index}"
        form = FilterForm(data)
        expected = _edited(expected, step)
        assert patterns(form) == expected
        data = shown(form)


def _edited(rows: list[str], step: RowEdit) -> list[str]:
    here = step.index
    if step.action == "add" and len(rows) < 5:
        return [*rows, ""]
    if step.action == "remove":
        return rows[:here] + rows[here + 1 :]
    there = here + (1 if step.action == "down" else -1)
    if step.action in ("up", "down") and min(here, there) >= 0 and max(here, there) < len(rows):
        rows = list(rows)
        rows[here], rows[there] = rows[there], rows[here]
    return rows
