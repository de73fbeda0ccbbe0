"""The settings page of retention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance.lock import last_run
from checkpoints.maintenance.retention_policies import policy_of, set_policy
from checkpoints.pages import execution_queries
from checkpoints.pages.execution_queries import StorageFigures
from ctxadmin.accounts.models import Workspace
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.forms import ContractForm, FieldHint
from ctxadmin.ui.forms.seen_numbers import seen_number
from ctxadmin.ui.pages import page, show


class RetentionForm(ContractForm[RetentionPolicy]):
    contract = RetentionPolicy
    hints = {
        "keep_last": FieldHint(
            label=gettext_lazy("Latest versions to keep per execution"),
            help=gettext_lazy("Leave empty to keep every version."),
            wide=True,
        ),
        "hourly_days": FieldHint(
            label=gettext_lazy("Days to keep one older version per hour"),
            help=gettext_lazy("After that, one version per day is kept."),
            wide=True,
        ),
        "archive_after_days": FieldHint(
            label=gettext_lazy("Archive conversations after this many days without a change"),
            help=gettext_lazy(
                "An archived conversation is hidden from lists until the next write."
            ),
            wide=True,
        ),
        "erase_after_days": FieldHint(
            label=gettext_lazy("Erase archived conversations after this many days"),
            help=gettext_lazy(
                "Erased for good; only the audit still shows that they existed. Leave empty to "
                "never erase."
            ),
            wide=True,
        ),
        "remove_tokens_after_days": FieldHint(
            label=gettext_lazy(
                "Remove expired and revoked tokens from the list after this many days"
            ),
            wide=True,
        ),
    }


@dataclass(frozen=True, slots=True)
class LastRun:
    """The result of the last maintenance run in this workspace."""

    ended_at: datetime
    archived: int
    erased: int
    thinned: int
    freed: int


@dataclass(frozen=True, slots=True)
class RetentionPage:
    """The form of the policy; ``version`` is that of the policy it started from.

    ``theirs`` is the policy that someone else saved meanwhile, if any.
    """

    title: Text
    crumbs: Sequence[Crumb]
    form: RetentionForm
    version: int
    kept: StorageFigures
    last: LastRun | None
    theirs: Mapping[str, JsonValue]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def retention(request: HttpRequest, actor: Actor) -> HttpResponse:
    actor.require(Action.RETENTION_SET)
    chosen = policy_of(actor.workspace)
    if request.method != "POST":
        return _page(request, actor, RetentionForm(initial=chosen.policy), chosen.version)
    form, expected = RetentionForm(request.POST), seen_number(request.POST)
    if not form.is_valid():
        return _page(request, actor, form, expected, status=422)
    try:
        set_policy(actor, form.model, expected)
    except VersionConflict:
        theirs = chosen.policy.model_dump(exclude_none=True)
        return _page(request, actor, form, chosen.version, theirs=theirs, status=409)
    flash.success(request, _("Saved. It takes effect with the next maintenance run."))
    return redirect("settings-retention")


def _page(
    request: HttpRequest,
    actor: Actor,
    form: RetentionForm,
    version: int,
    *,
    theirs: Mapping[str, JsonValue] | None = None,
    status: int = 200,
) -> HttpResponse:
    title = _("Storage")
    shown = RetentionPage(
        title=title,
        crumbs=(Crumb(_("Settings"), reverse("settings")), Crumb(title)),
        form=form,
        version=version,
        kept=execution_queries.storage_figures(actor),
        last=_last_run(actor),
        theirs=theirs or {},
    )
    return show(request, "settings/retention.html", shown, status=status)


def _last_run(actor: Actor) -> LastRun | None:
    last = last_run()
    if last is None:
        return None
    slug = Workspace.objects.values_list("slug", flat=True).get(key=actor.workspace)
    workspaces = last[1].get("workspaces")
    found = workspaces.get(slug) if isinstance(workspaces, dict) else None
    figures = found if isinstance(found, dict) else {}
    archived, erased, thinned, freed = (
        value if isinstance(value := figures.get(name), int) else 0
        for name in ("archived", "erased", "thinned", "freed")
    )
    return LastRun(last[0], archived, erased, thinned, freed)
