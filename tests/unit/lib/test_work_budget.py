"""The work that one request may ask for."""

import pytest

from ctxadmin.lib import work_budget
from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.work_budget import WorkBudget, limit_work, spend


def test_all_of_the_limit_may_be_spent() -> None:
    budget = WorkBudget(10)
    budget.spend(4, "looking")
    budget.spend(6, "looking")
    assert budget.spent == 10


def test_one_unit_more_is_refused_with_what_took_it_and_the_limit() -> None:
    budget = WorkBudget(10)
    budget.spend(10, "looking")
    with pytest.raises(TooLarge, match=r"^Comparing takes more work than the 10 units") as refusal:
        budget.spend(1, "comparing")
    assert refusal.value.limit == 10
    assert [problem.code for problem in refusal.value.problems] == ["too_large"]


def test_work_is_free_where_no_one_set_a_limit() -> None:
    spend(10**12, "looking")


def test_a_block_inside_another_spends_what_that_has_left() -> None:
    with limit_work(10) as outer:
        with limit_work(1_000):
            spend(7, "looking")
        assert outer.spent == 7
        with pytest.raises(TooLarge), limit_work(1_000):
            spend(4, "looking")


def test_the_next_request_begins_again() -> None:
    with limit_work(10):
        spend(10, "looking")
    with limit_work(10) as budget:
        assert budget.spent == 0


def test_work_that_takes_far_longer_than_its_units_say_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    took = 0.0
    monkeypatch.setattr(work_budget, "thread_time", lambda: took)
    budget = WorkBudget(10_000_000)  # a second's
    took = 2.9
    budget.spend(1, "comparing")
    took = 3.1
    with pytest.raises(TooLarge, match="Comparing"):
        budget.spend(1, "comparing")
