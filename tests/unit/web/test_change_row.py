"""A difference in a tree of changes."""

from django.template import Context, Template

from ctxadmin.ui.components import DiffRow

TEMPLATE = "{% load ui %}{% change_row row %}"


def drawn(before: str, after: str) -> str:
    row = DiffRow("changed", "", before, after)
    return Template(TEMPLATE).render(Context({"row": row}))


def test_both_sides_of_a_long_text_say_which_they_are() -> None:
    html = drawn("It left. " * 40, "It arrived. " * 40)
    assert "change-row-long" in html
    assert html.count('<span class="change-label">') == 2


def test_a_short_difference_says_so_to_screen_readers_alone() -> None:
    html = drawn("3", "4")
    assert "change-row-long" not in html
    assert '<span class="visually-hidden">Before' in html
