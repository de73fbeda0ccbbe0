"""Calibration: how far estimated tokens are from those that providers counted, by model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FEWEST: Final = 5  # steps from which a line is drawn; with fewer only the sums are compared


@dataclass(frozen=True, slots=True)
class Calibration:
    """The sums over ``steps`` steps: estimated tokens of the messages, and reported input
    tokens.

    ``per_token`` is reported tokens per estimated one, ``beside`` the constant part of every call
    (instructions, tools). Both are None if the steps are too few or too similar to separate them.
    """

    steps: int
    estimated: int
    reported: int
    per_token: float | None = None
    beside: float | None = None

    @property
    def ratio(self) -> float | None:
        """Returns reported tokens per estimated one, the constant part of calls included."""
        return self.reported / self.estimated if self.estimated else None


def calibrate(steps: Sequence[tuple[int, int]]) -> Calibration:
    """Fits a line through pairs of estimated and reported tokens by least squares.

    A line that falls, or starts below zero, is meaningless and is left out. Source: semantics 3.23.
    """
    estimated, reported = sum(each for each, _ in steps), sum(each for _, each in steps)
    known = Calibration(len(steps), estimated, reported)
    if len(steps) < FEWEST:
        return known
    middle, height = estimated / len(steps), reported / len(steps)
    width = sum((each - middle) ** 2 for each, _ in steps)
    if not width:
        return known
    slope = sum((each - middle) * (actual - height) for each, actual in steps) / width
    start = height - slope * middle
    if slope <= 0 or start < 0:
        return known
    return Calibration(len(steps), estimated, reported, slope, start)
