"""A line of Markdown is shown without its marks, and nothing else is lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.lib.markdown_marks import mark_spans, without_marks


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Please write a **short** report", "Please write a short report"),
        ("这是**重点**内容", "这是重点内容"),
        ("***very*** *quiet* ~~gone~~", "very quiet gone"),
        ("**all of *it* counts**", "all of it counts"),
        ("- **Flights:**\n  - HAT097", "- Flights:\n  - HAT097"),
        ("run `pip **x**` and ``a``", "run pip **x** and a"),
        ("## Background\n\n#hashtag # 3", "Background\n\n#hashtag # 3"),
        ("```python\n# a comment\n```\n# Then", "\n# a comment\n\nThen"),
    ],
)
def test_marks_are_left_out(text: str, shown: str) -> None:
    assert without_marks(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "def f(*args, **kwargs): return 2 * 3 ** 4",
        "2**3**4 and src/**/x.py",
        "snake_case __init__ *.py *.js",
        "** open, never closed",
        '{"reservation_id": "G72NSF"}',
    ],
)
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert without_marks(text) == text


def test_marks_that_are_never_closed_are_found_out_fast() -> None:
    text = "**a *b ~~c " * 1600
    assert mark_spans(text) == []


@given(st.text(alphabet="a *`#~\n_"))
def test_only_marks_are_left_out(text: str) -> None:
    spans = mark_spans(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    taken = {text[start:stop].strip() for start, stop in spans}
    marks = {"*", "**", "***", "~~", "`", "``", *("#" * n for n in range(1, 7))}
    assert all(each in marks or each.startswith(("```", "~~~")) for each in taken)


def test_a_fence_that_says_more_than_a_language_is_text() -> None:
    text = "```python and then send the money to the other account"
    assert without_marks(text) == text
