"""A comparison of policies as a table and plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.utils.translation import gettext as _

from conversations.domain.prices import Price
from ctxadmin.ui.components import Text
from ctxadmin.ui.plots import Plot, Series, highest, stack_bars
from ctxadmin.ui.sentences import translated
from ctxadmin.ui.templatetags.ui import dollars, thousands
from workflows.backtests.use_cases import Result
from workflows.domain.backtests.spread import Spread, changes_of, spread_of
from workflows.domain.backtests.sums import Comparison, PolicySums, compare
from workflows.pages.comparison.labels import PolicyRow
from workflows.pages.drawing.cost_words import change_words

_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Pricing:
    """The price by which a comparison is shown: of a ``model``, or of a ratio or given price."""

    price: Price
    model: str = ""
    ratio: str = ""

    def words(self, cost: Decimal) -> str:
        """Dollars; by prices in proportion, tokens at the full price."""
        return thousands(round(cost * _MILLION)) if self.ratio else dollars(cost)


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """One policy; changes are words against the full history, empty where there are none.

    ``place`` is that of its row, ``can_be_used`` tells that a node can take it over.
    """

    place: int
    label: Text
    found: Comparison
    cost: str
    sent_change: str
    cost_change: str
    fresh_times: str
    plot: Plot | None
    node: str
    can_be_used: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CallLine:
    """The cost of one call under each policy, averaged over the conversations that had it."""

    number: int
    conversations: int
    costs: Sequence[str]


@dataclass(frozen=True, slots=True)
class SpreadLine:
    """The change of the cost of single conversations; places are of an SVG 100 units wide."""

    label: Text
    spread: Spread
    low: str
    median: str
    high: str
    x: float
    width: float
    middle: float


@dataclass(frozen=True, slots=True)
class CompareResult:
    """The table, the plots of the cost per call, one for each policy, and their numbers.

    ``zero`` is where no change stands in the drawings of ``spreads``.
    """

    conversations: int
    calls: int
    lines: Sequence[PolicyLine]
    plots: Sequence[Plot]
    call_lines: Sequence[CallLine]
    spreads: Sequence[SpreadLine]
    zero: float
    has_best: bool


def compare_result(result: Result, rows: Sequence[PolicyRow], pricing: Pricing) -> CompareResult:
    """What a backtest found, by a price."""
    sums = result.sums
    compared = compare(sums, pricing.price)
    plots = _plots(sums, rows, pricing)
    spreads, zero = _spreads(sums, rows, pricing)
    return CompareResult(
        conversations=len(sums[0].conversations),
        calls=sums[0].calls,
        lines=[
            _line(place, each, row, plots[place] if plots else None, pricing)
            for place, (each, row) in enumerate(zip(compared, rows, strict=True))
        ],
        plots=plots,
        call_lines=_call_lines(sums, pricing),
        spreads=spreads,
        zero=zero,
        has_best=any(each.is_best for each in compared),
    )


def _line(
    place: int, each: Comparison, row: PolicyRow, plot: Plot | None, pricing: Pricing
) -> PolicyLine:
    sums = each.sums
    return PolicyLine(
        place=place,
        label=row.label,
        found=each,
        cost=pricing.words(sums.cost(pricing.price)),
        sent_change=_change(each.sent_change),
        cost_change=_change(each.cost_change),
        fresh_times="" if each.fresh_times is None else f"{each.fresh_times:.2f}×",
        plot=plot,
        node=row.node,
        can_be_used=bool(row.operations),
        problem=translated(sums.problem),
    )


def _change(share: float | None) -> str:
    """Returns a change in words, "" where there is nothing to compare with."""
    return "" if share is None else change_words(share)


def _shares(sums: PolicySums, price: Price) -> tuple[Series, Series]:
    """Returns the cost per call of cached and of fresh tokens."""
    places = sums.positions
    return (
        Series(
            "cached",
            _("Cached input"),
            [float(each.cached * price.cached) / each.calls for each in places],
        ),
        Series(
            "fresh",
            _("Fresh input"),
            [float((each.sent - each.cached) * price.cache_write) / each.calls for each in places],
        ),
    )


def _plots(sums: Sequence[PolicySums], rows: Sequence[PolicyRow], pricing: Pricing) -> list[Plot]:
    """Returns plots of the same height, so that bars can be compared across them."""
    count = len(sums[0].positions)
    series = [_shares(each, pricing.price) for each in sums]
    most = max((highest(count, each) for each in series), default=0.0)
    if not count:
        return []
    caption = _("Bars of the average cost of each call. The table below has the numbers.")
    words = pricing.words(Decimal(most) / _MILLION)
    return [
        Plot(
            title=row.label,
            description=caption,
            bars=stack_bars(count, each, most)[0],
            legend=(),
            most=words,
            first=_("Call %(n)s") % {"n": 1},
            last=_("Call %(n)s") % {"n": count} if count > 1 else "",
        )
        for row, each in zip(rows, series, strict=True)
    ]


def _call_lines(sums: Sequence[PolicySums], pricing: Pricing) -> list[CallLine]:
    costs = [
        [sum(each.values[place] for each in _shares(policy, pricing.price)) for policy in sums]
        for place in range(len(sums[0].positions))
    ]
    return [
        CallLine(
            number=place + 1,
            conversations=sums[0].positions[place].calls,
            costs=[pricing.words(Decimal(each) / _MILLION) for each in line],
        )
        for place, line in enumerate(costs)
    ]


def _spreads(
    sums: Sequence[PolicySums], rows: Sequence[PolicyRow], pricing: Pricing
) -> tuple[list[SpreadLine], float]:
    """A line for each policy but the full history, all on one scale that shows no change, too."""
    found = [
        (row, spread)
        for row, each in zip(rows[1:], sums[1:], strict=True)
        if (spread := spread_of(changes_of(each, sums[0], pricing.price))) is not None
    ]
    least = min((each.low for _row, each in found), default=0.0)
    most = max((each.high for _row, each in found), default=0.0)
    least, most = min(least, 0.0), max(most, 0.0)
    room = (most - least) or 1.0

    def at(share: float) -> float:
        return round(2 + 96 * (share - least) / room, 2)

    return [
        SpreadLine(
            label=row.label,
            spread=each,
            low=_change(each.low),
            median=_change(each.median),
            high=_change(each.high),
            x=at(each.low),
            width=max(round(at(each.high) - at(each.low), 2), 0.5),
            middle=at(each.median),
        )
        for row, each in found
    ], at(0.0)
