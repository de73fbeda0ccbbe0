"""What the policies of a draft would have cost on past conversations, and which budgets pay."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conversations.domain.prices import Price
from conversations.workspace.pricing import Prices, prices_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from workflows.costs.samples import Replays, Sample
from workflows.domain.backtests.budget_offers import Budget, candidates, repaired
from workflows.domain.backtests.element_policies import (
    ElementKind,
    ElementPolicy,
    element_policies,
    policy_of_element,
)
from workflows.domain.backtests.presets import DEFAULT_PRICE, RATIOS
from workflows.domain.backtests.sampling import FEWEST_CALLS, NOTHING, ByNode, ElementCost, calls_of
from workflows.domain.document.graph import Document, Edge, Node
from workflows.domain.running.plan import Plan

_MOST_OFFERS: Final = 8  # elements of a document for which budgets are looked for


@dataclass(frozen=True, slots=True)
class Offer:
    """A budget that would not raise the cost, and the ``element`` with it in its place."""

    budget: Budget
    cost: ElementCost
    element: Node | Edge


@dataclass(frozen=True, slots=True)
class PricedElement:
    """The cost of one element; ``offer`` where it raises the cost and a budget does not.

    ``is_searched``: no budget is looked for any more.
    """

    cost: ElementCost
    offer: Offer | None = None
    is_searched: bool = True


@dataclass(frozen=True, slots=True)
class DraftCosts:
    """The elements of a document that decide what calls send, with what they would have cost.

    On ``done`` of the ``wanted`` latest conversations, of which ``others`` are not of the workflow;
    ``left_out`` were too long or damaged.
    ``is_whole``: asked again, it says the same.
    """

    elements: Sequence[PricedElement]
    done: int
    wanted: int
    others: int
    left_out: int
    is_whole: bool


def draft_costs(
    actor: Actor,
    slug: str,
    document: Document,
    *,
    offers: bool = True,
    replays: Replays | None = None,
) -> DraftCosts:
    """The costs as far as they are known now; asked again, more conversations are.

    Forbidden without the right to preview. Nothing is stored.
    """
    actor.require(Action.PREVIEW)
    replays = replays or Replays(actor, slug)
    plan, prices = Plan(document), prices_of(actor.workspace)
    policies = element_policies(plan)
    sample = replays.of({each.digest: each.policy for each in policies})
    costs = [cost_on(sample, each, prices) for each in policies]
    priced = [PricedElement(each, is_searched=not each.raises_cost) for each in costs]
    if offers and sample.is_whole:
        raising = [place for place, each in enumerate(costs) if each.raises_cost]
        for place in raising[:_MOST_OFFERS]:
            priced[place] = _with_offer(document, costs[place], sample, replays, prices)
    return DraftCosts(
        elements=priced,
        done=sample.done,
        wanted=sample.wanted,
        others=sample.others,
        left_out=sample.left_out,
        is_whole=sample.is_whole and (not offers or all(each.is_searched for each in priced)),
    )


def element_cost(
    actor: Actor, slug: str, document: Document, kind: ElementKind, name: str
) -> DraftCosts | None:
    """The cost of one element as far as it is known now, with a budget where it raises the cost.

    None if the element decides nothing of what calls send. Forbidden without the right to preview.
    """
    actor.require(Action.PREVIEW)
    element = policy_of_element(Plan(document), kind, name)
    if element is None:
        return None
    replays, prices = Replays(actor, slug), prices_of(actor.workspace)
    sample = replays.of({element.digest: element.policy})
    cost = cost_on(sample, element, prices)
    priced = PricedElement(cost, is_searched=not cost.raises_cost)
    if sample.is_whole and cost.raises_cost:
        priced = _with_offer(document, cost, sample, replays, prices)
    return DraftCosts(
        elements=[priced],
        done=sample.done,
        wanted=sample.wanted,
        others=sample.others,
        left_out=sample.left_out,
        is_whole=sample.is_whole and priced.is_searched,
    )


def cost_on(sample: Sample, element: ElementPolicy, prices: Prices) -> ElementCost:
    """What one element's policy would have cost on a sample that has it."""
    pairs = list(sample.both(element.digest))
    by_node = not sample.others and _has_calls_of(element.calls_of, pairs)
    node = element.calls_of if by_node else ""
    price, is_priced = _price_of(element, prices)
    # Calls that the node itself made were reached, whatever its condition says without their state.
    mine = [] if by_node else [calls_of(each, "") for each, _ in pairs]
    return ElementCost(
        element=element,
        sums=sum((calls_of(mine, node) for mine, _ in pairs), NOTHING),
        full=sum((calls_of(full, node) for _, full in pairs), NOTHING),
        by_node=by_node,
        price=price,
        is_priced=is_priced,
        conversations=sum(each.calls > 0 for each in mine),
        unreached=sum(0 < each.calls == each.unreached for each in mine),
    )


def _has_calls_of(node: str, pairs: Sequence[tuple[ByNode, ByNode]]) -> bool:
    """Whether a node has calls enough of its own; another workflow's may have the same id."""
    return bool(node) and sum(calls_of(full, node).calls for _, full in pairs) >= FEWEST_CALLS


def _price_of(element: ElementPolicy, prices: Prices) -> tuple[Price, bool]:
    found = prices.price_of(element.model[:200])
    return (RATIOS[DEFAULT_PRICE], False) if found is None else (found, True)


def _with_offer(
    document: Document, cost: ElementCost, sample: Sample, replays: Replays, prices: Prices
) -> PricedElement:
    """Tries budgets in the place of a policy that raises the cost, and offers the cheapest."""
    element = cost.element
    node = element.calls_of if cost.by_node else ""
    largest = [calls_of(full, node).largest for _, full in sample.both(element.digest)]
    tried: list[Offer] = []
    for budget in candidates([each for each in largest if each]):
        changed = repaired(document, element.kind, element.id, budget)
        policy = policy_of_element(Plan(changed), element.kind, element.id)
        if policy is None:
            continue
        found = replays.of({policy.digest: policy.policy})
        if not found.is_whole:
            return PricedElement(cost, is_searched=False)
        tried.append(Offer(budget, cost_on(found, policy, prices), _element(changed, element)))
    paying = [
        each
        for each in tried
        if each.cost.is_sound and not each.cost.raises_cost and each.cost.cost_change is not None
    ]
    best = min(paying, key=lambda each: each.cost.cost_change or 0.0, default=None)
    return PricedElement(cost, best)


def _element(document: Document, element: ElementPolicy) -> Node | Edge:
    listed: Sequence[Node | Edge] = document.nodes if element.kind == "node" else document.edges
    return next(each for each in listed if each.id == element.id)
