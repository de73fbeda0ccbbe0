"""The page of one call of a comparison: what it would have seen by a policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
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
from workflows.definitions import definition
from workflows.models import Workflow
from workflows.pages.comparison.form import Choice, CompareForm, read_form
from workflows.pages.comparison.result import policy_labels
from workflows.pages.definition.links import crumbs
from workflows.pages.preview.preview_result import message_text
from workflows.policy_costs import OpenedCall, latest_names, open_call
from workflows.store import find_workflow

_OF_THIS_PAGE = ("conversation", "policy", "call", "csv")


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

    ``kept`` are the fields of the comparison, which the form sends again. ``earlier`` messages are
    not shown. ``call_problem`` says why the policy cannot run at this call.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    kept: Sequence[tuple[str, str]]
    conversation: str
    conversations: Sequence[str]
    policies: Sequence[Choice]
    call: str
    found: OpenedCall | None
    messages: Sequence[SeenMessage]
    earlier: int
    problem: str
    call_problem: str


@require_safe
@page
def compared_call(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """The comparison stands in the address, and ``conversation``, ``policy`` and ``call``."""
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    form = read_form(request.GET, definition(bytes(row.draft)).document, actor)
    if form.is_wrong:
        raise ValidationFailed(_("This comparison cannot be made."))
    kept = _kept(request.GET)
    name, asked = request.GET.get("conversation", ""), request.GET.get("call", "").strip()
    policy = request.GET.get("policy", "0")
    found: OpenedCall | None = None
    problem = ""
    try:
        found = _open(actor, slug, form, name, policy, asked)
    except ContextError as error:
        problem = translated(error.detail)
    before = f"{reverse('workflows:compare', args=[slug])}?{urlencode(kept)}"
    shown = CallPage(
        title=_("Compared call"),
        crumbs=crumbs(row, Crumb(_("Compare policies"), before), Crumb(_("Compared call"))),
        row=row,
        kept=kept,
        conversation=name,
        conversations=_offered(latest_names(actor, slug, form.count), name if found else ""),
        policies=[
            Choice(str(place), label, str(place) == policy)
            for place, label in enumerate(policy_labels(form))
        ],
        call=asked if found is None else str(found.number + 1),
        found=found,
        call_problem="" if found is None else translated(found.call.problem),
        messages=[] if found is None else [_message(each) for each in found.messages],
        earlier=0 if found is None else found.call.messages - len(found.messages),
        problem=problem,
    )
    return show(request, "workflows/compared_call.html", shown, status=200 if found else 422)


def _offered(names: Sequence[str], shown: str) -> Sequence[str]:
    """The conversations to choose from; the one that is shown may have left the latest."""
    return names if not shown or shown in names else [shown, *names]


def _kept(data: QueryDict) -> list[tuple[str, str]]:
    """The fields of the comparison."""
    named = [(name, value) for name, values in data.lists() for value in values]
    return [(name, str(value)) for name, value in named if name not in _OF_THIS_PAGE]


def _open(
    actor: Actor, slug: str, form: CompareForm, name: str, policy: str, call: str
) -> OpenedCall:
    place, number = whole_number(policy), whole_number(call) if call else None
    if place is None or (call and not number):
        raise ValidationFailed(_("Choose a policy and enter the number of a call."))
    configs = [each.config for each in form.policies]
    return open_call(actor, slug, configs, name, place, None if number is None else number - 1)


def _message(body: Mapping[str, JsonValue]) -> SeenMessage:
    return SeenMessage(
        f"#{body.get('index')}", str(body.get("role", "")), message_text(body), body.get("tokens")
    )
