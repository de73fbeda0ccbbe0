"""The view: what runs promise beyond the laws."""

import pytest

from conversations.domain.view import View


def test_a_view_of_a_million_messages_is_one_run() -> None:
    view = View(((0, 1_000_000),))
    assert view.slice(10, 999_990).runs == ((10, 999_990),)
    assert len(view.encode()) <= 4


def test_slicing_keeps_the_number_of_runs_bounded() -> None:
    view = View((2 * place, 2 * place + 1) for place in range(100))
    assert len(view.slice(10, 20).runs) == 10


def test_neighbouring_runs_are_one_run() -> None:
    assert View(((0, 3), (3, 5), (5, 5))).runs == ((0, 5),)
    assert View(((0, 3), (4, 5))).replace(2, 3).runs == ((0, 2), (3, 5))


@pytest.mark.parametrize("position", [-1, 3, 100])
def test_a_position_outside_is_an_index_error(position: int) -> None:
    with pytest.raises(IndexError):
        View(((5, 8),)).index_at(position)


def test_inserting_outside_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        View(((5, 8),)).insert(4, View(((0, 1),)))


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([(0, 2), (1, 3)], "twice"),
        ([(3, 5), (0, 4)], "twice"),
        ([(2, 2)], "start < stop"),
        ([(-1, 2)], "start < stop"),
        ([(0, 11)], "not in the log"),
    ],
)
def test_runs_from_outside_are_checked(runs: list[tuple[int, int]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        View.from_runs(runs, 10)


@pytest.mark.parametrize("data", [b"\x80", b"\x00", b"\x01\x01", b"\x00\x00", b"\xff" * 11 + b"\0"])
def test_bytes_that_are_no_view_are_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        View.decode(data)


def test_a_view_is_equal_to_no_list() -> None:
    assert View(((0, 1),)) != [0]
    assert repr(View(((0, 1),))) == "View([(0, 1)])"
