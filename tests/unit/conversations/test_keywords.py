"""Many keywords at once say the same as one after the other, for less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.configs import read_operation
from conversations.domain.keywords import Keywords
from ctxadmin.lib.errors import TooLarge, ValidationFailed
from ctxadmin.lib.work_budget import limit_work

few_letters = st.text(alphabet="ab\u00e9\U0001f600", min_size=1, max_size=12)


@given(
    st.lists(few_letters, min_size=1, max_size=40),
    st.text(alphabet="ab\u00e9\U0001f600", max_size=60),
)
def test_a_text_has_one_of_many_keywords_if_one_is_in_it(words: list[str], text: str) -> None:
    assert Keywords(words)(text) is any(word in text for word in words)


@given(st.integers(17, 60), st.integers(0, 60), st.integers(0, 12))
def test_long_keywords_that_start_alike_are_distinguished(count: int, said: int, cut: int) -> None:
    words = [f"a long start {number:03}" for number in range(count)]
    text = f"and a long start {said:03}"[: 20 - cut]
    assert Keywords(words)(text) is any(word in text for word in words)


def test_a_thousand_keywords_take_one_look_at_each_character() -> None:
    with limit_work(10**9) as budget:
        assert not Keywords([f"{number:04} keyword" for number in range(1_000)])("x" * 200)
    assert budget.spent == 2 * 200


def test_keywords_whose_start_is_found_are_counted_each() -> None:
    with limit_work(10**9) as budget:
        assert not Keywords([f"aaaaaaaa{number:04}" for number in range(1_000)])("a" * 20)
    assert budget.spent == 2 * 20 + 1_000


def test_too_much_work_names_the_keywords() -> None:
    with limit_work(100), pytest.raises(TooLarge, match="keywords"):
        Keywords(["a", "b"])("x" * 64 * 100)


@pytest.mark.parametrize("words", [["a"] * 10_001, ["a" * 10_001]])
def test_lists_of_keywords_are_bounded(words: list[str]) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        read_operation({"operation": "filter", "filter": {"content_excludes": list(words)}})
    assert refusal.value.problems[0].pointer.startswith("/filter/content_excludes")
