"""The settings pages of webhooks: the list, a new one, one with its deliveries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState, ValidationFailed, VersionConflict
from ctxadmin.ui.components import Crumb, StatusBadge, Text
from ctxadmin.ui.confirm_page import Confirm, Redirection, confirm_page
from ctxadmin.ui.forms import ContractForm, FieldHint
from ctxadmin.ui.forms.seen_numbers import seen_number
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from notifications import queries
from notifications.domain.commands import ChangeWebhook, CreateWebhook
from notifications.domain.kinds import OF_WEBHOOKS
from notifications.models import Delivery, Webhook
from notifications.pages.wording import KINDS, PROBLEMS, STATES
from notifications.services import webhooks as services
from notifications.services.webhooks import NewSecret
from notifications.signing_keys import former_signs_until

_DELIVERIES = 25


class WebhookForm(ContractForm[CreateWebhook]):
    contract = CreateWebhook
    hints = {
        "name": FieldHint(label=gettext_lazy("Name"), wide=True),
        "url": FieldHint(
            label=gettext_lazy("Address"),
            help=gettext_lazy("Each event is sent here as a signed POST request."),
            placeholder="https://engine.example.org/hook",
            wide=True,
        ),
        "kinds": FieldHint(
            label=gettext_lazy("Events"),
            choices=[(kind.value, KINDS[kind]) for kind in OF_WEBHOOKS],
        ),
        "workflow": FieldHint(
            label=gettext_lazy("Workflow"),
            help=gettext_lazy(
                "Slug of a workflow. Leave empty for all executions of the workspace."
            ),
        ),
    }


@dataclass(frozen=True, slots=True)
class WebhookList:
    """The webhooks of the workspace."""

    title: Text
    crumbs: Sequence[Crumb]
    webhooks: Sequence[Webhook]


@dataclass(frozen=True, slots=True)
class NewWebhookPage:
    """The form of a new webhook."""

    title: Text
    crumbs: Sequence[Crumb]
    form: WebhookForm


@dataclass(frozen=True, slots=True)
class SecretPage:
    """A webhook with its secret, which no other page will show."""

    title: Text
    crumbs: Sequence[Crumb]
    webhook: Webhook
    secret: str


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A delivery in the list: ``problem`` is that of the last attempt, in words."""

    id: str
    kind: Text
    conversation: str
    version: int | None
    at: datetime
    state: StatusBadge
    attempts: int
    next_at: datetime | None
    answered: int | None
    problem: Text
    resend: bool


@dataclass(frozen=True, slots=True)
class WebhookPage:
    """One webhook: its form, its actions, and its deliveries.

    ``former_until`` is until when its former secret also signs; ``theirs`` means that someone else
    changed it meanwhile.
    """

    title: Text
    crumbs: Sequence[Crumb]
    webhook: Webhook
    former_until: datetime | None
    form: WebhookForm
    deliveries: Sequence[DeliveryRow]
    next: str | None
    state: str
    states: Mapping[str, StatusBadge]
    theirs: bool


@require_safe
@page
def webhooks(request: HttpRequest, actor: Actor) -> HttpResponse:
    found = queries.list_webhooks(actor)
    return show(request, "notifications/webhooks.html", WebhookList(_("Webhooks"), (), found))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@page
def new_webhook(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Creates a webhook; the answer is the only page that ever shows its secret."""
    actor.require(Action.WEBHOOK_MANAGE)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            return _secret(request, services.create(actor, form.model))
        except ValidationFailed as error:
            form.add_problems(error.problems)
    shown = NewWebhookPage(_("New webhook"), _crumbs(_("New webhook")), form)
    status = 422 if request.method == "POST" else 200
    return show(request, "notifications/new_webhook.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def webhook(request: HttpRequest, actor: Actor, webhook_id: str) -> HttpResponse:
    hook = services.find(actor, webhook_id)
    if request.method != "POST":
        return _one(request, hook, WebhookForm(initial=_as_form(hook)))
    form = WebhookForm(request.POST)
    status = 422
    if form.is_valid():
        try:
            services.change(actor, webhook_id, _as_change(form.model, request))
        except ValidationFailed as error:
            form.add_problems(error.problems)
        except VersionConflict:
            status = 409
        else:
            flash.success(request, _("Saved. You are now the owner of this webhook."))
            return redirect("webhook", webhook_id)
    return _one(request, hook, form, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def act(request: HttpRequest, actor: Actor, webhook_id: str) -> HttpResponse:
    """Handles the buttons: send a test, pause, resume, send a delivery again.

    A reader comes here by GET after signing in, and is redirected to the page of the webhook.
    """
    if request.method != "POST":
        return redirect("webhook", webhook_id)
    match request.POST.get("do"):
        case "test":
            message = _("Test queued. The result appears in the list.")
            try:
                services.send_test(actor, webhook_id)
            except InvalidState as error:
                flash.error(request, translated(error.detail))
                message = ""
        case "pause" | "go-on" as what:
            services.change(actor, webhook_id, ChangeWebhook(paused=what == "pause"))
            message = (
                _("Paused. Deliveries are queued.") if what == "pause" else _("Deliveries resumed.")
            )
        case "end-former":
            services.end_former_secret(actor, webhook_id)
            message = _("Only the latest secret is used now.")
        case "resend":
            services.resend(actor, webhook_id, request.POST.get("delivery", ""))
            message = _("Queued for delivery again.")
        case _:
            raise ValidationFailed(_("Unknown action. Reload the page."))
    if message:
        flash.success(request, message)
    return redirect("webhook", webhook_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def remove(request: HttpRequest, actor: Actor, webhook_id: str) -> HttpResponse:
    hook = services.find(actor, webhook_id)

    def write(_reason: str) -> Redirection:
        services.remove(actor, webhook_id)
        return Redirection(
            reverse("webhooks"), _("Webhook %(name)s removed.") % {"name": hook.name}
        )

    confirm = Confirm(
        title=_("Remove the webhook %(name)s") % {"name": hook.name},
        text=_("Nothing more is sent to it, including queued deliveries."),
        submit=_("Remove"),
        back=reverse("webhook", args=[webhook_id]),
        crumbs=_crumbs(_("Remove")),
        danger=True,
    )
    return confirm_page(request, confirm, write)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@page
def renew(request: HttpRequest, actor: Actor, webhook_id: str) -> HttpResponse:
    hook = services.find(actor, webhook_id)
    confirm = Confirm(
        title=_("Renew the secret of %(name)s") % {"name": hook.name},
        text=_(
            "Deliveries are signed with the new secret at once. For 24 hours they also carry a "
            "signature with the former one, so that you can update the receiver."
        ),
        submit=_("Renew the secret"),
        back=reverse("webhook", args=[webhook_id]),
        crumbs=_crumbs(_("Renew the secret")),
    )

    def write(_reason: str) -> HttpResponse:
        return _secret(request, services.renew_secret(actor, webhook_id))

    return confirm_page(request, confirm, write)


def _secret(request: HttpRequest, made: NewSecret) -> HttpResponse:
    title = _("Webhook %(name)s") % {"name": made.webhook.name}
    shown = SecretPage(title, _crumbs(made.webhook.name), made.webhook, made.secret)
    return show(request, "notifications/secret.html", shown)


def _one(
    request: HttpRequest, hook: Webhook, form: WebhookForm, *, status: int = 200
) -> HttpResponse:
    state = request.GET.get("state", "")
    if state and state not in STATES:
        raise ValidationFailed.at("?state", _("Unknown status."))
    asked = PageRequest.of(request.GET)
    found = queries.list_deliveries(hook, PageRequest(asked.after, _DELIVERIES), state)
    shown = WebhookPage(
        title=hook.name,
        crumbs=_crumbs(hook.name),
        webhook=hook,
        former_until=former_signs_until(hook),
        form=form,
        deliveries=[_line(row) for row in found.items],
        next=found.next,
        state=state,
        states={name.value: STATES[name] for name in Delivery.State},
        theirs=status == 409,
    )
    status = status if request.method == "POST" else 200
    return show(request, "notifications/webhook.html", shown, status=status)


def _line(row: Delivery) -> DeliveryRow:
    waits = row.state == Delivery.State.WAITING
    return DeliveryRow(
        id=row.id,
        kind=KINDS.get(row.kind, row.kind),
        conversation=row.conversation_id,
        version=row.version,
        at=row.at,
        state=STATES[row.state],
        attempts=row.attempts,
        next_at=row.next_at if waits and row.problem else None,
        answered=row.answered,
        problem=PROBLEMS.get(row.problem, ""),
        resend=not waits or bool(row.problem),
    )


def _as_form(hook: Webhook) -> CreateWebhook:
    return CreateWebhook.model_construct(
        name=hook.name, url=hook.url, kinds=hook.kinds, workflow=hook.workflow or None
    )


def _as_change(wanted: CreateWebhook, request: HttpRequest) -> ChangeWebhook:
    return ChangeWebhook(
        name=wanted.name,
        url=wanted.url,
        kinds=wanted.kinds,
        workflow=wanted.workflow or "",
        expected_version=seen_number(request.POST),
    )


def _crumbs(here: str) -> tuple[Crumb, ...]:
    return (Crumb(_("Webhooks"), reverse("webhooks")), Crumb(here))
