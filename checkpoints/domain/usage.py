"""The model usage of a step, as its engine reports it with a completion."""

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say

MOST_TOKENS: Final = 1_000_000_000
MOST_COST: Final = 1_000_000
_PARTS: Final = 1_000_000_000  # of one unit of the currency: sums of whole numbers are exact

Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]


class ModelUsage(Contract):
    """Tokens and cost of one step.

    ``cached_tokens`` and ``cache_write_tokens`` are part of the input.

    ``cost`` is in the currency of the engine's bill. Source: semantics 3.21.
    """

    model: Annotated[str, Field(min_length=1, max_length=128)] | None = Field(
        None, description="Name of the model.", examples=["gpt-5-mini"]
    )
    input_tokens: Tokens = Field(
        description="Tokens of the input, cached ones included.", examples=[1200]
    )
    cached_tokens: Tokens = Field(
        0, description="Tokens of the input that the provider's cache had.", examples=[1000]
    )
    cache_write_tokens: Tokens = Field(
        0, description="Tokens of the input that were written into the cache.", examples=[0]
    )
    output_tokens: Tokens = Field(description="Tokens of the output.", examples=[300])
    cost: Annotated[float, Field(ge=0, le=MOST_COST)] | None = Field(
        None, description="Cost of the step, in your currency.", examples=[0.0021]
    )

    @model_validator(mode="after")
    def _cached_is_input(self) -> Self:
        if self.cached_tokens + self.cache_write_tokens > self.input_tokens:
            raise ValueError(
                say(
                    "cached_tokens and cache_write_tokens are part of input_tokens, which are fewer"
                )
            )
        return self

    @property
    def cost_parts(self) -> int | None:
        """Returns the cost as a whole number of billionths."""
        return None if self.cost is None else round(self.cost * _PARTS)

    def as_json(self) -> dict[str, object]:
        return self.model_dump()


def cost_of(parts: int | None) -> float | None:
    """Returns the cost for a number of billionths."""
    return None if parts is None else parts / _PARTS
