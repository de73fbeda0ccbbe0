"""Prices: what tokens of each kind cost, and that sums of costs are exact."""

from dataclasses import dataclass
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.prices import RATIOS, Price

PRICE = Price(Decimal("1.25"), Decimal("0.125"), Decimal("1.5"), Decimal(10))


@dataclass(frozen=True)
class Counts:
    input_tokens: int
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0


def counts() -> st.SearchStrategy[Counts]:
    numbers = st.integers(0, 1_000_000_000)
    return st.builds(
        lambda fresh, cached, write, output: Counts(fresh + cached + write, cached, write, output),
        *[numbers] * 4,
    )


def test_tokens_of_each_kind_have_their_own_price() -> None:
    assert PRICE.cost(Counts(1_000_000)) == Decimal("1.25")
    assert PRICE.cost(Counts(1_000_000, cached_tokens=1_000_000)) == Decimal("0.125")
    assert PRICE.cost(Counts(1_000_000, cache_write_tokens=1_000_000)) == Decimal("1.5")
    assert PRICE.cost(Counts(0, output_tokens=1_000_000)) == Decimal(10)
    assert PRICE.cost(Counts(1000, 600, 100, 50)) == Decimal("0.0011")


@given(counts(), counts())
def test_the_cost_of_a_sum_is_the_sum_of_the_costs(one: Counts, other: Counts) -> None:
    total = Counts(
        one.input_tokens + other.input_tokens,
        one.cached_tokens + other.cached_tokens,
        one.cache_write_tokens + other.cache_write_tokens,
        one.output_tokens + other.output_tokens,
    )
    assert PRICE.cost(total) == PRICE.cost(one) + PRICE.cost(other)


def test_only_a_price_of_nothing_but_zeros_is_free() -> None:
    free = Price(*[Decimal(0)] * 4)
    assert free.is_free
    assert free.cost(Counts(1000, 500, 100, 3)) == 0
    assert not PRICE.is_free
    assert not Price(Decimal(0), Decimal(0), Decimal(0), Decimal(1)).is_free


def test_ratios_count_in_input_tokens() -> None:
    assert {price.input for price in RATIOS.values()} == {Decimal(1)}
    assert RATIOS["no-cache"].cost(Counts(1_000_000, 900_000)) == 1
    assert RATIOS["cached-0.1-write-1.25"].cost(Counts(1_000_000, 900_000)) == Decimal("0.19")
