"""How a policy does over conversations: the spread of its change in cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from conversations.domain.prices import Price
from workflows.domain.backtests.sums import PolicySums, cost_of

_LEAST_CHANGE = 0.005  # half a percent is no change


@dataclass(frozen=True, slots=True)
class Spread:
    """Changes of the cost of single conversations against the full history, as shares.

    ``low`` and ``high`` leave out the tenth at each end. ``cheaper`` and ``dearer`` count
    conversations; those that cost nothing are in none.
    """

    least: float
    low: float
    median: float
    high: float
    most: float
    cheaper: int
    dearer: int


def changes_of(sums: PolicySums, base: PolicySums, price: Price) -> list[float | None]:
    """The change of the cost of each conversation, None for one that costs nothing."""
    return [
        _change(cost_of(price, *mine), cost_of(price, *theirs))
        for mine, theirs in zip(sums.conversations, base.conversations, strict=True)
    ]


def spread_of(changes: Sequence[float | None]) -> Spread | None:
    """The spread of some changes, None if there are none."""
    told = sorted(each for each in changes if each is not None)
    if not told:
        return None
    return Spread(
        least=told[0],
        low=_quantile(told, 0.1),
        median=_quantile(told, 0.5),
        high=_quantile(told, 0.9),
        most=told[-1],
        cheaper=sum(each < -_LEAST_CHANGE for each in told),
        dearer=sum(each > _LEAST_CHANGE for each in told),
    )


def _quantile(told: Sequence[float], share: float) -> float:
    place = share * (len(told) - 1)
    here = int(place)
    after = min(here + 1, len(told) - 1)
    return told[here] + (told[after] - told[here]) * (place - here)


def _change(value: Decimal, base: Decimal) -> float | None:
    return float(value / base) - 1 if base else None
