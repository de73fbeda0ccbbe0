"""What tokens cost."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for 1,000,000 tokens of each kind."""

    input: Decimal
    cached: Decimal
    cache_write: Decimal
    output: Decimal
