"""Plots of numbers by day, as the places of bars in an SVG of 100 by 100 units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.ui.components import Text

_GAP: Final = 0.2  # of the room of one day
_DIGITS: Final = 3


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of number by day; ``name`` has its colour in components.css."""

    name: str
    label: Text
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of one series on one day; ``y`` is its upper end, from the top."""

    name: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Plot:
    """Bars above each other for each day; ``most`` is the height of the plot in words.

    ``spoken`` says what is drawn to those who do not see it; a table has the numbers.
    """

    title: Text
    spoken: Text
    bars: Sequence[Bar]
    legend: Sequence[Series]
    most: str
    first: str
    last: str

    @property
    def is_empty(self) -> bool:
        return not self.bars


def stacked(days: int, series: Sequence[Series]) -> tuple[list[Bar], float]:
    """The bars of ``days`` days, and the highest sum of a day, which fills the plot."""
    most = max((sum(each.values[day] for each in series) for day in range(days)), default=0.0)
    if most <= 0:
        return [], 0.0
    room = 100 / days
    bars: list[Bar] = []
    for day in range(days):
        below = 0.0
        for each in series:
            height = 100 * each.values[day] / most
            if height <= 0:
                continue
            below += height
            bars.append(
                Bar(
                    each.name,
                    round(day * room + room * _GAP / 2, _DIGITS),
                    round(100 - below, _DIGITS),
                    round(room * (1 - _GAP), _DIGITS),
                    round(height, _DIGITS),
                )
            )
    return bars, most
