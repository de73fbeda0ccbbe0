"""Sums of usage with their cost by the prices of the models."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeVar

from django.db.models import Count, QuerySet, Sum

from checkpoints.domain.usage import cost_of
from checkpoints.models import Usage
from conversations.workspace.pricing import Prices

KeyT = TypeVar("KeyT", bound=Hashable)
TOKENS: Final = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class UsageSum:
    """Usage and cost of a number of steps; steps of unknown models are unpriced, never 0.

    ``price_cost`` is in US dollars, of the ``priced`` steps alone. ``reported`` is the sum of the
    costs that engines reported for ``costed`` steps, in billionths of their currency.
    """

    steps: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    price_cost: Decimal = Decimal(0)
    priced: int = 0
    reported: int = 0
    costed: int = 0

    def __add__(self, other: "UsageSum") -> "UsageSum":
        return UsageSum(
            self.steps + other.steps,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.output_tokens + other.output_tokens,
            self.price_cost + other.price_cost,
            self.priced + other.priced,
            self.reported + other.reported,
            self.costed + other.costed,
        )

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def cached_share(self) -> float:
        """Returns the part of the input that was read from the cache, from 0 to 1."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else 0.0

    @property
    def unpriced(self) -> int:
        """Returns the number of steps with unknown cost."""
        return self.steps - self.priced

    @property
    def cost(self) -> Decimal | None:
        """Returns US dollars by price; None if the price of no step is known."""
        return self.price_cost if self.priced else None

    @property
    def reported_cost(self) -> float | None:
        return cost_of(self.reported) if self.costed else None


def sums_by_model(rows: QuerySet[Usage], columns: Sequence[str], most: int) -> list[dict[str, Any]]:
    """Returns sums in SQL for each value of ``columns`` and each model, at most ``most`` of
    them.
    """
    groups = [*dict.fromkeys((*columns, "model"))]
    sums = {f"sum_{name}": Sum(name) for name in (*TOKENS, "cost")}
    counted = rows.values(*groups).annotate(steps=Count("*"), costed=Count("cost"), **sums)
    return list(counted.order_by(*groups)[:most])


def priced(row: Mapping[str, Any], prices: Prices) -> UsageSum:
    """Returns one row of ``sums_by_model`` with its cost."""
    known = UsageSum(
        steps=row["steps"],
        input_tokens=int(row["sum_input_tokens"]),
        cached_tokens=int(row["sum_cached_tokens"]),
        cache_write_tokens=int(row["sum_cache_write_tokens"]),
        output_tokens=int(row["sum_output_tokens"]),
        reported=int(row["sum_cost"] or 0),
        costed=row["costed"],
    )
    price = prices.price_of(row["model"])
    if price is None:
        return known
    return known + UsageSum(price_cost=price.cost(known), priced=known.steps)


def added_up(found: Iterable[tuple[KeyT, UsageSum]]) -> dict[KeyT, UsageSum]:
    """Returns the sum of each key, in the order of first appearance."""
    sums: dict[KeyT, UsageSum] = {}
    for key, each in found:
        sums[key] = sums[key] + each if key in sums else each
    return sums
