"""The page of one comparison: how far it is, then its table, plots and bands."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from workflows.backtests import use_cases
from workflows.backtests.compared_calls import calls_in, short_names
from workflows.backtests.questions import Question
from workflows.backtests.store import BacktestProblem
from workflows.backtests.use_cases import MOST_CONVERSATIONS, MOST_MESSAGES, Result
from workflows.domain.backtests.sums import compare
from workflows.domain.backtests.table import csv_text
from workflows.domain.document.graph import Document
from workflows.models import Backtest, Workflow
from workflows.pages.comparison.bands import ConversationBands, conversation_bands
from workflows.pages.comparison.form import (
    Choice,
    CompareForm,
    named,
    ratio_choices,
    read_form,
    read_prices,
)
from workflows.pages.comparison.labels import policy_rows
from workflows.pages.comparison.links import find_comparison
from workflows.pages.comparison.result import CompareResult, Pricing, compare_result
from workflows.pages.definition.links import compare_url, crumbs
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

_MOST_OFFERED = 100  # conversations to choose from
_MOST_MESSAGES_SHOWN = 1_000  # of the conversation that is shown first


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison found: table and plots by a price, and the calls of one conversation.

    ``targets`` are the nodes of the draft that a policy can be put into.
    """

    pricing: Pricing
    ratios: Sequence[Choice]
    csv_url: str
    result: CompareResult
    conversation: str
    conversations: Sequence[str]
    bands: ConversationBands | None
    bands_problem: str
    targets: Sequence[Choice]


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """One comparison; ``compared`` is there when it is done, ``problem`` says why it failed.

    ``left_out`` conversations have more than ``most_messages``.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    backtest: Backtest
    is_active: bool
    problem: str
    left_out: Sequence[str]
    most_messages: int
    form: CompareForm
    most: int
    change_url: str
    compared: Compared | None


@require_safe
@page
def comparison(request: HttpRequest, actor: Actor, slug: str, backtest_id: str) -> HttpResponse:
    """``prices`` and ``model`` price it again, ``conversation`` is the one whose calls are shown,
    ``csv`` asks for the table as a file."""
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    backtest = find_comparison(actor, slug, backtest_id)
    question = Question.read(bytes(backtest.question))
    compared: Compared | None = None
    if backtest.status == Backtest.Status.DONE:
        result = Result.read(bytes(backtest.result))
        pricing = _pricing(request.GET, actor, question)
        if "csv" in request.GET:
            return _csv(slug, result, pricing)
        compared = _compared(request, actor, row, question, result, pricing)
    names = use_cases.names_of(question.long)
    shown = ComparisonPage(
        title=_("Compare policies"),
        crumbs=crumbs(row, Crumb(_("Compare policies"), compare_url(slug)), Crumb(_("Comparison"))),
        row=row,
        backtest=backtest,
        is_active=backtest.status in (Backtest.Status.QUEUED, Backtest.Status.RUNNING),
        problem=_problem(backtest),
        left_out=[names[key] for key in question.long if key in names],
        most_messages=MOST_MESSAGES,
        form=read_form(QueryDict(question.form), definition(bytes(row.draft)).document, actor),
        most=MOST_CONVERSATIONS,
        change_url=compare_url(slug, question.form),
        compared=compared,
    )
    return show(request, "workflows/comparison.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def cancel(request: HttpRequest, actor: Actor, slug: str, backtest_id: str) -> HttpResponse:
    """Cancels a comparison, or removes its result; the form keeps its values."""
    if request.method != "POST":
        return redirect("workflows:comparison", slug, backtest_id)
    backtest = find_comparison(actor, slug, backtest_id)
    was_active = backtest.status in (Backtest.Status.QUEUED, Backtest.Status.RUNNING)
    query = Question.read(bytes(backtest.question)).form
    use_cases.remove(actor, backtest_id)
    flash.success(request, _("Comparison cancelled.") if was_active else _("Comparison removed."))
    return redirect(compare_url(slug, query))


def _problem(backtest: Backtest) -> str:
    if not backtest.problem:
        return ""
    return str(translated(BacktestProblem(backtest.problem).sentence))


def _pricing(query: QueryDict, actor: Actor, question: Question) -> Pricing:
    """The price that the address asks for, else that of the question."""
    if "prices" in query or "model" in query:
        found = read_prices(query, actor)
        if found is not None:
            ratio, model, price = found
            return Pricing(price, model, "" if model else ratio)
    return Pricing(question.price, question.model, question.ratio)


def _csv(slug: str, result: Result, pricing: Pricing) -> HttpResponse:
    answer = HttpResponse(
        csv_text(compare(result.sums, pricing.price)), content_type="text/csv; charset=utf-8"
    )
    name = content_disposition_header(as_attachment=True, filename=f"{slug}-policies.csv")
    answer["Content-Disposition"] = name or "attachment"
    return answer


def _compared(
    request: HttpRequest,
    actor: Actor,
    row: Workflow,
    question: Question,
    result: Result,
    pricing: Pricing,
) -> Compared:
    rows = policy_rows(question)
    offered = _offered(result)
    shown = request.GET.get("conversation", offered[0] if offered else "")
    bands, bands_problem = None, ""
    base = request.path + "call/?"

    def url(place: int, number: int) -> str:
        return base + urlencode({"conversation": shown, "policy": place, "call": number})

    if shown:
        try:
            bands = conversation_bands(calls_in(actor, question, shown), rows, url)
        except ContextError as error:
            bands_problem = str(translated(error.detail))
    query = request.GET.copy()
    query["csv"] = "1"
    may_change = actor.may(Action.WORKFLOW_CHANGE)
    return Compared(
        pricing=pricing,
        ratios=ratio_choices(pricing.ratio),
        csv_url=f"?{query.urlencode()}",
        result=compare_result(result, rows, pricing),
        conversation=shown,
        conversations=offered if not shown or shown in offered else [shown, *offered],
        bands=bands,
        bands_problem=bands_problem,
        targets=targets_in(definition(bytes(row.draft)).document, question) if may_change else (),
    )


def _offered(result: Result) -> list[str]:
    """The conversations to choose from: those that sent most first, of a length to look at."""
    sent = [sums for sums, _cached in result.sums[0].conversations]
    places = sorted(range(len(result.conversations)), key=lambda place: -sent[place])
    keys = [result.conversations[place] for place in places]
    names = short_names(keys, _MOST_MESSAGES_SHOWN)
    return [names[key] for key in keys if key in names][:_MOST_OFFERED]


def targets_in(document: Document, question: Question) -> list[Choice]:
    """The nodes that a policy can be put into; one that was compared is chosen, else the first."""
    nodes = [each for each in document.nodes if each.type == "llm"]
    nodes = nodes or [each for each in document.nodes if each.type != "start"]
    asked = [
        str(each["node"]) for each in question.policies if isinstance(each, dict) and "node" in each
    ]
    wanted = [question.calls_of, *asked, *(each.id for each in nodes)]
    known = {each.id for each in nodes}
    chosen = next((each for each in wanted if each in known), "")
    return [Choice(each.id, named(each), each.id == chosen) for each in nodes]
