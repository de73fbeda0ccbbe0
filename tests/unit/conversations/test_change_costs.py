"""What a change of the view costs at the next call, and after how many calls it pays."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.change_costs import change_cost
from conversations.domain.prices import Price

TOKENS = st.integers(min_value=0, max_value=1_000_000)


def test_cutting_a_long_view_costs_more_once_and_pays_after_some_calls() -> None:
    # 10,000 tokens cached at 0.1 are 1,000; 1,000 kept and 3,000 written at 1.25 are 3,850.
    found = change_cost(10_000, 4_000, 9_000)
    assert (found.sent_again, found.fewer_tokens) == (3_000, 6_000)
    # 2,850 more once, 600 less at each later call.
    assert found.pays_after == 6


def test_what_changes_nothing_costs_nothing() -> None:
    found = change_cost(10_000, 10_000, 0)
    assert (found.sent_again, found.fewer_tokens, found.pays_after) == (0, 0, 1)


def test_what_shows_more_never_pays() -> None:
    found = change_cost(1_000, 5_000, 500)
    assert found.pays_after is None
    assert found.fewer_tokens == -4_000


def test_free_tokens_and_empty_views_pay_at_once() -> None:
    free = Price(Decimal(0), Decimal(0), Decimal(0), Decimal(0))
    for found in (change_cost(1_000, 10, 990, free), change_cost(0, 0, 0)):
        assert (float(found.extra), found.pays_after) == (0.0, 1)


@given(before=TOKENS, after=TOKENS, lost=TOKENS)
def test_after_so_many_calls_it_has_cost_no_more_and_one_before_it_had(
    before: int, after: int, lost: int
) -> None:
    found = change_cost(before, after, min(lost, before))

    def more(calls: int) -> Decimal:
        return found.next + (calls - 1) * (found.without - found.saved) - calls * found.without

    if found.pays_after is None:
        assert more(1) > 0
        assert found.saved <= 0
    else:
        assert more(found.pays_after) <= 0
        assert found.pays_after == 1 or more(found.pays_after - 1) > 0
