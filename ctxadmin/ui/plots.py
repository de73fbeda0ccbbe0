"""Plots of numbers by day or call, as the positions of bars in an SVG of 100 by 100 units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.ui.components import Text

_GAP: Final = 0.2  # of the room of one bar
_DIGITS: Final = 3


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of number by day or call; ``name`` has its color in plots.css.

    ``url`` is the list of what it counts, if there is one; ``urls`` are those of each place.
    """

    name: str
    label: Text
    values: Sequence[float]
    url: str = ""
    urls: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of one series, with its ``url``; ``y`` is its upper end, from the top."""

    name: str
    x: float
    y: float
    width: float
    height: float
    url: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """Stacked bars for each day or call; ``most`` is the height of the plot in words.

    ``description`` describes the plot for screen readers; a table has the numbers.
    """

    title: Text
    description: Text
    bars: Sequence[Bar]
    legend: Sequence[Series]
    most: str
    first: str
    last: str

    @property
    def is_empty(self) -> bool:
        return not self.bars


def highest(places: int, series: Sequence[Series]) -> float:
    """Returns the highest sum of the series at one place."""
    sums = (sum(each.values[place] for each in series) for place in range(places))
    return max(sums, default=0.0)


def stack_bars(
    places: int, series: Sequence[Series], most: float | None = None
) -> tuple[list[Bar], float]:
    """Returns the bars of some places; the height is ``most``, or the highest sum."""
    full = highest(places, series) if most is None else most
    if full <= 0:
        return [], 0.0
    room = 100 / places
    bars: list[Bar] = []
    for place in range(places):
        below = 0.0
        for each in series:
            height = 100 * each.values[place] / full
            if height <= 0:
                continue
            below += height
            bars.append(
                Bar(
                    each.name,
                    round(place * room + room * _GAP / 2, _DIGITS),
                    round(100 - below, _DIGITS),
                    round(room * (1 - _GAP), _DIGITS),
                    round(height, _DIGITS),
                    each.urls[place] if each.urls else each.url,
                )
            )
    return bars, full


def share_bars(values: Sequence[tuple[str, float]]) -> list[Bar]:
    """Returns one lying bar of named parts, each as wide as its share of the sum."""
    full = sum(value for _name, value in values)
    bars: list[Bar] = []
    x = 0.0
    for name, value in values:
        if value > 0:
            width = 100 * value / full
            bars.append(Bar(name, round(x, _DIGITS), 0, round(width, _DIGITS), 100))
            x += width
    return bars
