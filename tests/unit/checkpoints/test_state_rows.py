"""Differences of a state as rows: what of long texts is compared."""

from checkpoints.pages.state.state_rows import state_row
from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind


def row(before: str, after: str) -> tuple[str, str]:
    found = state_row(Difference("/text", DifferenceKind.CHANGED, before, after), "text")
    return found.before, found.after


def test_a_change_behind_thousands_of_characters_is_compared() -> None:
    before = "word " * 6_000
    assert row(before, before + "more") == (before, before + "more")


def test_of_a_very_long_text_the_part_with_the_first_change_is_compared() -> None:
    same = "word " * 20_000
    before, after = row(f"{same}old{same}", f"{same}new{same}")
    assert before.startswith("… ")
    assert "old" in before
    assert "new" in after
    assert before.endswith(" … (200003 characters)")


def test_an_empty_text_is_shown_as_one() -> None:
    assert row("", "new") == ('""', "new")


def test_a_value_that_was_added_or_removed_is_whole() -> None:
    text = "word " * 3000
    added = state_row(Difference("/text", DifferenceKind.ADDED, ABSENT, text), "text")
    removed = state_row(Difference("/text", DifferenceKind.REMOVED, text, ABSENT), "text")
    assert (added.after, removed.before) == (text, text)
