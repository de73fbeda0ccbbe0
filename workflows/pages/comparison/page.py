"""The page "Compare policies" of a workflow: the form, and the comparisons of late."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from conversations.workspace.matching import ConversationFilter
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.form_idempotency import FIELD, run_once_per_form
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import as_sentence, translated
from workflows.backtests import store, use_cases
from workflows.backtests.recordings import latest_heads
from workflows.backtests.use_cases import MOST_CONVERSATIONS, NewBacktest
from workflows.domain.backtests.budget_offers import first_budgets
from workflows.models import Backtest, Workflow
from workflows.pages.comparison.form import USUAL, CompareForm, FirstValues, read_form
from workflows.pages.definition.links import crumbs
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

_LISTED = 5


@dataclass(frozen=True, slots=True)
class ComparePage:
    """The form, why it was refused, and the latest comparisons of the workflow.

    ``own`` and ``all`` tell whether the workflow and the workspace have a conversation at all.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    form: CompareForm
    most: int
    latest: Sequence[Backtest]
    own: bool
    all: bool
    problem: str = ""
    problems: Sequence[str] = ()


@require_http_methods(["GET", "HEAD", "POST"])
@page
def compare_policies(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """A form that was sent starts a backtest and leads to its page.

    The button *Find* of its nodes brings it back with those that match.
    """
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    document = definition(bytes(row.draft)).document
    data = request.POST if request.method == "POST" else request.GET
    own = _sizes(actor, ConversationFilter(workflow=slug))
    sizes = own or _sizes(actor, ConversationFilter())
    first = FirstValues("workflow" if own or not sizes else "all", first_budgets(sizes))
    form = read_form(data, document, actor, first)
    problem, problems = "", []
    only_finds = "find_nodes" in request.POST
    if request.method == "POST" and not form.is_wrong and not only_finds:

        def start() -> HttpResponse:
            started = use_cases.start(actor, new_backtest(slug, form, data))
            return redirect("workflows:comparison", slug, started.public_id)

        try:
            return run_once_per_form(request, actor, actor.workspace, start)
        except ContextError as error:
            problem = translated(error.detail)
            problems = [as_sentence(each.message) for each in error.problems]
    shown = ComparePage(
        title=_("Compare policies"),
        crumbs=crumbs(row, Crumb(_("Compare policies"))),
        row=row,
        form=form,
        most=MOST_CONVERSATIONS,
        latest=store.latest_backtests(actor.workspace, slug, _LISTED),
        own=bool(own),
        all=bool(sizes),
        problem=problem,
        problems=[each for each in problems if each != problem],
    )
    wrong = request.method == "POST" and not only_finds
    return show(request, "workflows/compare.html", shown, status=422 if wrong else 200)


def _sizes(actor: Actor, wanted: ConversationFilter) -> list[int]:
    """The tokens of the latest conversations that are wanted."""
    return [head.log_tokens for head in latest_heads(actor, wanted, USUAL)]


def new_backtest(slug: str, form: CompareForm, data: QueryDict) -> NewBacktest:
    """What the form asks for."""
    sent = data.copy()
    for name in ("csrfmiddlewaretoken", FIELD):
        sent.pop(name, None)
    return NewBacktest(
        policies=form.policies,
        price=form.price,
        workflow=slug,
        wanted=ConversationFilter(
            status=form.status,
            workflow="" if form.scope == "all" else slug,
            text=form.text,
        ),
        last=form.count,
        calls_of=form.calls_of,
        tools=form.schemas,
        model=form.model,
        ratio="" if form.model else form.ratio,
        form=sent.urlencode(),
    )
