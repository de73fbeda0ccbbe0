"""Sums over the calls of a backtest. They contain no prices, which can change afterward."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Final, Self

from conversations.domain.prices import Price
from workflows.domain.backtests.replay import Call, CallOfAll

MOST_POSITIONS: Final = 60  # calls of a conversation that are summed by their number
_MILLION: Final = Decimal(1_000_000)
_CENT: Final = Decimal("0.000001")


def cost_of(price: Price, sent: int, cached: int) -> Decimal:
    """Returns the cost of the inputs: what the previous call lacked is written to the cache."""
    return (cached * price.cached + (sent - cached) * price.cache_write) / _MILLION


@dataclass(slots=True)
class Position:
    """The sums over all calls with one number in their conversation."""

    calls: int = 0
    sent: int = 0
    cached: int = 0
    lost: int = 0


@dataclass(slots=True)
class PolicySums:
    """The sums of one policy over the replayed conversations.

    ``unseen`` are messages that the last call of their conversation does not see. At
    ``unreached_calls`` a condition is false; they count as if it were true. ``positions`` are by
    the number of the call; ``conversations`` are sent and cached tokens of each.
    """

    key: str
    title: str
    calls: int = 0
    sent: int = 0
    cached: int = 0
    lost: int = 0
    split_calls: int = 0
    empty_calls: int = 0
    failed_calls: int = 0
    unreached_calls: int = 0
    unseen: int = 0
    problem: str = ""
    positions: list[Position] = field(default_factory=list)
    conversations: list[tuple[int, int]] = field(default_factory=list)

    @property
    def fresh(self) -> int:
        return self.sent - self.cached

    def cost(self, price: Price) -> Decimal:
        return cost_of(price, self.sent, self.cached)

    def add(self, calls: Sequence[Call]) -> None:
        """Adds the calls of one conversation."""
        for number, call in enumerate(calls):
            self._add_call(number, call)
        if calls:
            self.unseen += calls[-1].unseen
        sums = sum(call.sent for call in calls), sum(call.cached for call in calls)
        self.conversations.append(sums)

    def _add_call(self, number: int, call: Call) -> None:
        self.calls += 1
        self.sent += call.sent
        self.cached += call.cached
        self.lost += call.lost
        self.split_calls += call.split
        self.empty_calls += not call.messages and not call.problem
        self.unreached_calls += not call.is_reached
        if call.problem:
            self.failed_calls += 1
            self.problem = self.problem or call.problem
        if number >= MOST_POSITIONS:
            return
        if number == len(self.positions):
            self.positions.append(Position())
        place = self.positions[number]
        place.calls += 1
        place.sent += call.sent
        place.cached += call.cached
        place.lost += call.lost

    def merge(self, other: "PolicySums") -> None:
        """Adds the sums of further conversations."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.problem = self.problem or other.problem
        self.conversations += other.conversations
        for number, place in enumerate(other.positions):
            if number == len(self.positions):
                self.positions.append(Position())
            mine = self.positions[number]
            mine.calls += place.calls
            mine.sent += place.sent
            mine.cached += place.cached
            mine.lost += place.lost

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, data: dict[str, Any]) -> Self:
        """Parses the sums that ``as_json`` wrote."""
        places = [Position(**place) for place in data["positions"]]
        pairs = [(sent, cached) for sent, cached in data["conversations"]]
        return cls(**{**data, "positions": places, "conversations": pairs})


_COUNTS: Final = (
    "calls",
    "sent",
    "cached",
    "lost",
    "split_calls",
    "empty_calls",
    "failed_calls",
    "unreached_calls",
    "unseen",
)


def add_conversation(sums: Sequence[PolicySums], calls: Iterable[CallOfAll]) -> None:
    """Adds one conversation to the sums of all policies."""
    by_policy: list[list[Call]] = [[] for _ in sums]
    for call in calls:
        for listed, each in zip(by_policy, call.by_policy, strict=True):
            listed.append(each)
    for row, listed in zip(sums, by_policy, strict=True):
        row.add(listed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A policy against the full history, as shares: 0.1 is 10 % more, None if nothing was sent.

    ``raises_cost`` starts at one percent. The best has the lowest cost of those that fail nowhere
    and have no more invalid or empty calls than the full history.
    """

    sums: PolicySums
    cost: Decimal
    sent_change: float | None
    cost_change: float | None
    fresh_times: float | None
    is_best: bool = False

    @property
    def raises_cost(self) -> bool:
        return self.cost_change is not None and round(self.cost_change, 2) > 0


def compare(sums: Sequence[PolicySums], price: Price) -> list[Comparison]:
    """Compares each policy with the first one."""
    base = sums[0]
    base_cost = base.cost(price)
    costs = [each.cost(price) for each in sums]
    valid = [
        place
        for place, each in enumerate(sums)
        if place
        and each.calls
        and not (each.split_calls > base.split_calls or each.failed_calls)
        and not each.empty_calls > base.empty_calls
        and costs[place] < base_cost
    ]
    best = min(valid, key=lambda place: costs[place], default=None)
    return [
        Comparison(
            sums=each,
            cost=cost.quantize(_CENT),
            sent_change=_change(each.sent, base.sent),
            cost_change=_change(cost, base_cost),
            fresh_times=each.fresh / base.fresh if base.fresh else None,
            is_best=place == best,
        )
        for place, (each, cost) in enumerate(zip(sums, costs, strict=True))
    ]


def _change(value: Decimal | int, base: Decimal | int) -> float | None:
    return float(value / base) - 1 if base else None
