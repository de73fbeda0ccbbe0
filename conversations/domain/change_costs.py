"""What a change of the view costs at the next call of a model, and when it pays."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Final

from conversations.domain.prices import RATIOS, Price

_MILLION: Final = Decimal(1_000_000)
# Prices in proportion, for a conversation whose model or price is unknown.
USUAL: Final = RATIOS["cached-0.1-write-1.25"]


@dataclass(frozen=True, slots=True)
class ChangeCost:
    """The input of the next call without the change and with it, and what each later call saves.

    Without it the whole view is in the cache, with it what stands in front of the first change; the
    rest is written into the cache. ``saved`` is per later call, negative if each costs more.
    ``sent_again`` are the tokens that are not in the cache at the next call, ``sending`` is their
    cost, ``fewer_tokens`` how many fewer each later call sends.
    """

    without: Decimal
    next: Decimal
    saved: Decimal
    sent_again: int
    sending: Decimal
    fewer_tokens: int

    @property
    def extra(self) -> Decimal:
        """How much more the next call costs, negative if less."""
        return self.next - self.without

    @property
    def pays_after(self) -> int | None:
        """After how many calls it has cost no more than without it; None if it never does."""
        if self.extra <= 0:
            return 1
        if self.saved <= 0:
            return None
        return 1 + ceil(self.extra / self.saved)


def change_cost(
    tokens_before: int, tokens_after: int, prefix_lost: int, price: Price = USUAL
) -> ChangeCost:
    """The cost of a change of a view; ``prefix_lost`` tokens stand behind its first difference."""
    kept = min(max(tokens_before - prefix_lost, 0), tokens_after)
    written = (tokens_after - kept) * price.cache_write
    return ChangeCost(
        without=tokens_before * price.cached / _MILLION,
        next=(kept * price.cached + written) / _MILLION,
        saved=(tokens_before - tokens_after) * price.cached / _MILLION,
        sent_again=tokens_after - kept,
        sending=written / _MILLION,
        fewer_tokens=tokens_before - tokens_after,
    )
