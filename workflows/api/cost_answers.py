"""The answer of ``POST /workflows/{slug}/costs``."""

from typing import Any, Literal, Self

from pydantic import Field

from ctxadmin.http.described import Answer, FromZero
from workflows.costs.elements import DraftCosts, Offer, PricedElement


class OfferedBudgetAnswer(Answer):
    """A budget that does not raise the cost, and the element with it in place of its policy."""

    max_tokens: FromZero = Field(description="Tokens above which it cuts.", examples=[2_500])
    target_tokens: FromZero = Field(description="Tokens to which it cuts.", examples=[1_250])
    sent_change: float | None = Field(
        description="Change of the tokens against the full history, as a share.", examples=[-0.35]
    )
    cost_change: float | None = Field(description="Change of the cost.", examples=[-0.15])
    element: dict[str, Any] = Field(
        description="The node or edge with the budget, as it stands in a document.",
        examples=[{"id": "draft", "type": "llm"}],
    )

    @classmethod
    def of(cls, offer: Offer) -> Self:
        return cls(
            max_tokens=offer.budget.max_tokens,
            target_tokens=offer.budget.target_tokens,
            sent_change=offer.cost.sent_change,
            cost_change=offer.cost.cost_change,
            element=offer.element.model_dump(mode="json", by_alias=True, exclude_unset=True),
        )


class ElementCostAnswer(Answer):
    """What one node or edge would have sent and cost; changes are against the full history."""

    kind: Literal["node", "edge"] = Field(description="Which kind of element it is.")
    id: str = Field(description="Its id in the document.", examples=["draft"])
    calls: FromZero = Field(description="Model calls that were replayed.", examples=[760])
    calls_of: str | None = Field(
        description="Id of the node whose calls they are; null for those of all nodes.",
        examples=["draft"],
    )
    known: bool = Field(
        description="False while there are fewer than 10 calls: changes say nothing then."
    )
    sent_tokens: FromZero = Field(description="Tokens of all inputs.", examples=[1_430_000])
    cached_tokens: FromZero = Field(
        description="Of these, the prefix that the call before had sent.", examples=[1_240_000]
    )
    sent_change: float | None = Field(
        description="Change of the tokens as a share: -0.35 is 35 % less.", examples=[-0.35]
    )
    cost: float = Field(
        description="Cost of the inputs: US dollars, or the input price as 1 per million tokens.",
        examples=[0.362],
    )
    cost_change: float | None = Field(
        description="Change of the cost; null if the full history costs nothing.", examples=[-0.15]
    )
    raises_cost: bool = Field(description="Whether it costs more than the full history.")
    losing_calls: FromZero = Field(
        description="Calls that lose a part of the prefix that the call before sent.",
        examples=[12],
    )
    invalid_calls: FromZero = Field(
        description="Calls that a provider would reject: a split tool pair.", examples=[0]
    )
    empty_calls: FromZero = Field(description="Calls that see no message.", examples=[0])
    failed_calls: FromZero = Field(description="Calls at which the policy fails.", examples=[0])
    unreached_conversations: FromZero = Field(
        description="Conversations in which conditions leave no way to it: "
        "they count as if these were true.",
        examples=[0],
    )
    unreached_calls: FromZero = Field(
        description="Calls at which a condition is false: they count as if it were true.",
        examples=[0],
    )
    model: str | None = Field(
        description="Model whose prices are used; null for prices in proportion.",
        examples=["gpt-5-mini"],
    )
    offer: OfferedBudgetAnswer | None = Field(
        description="The cheapest budget that does not raise the cost; null if none is needed."
    )

    @classmethod
    def of(cls, priced: PricedElement) -> Self:
        cost, sums = priced.cost, priced.cost.sums
        return cls(
            kind=cost.element.kind,
            id=cost.element.id,
            calls=cost.full.calls,
            calls_of=cost.element.calls_of if cost.by_node else None,
            known=cost.is_known,
            sent_tokens=sums.sent,
            cached_tokens=sums.cached,
            sent_change=cost.sent_change,
            cost=float(sums.cost(cost.price)),
            cost_change=cost.cost_change,
            raises_cost=cost.raises_cost,
            losing_calls=sums.losing,
            invalid_calls=sums.invalid,
            empty_calls=sums.empty,
            failed_calls=sums.failed,
            unreached_conversations=cost.unreached,
            unreached_calls=cost.unreached_calls,
            model=cost.element.model if cost.is_priced else None,
            offer=None if priced.offer is None else OfferedBudgetAnswer.of(priced.offer),
        )


class DraftCostsAnswer(Answer):
    """What the elements of a document would have cost, as far as it is known now."""

    complete: bool = Field(
        description="False while conversations are left to replay: ask again for more."
    )
    conversations: FromZero = Field(description="Conversations replayed so far.", examples=[50])
    wanted: FromZero = Field(description="Latest conversations that are replayed.", examples=[50])
    others: FromZero = Field(
        description="Of these, conversations that are not of the workflow: "
        "they are used while its own have fewer than 20 messages.",
        examples=[0],
    )
    left_out: FromZero = Field(
        description="Conversations that are too long or damaged.", examples=[0]
    )
    elements: list[ElementCostAnswer] = Field(
        description="Model nodes and context processors, then edges with operations of their own."
    )

    @classmethod
    def of(cls, found: DraftCosts) -> Self:
        return cls(
            complete=found.is_whole,
            conversations=found.done,
            wanted=found.wanted,
            others=found.others,
            left_out=found.left_out,
            elements=[ElementCostAnswer.of(each) for each in found.elements],
        )
