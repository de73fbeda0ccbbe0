"""The endpoints of webhooks and their deliveries."""

from typing import ClassVar, Literal, Self

from django.http import HttpResponse
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import (
    IF_MATCH,
    PAGE,
    Answer,
    FromZero,
    ListOf,
    Parameter,
    Time,
    described,
)
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.roles import Action
from ctxadmin.lib.clock import iso
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from notifications import queries
from notifications.domain.commands import ChangeWebhook, CreateWebhook
from notifications.models import Delivery, Webhook
from notifications.services import webhooks
from notifications.signing_keys import former_signs_until

_STATES = [state.value for state in Delivery.State]


class WebhookAnswer(Answer):
    """A webhook; `owner` saved it last, and its rights decide what is sent.

    `gone_at`: when it was paused because the receiver answered 410. Until `former_secret_until`
    deliveries are also signed with the former secret.
    """

    id: str = Field(description="Id of the webhook.", examples=["hook_7q2m4x8k1n5p9r3t"])
    name: str = Field(description="Name of the webhook.", examples=["Chat room"])
    url: str = Field(
        description="Address to which events are sent.", examples=["https://example.org/hook"]
    )
    kinds: list[str] = Field(
        description="Kinds of events that are sent.", examples=[["execution.paused"]]
    )
    workflow: str | None = Field(
        description="Slug of the only workflow; null for all executions.", examples=["support"]
    )
    paused: bool = Field(description="Whether events are queued and not sent.")
    gone_at: Time | None = Field(description="When the receiver answered 410 (ISO 8601, UTC).")
    former_secret_until: Time | None = Field(
        description="Until when the former secret also signs (ISO 8601, UTC)."
    )
    owner: str = Field(description="Who saved it last.", examples=["person:li"])
    version: FromZero = Field(description="Number of its changes.", examples=[1])
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")

    @classmethod
    def of(cls, hook: Webhook) -> Self:
        return cls(**_fields(hook))


class NewWebhookAnswer(WebhookAnswer):
    """A webhook with its secret, which no other answer contains."""

    secret: str = Field(
        description="Secret that signs the deliveries; shown only once.",
        examples=["whsec_MDEyMzQ1Njc4OWFiY2RlZg=="],
    )

    @classmethod
    def with_secret(cls, made: webhooks.NewSecret) -> Self:
        return cls(**_fields(made.webhook), secret=made.secret)


class DeliveryAnswer(Answer):
    """A delivery to a webhook; `id` is the `webhook-id` of every attempt."""

    id: str = Field(
        description="Id of the delivery: `webhook-id` of every attempt.",
        examples=["dlv_7q2m4x8k1n5p9r3t"],
    )
    kind: str = Field(description="Kind of the event.", examples=["execution.paused"])
    conversation_id: str | None = Field(
        description="Id of the conversation; null in a test.", examples=["support-42"]
    )
    execution: str | None = Field(
        description="Id of the execution; null in a test.", examples=["exec_7q2m4x8k1n5p9r3t"]
    )
    version: FromZero | None = Field(description="Version that the event is about.", examples=[13])
    at: Time = Field(description="When the event happened (ISO 8601, UTC).")
    state: Literal["waiting", "sent", "dead"] = Field(
        description="Whether it waits, was sent, or was given up."
    )
    attempts: FromZero = Field(description="Number of attempts.", examples=[1])
    next_at: Time | None = Field(description="When the next attempt is due (ISO 8601, UTC).")
    answered: FromZero | None = Field(description="HTTP status of the last answer.", examples=[200])
    problem: str | None = Field(
        description="Why the last attempt failed.", examples=["The receiver answered 500."]
    )

    @classmethod
    def of(cls, row: Delivery) -> Self:
        return cls(
            id=row.id,
            kind=row.kind,
            conversation_id=row.conversation_id or None,
            execution=row.execution or None,
            version=row.version,
            at=iso(row.at),
            state=Delivery.State(row.state).value,
            attempts=row.attempts,
            next_at=iso(row.next_at) if row.next_at else None,
            answered=row.answered,
            problem=row.problem or None,
        )


class Webhooks(Endpoint):
    # An answer that is kept for repeated calls would keep the secret.
    keep_answers: ClassVar[bool] = False

    @described("List webhooks", answer=ListOf[WebhookAnswer], needs=Action.WEBHOOK_MANAGE)
    def get(self, request: Request) -> Response:
        """Lists webhooks by name."""
        found = queries.list_webhooks(self.actor)
        shown = [WebhookAnswer.of(each).model_dump() for each in found]
        return Response({"results": shown, "next": None})

    @described(
        "Create a webhook",
        body=CreateWebhook,
        answer=NewWebhookAnswer,
        status=201,
        errors=("invalid_state",),
        needs=Action.WEBHOOK_MANAGE,
        answer_headers=("ETag",),
    )
    def post(self, request: Request) -> Response:
        """Creates a webhook. Only this answer contains the secret."""
        made = webhooks.create(self.actor, self.body(CreateWebhook))
        return NewWebhookAnswer.with_secret(made).response(201, _etag(made.webhook))


class OneWebhook(Endpoint):
    @described(
        "Get a webhook", answer=WebhookAnswer, needs=Action.WEBHOOK_MANAGE, answer_headers=("ETag",)
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """Returns a webhook; the ETag is the number of its changes."""
        hook = webhooks.find(self.actor, webhook_id)
        return WebhookAnswer.of(hook).response(headers=_etag(hook))

    @described(
        "Change a webhook",
        body=ChangeWebhook,
        answer=WebhookAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.WEBHOOK_MANAGE,
        answer_headers=("ETag",),
    )
    def patch(self, request: Request, webhook_id: str) -> Response:
        """Changes a webhook.

        While it is paused, deliveries are queued. Whoever changes it becomes its owner.
        """
        body = self.body(ChangeWebhook)
        expected = self.expected_version(body.expected_version)
        body = body.model_copy(update={"expected_version": expected})
        hook = webhooks.change(self.actor, webhook_id, body)
        return WebhookAnswer.of(hook).response(headers=_etag(hook))

    @described(
        "Delete a webhook",
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.WEBHOOK_MANAGE,
    )
    def delete(self, request: Request, webhook_id: str) -> HttpResponse:
        """Deletes a webhook; queued deliveries are not sent."""
        webhooks.remove(self.actor, webhook_id, self.expected_version(None))
        return HttpResponse(status=204)


class RenewSecret(Endpoint):
    keep_answers: ClassVar[bool] = False

    @described(
        "Renew the secret of a webhook",
        answer=NewWebhookAnswer,
        errors=("version_conflict",),
        needs=Action.WEBHOOK_MANAGE,
        answer_headers=("ETag",),
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Creates a new secret.

        Deliveries are signed with it at once, and also with the former one for 24 hours.
        """
        made = webhooks.renew_secret(self.actor, webhook_id)
        return NewWebhookAnswer.with_secret(made).response(headers=_etag(made.webhook))


class FormerSecret(Endpoint):
    @described(
        "End the former secret of a webhook",
        errors=("version_conflict",),
        needs=Action.WEBHOOK_MANAGE,
    )
    def delete(self, request: Request, webhook_id: str) -> HttpResponse:
        """Drops the former secret: deliveries are signed only with the latest one from now on."""
        webhooks.end_former_secret(self.actor, webhook_id)
        return HttpResponse(status=204)


class TestWebhook(Endpoint):
    @described(
        "Send a test to a webhook",
        answer=DeliveryAnswer,
        status=201,
        errors=("invalid_state",),
        needs=Action.WEBHOOK_MANAGE,
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Sends a delivery of the kind `webhook.test`; its result is in the list of deliveries."""
        return DeliveryAnswer.of(webhooks.send_test(self.actor, webhook_id)).response(201)


class Deliveries(Endpoint):
    @described(
        "List the deliveries of a webhook",
        answer=ListOf[DeliveryAnswer],
        query=(
            *PAGE,
            Parameter(
                "state",
                "Only those in this state: `waiting`, `sent` or `dead`.",
                limits={"enum": _STATES},
            ),
        ),
        needs=Action.WEBHOOK_MANAGE,
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """Lists the deliveries of 30 days, latest first."""
        hook = webhooks.find(self.actor, webhook_id)
        state = request.query_params.get("state", "")
        if state and state not in _STATES:
            raise ValidationFailed.at(
                "?state", say("It is one of {states}.", states=", ".join(_STATES))
            )
        page = queries.list_deliveries(hook, PageRequest.of(request.query_params), state)
        return Response(page.as_json([DeliveryAnswer.of(row).model_dump() for row in page.items]))


class Resend(Endpoint):
    @described(
        "Send a delivery again",
        answer=DeliveryAnswer,
        needs=Action.WEBHOOK_MANAGE,
    )
    def post(self, request: Request, webhook_id: str, delivery_id: str) -> Response:
        """Sends a delivery again at once, under the same id.

        A second request while it is queued changes nothing.
        """
        return DeliveryAnswer.of(webhooks.resend(self.actor, webhook_id, delivery_id)).response()


def _fields(hook: Webhook) -> dict[str, object]:
    until = former_signs_until(hook)
    return {
        "id": hook.public_id,
        "name": hook.name,
        "url": hook.url,
        "kinds": hook.kinds,
        "workflow": hook.workflow or None,
        "paused": hook.paused,
        "gone_at": iso(hook.gone_at) if hook.gone_at else None,
        "former_secret_until": iso(until) if until else None,
        "owner": hook.owner,
        "version": hook.version,
        "created_at": iso(hook.since),
    }


def _etag(hook: Webhook) -> dict[str, str]:
    return {"ETag": f'"{hook.version}"'}
