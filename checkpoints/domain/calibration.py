"""How far the estimate of tokens is from what providers counted, by model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_FEWEST: Final = 5  # steps from which a line is drawn; with fewer only the sums are compared


@dataclass(frozen=True, slots=True)
class Calibration:
    """Sums of ``steps`` steps: the estimate of the messages, and the input that was reported.

    ``per_token`` are reported tokens for each estimated one, ``beside`` those that every call has
    beside its messages (instructions, tools). None if the steps are too few or too equal to tell
    one from the other.
    """

    steps: int
    estimated: int
    reported: int
    per_token: float | None = None
    beside: float | None = None

    @property
    def ratio(self) -> float | None:
        """Reported tokens for each estimated one, with what calls have beside their messages."""
        return self.reported / self.estimated if self.estimated else None


def calibrate(steps: Sequence[tuple[int, int]]) -> Calibration:
    """The line through pairs of estimated and reported tokens that is nearest to all of them.

    A line that falls, or begins below zero, says nothing and is left out. Source: semantics 3.23.
    """
    estimated, reported = sum(each for each, _ in steps), sum(each for _, each in steps)
    known = Calibration(len(steps), estimated, reported)
    if len(steps) < _FEWEST:
        return known
    middle, height = estimated / len(steps), reported / len(steps)
    width = sum((each - middle) ** 2 for each, _ in steps)
    if not width:
        return known
    slope = sum((each - middle) * (told - height) for each, told in steps) / width
    start = height - slope * middle
    if slope <= 0 or start < 0:
        return known
    return Calibration(len(steps), estimated, reported, slope, start)
