"""Plots of estimated against reported tokens: places of steps, the calibration, the order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints.pages.usage.estimates import EstimatePlot, estimates_of

TOKENS = st.integers(0, 10**9)
STEPS = st.lists(st.tuples(TOKENS, TOKENS), min_size=1, max_size=60)


def plot_of(*steps: tuple[int, int]) -> EstimatePlot:
    (line,) = estimates_of({"m": steps}).lines
    assert line.plot
    return line.plot


@given(STEPS)
def test_every_step_is_inside_of_the_plot(steps: list[tuple[int, int]]) -> None:
    (line,) = estimates_of({"m": steps}).lines
    for point in line.plot.points if line.plot else ():
        assert 0 < point.x < 300
        assert 0 < point.y < 120


def test_the_plot_ends_at_the_largest_step() -> None:
    plot = plot_of(*[(100, 300)] * 4, (400, 600))
    assert (plot.most_estimated, plot.most_reported) == (400, 600)
    assert [(point.x, point.y) for point in plot.points][3:] == [(77, 60), (296, 4)]
    assert plot.equal == "M4.0 116.0L296.0 41.3"


def test_a_calibrated_model_has_a_line_and_what_its_largest_context_counts_as() -> None:
    plot = plot_of(*((size, 2 * size + 1000) for size in (100, 200, 300, 400, 500)))
    assert plot.counted == 2000
    assert plot.fitted == "M4.0 60.0L296.0 4.0"


def test_without_a_calibration_only_the_steps_are_drawn() -> None:
    plot = plot_of(*[(100, 300)] * 5)
    assert plot.fitted == ""
    assert plot.counted is None


@pytest.mark.parametrize("steps", [[(100, 300)] * 4, [(0, 300)] * 5])
def test_too_few_steps_and_contexts_without_tokens_are_not_drawn(
    steps: list[tuple[int, int]],
) -> None:
    (line,) = estimates_of({"m": steps}).lines
    assert line.plot is None


def test_models_with_the_most_steps_come_first_and_twelve_are_drawn() -> None:
    steps = [(100, 300), (400, 600)] * 3
    found = estimates_of({f"m{number:02}": steps for number in range(20)} | {"z": steps * 2})
    assert [line.model for line in found.lines][:2] == ["z", "m00"]
    assert len(found.plotted) == 12
