"""Tokens and cost by day: two plots, and a table with the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from checkpoints.statistics.usage_costs import UsageSum
from checkpoints.statistics.usage_totals import UsageTotals
from ctxadmin.ui.plots import Plot, Series, stack_bars
from ctxadmin.ui.templatetags.ui import dollars, grouped


@dataclass(frozen=True, slots=True)
class DayLine:
    """A day with usage; ``url`` lists the executions that were active on it."""

    day: str
    sum: UsageSum
    url: str


@dataclass(frozen=True, slots=True)
class UsageByDay:
    """The plots of a number of days with their sum; ``lines`` are the days, latest first."""

    count: int
    total: UsageSum
    tokens: Plot
    cost: Plot
    lines: Sequence[DayLine]
    cut: bool


def usage_by_day(totals: UsageTotals, workflow: str = "") -> UsageByDay:
    days = totals.by_day()
    urls = [_executions_url(day, workflow) for day, _sum in days]
    return UsageByDay(
        count=len(days),
        total=totals.total,
        tokens=_tokens(days, urls),
        cost=_cost(days, urls),
        lines=[
            DayLine(day, each, url)
            for (day, each), url in zip(reversed(days), reversed(urls), strict=True)
            if each.steps
        ],
        cut=totals.cut,
    )


def _executions_url(day: str, workflow: str) -> str:
    given = {"workflow": workflow} if workflow else {}
    # Usage of archived conversations counts, too.
    query = urlencode({**given, "since": day, "until": day, "archived": "also"})
    return f"{reverse('checkpoints:list')}?{query}"


def _tokens(days: Sequence[tuple[str, UsageSum]], urls: Sequence[str]) -> Plot:
    series = (
        Series("cached", _("Cached input"), [each.cached_tokens for _day, each in days], urls=urls),
        Series(
            "fresh",
            _("Other input"),
            [each.input_tokens - each.cached_tokens for _day, each in days],
            urls=urls,
        ),
        Series("output", _("Output"), [each.output_tokens for _day, each in days], urls=urls),
    )
    bars, most = stack_bars(len(days), series)
    return Plot(
        title=_("Tokens per day"),
        description=_("Bars of the tokens of each day. The table below has the numbers."),
        bars=bars,
        legend=series,
        most=grouped(round(most)),
        first=days[0][0],
        last=days[-1][0],
    )


def _cost(days: Sequence[tuple[str, UsageSum]], urls: Sequence[str]) -> Plot:
    series = (
        Series("cost", _("Cost"), [float(each.price_cost) for _day, each in days], urls=urls),
    )
    bars, most = stack_bars(len(days), series)
    return Plot(
        title=_("Cost per day"),
        description=_("Bars of the cost of each day. The table below has the numbers."),
        bars=bars,
        legend=(),
        most=dollars(most),
        first=days[0][0],
        last=days[-1][0],
    )
