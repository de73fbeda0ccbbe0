"""The cost of a draft beside the published version, and the form that takes an offered budget."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import join_sentences
from ctxadmin.ui.pages import page
from workflows.costs.elements import Offer
from workflows.costs.versions import ElementBeside, draft_beside
from workflows.domain.backtests.budget_offers import Budget, repaired
from workflows.domain.backtests.element_policies import ElementKind
from workflows.domain.document.graph import Document, title_of
from workflows.models import Workflow
from workflows.pages.definition.draft_conflicts import DraftConflict, change_draft
from workflows.pages.drawing.cost_words import (
    CostWords,
    change_line,
    change_words,
    cost_words,
    sample_words,
)
from workflows.store.definitions import definition
from workflows.store.workflow import find_version

_MOST_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class CostLine:
    """A node or edge of the draft; ``change`` is against the published version, empty if unknown.

    ``offer`` is the budget of the button, None where none is offered.
    """

    kind: ElementKind
    id: str
    label: str
    words: CostWords
    published: str
    change: str
    raises: bool
    offer: Offer | None


@dataclass(frozen=True, slots=True)
class PublishCosts:
    """What the draft would cost; ``total`` is the change of all nodes against ``since``.

    ``lines`` are of what changed since the published version, ``unchanged`` of the others. A
    ``basis`` that all have stands in ``said``.
    """

    said: str
    lines: Sequence[CostLine]
    unchanged: Sequence[CostLine]
    total: str
    total_raises: bool
    calls: int
    is_whole: bool


def publish_costs(
    actor: Actor, row: Workflow, changed: Container[tuple[str, str]] | None
) -> PublishCosts | None:
    """The costs for the page that publishes; None for who may not preview.

    ``changed`` are kinds and ids; None where nothing is published and all of it is new.
    """
    if not actor.may(Action.PREVIEW):
        return None
    draft = definition(bytes(row.draft)).document
    published: Document | None = None
    if row.published_version is not None:
        data = bytes(find_version(row.key, row.published_version).document)
        published = definition(data).document
    found = draft_beside(actor, str(row.slug), draft, published)
    nodes = {each.id: title_of(each) for each in draft.nodes}
    names = {("node", name): title for name, title in nodes.items()}
    for each in draft.edges:
        ends = [nodes.get(end, end) for end in (each.from_node, each.to_node)]
        names["edge", each.id] = " → ".join(ends)
    change = found.change
    lines = [_line(one, names) for one in found.elements]
    bases = {each.words.basis for each in lines if each.words.basis}
    said = [sample_words(found.costs)]
    if len(bases) == 1:
        said.extend(bases)
        lines = [replace(each, words=replace(each.words, basis="")) for each in lines]
    is_changed = [changed is None or (each.kind, each.id) in changed for each in lines]
    return PublishCosts(
        said=join_sentences(said),
        lines=list(compress(lines, is_changed)),
        unchanged=[each for each, is_new in zip(lines, is_changed, strict=True) if not is_new],
        total="" if change is None else change_words(change),
        total_raises=_raises(change),
        calls=found.calls,
        is_whole=found.costs.is_whole,
    )


def _line(each: ElementBeside, names: Mapping[tuple[str, str], str]) -> CostLine:
    cost, change = each.draft.cost, each.change
    before = each.published
    return CostLine(
        kind=cost.element.kind,
        id=cost.element.id,
        label=names.get((cost.element.kind, cost.element.id), cost.element.id),
        words=cost_words(each.draft),
        published=change_line(before) if before is not None and before.is_known else "",
        change="" if change is None else change_words(change),
        raises=_raises(change),
        offer=each.draft.offer,
    )


def _raises(change: float | None) -> bool:
    return change is not None and round(change, 2) > 0


@require_http_methods(["GET", "HEAD", "POST"])
@page
def use_budget(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Replaces the operations of a node or edge of the seen draft by a budget.

    Goes back to the page that offered it: the form of the element, or the one that publishes.
    """
    if request.method != "POST":
        return redirect("workflows:publish", slug)
    actor.require(Action.WORKFLOW_CHANGE)
    kind: ElementKind = "edge" if request.POST.get("kind") == "edge" else "node"
    name = request.POST.get("id", "")
    budget = Budget(_tokens(request, "max_tokens"), _tokens(request, "target_tokens"))
    if budget.target_tokens >= budget.max_tokens:
        raise ValidationFailed.at("/target_tokens", _("Enter a target below the maximum."))

    def make(document: Document) -> Document:
        listed = document.nodes if kind == "node" else document.edges
        if all(each.id != name for each in listed):
            raise ValidationFailed.at("/id", _("The draft no longer has this element."))
        return repaired(document, kind, name, budget)

    try:
        change_draft(request, actor, slug, make)
    except DraftConflict:
        flash.warning(request, _("Someone else changed the draft. Nothing was changed."))
    else:
        flash.success(request, _("The budget is in the draft."))
    if request.POST.get("then") == "form":
        return redirect(f"workflows:{kind}", slug, name)
    return redirect("workflows:publish", slug)


def _tokens(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS or not int(text):
        raise ValidationFailed.at(f"/{name}", _("Enter a number of tokens, 1 or more."))
    return int(text)
