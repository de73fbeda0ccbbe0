"""The calls of one conversation as bands: what of each was cached, fresh and left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.ui.components import Text
from ctxadmin.ui.plots import Bar, Series, stack_bars
from workflows.domain.backtests.replay import CallOfAll
from workflows.pages.comparison.labels import PolicyRow

MOST_BANDS: Final = 200


@dataclass(frozen=True, slots=True)
class Band:
    """One call: its bars, which open it."""

    number: int
    url: str
    bars: Sequence[Bar]


@dataclass(frozen=True, slots=True)
class PolicyBands:
    """The calls of a conversation by one policy."""

    label: Text
    bands: Sequence[Band]


@dataclass(frozen=True, slots=True)
class BandCell:
    """The numbers of one call by one policy."""

    url: str
    cached: int
    fresh: int
    dropped: int


@dataclass(frozen=True, slots=True)
class ConversationBands:
    """All policies on one scale, and the numbers: a row for each call, a cell for each policy.

    ``most`` are the tokens that fill the height; ``left_out`` calls behind the first are not shown.
    """

    policies: Sequence[PolicyBands]
    rows: Sequence[tuple[int, Sequence[BandCell]]]
    most: int
    left_out: int


def conversation_bands(
    calls: Sequence[CallOfAll], rows: Sequence[PolicyRow], url: Callable[[int, int], str]
) -> ConversationBands:
    """``url`` opens a call by the place of its policy and its number from 1.

    What is dropped of a call are the tokens that the full history would have sent beside it.
    """
    shown = calls[:MOST_BANDS]
    most = max(
        (max(each.sent for each in call.by_policy) for call in shown),
        default=0,
    )
    cells = [
        [_cell(call, place, url(place, call.number + 1)) for place in range(len(rows))]
        for call in shown
    ]
    return ConversationBands(
        policies=[
            PolicyBands(row.label, _bands([line[place] for line in cells], most))
            for place, row in enumerate(rows)
        ],
        rows=[(call.number + 1, line) for call, line in zip(shown, cells, strict=True)],
        most=most,
        left_out=len(calls) - len(shown),
    )


def _cell(call: CallOfAll, place: int, url: str) -> BandCell:
    full, found = call.by_policy[0], call.by_policy[place]
    return BandCell(url, found.cached, found.fresh, max(full.sent - found.sent, 0))


def _bands(cells: Sequence[BandCell], most: int) -> list[Band]:
    series = [
        Series("cached", "", [each.cached for each in cells]),
        Series("fresh", "", [each.fresh for each in cells]),
        Series("dropped", "", [each.dropped for each in cells]),
    ]
    bars, _full = stack_bars(len(cells), series, most)
    by_place: dict[float, list[Bar]] = {}
    for bar in bars:
        by_place.setdefault(bar.x, []).append(bar)
    room = 100 / len(cells) if cells else 0.0
    bands: list[Band] = [Band(number + 1, each.url, []) for number, each in enumerate(cells)]
    for x, found in by_place.items():
        place = int(x / room)
        bands[place] = Band(place + 1, cells[place].url, found)
    return bands
