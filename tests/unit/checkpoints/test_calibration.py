"""Calibration of the estimate of tokens by what was reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints.domain.calibration import Calibration, calibrate

LENGTHS = st.lists(st.integers(1, 100_000), min_size=5, max_size=60, unique=True)


@given(LENGTHS, st.floats(0.2, 5), st.integers(0, 10_000))
def test_a_line_is_found_again(lengths: list[int], factor: float, beside: int) -> None:
    found = calibrate([(each, round(factor * each) + beside + 1) for each in lengths])
    if found.per_token is not None and max(lengths) - min(lengths) > 1_000:
        assert found.per_token == pytest.approx(factor, rel=0.02, abs=0.002)


def test_instructions_beside_the_messages_are_distinguished_from_the_tokenizer() -> None:
    found = calibrate([(each, 1400 + 2 * each) for each in (100, 200, 400, 800, 1600)])
    assert found.per_token == pytest.approx(2)
    assert found.beside == pytest.approx(1400)
    assert found.ratio == pytest.approx((5 * 1400 + 2 * 3100) / 3100)


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [(10, 20)] * 4,
        [(10, 20)] * 9,  # equal steps tell nothing
        [(n, 1000 - n) for n in range(1, 10)],  # falls
        [(n, 3 * n - 1000) for n in range(400, 410)],  # begins below zero
    ],
)
def test_steps_that_tell_nothing_have_only_sums(steps: list[tuple[int, int]]) -> None:
    sums = (sum(each for each, _ in steps), sum(each for _, each in steps))
    assert calibrate(steps) == Calibration(len(steps), *sums)


def test_nothing_estimated_has_no_ratio() -> None:
    assert calibrate([(0, 5)]).ratio is None
