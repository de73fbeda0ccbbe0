"""A message is named by its beginning."""

import pytest

from conversations.domain.beginnings import beginning_of, first_words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\n\n  Where is   it?\nPlease look.", "Where is it?"),
        ("# **Report** on `ctx`\n\nText", "Report on ctx"),
        ("```json\n{}\n```", "{}"),
        (" \n", ""),
        ("x" * 81, "x" * 79 + "…"),
        ("退款**什么时候**到账？", "退款什么时候到账？"),
    ],
)
def test_the_first_line_with_text_names_a_message(text: str, name: str) -> None:
    assert first_words(text) == name


def test_a_beginning_is_one_line_of_a_length() -> None:
    assert beginning_of("On its\n **way** <b>", 140) == "On its way <b>"
    assert beginning_of("abcdef", 5) == "abcde…"


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("**Dear customer,\nit is late.** Sorry.", "Dear customer, it is late. Sorry."),
        ("**" + "word " * 400 + "**", "word " * 28 + "…"),
        ("**kwargs are passed on", "**kwargs are passed on"),
    ],
)
def test_emphasis_that_ends_further_on_leaves_no_mark(text: str, begins: str) -> None:
    assert beginning_of(text, 140) == begins
