"""The settings page of engine tokens: created, shown once and revoked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from pydantic import AfterValidator, Field

from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import create_token, revoke_token
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action, Scope
from ctxadmin.lib import clock
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import NotFound
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.confirm_page import Confirm, Redirection, confirm_page
from ctxadmin.ui.forms import ContractForm, FieldHint
from ctxadmin.ui.navigation import url_or_nothing
from ctxadmin.ui.pages import page, show

_MOST: Final = 200
_LIFETIMES: Final = {"30d": 30, "90d": 90, "365d": 365}


def _with_letters(text: str) -> str:
    if not text.strip():
        raise ValueError("a token needs a name")
    return text.strip()


class NewTokenRequest(Contract):
    """The name, scopes and lifetime of a new token."""

    name: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_with_letters)]
    scopes: Annotated[
        list[Literal["engine", "review", "design", "admin"]], Field(min_length=1, max_length=4)
    ]
    expires: Literal["30d", "90d", "365d", "never"] = "90d"


class TokenForm(ContractForm[NewTokenRequest]):
    contract = NewTokenRequest
    hints = {
        "name": FieldHint(
            label=gettext_lazy("Name"), help=gettext_lazy("Shown as the author of its changes.")
        ),
        "scopes": FieldHint(
            label=gettext_lazy("Scopes"),
            help=gettext_lazy("Every token can read. Allow only what the engine needs."),
            choices=[
                (
                    "engine",
                    gettext_lazy("engine: run workflows, messages, checkpoints, pause, resume"),
                ),
                ("review", gettext_lazy("review: edit the state, approve, reject, restore, fork")),
                ("design", gettext_lazy("design: change and publish workflows")),
                ("admin", gettext_lazy("admin: everything, including tokens and erasing")),
            ],
        ),
        "expires": FieldHint(
            label=gettext_lazy("Expires after"),
            choices=[
                ("30d", gettext_lazy("30 days")),
                ("90d", gettext_lazy("90 days")),
                ("365d", gettext_lazy("a year")),
                ("never", gettext_lazy("never, until revoked")),
            ],
        ),
    }


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A token in the list; its ``status`` is active, expired or revoked."""

    id: str
    name: str
    scopes: Sequence[str]
    author: str
    status: Literal["active", "expired", "revoked"]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """The tokens of the workspace, active ones first, with links to the other settings."""

    title: Text
    crumbs: Sequence[Crumb]
    tokens: Sequence[TokenLine]
    active: int
    retention_url: str
    prices_url: str
    webhooks_url: str


@dataclass(frozen=True, slots=True)
class NewTokenPage:
    """The form of a new token."""

    title: Text
    crumbs: Sequence[Crumb]
    form: TokenForm


@dataclass(frozen=True, slots=True)
class SecretPage:
    """A new token with its secret, which no other page will show."""

    title: Text
    crumbs: Sequence[Crumb]
    token: TokenLine
    secret: str
    example: str


@require_safe
@page
def settings(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Shows the tokens and links to other settings; designers have only those of webhooks."""
    webhooks = url_or_nothing("webhooks")
    if webhooks and actor.may(Action.WEBHOOK_MANAGE) and not actor.may(Action.TOKEN_MANAGE):
        return redirect(webhooks)
    actor.require(Action.TOKEN_MANAGE)
    rows = EngineToken.objects.filter(workspace=actor.workspace).order_by("-created_at")[:_MOST]
    tokens = sorted((_line(row) for row in rows), key=lambda line: line.status != "active")
    shown = SettingsPage(
        title=_("Settings"),
        crumbs=(),
        tokens=tokens,
        active=sum(line.status == "active" for line in tokens),
        retention_url=url_or_nothing("settings-retention"),
        prices_url=url_or_nothing("settings-prices"),
        webhooks_url=webhooks,
    )
    return show(request, "settings/tokens.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@page
def new_token(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Creates a token; the answer is the only page that ever shows its secret."""
    actor.require(Action.TOKEN_MANAGE)
    if request.method == "POST":
        form = TokenForm(request.POST)
        if form.is_valid():
            return _made(request, actor, form.model)
    else:
        form = TokenForm(initial={"scopes": ["engine"]})
    shown = NewTokenPage(title=_("New token"), crumbs=_crumbs(_("New token")), form=form)
    status = 422 if request.method == "POST" else 200
    return show(request, "settings/new_token.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def revoke(request: HttpRequest, actor: Actor, token_id: str) -> HttpResponse:
    actor.require(Action.TOKEN_MANAGE)
    rows = EngineToken.objects.filter(workspace=actor.workspace, revoked_at=None)
    row = rows.filter(public_id=token_id).first() if token_id.isascii() else None
    if row is None:
        raise NotFound(_("This token does not exist."))

    def write(_reason: str) -> Redirection:
        revoke_token(actor, token_id)
        return Redirection(reverse("settings"), _("Token %(name)s revoked.") % {"name": row.name})

    confirm = Confirm(
        title=_("Revoke the token %(name)s") % {"name": row.name},
        text=_("Requests with it are refused from now on. This cannot be undone."),
        submit=_("Revoke"),
        back=reverse("settings"),
        crumbs=_crumbs(_("Revoke")),
        danger=True,
    )
    return confirm_page(request, confirm, write)


def _made(request: HttpRequest, actor: Actor, wanted: NewTokenRequest) -> HttpResponse:
    days = _LIFETIMES.get(wanted.expires)
    made = create_token(
        actor,
        wanted.name,
        [Scope(scope) for scope in wanted.scopes],
        lifetime=None if days is None else timedelta(days=days),
    )
    url = request.build_absolute_uri("/api/v1/conversations")
    shown = SecretPage(
        title=_("Token %(name)s") % {"name": wanted.name},
        crumbs=_crumbs(wanted.name),
        token=_line(made.token),
        secret=made.secret,
        example=f'curl -H "Authorization: Bearer {made.secret}" {url}',
    )
    return show(request, "settings/secret.html", shown)


def _line(row: EngineToken) -> TokenLine:
    expired = row.expires_at is not None and row.expires_at <= clock.now()
    return TokenLine(
        id=row.public_id,
        name=row.name,
        scopes=row.scopes,
        author=row.created_by,
        status="revoked" if row.revoked_at else "expired" if expired else "active",
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )


def _crumbs(here: str) -> tuple[Crumb, ...]:
    return (Crumb(_("Settings"), reverse("settings")), Crumb(here))
