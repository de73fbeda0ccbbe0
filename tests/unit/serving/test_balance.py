"""Workers know who has the fewest connections."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxadmin.serving.balance import Balance, new_board


@pytest.fixture
def board() -> Iterator[Path]:
    made = new_board()
    yield made
    made.unlink()


def _show(board: Path, count: int) -> None:
    Balance(board).publish(count)


def in_another_process(board: Path, count: int) -> None:
    other = multiprocessing.get_context("spawn").Process(target=_show, args=(board, count))
    other.start()
    other.join()
    assert other.exitcode == 0


def test_a_worker_alone_has_the_fewest(board: Path) -> None:
    assert Balance(board).has_fewest(1_000)


def test_the_place_of_a_worker_that_ended_is_taken_by_the_next(board: Path) -> None:
    in_another_process(board, 7)
    next_one = Balance(board)
    assert next_one.has_fewest(8)
    in_another_process(board, 9)  # beside it
    assert next_one.has_fewest(9)
    assert not next_one.has_fewest(10)


def test_a_worker_with_more_than_another_lets_it_go_first(board: Path) -> None:
    mine = Balance(board)
    in_another_process(board, 2)
    assert mine.has_fewest(2)
    assert not mine.has_fewest(3)


def test_a_worker_that_leaves_is_not_waited_for(board: Path) -> None:
    mine = Balance(board)
    mine.withdraw()
    in_another_process(board, 5)
    assert mine.has_fewest(5)
