"""The settings page of prices: the cost of the models of a workspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from conversations.domain.price_rules import PriceRules
from conversations.domain.price_table import PriceTable, price_table
from conversations.domain.prices import Price
from conversations.workspace.pricing import Prices, prices_of, set_prices
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.forms import ContractForm, FieldHint
from ctxadmin.ui.forms.seen_numbers import seen_number
from ctxadmin.ui.pages import page, show

_LONGEST: Final = 128


class PricesForm(ContractForm[PriceRules]):
    contract = PriceRules
    hints = {
        "models": FieldHint(
            label=gettext_lazy("Prices of this workspace"),
            help=gettext_lazy(
                "US dollars for 1,000,000 tokens. The first pattern that fits decides; other "
                "models have public prices."
            ),
        ),
        "models.pattern": FieldHint(
            label=gettext_lazy("Model"),
            help=gettext_lazy("The name of a model; * stands for any characters: gpt-5*"),
        ),
        "models.input": FieldHint(label=gettext_lazy("Input")),
        "models.cached": FieldHint(
            label=gettext_lazy("Cached input"), help=gettext_lazy("Empty: as the input.")
        ),
        "models.cache_write": FieldHint(
            label=gettext_lazy("Cache write"), help=gettext_lazy("Empty: as the input.")
        ),
        "models.output": FieldHint(label=gettext_lazy("Output")),
    }


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A model that was looked up; ``price`` is None if it is unknown."""

    model: str
    price: Price | None
    own: bool


@dataclass(frozen=True, slots=True)
class PricesPage:
    """The form of the prices; ``version`` is that of the prices it started from.

    ``changed_by`` is set if someone else set them meanwhile.
    """

    title: Text
    crumbs: Sequence[Crumb]
    form: PricesForm
    version: int
    table: PriceTable
    found: LookedUp | None
    changed_by: str


@require_http_methods(["GET", "HEAD", "POST"])
@page
def prices(request: HttpRequest, actor: Actor) -> HttpResponse:
    actor.require(Action.PRICES_SET)
    current = prices_of(actor.workspace)
    if request.method != "POST":
        form = PricesForm(initial=PriceRules(models=list(current.rules)))
        return _page(request, current, form, current.version)
    form, expected = PricesForm(request.POST), seen_number(request.POST)
    if not form.is_valid():
        return _page(request, current, form, expected, status=200 if form.edited else 422)
    try:
        set_prices(actor, form.model, expected)
    except VersionConflict:
        theirs = prices_of(actor.workspace)
        return _page(request, theirs, form, theirs.version, changed_by=theirs.author, status=409)
    flash.success(request, _("Saved."))
    return redirect("settings-prices")


def _page(
    request: HttpRequest,
    current: Prices,
    form: PricesForm,
    version: int,
    *,
    changed_by: str = "",
    status: int = 200,
) -> HttpResponse:
    title = _("Prices")
    shown = PricesPage(
        title=title,
        crumbs=(Crumb(_("Settings"), reverse("settings")), Crumb(title)),
        form=form,
        version=version,
        table=price_table(),
        found=_look_up_model(current, request.GET.get("model", "").strip()[:_LONGEST]),
        changed_by=changed_by,
    )
    return show(request, "settings/prices.html", shown, status=status)


def _look_up_model(current: Prices, model: str) -> LookedUp | None:
    if not model:
        return None
    own = current.source_of(model) == "workspace"
    return LookedUp(model, current.price_of(model), own)
