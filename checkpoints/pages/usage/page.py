"""The page of usage: tokens and cost of a workspace or of a workflow."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.pages.usage.by_day import UsageByDay, usage_by_day
from checkpoints.statistics.estimates import COMPARED
from checkpoints.statistics.usage_costs import UsageSum
from checkpoints.statistics.usage_totals import UsageTotals, totals_of_workflow, totals_of_workspace
from conversations.domain.price_table import PriceTable, price_table
from conversations.services.recalls import NodeRecalls, recalls_by_node
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, part_of, show
from workflows.models import Workflow

DAYS: Final = (7, 30, 90)
USUAL: Final = 30
_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class SumLine:
    """The usage of one workflow version, node or model; ``url`` is its page."""

    name: str
    sum: UsageSum
    version: int | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class UsagePage:
    """Plots and tables of the last days; ``nodes`` only of one workflow.

    ``recalls`` are the nodes that recalled most, ``compared`` steps have their tokens estimated
    again. Each table has the lines that cost most, ``more`` says that some are left out.
    """

    title: Text
    crumbs: Sequence[Crumb]
    workflow: str
    days: UsageByDay
    choices: Sequence[tuple[int, str]]
    versions: Sequence[SumLine]
    nodes: Sequence[SumLine]
    models: Sequence[SumLine]
    recalls: Sequence[NodeRecalls]
    more: bool
    reported: bool
    table: PriceTable
    compared: int
    canvas_url: str
    may_price: bool


@require_safe
@page
def usage(request: HttpRequest, actor: Actor) -> HttpResponse:
    workflow = request.GET.get("workflow", "")
    count = days_of(request.GET.get("days", str(USUAL)))
    today = clock.now().date()
    # Workflows are named in ASCII; MySQL refuses to compare their column with anything else.
    if not workflow:
        totals = totals_of_workspace(actor.workspace, today, count)
    else:
        totals = totals_of_workflow(
            actor.workspace, workflow if workflow.isascii() else "?", today, count
        )
    return show(request, "checkpoints/usage.html", _page(actor, totals, workflow, count))


@require_safe
@part_of("usage")
@page
def usage_days(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns the plots of the last 30 days, as a part of the overview that loads later."""
    totals = totals_of_workspace(actor.workspace, clock.now().date(), USUAL)
    return render(request, "checkpoints/_usage_days.html", {"days": usage_by_day(totals)})


def _page(actor: Actor, totals: UsageTotals, workflow: str, count: int) -> UsagePage:
    versions = [
        _version_line(name, number, each, count)
        for (name, number), each in totals.by_version().items()
    ]
    nodes = [SumLine(name, each) for name, each in totals.by_node().items()] if workflow else []
    models = [SumLine(name, each) for name, each in totals.by_model().items()]
    here = reverse("usage")
    more = f"&workflow={workflow}" if workflow else ""
    title = _("Usage")
    root = Crumb(title, here)
    return UsagePage(
        title=_("Usage of %(name)s") % {"name": workflow} if workflow else title,
        crumbs=(root, Crumb(workflow)) if workflow else (),
        workflow=workflow,
        days=usage_by_day(totals, workflow),
        choices=[(each, "" if each == count else f"{here}?days={each}{more}") for each in DAYS],
        versions=_dearest(versions),
        nodes=_dearest(nodes),
        models=_dearest(models),
        recalls=_recalls(actor, totals, workflow),
        more=any(len(lines) > _MOST for lines in (versions, nodes, models)),
        reported=bool(totals.total.costed),
        table=price_table(),
        compared=COMPARED,
        canvas_url=_canvas_url(actor, workflow, count),
        may_price=actor.may(Action.PRICES_SET),
    )


def _recalls(actor: Actor, totals: UsageTotals, workflow: str) -> Sequence[NodeRecalls]:
    since = date.fromisoformat(totals.days[0])
    wanted = workflow if workflow.isascii() else "?"
    return recalls_by_node(actor.workspace, since, wanted)[:_MOST]


def _canvas_url(actor: Actor, workflow: str, count: int) -> str:
    """Returns the address of the nodes on a canvas, if the workflow is published."""
    rows = Workflow.objects.for_workspace(actor.workspace).filter(published_version__isnull=False)
    if not workflow or not workflow.isascii() or not rows.filter(slug=workflow).exists():
        return ""
    return f"{reverse('usage-canvas', args=[workflow])}?days={count}"


def _version_line(name: str, number: int | None, each: UsageSum, count: int) -> SumLine:
    url = f"{reverse('usage')}?days={count}&workflow={name}" if name else ""
    return SumLine(name, each, number, url)


def _dearest(lines: Sequence[SumLine]) -> list[SumLine]:
    """Returns the lines with the highest cost, then those with the most tokens."""
    order = sorted(lines, key=lambda line: (line.sum.price_cost, line.sum.tokens), reverse=True)
    return order[:_MOST]


def days_of(text: str) -> int:
    """Returns one of the offered numbers of days; raises ValidationFailed for any other."""
    if text not in {str(each) for each in DAYS}:
        words = ", ".join(map(str, DAYS))
        raise ValidationFailed.at("?days", _("Choose a number of days: %(n)s.") % {"n": words})
    return int(text)
