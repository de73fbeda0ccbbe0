"""The cost of one node or edge, for the page with its form."""

from dataclasses import dataclass

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from workflows.costs.elements import Offer, element_cost
from workflows.domain.backtests.element_policies import ElementKind
from workflows.models import Workflow
from workflows.pages.drawing.cost_words import CostWords, cost_words, sample_words
from workflows.store.definitions import definition


@dataclass(frozen=True, slots=True)
class FormCost:
    """What the saved element would have cost; ``said`` tells on how many conversations.

    Not ``is_whole``: the page, loaded again, knows more. ``offer`` is a budget that costs less,
    None where none is offered.
    """

    kind: ElementKind
    id: str
    said: str
    words: CostWords
    is_whole: bool
    offer: Offer | None


def form_cost(actor: Actor, row: Workflow, kind: str, name: str) -> FormCost | None:
    """Returns the cost of an element of the draft.

    None for a new element, for one that decides nothing of what calls send, and for who may not
    preview.
    """
    if not name or kind not in ("node", "edge") or not actor.may(Action.PREVIEW):
        return None
    element: ElementKind = "edge" if kind == "edge" else "node"
    found = element_cost(actor, str(row.slug), definition(bytes(row.draft)).document, element, name)
    if found is None:
        return None
    (priced,) = found.elements
    return FormCost(
        kind=element,
        id=name,
        said=sample_words(found),
        words=cost_words(priced),
        is_whole=found.is_whole,
        offer=priced.offer,
    )
