"""The page of a person's notification preferences, and the call that polls for news."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from notifications import payloads
from notifications.domain.kinds import PERSONAL, Kind
from notifications.pages.wording import KINDS, PROBLEMS
from notifications.queries import lost_mails, news_of, own_address
from notifications.services.choices import PreferenceChoice, choices_of, resend_mail, set_choices


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    """A kind with its two boxes."""

    name: str
    label: Text
    mail: bool
    browser: bool


@dataclass(frozen=True, slots=True)
class LostMail:
    """A mail that was given up, and why."""

    id: str
    label: Text
    conversation: str
    at: datetime
    problem: Text


@dataclass(frozen=True, slots=True)
class ChoicesPage:
    """A person's preferences.

    ``mail`` is True if the server can send any, ``address`` is theirs.
    """

    title: Text
    crumbs: Sequence[Crumb]
    lines: Sequence[PreferenceRow]
    mail: bool
    address: str
    lost: Sequence[LostMail]
    may_webhooks: bool


@require_http_methods(["GET", "HEAD", "POST"])
@page
def choices(request: HttpRequest, actor: Actor) -> HttpResponse:
    if request.method == "POST" and "resend" in request.POST:
        resend_mail(actor, request.POST["resend"])
        flash.success(request, _("Queued for delivery again."))
        return redirect("notifications")
    if request.method == "POST":
        set_choices(
            actor,
            PreferenceChoice(_chosen_kinds(request, "mail"), _chosen_kinds(request, "browser")),
        )
        flash.success(request, _("Saved."))
        return redirect("notifications")
    return _choices_page(request, actor)


def _choices_page(request: HttpRequest, actor: Actor) -> HttpResponse:
    chosen = choices_of(actor)
    shown = ChoicesPage(
        title=_("Notifications"),
        crumbs=(),
        lines=[
            PreferenceRow(kind.value, KINDS[kind], kind in chosen.mail, kind in chosen.browser)
            for kind in PERSONAL
        ],
        mail=settings.MAIL,
        address=own_address(actor),
        lost=[
            LostMail(row.id, KINDS[row.kind], row.conversation_id, row.at, PROBLEMS[row.problem])
            for row in lost_mails(actor)
        ],
        may_webhooks=actor.may(Action.WEBHOOK_MANAGE),
    )
    return show(request, "notifications/choices.html", shown)


@require_safe
@page
def news(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns the news for a browser, as ids and links, and the time of the next call."""
    now = clock.now()
    asked = request.GET.get("after")
    found = news_of(actor, _moment(asked)) if asked else []
    results = [
        {"id": row.id, "said": str(KINDS[row.kind]), "link": payloads.path_of(row)} for row in found
    ]
    return JsonResponse({"results": results, "next": clock.iso(now)})


def _chosen_kinds(request: HttpRequest, channel: str) -> list[Kind]:
    sent = set(request.POST.getlist(channel))
    return [kind for kind in PERSONAL if kind.value in sent]


def _moment(text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not 2000 < found.year < 3000:
        raise ValidationFailed.at("?after", _("Unknown time. Reload the page."))
    return found
