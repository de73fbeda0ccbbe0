"""The prices of a workspace: patterns of model names, and the cost of their tokens."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from conversations.domain.prices import Price
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say
from ctxadmin.lib.wildcard import wildcard

MOST_RULES: Final = 200
HIGHEST: Final = 100_000  # US dollars for 1,000,000 tokens
_MOST_STARS: Final = 8


def _pattern(text: str) -> str:
    if text != text.strip():
        raise ValueError(say("remove the spaces at the start and the end"))
    if text.count("*") > _MOST_STARS:
        raise ValueError(say("use at most {n} asterisks", n=_MOST_STARS))
    return text


Dollars = Annotated[float, Field(ge=0, le=HIGHEST)]


class PriceRule(Contract):
    """US dollars for 1,000,000 tokens of the models whose name matches a pattern; 0 means free."""

    pattern: Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_pattern)] = Field(
        description="Name of the model; `*` stands for any characters. Case does not matter.",
        examples=["gpt-5*"],
    )
    input: Dollars = Field(description="Price of input tokens.", examples=[1.25])
    cached: Dollars | None = Field(
        None,
        description="Price of input tokens read from the provider's cache; by default as `input`.",
        examples=[0.125],
    )
    cache_write: Dollars | None = Field(
        None,
        description="Price of input tokens written to the cache; by default as `input`.",
        examples=[1.25],
    )
    output: Dollars = Field(description="Price of output tokens.", examples=[10])

    @property
    def price(self) -> Price:
        fresh = _exact(self.input)
        return Price(
            input=fresh,
            cached=fresh if self.cached is None else _exact(self.cached),
            cache_write=fresh if self.cache_write is None else _exact(self.cache_write),
            output=_exact(self.output),
        )

    def fits(self, model: str) -> bool:
        """Returns True if the whole name matches; linear in the length of the name."""
        return wildcard(self.pattern.lower())(model.lower())


class PriceRules(Contract):
    """The prices that a workspace sets; the first matching pattern decides."""

    models: Annotated[list[PriceRule], Field(max_length=MOST_RULES)] = Field(
        default_factory=list, description="Patterns with their prices, the first that fits decides."
    )


def set_price(rules: Sequence[PriceRule], model: str) -> Price | None:
    """Returns the price by the first matching rule, None without one."""
    return next((rule.price for rule in rules if rule.fits(model)), None)


def _exact(dollars: float) -> Decimal:
    """Returns the number as it was written, not its nearest binary value."""
    return Decimal(repr(dollars))
