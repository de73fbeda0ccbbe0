"""The requests about webhooks and notification preferences."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.ids import PATTERN
from notifications.domain.addresses import LONGEST, read_address
from notifications.domain.kinds import KindName


def _an_address(url: str) -> str:
    read_address(url)
    return url


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Url = Annotated[str, Field(max_length=LONGEST), AfterValidator(_an_address)]
Kinds = Annotated[list[KindName], Field(min_length=1, max_length=20)]
Slug = Annotated[str, Field(pattern=f"^{PATTERN}$")]


class CreateWebhook(Contract):
    """The address and the kinds of events, for one workflow or all of the workspace."""

    name: Name = Field(description="Name of the webhook.", examples=["Chat room"])
    url: Url = Field(
        description="Address to which events are sent.", examples=["https://example.org/hook"]
    )
    kinds: Kinds = Field(description="Kinds of events to send.", examples=[["execution.paused"]])
    workflow: Slug | None = Field(
        None, description="Only executions of this workflow; by default all.", examples=["support"]
    )


class ChangeWebhook(Contract):
    """The fields to change. ``workflow: ""`` means all executions."""

    name: Name | None = Field(None, description="The new name.", examples=["Chat room"])
    url: Url | None = Field(
        None, description="The new address.", examples=["https://example.org/hook"]
    )
    kinds: Kinds | None = Field(
        None, description="The new kinds of events.", examples=[["execution.paused"]]
    )
    workflow: Slug | Annotated[str, Field(max_length=0)] | None = Field(
        None,
        description="Slug of the only workflow; an empty text means all.",
        examples=["support"],
    )
    paused: bool | None = Field(None, description="Whether events are queued and not sent.")
    expected_version: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The version that you read.", examples=[0]
    )
