"""The cost of tokens: prices of a model, and named ratios where no model is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Protocol

_PER: Final = 1_000_000


class TokenCounts(Protocol):
    """Tokens of one call or of many; cached ones and cache writes are part of the input."""

    @property
    def input_tokens(self) -> int: ...
    @property
    def cached_tokens(self) -> int: ...
    @property
    def cache_write_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for 1,000,000 tokens of each kind; 0 means that they are free.

    ``input`` is for tokens that are neither read from the provider's cache (``cached``) nor written
    to it (``cache_write``). Source: semantics 3.22.
    """

    input: Decimal
    cached: Decimal
    cache_write: Decimal
    output: Decimal

    def cost(self, usage: TokenCounts) -> Decimal:
        """Returns US dollars for these tokens, exact: sums of costs are the cost of the sums."""
        fresh = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
        return (
            self.input * fresh
            + self.cached * usage.cached_tokens
            + self.cache_write * usage.cache_write_tokens
            + self.output * usage.output_tokens
        ) / _PER

    @property
    def is_free(self) -> bool:
        return not (self.input or self.cached or self.cache_write or self.output)


def _ratio(cached: str, cache_write: str) -> Price:
    """Returns prices as multiples of that of an input token, with an output token as five."""
    return Price(Decimal(1), Decimal(cached), Decimal(cache_write), Decimal(5))


# Ratios, not prices of any model: costs under them compare policies and are no dollars.
RATIOS: Final[Mapping[str, Price]] = {
    "cached-0.1-write-1.25": _ratio("0.1", "1.25"),
    "cached-0.25": _ratio("0.25", "1"),
    "no-cache": _ratio("1", "1"),
}
