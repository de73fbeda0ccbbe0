"""The body of ``POST /backtests``."""

from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, SkipValidation, ValidationInfo, field_validator

from conversations.domain.message import ReadMessages
from conversations.domain.prices import Price
from conversations.workspace.matching import ConversationFilter
from conversations.workspace.pricing import prices_of
from ctxadmin.http.described import JsonOf
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.backtests.use_cases import MOST_CONVERSATIONS, MOST_UPLOADED, NewBacktest
from workflows.domain.backtests.policies import MAX_POLICIES, PolicyConfig
from workflows.domain.backtests.presets import DEFAULT_PRICE, RATIOS

_MOST_SCHEMAS: Final = 1_000
_PolicyList = Annotated[list[PolicyConfig], Field(min_length=1, max_length=MAX_POLICIES)]
_Dollars = Annotated[float, Field(ge=0, le=1_000_000)]
_Name = Annotated[str, Field(max_length=200)]
_RATIO_NAMES = Literal["write_surcharge", "cheap_cache", "half_price_cache"]


class BacktestPrice(Contract):
    """US dollars for 1,000,000 tokens of each kind."""

    input: _Dollars = Field(description="Input tokens that are not cached.", examples=[3])
    cached: _Dollars = Field(description="Input tokens read from the cache.", examples=[0.3])
    cache_write: _Dollars = Field(description="Input tokens written to the cache.", examples=[3.75])
    output: _Dollars = Field(0, description="Output tokens; not used here.", examples=[15])

    def price(self) -> Price:
        values = (self.input, self.cached, self.cache_write, self.output)
        return Price(*(Decimal(str(value)) for value in values))


class BacktestConversations(Contract):
    """Which conversations are replayed: the latest changed of a list."""

    last: Annotated[int, Field(ge=1, le=MOST_CONVERSATIONS)] = Field(
        100, description="How many of the latest.", examples=[100]
    )
    status: Annotated[str, Field(max_length=20)] = Field(
        "", description="Only those of this status.", examples=["COMPLETED"]
    )
    workflow: Annotated[str, Field(max_length=64)] = Field(
        "",
        description="Only those of this workflow; by default of the `workflow` beside it, if any.",
        examples=["support"],
    )
    q: Annotated[str, Field(max_length=200)] = Field(
        "", description="Text in the title or id.", examples=["refund"]
    )


class UploadedConversation(Contract):
    """A conversation that is replayed and not stored."""

    messages: ReadMessages = Field(description="Its messages, in order.")


class StartBacktest(Contract):
    """``POST /backtests``; either recorded conversations or an ``upload``."""

    policies: Annotated[JsonValue, SkipValidation, JsonOf(_PolicyList)] = Field(
        description="Policies to compare, beside the full history and what was seen.",
        examples=[[{"preset": "budget"}, {"preset": "last_6"}]],
    )
    workflow: Annotated[str, Field(max_length=64)] = Field(
        "",
        description="Slug of the workflow whose draft has the nodes that policies name.",
        examples=["support"],
    )
    conversations: BacktestConversations | None = Field(
        None, description="Recorded conversations; by default the latest 100."
    )
    upload: Annotated[list[UploadedConversation], Field(max_length=MOST_UPLOADED)] | None = Field(
        None,
        description="Conversations that are replayed at once and not stored.",
        examples=[[{"messages": [{"role": "user", "content": "Hello"}]}]],
    )
    calls_of: _Name = Field(
        "", description="Id of a node: only its calls count.", examples=["draft"]
    )
    tools: Annotated[list[JsonValue], Field(max_length=_MOST_SCHEMAS)] = Field(
        [],
        description="Tool schemas that each call sends in front of its messages.",
        examples=[[{"type": "function", "function": {"name": "find_order"}}]],
    )
    model: _Name = Field("", description="Model whose prices are used.", examples=["gpt-5-mini"])
    prices: _RATIO_NAMES | None = Field(
        None, description="Prices in proportion, where no model or price is named."
    )
    price: BacktestPrice | None = Field(None, description="A price, instead of a model.")

    @field_validator("upload")
    @classmethod
    def _one_source(cls, value: object, info: ValidationInfo) -> object:
        if value is not None and info.data.get("conversations") is not None:
            raise ValueError(say("either this or {other}, not both", other="conversations"))
        return value

    @field_validator("price")
    @classmethod
    def _one_price(cls, value: object, info: ValidationInfo) -> object:
        if value is not None and (info.data.get("model") or info.data.get("prices")):
            raise ValueError(say("either this or {other}, not both", other="model"))
        return value

    def new_backtest(self, workspace: int) -> NewBacktest:
        """The same as the service takes it; ValidationFailed for a model without a price."""
        chosen = self.conversations or BacktestConversations()
        wanted = ConversationFilter(
            status=chosen.status, workflow=chosen.workflow or self.workflow, text=chosen.q
        )
        ratio = "" if self.model or self.price else self.prices or DEFAULT_PRICE
        policies = self.policies
        return NewBacktest(
            policies=policies if isinstance(policies, list) else [policies],
            price=self._price(workspace, ratio),
            workflow=self.workflow,
            wanted=wanted,
            last=chosen.last,
            calls_of=self.calls_of,
            tools=self.tools,
            model=self.model,
            ratio=ratio,
            upload=None if self.upload is None else [each.messages for each in self.upload],
        )

    def _price(self, workspace: int, ratio: str) -> Price:
        if self.price is not None:
            return self.price.price()
        if ratio:
            return RATIOS[ratio]
        found = prices_of(workspace).price_of(self.model)
        if found is None:
            raise ValidationFailed.at("/model", say("No price is known for this model."))
        return found
