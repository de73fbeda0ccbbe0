"""The page "Compare policies" of a workflow: what each would have cost on its conversations."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, TooLarge
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from workflows.definitions import definition
from workflows.domain.backtests.sums import compare
from workflows.domain.backtests.table import csv_text
from workflows.models import Workflow
from workflows.pages.comparison.form import CompareForm, read_form
from workflows.pages.comparison.result import CompareResult, compare_result
from workflows.pages.definition.links import crumbs
from workflows.policy_costs import MOST_CALLS, MOST_CONVERSATIONS, PolicyCosts, policy_costs
from workflows.store import find_workflow


@dataclass(frozen=True, slots=True)
class ComparePage:
    """The form and, once it was sent, the comparison or why there is none."""

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    form: CompareForm
    most: int
    most_calls: int
    csv_url: str
    result: CompareResult | None = None
    problem: str = ""
    problems: Sequence[str] = field(default=())


@require_safe
@page
def compare_policies(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """What is compared stands in the address; ``csv`` asks for the table as a file."""
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    form = read_form(request.GET, definition(bytes(row.draft)).document, actor)
    result: CompareResult | None = None
    problem, problems = "", []
    if "last" in request.GET and not form.is_wrong:
        try:
            configs = [each.config for each in form.policies]
            found = policy_costs(actor, slug, configs, form.count)
            if "csv" in request.GET:
                return _csv(slug, found, form)
            result = compare_result(found, form, _open_url(request, slug, found))
        except TooLarge:
            problem = _(
                "These conversations and policies take more work than one page may ask for. "
                "Select fewer of them, or use manage.py backtest."
            )
        except ContextError as error:
            problem = translated(error.detail)
            problems = [translated(each.message) for each in error.problems]
    query = request.GET.copy()
    query["csv"] = "1"
    shown = ComparePage(
        title=_("Compare policies"),
        crumbs=crumbs(row, Crumb(_("Compare policies"))),
        row=row,
        form=form,
        most=MOST_CONVERSATIONS,
        most_calls=MOST_CALLS,
        csv_url=f"?{query.urlencode()}",
        result=result,
        problem=problem,
        problems=[each for each in problems if each != problem],
    )
    wrong = "last" in request.GET and result is None
    return show(request, "workflows/compare.html", shown, status=422 if wrong else 200)


def _open_url(request: HttpRequest, slug: str, found: PolicyCosts) -> str:
    """Where a call of the first conversation is opened, up to the place of the policy."""
    query = request.GET.copy()
    query["conversation"] = found.names[0] if found.names else ""
    return f"{reverse('workflows:compare-call', args=[slug])}?{query.urlencode()}&policy="


def _csv(slug: str, found: PolicyCosts, form: CompareForm) -> HttpResponse:
    answer = HttpResponse(
        csv_text(compare(found.sums, form.price)), content_type="text/csv; charset=utf-8"
    )
    name = content_disposition_header(as_attachment=True, filename=f"{slug}-policies.csv")
    answer["Content-Disposition"] = name or "attachment"
    return answer
