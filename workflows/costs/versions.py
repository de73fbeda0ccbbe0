"""What a draft would cost beside the published version, on past conversations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ctxadmin.identity.actor import Actor
from workflows.costs.elements import DraftCosts, PricedElement, draft_costs
from workflows.costs.samples import Replays
from workflows.domain.backtests.sampling import ElementCost
from workflows.domain.document.graph import Document

# Calls by one policy that a page waits for, about a second; what is left is replayed next time.
_CALLS: Final = 6_000


@dataclass(frozen=True, slots=True)
class ElementBeside:
    """An element of the draft beside that of the same id in the published version, if there is."""

    draft: PricedElement
    published: ElementCost | None

    @property
    def change(self) -> float | None:
        """The cost against the published one: 0.1 is 10 % more; None if there is none to tell."""
        if self.published is None or not self.draft.cost.is_known:
            return None
        return _change([self.draft.cost], [self.published])


@dataclass(frozen=True, slots=True)
class DraftBeside:
    """The costs of a draft; ``elements`` tell them beside the published version."""

    costs: DraftCosts
    elements: Sequence[ElementBeside]

    @property
    def change(self) -> float | None:
        """That of all calls whose node is known and in both; None if there are none."""
        both = [
            (each.draft.cost, each.published)
            for each in self.elements
            if each.published is not None
            and each.draft.cost.by_node
            and each.draft.cost.element.kind == "node"
            and each.draft.cost.is_known
        ]
        return _change([mine for mine, _ in both], [theirs for _, theirs in both])

    @property
    def calls(self) -> int:
        """The calls that ``change`` is about."""
        return sum(
            each.draft.cost.full.calls
            for each in self.elements
            if each.published is not None and each.draft.cost.by_node and each.draft.cost.is_known
        )


def draft_beside(
    actor: Actor, slug: str, draft: Document, published: Document | None
) -> DraftBeside:
    """The costs as far as a page can wait for them; Forbidden without the right to preview."""
    replays = Replays(actor, slug, calls=_CALLS)
    costs = draft_costs(actor, slug, draft, replays=replays)
    known: dict[tuple[str, str], ElementCost] = {}
    if published is not None:
        found = draft_costs(actor, slug, published, offers=False, replays=replays)
        known = {_key(each.cost): each.cost for each in found.elements if found.is_whole}
    elements = [ElementBeside(each, known.get(_key(each.cost))) for each in costs.elements]
    return DraftBeside(costs, elements)


def _key(cost: ElementCost) -> tuple[str, str]:
    return cost.element.kind, cost.element.id


def _change(mine: Sequence[ElementCost], theirs: Sequence[ElementCost]) -> float | None:
    """Both by the prices of the draft: another model is no other policy."""
    prices = [each.price for each in mine]
    before = _sum(each.sums.cost(price) for each, price in zip(theirs, prices, strict=True))
    after = _sum(each.sums.cost(price) for each, price in zip(mine, prices, strict=True))
    return float(after / before) - 1 if before else None


def _sum(costs: Iterable[Decimal]) -> Decimal:
    return sum(costs, Decimal(0))
