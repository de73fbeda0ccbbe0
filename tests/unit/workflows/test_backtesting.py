"""Backtests over many conversations, in processes of their own."""

from collections.abc import Iterator
from multiprocessing import active_children

import pytest

from conversations.domain.message import read_message
from ctxadmin.lib.errors import TooLarge
from tests.unit.workflows.test_backtests import configs, last, talk
from workflows.backtests.replaying import (
    Cancelled,
    ProcessDied,
    ReplayRequest,
    replay_all,
    run_backtest,
)
from workflows.domain.backtests.recorded import Recorded

TALKS = [talk(*["user", "assistant"] * count) for count in (700, 1, 0, 900, 20, 600)]


def test_processes_give_the_same_sums_as_one_and_tell_how_far_they_are() -> None:
    asked = ReplayRequest(configs(last(2), {"preset": "budget"}))
    told: list[int] = []

    def tell(done: int) -> bool:
        told.append(done)
        return True

    assert run_backtest(asked, TALKS, processes=2, progress=tell) == replay_all(asked, TALKS)
    assert told == sorted(told)
    assert told[-1] == 6


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
            ReplayRequest(configs(last(2))),
            conversations(),
            processes=1,
            progress=lambda done: False,
        )
    assert read == 1  # each is a part by itself, and the first waits for the process


def test_a_backtest_without_processes_gives_the_same_sums() -> None:
    asked = ReplayRequest(configs(last(2), {"preset": "budget"}))
    assert run_backtest(asked, TALKS, processes=0) == replay_all(asked, TALKS)


@pytest.mark.parametrize("processes", [0, 1])
def test_a_part_that_takes_more_work_than_allowed_ends_the_backtest(processes: int) -> None:
    with pytest.raises(TooLarge):
        run_backtest(ReplayRequest(configs(last(2)), limit=100_000), TALKS, processes=processes)


def test_a_process_that_dies_ends_the_backtest() -> None:
    def kill(done: int) -> bool:
        for child in active_children():
            child.kill()
        return True

    talks = [talk(*["user", "assistant"] * 700)] * 3
    with pytest.raises(ProcessDied):
        run_backtest(ReplayRequest(configs(last(2))), talks, processes=1, progress=kill)


def test_no_conversations_have_no_calls() -> None:
    sums = run_backtest(ReplayRequest(configs(last(2))), [], processes=1)
    assert [each.calls for each in sums] == [0, 0, 0]
