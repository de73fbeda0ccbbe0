"""Estimated against reported tokens by model: a plot of the steps, and a table with the sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.domain.calibration import FEWEST, Calibration, calibrate
from checkpoints.statistics.estimates import COMPARED, compared_steps
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show

# The plot in units of its SVG, with room for the points at its edges.
_WIDE: Final = 300
_HIGH: Final = 120
_EDGE: Final = 4
_MOST_PLOTS: Final = 12  # as many as fit two screens; the table has the other models


@dataclass(frozen=True, slots=True)
class StepPoint:
    """A step at its place in the plot, with its tokens."""

    x: float
    y: float
    estimated: int
    reported: int


@dataclass(frozen=True, slots=True)
class EstimatePlot:
    """The steps of a model, estimated tokens from left to right, reported ones upward.

    ``fitted`` is the calibration, empty without one; ``equal`` is where reports would be as
    estimated. ``counted`` is what the largest context counts as.
    """

    points: Sequence[StepPoint]
    fitted: str
    equal: str
    most_estimated: int
    most_reported: int
    counted: int | None


@dataclass(frozen=True, slots=True)
class EstimateLine:
    """A model, and the difference between estimated and reported tokens."""

    model: str
    found: Calibration
    plot: EstimatePlot | None

    @property
    def few(self) -> bool:
        return self.found.steps < FEWEST


@dataclass(frozen=True, slots=True)
class Estimates:
    """The models with the most steps first; ``plotted`` are the first of them."""

    lines: Sequence[EstimateLine]
    plotted: Sequence[EstimateLine]


@dataclass(frozen=True, slots=True)
class EstimatesPage:
    """Estimated against reported tokens on a page of its own, which needs no scripts."""

    title: Text
    crumbs: Sequence[Crumb]
    estimates: Estimates
    compared: int


@require_safe
@page
def usage_estimates(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns estimated against reported tokens: a part of *Usage* that loads later, or a page."""
    found = estimates_of(compared_steps(actor.workspace))
    if request.headers.get("HX-Request"):
        return render(request, "checkpoints/_usage_estimates.html", {"estimates": found})
    title = _("Estimate and report")
    crumbs = (Crumb(_("Usage"), reverse("usage")), Crumb(title))
    shown = EstimatesPage(title, crumbs, found, COMPARED)
    return show(request, "checkpoints/usage_estimates.html", shown)


def estimates_of(steps: Mapping[str, Sequence[tuple[int, int]]]) -> Estimates:
    """Compares the estimated and reported tokens of the steps of each model."""
    lines = [_line(model, each) for model, each in steps.items()]
    lines.sort(key=lambda line: (-line.found.steps, line.model))
    return Estimates(lines, [line for line in lines if line.plot][:_MOST_PLOTS])


def _line(model: str, steps: Sequence[tuple[int, int]]) -> EstimateLine:
    found = calibrate(steps)
    return EstimateLine(model, found, _plot(found, steps))


def _plot(found: Calibration, steps: Sequence[tuple[int, int]]) -> EstimatePlot | None:
    """Returns the plot; None for too few steps to calibrate, and contexts without tokens."""
    right = max(estimated for estimated, _reported in steps)
    if len(steps) < FEWEST or not right:
        return None
    start, end, counted = 0.0, 0.0, None
    if found.per_token is not None and found.beside is not None:
        start, end = found.beside, found.beside + found.per_token * right
        counted = round(end)
    top = max(*(reported for _estimated, reported in steps), end, 1)
    points = [
        StepPoint(_x(estimated, right), _y(reported, top), estimated, reported)
        for estimated, reported in steps
    ]
    same = min(right, top)
    return EstimatePlot(
        points=points,
        fitted=f"M{_x(0, right)} {_y(start, top)}L{_x(right, right)} {_y(end, top)}"
        if counted is not None
        else "",
        equal=f"M{_x(0, right)} {_y(0, top)}L{_x(same, right)} {_y(same, top)}",
        most_estimated=right,
        most_reported=round(top),
        counted=counted,
    )


def _x(tokens: float, most: float) -> float:
    return round(_EDGE + (_WIDE - 2 * _EDGE) * tokens / most, 1)


def _y(tokens: float, most: float) -> float:
    return round(_HIGH - _EDGE - (_HIGH - 2 * _EDGE) * tokens / most, 1)
