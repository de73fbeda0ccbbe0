"""The executions plotted on the overview: how many began each day, how long paused ones wait."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.domain.status import Status
from checkpoints.pages.presenters import WAIT_LABELS
from checkpoints.statistics.execution_plots import StartedDay, started_by_day, waiting_counts
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.ui.components import Text, label_of_status
from ctxadmin.ui.pages import page, part_of
from ctxadmin.ui.plots import Plot, Series, stack_bars
from ctxadmin.ui.templatetags.ui import grouped

DAYS: Final = 30
# From below upwards: what ended well is the ground that all others stand on.
_STACKED: Final = (
    Status.COMPLETED,
    Status.RUNNING,
    Status.PAUSED,
    Status.PENDING,
    Status.CANCELLED,
    Status.FAILED,
)


@dataclass(frozen=True, slots=True)
class WaitLine:
    """A range of waiting times in words, and the number of paused executions in it.

    ``width`` is the length of its bar in percent of the longest, ``url`` the queue of these.
    """

    label: Text
    count: int
    width: float
    url: str


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The executions that began on one day; ``counts`` has each listed status with its number."""

    day: str
    count: int
    counts: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class ExecutionPlots:
    """The plot of the days, and the bars of the waiting times, with their numbers.

    ``days`` has only those with an execution, latest first; ``statuses`` are those that occur.
    """

    started: Plot
    statuses: Sequence[str]
    days: Sequence[DayCounts]
    waits: Sequence[WaitLine]
    waiting_count: int


@require_safe
@part_of("overview")
@page
def executions_plots(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns the plots as a part of the overview that loads later."""
    plots = execution_plots(actor.workspace, clock.now())
    return render(request, "checkpoints/_execution_plots.html", {"plots": plots})


def execution_plots(workspace: int, now: datetime) -> ExecutionPlots:
    days = started_by_day(workspace, now, DAYS)
    statuses = [each for each in _STACKED if any(day.by_status.get(each) for day in days)]
    waits = _waits(waiting_counts(workspace, now))
    return ExecutionPlots(
        started=_started(days, statuses),
        statuses=statuses,
        days=[
            DayCounts(day.day, day.count, [(each, day.by_status.get(each, 0)) for each in statuses])
            for day in reversed(days)
            if day.count
        ],
        waits=waits,
        waiting_count=sum(each.count for each in waits),
    )


def _started(days: Sequence[StartedDay], statuses: Sequence[Status]) -> Plot:
    executions = reverse("checkpoints:list")
    series = [
        Series(
            each.lower(),
            label_of_status(each),
            [day.by_status.get(each, 0) for day in days],
            f"{executions}?status={each}&archived=also",
            [f"{executions}?started={day.day}&status={each}&archived=also" for day in days],
        )
        for each in statuses
    ]
    bars, most = stack_bars(len(days), series)
    return Plot(
        title=_("Executions started per day"),
        description=_("Bars of each day’s executions. The table below links its numbers to lists."),
        bars=bars,
        legend=series,
        most=grouped(round(most)),
        first=days[0].day,
        last=days[-1].day,
    )


def _waits(counts: Mapping[str, int]) -> list[WaitLine]:
    most = max(*counts.values(), 1)
    queue = reverse("reviews")
    return [
        WaitLine(WAIT_LABELS[name], count, round(100 * count / most, 1), f"{queue}?waited={name}")
        for name, count in counts.items()
    ]
