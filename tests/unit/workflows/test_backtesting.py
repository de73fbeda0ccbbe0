"""Backtests over many conversations, in processes of their own."""

from collections.abc import Iterator

import pytest

from conversations.domain.message import read_message
from tests.unit.workflows.test_backtests import configs, last, talk
from workflows.backtesting import Asked, Cancelled, replay_all, run_backtest
from workflows.domain.backtests.recorded import Recorded

TALKS = [talk(*["user", "assistant"] * count) for count in (700, 1, 0, 900, 20, 600)]


def test_processes_give_the_same_sums_as_one_and_tell_how_far_they_are() -> None:
    asked = Asked(configs(last(2), {"preset": "budget"}))
    told: list[int] = []

    def tell(done: int) -> bool:
        told.append(done)
        return True

    assert run_backtest(asked, TALKS, processes=2, progress=tell) == replay_all(asked, TALKS)
    assert told == [4, 6]


def test_a_cancelled_backtest_reads_no_more_conversations() -> None:
    read = 0
    large = read_message({"role": "user", "content": "x" * 1_000_000})

    def conversations() -> Iterator[Recorded]:
        nonlocal read
        for _ in range(50):
            read += 1
            yield Recorded.of_drafts("large", [large] * 4)

    with pytest.raises(Cancelled):
        run_backtest(
            Asked(configs(last(2))), conversations(), processes=1, progress=lambda done: False
        )
    assert read == 3  # each is a part by itself, and two wait for the process


def test_no_conversations_have_no_calls() -> None:
    sums = run_backtest(Asked(configs(last(2))), [], processes=1)
    assert [each.calls for each in sums] == [0, 0, 0]
