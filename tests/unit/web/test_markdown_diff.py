"""A formatted text with the words that an edit took and brought."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.ui.markdown import render_chat_whole
from ctxadmin.ui.markdown_diff import markdown_diff
from tests.unit.web.html_seen import Seen
from tests.unit.web.test_markdown import ALLOWED_ATTRIBUTES, ALLOWED_TAGS


def marked(before: str, after: str) -> str:
    blocks = markdown_diff(before, after)
    return "" if blocks is None else "".join(block.html for block in blocks)


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("Left **today**.", "Left **now**.", "<del>today</del><ins>now</ins></strong>"),
        ("One.\n\nGone.\n\nTwo.", "One.\n\nTwo.", "<p><del>Gone.\n</del>Two.</p>"),
        ("One.\n\nLast.", "One.", "<p><del>Last.\n</del></p>"),
        ("- a\n- c", "- a\n- b\n- c", "<li><ins>b</ins></li>"),
        ("|a|\n|-|\n|1|", "|a|\n|-|\n|2|", "<td><del>1\n</del><ins>2</ins></td>"),
        ("```\nx = 1\n```", "```\nx = 2\n```", "x = <del>1</del><ins>2</ins>"),
        ("Hi", "Hi <b>", "Hi<ins> &lt;b&gt;</ins>"),
    ],
)  # fmt: skip
def test_changed_words_are_marked_where_they_stand(before: str, after: str, shown: str) -> None:
    assert shown in marked(before, after)


def test_another_address_behind_the_same_words_is_shown() -> None:
    html = marked("See [the shop](https://a.example/).", "See [the shop](https://b.example/).")
    assert "(https://<del>a</del><ins>b</ins>.example/)" in html


def test_signs_of_markdown_alone_have_no_mark() -> None:
    assert markdown_diff("It is late.", "It is **late**.") is None


def test_unchanged_paragraphs_far_from_a_change_are_folded() -> None:
    far = [f"Paragraph {n} with a few words that nobody changed." for n in range(9)]
    blocks = markdown_diff("\n\n".join([*far, "Bye."]), "\n\n".join([*far, "Hello."]))
    assert blocks is not None
    assert [block.folded for block in blocks] == [True, False, False]
    assert "Paragraph 8" in blocks[1].html


TEXTS = st.text(alphabet="ab \n*_`<>&[](){}|-#1.é\u202e", max_size=60)


@given(TEXTS, TEXTS)
def test_without_its_marks_it_is_the_new_text(before: str, after: str) -> None:
    html = marked(before, after)
    seen = Seen(html)
    assert seen.tags <= {*ALLOWED_TAGS, "ins", "del"}
    assert all(name in ALLOWED_ATTRIBUTES for name, _ in seen.attributes)
    if html and "<a " not in html:
        bare = re.sub(r"<del>.*?</del>|</?ins>", "", html, flags=re.DOTALL)
        assert (
            unescape(bare.removesuffix("<p></p>")).strip()
            == unescape(render_chat_whole(after)).strip()
        )
