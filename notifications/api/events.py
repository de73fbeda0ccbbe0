"""The events that are sent to webhooks, as the OpenAPI document describes them."""

from typing import Literal

from pydantic import Field, JsonValue

from ctxadmin.http.described import Answer, FromZero, SentEvent, Time, sends
from notifications.domain.kinds import KindName


class WebhookEventData(Answer):
    """The subject of the event, by its ids; it has no title, message or state."""

    conversation: str = Field(description="Id of the conversation.", examples=["support-42"])
    execution: str = Field(description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"])
    workflow: str | None = Field(
        description="Slug of the workflow; null in a free execution.", examples=["support"]
    )
    version: FromZero = Field(description="Version that the event is about, from 0.", examples=[13])
    status: str = Field(description="Status at that version.", examples=["PAUSED"])
    node_id: str | None = Field(description="Id of the current node.", examples=["draft"])
    link: str = Field(
        description="Address of the page of the conversation.",
        examples=["https://ctxadmin.example.com/conversations/support-42/"],
    )
    outcome: str | None = Field(
        None,
        description="What happened at the deadline, if a review timed out.",
        examples=["approve"],
    )


class WebhookEvent(Answer):
    """An event of an execution, the same at every attempt."""

    type: KindName = Field(description="Kind of the event.")
    timestamp: Time = Field(description="When it happened (ISO 8601, UTC).")
    data: WebhookEventData = Field(description="What it is about.")


class WebhookTest(Answer):
    """The event that tests a webhook."""

    type: Literal["webhook.test"] = Field(description="Kind of the event.")
    timestamp: Time = Field(description="When it was requested (ISO 8601, UTC).")
    data: dict[str, JsonValue] = Field(
        description="The id of the webhook in `webhook`.",
        examples=[{"webhook": "hook_7q2m4x8k1n5p9r3t"}],
    )


def register() -> None:
    """Adds the events to the OpenAPI document."""
    sends(SentEvent("execution", "An event of an execution", WebhookEvent))
    sends(SentEvent("test", "A test of a webhook", WebhookTest))
