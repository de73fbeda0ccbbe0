"""Differences of a state as rows: what of long texts is compared."""

from checkpoints.pages.state.state_rows import state_row
from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind


def row(before: str, after: str) -> tuple[str, str]:
    found = state_row(Difference("/text", DifferenceKind.CHANGED, before, after), "text")
    return found.before, found.after


def test_a_long_text_is_compared_whole() -> None:
    before = "word " * 20_000
    assert row(before, before + "more") == (before, before + "more")


def test_an_empty_text_is_shown_as_one() -> None:
    assert row("", "new") == ('""', "new")


def test_a_value_that_was_added_or_removed_is_whole() -> None:
    text = "word " * 3000
    added = state_row(Difference("/text", DifferenceKind.ADDED, ABSENT, text), "text")
    removed = state_row(Difference("/text", DifferenceKind.REMOVED, text, ABSENT), "text")
    assert (added.after, removed.before) == (text, text)
