"""The endpoint of prices: those that the workspace set, and the price of a model."""

from typing import Annotated, Final, Literal

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.domain.price_rules import PriceRule, PriceRules
from conversations.domain.price_table import price_table
from conversations.workspace.pricing import Prices, prices_of, set_prices
from ctxadmin.http.described import IF_MATCH, Answer, FromZero, Parameter, Time, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.etags import expected_version, quoted
from ctxadmin.identity.roles import Action
from ctxadmin.lib.clock import iso
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_LONGEST: Final = 128
_MODEL: Final = Parameter(
    "model", "Name of a model whose price to look up.", limits={"maxLength": _LONGEST}
)


class SetPrices(PriceRules):
    """All prices of the workspace; they replace the earlier ones."""

    expected_version: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The version that you read.", examples=[0]
    )


class ModelPriceAnswer(Answer):
    """US dollars for 1,000,000 tokens of one model; `source` null and no prices if unknown."""

    model: str = Field(description="The name that was asked for.", examples=["gpt-5-mini"])
    source: Literal["workspace", "public"] | None = Field(
        description="Whose price it is; null if nobody knows the model.", examples=["public"]
    )
    input: float | None = Field(description="Price of input tokens.", examples=[0.25])
    cached: float | None = Field(description="Price of cached input tokens.", examples=[0.025])
    cache_write: float | None = Field(
        description="Price of input tokens written to the cache.", examples=[0.25]
    )
    output: float | None = Field(description="Price of output tokens.", examples=[2])


class PublicTableAnswer(Answer):
    """The table of public prices in this version of ctxadmin."""

    source: str = Field(description="Where the prices are from.", examples=["genai-prices"])
    version: str = Field(description="Version of the source.", examples=["0.2.3"])
    date: str = Field(description="Day whose prices they are.", examples=["2026-11-24"])
    models: FromZero = Field(description="Number of models.", examples=[2125])


class PricesAnswer(Answer):
    """The prices of the workspace, in US dollars for 1,000,000 tokens."""

    models: list[PriceRule] = Field(
        description="Patterns with the prices that the workspace set; the first that fits decides."
    )
    version: FromZero = Field(description="How often they were set.", examples=[1])
    author: str | None = Field(
        description="Who set them; null if nobody did.", examples=["person:li"]
    )
    changed_at: Time | None = Field(description="When they were set (ISO 8601, UTC).")
    public: PublicTableAnswer = Field(description="What holds for all other models.")
    found: ModelPriceAnswer | None = Field(
        None, description="The price of `model`, if that was asked for."
    )

    @classmethod
    def of(cls, prices: Prices, model: str | None = None) -> "PricesAnswer":
        table = price_table()
        return cls(
            models=list(prices.rules),
            version=prices.version,
            author=prices.author or None,
            changed_at=iso(prices.changed_at) if prices.changed_at else None,
            public=PublicTableAnswer(
                source=table.source, version=table.version, date=table.date, models=table.models
            ),
            found=None if model is None else _price_answer(prices, model),
        )


class PricesOfWorkspace(Endpoint):
    @described("Get prices", answer=PricesAnswer, query=(_MODEL,), answer_headers=("ETag",))
    def get(self, request: Request) -> Response:
        """Returns the prices of the workspace, and with `model` the price of one model.

        The ETag is the version.

        A price of 0 is free; an unknown model has no price.
        """
        model = request.query_params.get("model")
        if model is not None and not 0 < len(model) <= _LONGEST:
            raise ValidationFailed.at(
                "?model", say("a name has 1 to {longest} characters", longest=_LONGEST)
            )
        prices = prices_of(self.actor.workspace)
        return PricesAnswer.of(prices, model).response(headers=_etag(prices))

    @described(
        "Set prices",
        body=SetPrices,
        answer=PricesAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.PRICES_SET,
        answer_headers=("ETag",),
    )
    def put(self, request: Request) -> Response:
        """Replaces all prices of the workspace; an empty list leaves only the public ones.

        Without `expected_version` and `If-Match` they replace the current ones. Costs are always
        calculated with the current prices.
        """
        body = self.body(SetPrices)
        expected = expected_version(request.headers.get("If-Match"), body.expected_version)
        if expected is None:
            expected = prices_of(self.actor.workspace).version
        prices = set_prices(self.actor, PriceRules(models=body.models), expected)
        return PricesAnswer.of(prices).response(headers=_etag(prices))


def _price_answer(prices: Prices, model: str) -> ModelPriceAnswer:
    price, source = prices.price_of(model), prices.source_of(model)
    if price is None:
        return ModelPriceAnswer(
            model=model, source=None, input=None, cached=None, cache_write=None, output=None
        )
    return ModelPriceAnswer(
        model=model,
        source=source,
        input=float(price.input),
        cached=float(price.cached),
        cache_write=float(price.cache_write),
        output=float(price.output),
    )


def _etag(prices: Prices) -> dict[str, str]:
    return {"ETag": quoted(prices.version)}
