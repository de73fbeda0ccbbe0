"""The endpoint of model usage: sums of what engines reported."""

from typing import Final

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.statistics.usage_sums import COLUMNS, UsageQuery, usage_sums
from ctxadmin.http.described import PAGE, Answer, FromOne, FromZero, ListOf, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.http.endpoints.sum_parameters import SINCE, group_parameter, groups_of, since_of

_GROUP: Final = group_parameter(COLUMNS)


class UsageAnswer(Answer):
    """The sum of one group; only the requested grouping fields are present."""

    day: str | None = Field(None, description="Day in UTC.", examples=["2026-11-24"])
    workflow: str | None = Field(
        None, description="Slug of the workflow; null of free executions.", examples=["support"]
    )
    workflow_version: FromOne | None = Field(
        None, description="Version of the workflow; null of free executions.", examples=[3]
    )
    node: str | None = Field(None, description="Id of the node.", examples=["draft"])
    model: str | None = Field(
        None, description="Name of the model; null where none was named.", examples=["gpt-5-mini"]
    )
    conversation: str | None = Field(
        None, description="Id of the conversation.", examples=["support-42"]
    )
    execution: str | None = Field(
        None, description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"]
    )
    steps: FromZero = Field(description="Number of steps that reported usage.", examples=[12])
    input_tokens: FromZero = Field(
        description="Tokens of the inputs, cached ones included.", examples=[14400]
    )
    cached_tokens: FromZero = Field(
        description="Tokens of the inputs that the provider's cache had.", examples=[12000]
    )
    cache_write_tokens: FromZero = Field(
        description="Tokens of the inputs that were written into the cache.", examples=[0]
    )
    output_tokens: FromZero = Field(description="Tokens of the outputs.", examples=[3600])
    cost: float | None = Field(
        description="Sum of the costs that were reported; null if there is none.", examples=[0.25]
    )
    steps_with_cost: FromZero = Field(
        description="Number of steps that reported a cost.", examples=[12]
    )
    price_cost: float | None = Field(
        description=(
            "Cost in US dollars by the prices of the models, of the steps whose model has a price; "
            "null if none has. See `GET /prices`."
        ),
        examples=[0.0101],
    )
    steps_with_price: FromZero = Field(
        description="Number of steps whose model has a price.", examples=[12]
    )


class UsageSums(Endpoint):
    @described("Sum usage", answer=ListOf[UsageAnswer], query=(_GROUP, SINCE, *PAGE))
    def get(self, request: Request) -> Response:
        """Sums the tokens and costs that completions reported, by node, workflow version or day.

        `cost` is what engines reported, `price_cost` is calculated from the tokens. Steps without a
        report are not included. Forks do not count the steps of their source again; erased
        conversations no longer count.
        """
        query = request.query_params
        wanted = UsageQuery(groups_of(query, COLUMNS), since_of(query))
        page = usage_sums(self.actor, wanted, PageRequest.of(query))
        return Response(page.as_json(page.items))
