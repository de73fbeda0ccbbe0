"""Plots of usage: bars that fill their place, and numbers in words."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.ui.plots import Series, stack_bars
from ctxadmin.ui.templatetags.ui import dollars, percent, thousands

COUNTS = st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=90)


@given(COUNTS)
def test_bars_of_a_day_stand_on_each_other_and_the_highest_fills_the_plot(
    days: list[tuple[int, int]],
) -> None:
    series = [Series(name, name, [day[at] for day in days]) for at, name in enumerate("ab")]
    bars, most = stack_bars(len(days), series)
    assert most == max(map(sum, days))
    for bar in bars:
        assert 0 <= bar.x <= bar.x + bar.width <= 100.01
        assert -0.01 <= bar.y <= bar.y + bar.height <= 100.01
    if most:
        assert min(bar.y for bar in bars) == pytest.approx(0, abs=0.01)


def test_days_without_usage_have_no_bars() -> None:
    series = [Series("a", "a", [0, 4, 0]), Series("b", "b", [0, 4, 0])]
    lower, upper = stack_bars(3, series)[0]
    assert (lower.name, lower.y, lower.height) == ("a", 50, 50)
    assert (upper.name, upper.y, upper.height) == ("b", 0, 50)
    assert stack_bars(2, [Series("a", "a", [0, 0])]) == ([], 0)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, ""),
        (Decimal(0), "$0.00"),
        (Decimal("12.3"), "$12.30"),
        (Decimal("1234.567"), "$1,234.57"),
        (Decimal("0.5"), "$0.50"),
        (Decimal("0.0234"), "$0.023"),
        (0.00042, "$0.00042"),
        (Decimal("0.00000000012"), "$0.000000000"),
    ],
)
def test_dollars_have_two_digits_that_tell_something(
    amount: Decimal | float | None, text: str
) -> None:
    assert dollars(amount) == text


def test_shares_and_numbers_where_there_is_little_room() -> None:
    assert (percent(0), percent(0.834), percent(1)) == ("0 %", "83 %", "100 %")
    assert [thousands(n) for n in (0, 999, 1000, 4460, 123_456)] == [
        *("0", "999", "1.0k", "4.5k", "123k")
    ]
