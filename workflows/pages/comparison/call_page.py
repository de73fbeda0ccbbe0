"""The page of one call of a comparison: what it would have seen under a policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from pydantic import JsonValue

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from workflows.backtests.compared_calls import OpenedCall, open_call
from workflows.backtests.questions import Question
from workflows.backtests.use_cases import names_of
from workflows.models import Workflow
from workflows.pages.comparison.form import Choice
from workflows.pages.comparison.labels import policy_rows
from workflows.pages.comparison.links import find_comparison
from workflows.pages.definition.links import compare_url, crumbs
from workflows.pages.preview.preview_result import message_text
from workflows.store.workflow import find_workflow

_MOST_OFFERED = 100  # conversations to choose from


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message that the call would see."""

    label: str
    role: str
    text: str
    tokens: JsonValue


@dataclass(frozen=True, slots=True)
class CallPage:
    """Which call by which policy, and what it would see; ``call`` counts from 1.

    ``earlier`` messages are not shown. ``call_problem`` says why the policy cannot run at this
    call.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    conversation: str
    conversations: Sequence[str]
    policies: Sequence[Choice]
    call: str
    found: OpenedCall | None
    messages: Sequence[SeenMessage]
    earlier: int
    problem: str
    call_problem: str
    former_url: str
    next_url: str


@require_safe
@page
def compared_call(request: HttpRequest, actor: Actor, slug: str, backtest_id: str) -> HttpResponse:
    """``conversation``, ``policy`` and ``call`` stand in the address."""
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    backtest = find_comparison(actor, slug, backtest_id)
    question = Question.read(bytes(backtest.question))
    name, asked = request.GET.get("conversation", ""), request.GET.get("call", "").strip()
    policy = request.GET.get("policy", "0")
    found: OpenedCall | None = None
    problem = ""
    try:
        found = _open(actor, question, name, policy, asked)
    except ContextError as error:
        problem = translated(error.detail)
    before = reverse("workflows:comparison", args=[slug, backtest_id])
    if found:
        before += f"?{urlencode({'conversation': name})}"
    shown = CallPage(
        title=_("Compared call"),
        crumbs=crumbs(
            row,
            Crumb(_("Compare policies"), compare_url(slug)),
            Crumb(_("Comparison"), before),
            Crumb(_("Compared call")),
        ),
        row=row,
        conversation=name,
        conversations=_offered(question, name if found else ""),
        policies=[
            Choice(str(place), each.label, str(place) == policy)
            for place, each in enumerate(policy_rows(question))
        ],
        call=asked if found is None else str(found.number + 1),
        found=found,
        call_problem="" if found is None else translated(found.call.problem),
        messages=[] if found is None else [_message(each) for each in found.messages],
        earlier=0 if found is None else found.call.messages - len(found.messages),
        problem=problem,
        former_url=_neighbour(request, found, -1),
        next_url=_neighbour(request, found, 1),
    )
    return show(request, "workflows/compared_call.html", shown, status=200 if found else 422)


def _neighbour(request: HttpRequest, found: OpenedCall | None, step: int) -> str:
    """Where the call before or behind is, "" if there is none."""
    if found is None or not 0 <= found.number + step < found.count:
        return ""
    query = request.GET.copy()
    query["call"] = str(found.number + step + 1)
    return f"?{query.urlencode()}"


def _offered(question: Question, shown: str) -> Sequence[str]:
    """The conversations to choose from; the one that is shown may not be among the first."""
    names = list(names_of(question.conversations[:_MOST_OFFERED]).values())
    return names if not shown or shown in names else [shown, *names]


def _open(actor: Actor, question: Question, name: str, policy: str, call: str) -> OpenedCall:
    place, number = whole_number(policy), whole_number(call) if call else None
    if place is None or (call and not number):
        raise ValidationFailed(_("Choose a policy and enter the number of a call."))
    return open_call(actor, question, name, place, None if number is None else number - 1)


def _message(body: Mapping[str, JsonValue]) -> SeenMessage:
    return SeenMessage(
        f"#{body.get('index')}", str(body.get("role", "")), message_text(body), body.get("tokens")
    )
