"""Sums of the calls of some conversations by node, so that they are kept and added up later."""

import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from decimal import Decimal

from conversations.domain.prices import Price
from workflows.domain.backtests.element_policies import ElementPolicy
from workflows.domain.backtests.replay import Call, CallOfAll
from workflows.domain.backtests.sums import cost_of

FEWEST_CALLS = 10  # with fewer calls a share says nothing


@dataclass(frozen=True, slots=True)
class CallSums:
    """Sums over calls; ``losing`` ones lose a part of what the call before has sent.

    ``largest`` are the tokens of the largest of them. ``unreached`` ones would not be made: a
    condition is false.
    """

    calls: int = 0
    sent: int = 0
    cached: int = 0
    losing: int = 0
    invalid: int = 0
    empty: int = 0
    failed: int = 0
    largest: int = 0
    unreached: int = 0

    def __add__(self, other: "CallSums") -> "CallSums":
        added = map(operator.add, astuple(self), astuple(other))
        return replace(CallSums(*added), largest=max(self.largest, other.largest))

    @classmethod
    def of(cls, call: Call) -> "CallSums":
        empty = not call.messages and not call.problem
        return cls(
            1,
            call.sent,
            call.cached,
            int(call.lost > 0),
            int(call.split),
            int(empty),
            int(bool(call.problem)),
            call.sent,
            int(not call.is_reached),
        )

    def cost(self, price: Price) -> Decimal:
        """What the inputs cost, as a backtest counts it (semantics 4.5)."""
        return cost_of(price, self.sent, self.cached)


NOTHING = CallSums()

# The sums of one conversation by the node whose calls they are, "" for calls of no known node.
ByNode = Mapping[str, CallSums]


def sums_by_node(calls: Iterable[CallOfAll], policies: int) -> list[ByNode]:
    """For each policy the sums of one conversation."""
    found: list[dict[str, CallSums]] = [defaultdict(CallSums) for _ in range(policies)]
    for call in calls:
        for sums, each in zip(found, call.by_policy, strict=True):
            sums[call.node] += CallSums.of(each)
    return [dict(each) for each in found]


def calls_of(sums: ByNode, node: str) -> CallSums:
    """The calls of one node; with "" those of all."""
    if node:
        return sums.get(node, NOTHING)
    return sum(sums.values(), NOTHING)


@dataclass(frozen=True, slots=True)
class ElementCost:
    """What an element's policy would have cost on some calls, beside the full history.

    ``by_node``: the calls are those that its node made; else no call of it was recorded, and they
    are the calls of all nodes. ``is_priced``: the prices are those of the model that it names.
    ``unreached`` of the ``conversations`` make no call of it, because a condition is false in them;
    they count as if it were true.
    """

    element: ElementPolicy
    sums: CallSums
    full: CallSums
    by_node: bool
    price: Price
    is_priced: bool = False
    conversations: int = 0
    unreached: int = 0

    @property
    def is_reached(self) -> bool:
        return not self.unreached or self.unreached < self.conversations

    @property
    def unreached_calls(self) -> int:
        """Calls at which a condition is false; none of those that the node itself made."""
        return 0 if self.by_node else self.sums.unreached

    @property
    def is_known(self) -> bool:
        """False as long as too few calls were recorded to tell a share."""
        return self.full.calls >= FEWEST_CALLS and self.full.sent > 0

    @property
    def sent_change(self) -> float | None:
        """0.1 is 10 % more than the full history."""
        return self.sums.sent / self.full.sent - 1 if self.full.sent else None

    @property
    def cost_change(self) -> float | None:
        """As ``sent_change``; None if the full history costs nothing, as with prices of 0."""
        whole = self.full.cost(self.price)
        return float(self.sums.cost(self.price) / whole) - 1 if whole else None

    @property
    def raises_cost(self) -> bool:
        """From one percent on."""
        change = self.cost_change
        return self.is_known and change is not None and round(change, 2) > 0

    @property
    def is_sound(self) -> bool:
        """No more invalid, empty or failed calls than the full history has."""
        return (
            self.sums.invalid <= self.full.invalid
            and self.sums.empty <= self.full.empty
            and not self.sums.failed
        )
