"""Putting a policy of a comparison into a node of the draft, and undoing that."""

from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages as flash
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed, VersionConflict
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.pages import page
from workflows.backtests.questions import Question
from workflows.domain.document.graph import Document
from workflows.domain.document.policy_use import filter_of, with_filter, with_policy
from workflows.models import Workflow
from workflows.pages.comparison.form import named
from workflows.pages.comparison.labels import policy_rows
from workflows.pages.comparison.links import find_comparison
from workflows.pages.elements.document_edits import find
from workflows.services import use_cases
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

_SALT: Final = "workflows.comparison.use"
_FIELD: Final = "used"
_MOST_TOKEN: Final = 4_000


@require_http_methods(["GET", "HEAD", "POST"])
@page
def use(request: HttpRequest, actor: Actor, slug: str, backtest_id: str) -> HttpResponse:
    """Writes the draft with the policy at the place ``policy`` in ``node``.

    ``version`` is the draft that the page showed: nothing is written over what someone else did.
    A reader comes here by GET after signing in, and is redirected to the comparison.
    """
    if request.method != "POST":
        return redirect("workflows:comparison", slug, backtest_id)
    actor.require(Action.WORKFLOW_CHANGE)
    backtest = find_comparison(actor, slug, backtest_id)
    rows = policy_rows(Question.read(bytes(backtest.question)))
    place = whole_number(request.POST.get("policy", ""))
    version = whole_number(request.POST.get("version", ""))
    if place is None or place >= len(rows) or not rows[place].operations or version is None:
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    row = find_workflow(actor.workspace, slug)
    document = definition(bytes(row.draft)).document
    node = find(document.nodes, request.POST.get("node", ""))
    before = filter_of(document, node.id)
    made = with_policy(document, node.id, rows[place].operations)
    saved = _save(request, actor, slug, made, version)
    if saved is not None:
        words = {"policy": rows[place].label, "node": named(node)}
        used = {"key": row.key, "version": saved.draft_version, "node": node.id, "before": before}
        flash.success(
            request,
            _("“%(policy)s” is in the draft of “%(node)s” now.") % words,
            extra_tags=_undo_url(slug, backtest_id, used),
        )
    return redirect("workflows:comparison", slug, backtest_id)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def undo(request: HttpRequest, actor: Actor, slug: str, backtest_id: str) -> HttpResponse:
    """Restores the former filter of the node, unless the draft was changed since."""
    if request.method != "POST":
        return redirect("workflows:comparison", slug, backtest_id)
    actor.require(Action.WORKFLOW_CHANGE)
    row = find_workflow(actor.workspace, slug)
    used = _read(request.GET.get(_FIELD, ""), row)
    if used is None:
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    document = definition(bytes(row.draft)).document
    node = find(document.nodes, used["node"])
    made = with_filter(document, node.id, used["before"])
    if _save(request, actor, slug, made, used["version"]) is not None:
        flash.success(request, _("Undone: %(node)s has its former filter.") % {"node": named(node)})
    return redirect("workflows:comparison", slug, backtest_id)


def _undo_url(slug: str, backtest_id: str, used: dict[str, Any]) -> str:
    """What the button "Undo" sends to; "" for a former filter that no address can hold."""
    token = signing.dumps(used, salt=_SALT, compress=True)
    if len(token) > _MOST_TOKEN:
        return ""
    url = reverse("workflows:comparison-undo", args=[slug, backtest_id])
    return f"{url}?{urlencode({_FIELD: token})}"


def _read(token: str, row: Workflow) -> dict[str, Any] | None:
    try:
        used: dict[str, Any] = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    return used if used.get("key") == row.key else None


def _save(
    request: HttpRequest, actor: Actor, slug: str, made: Document, version: int
) -> Workflow | None:
    """The row with the new draft; None, which is reported, if someone else changed it since."""
    try:
        return use_cases.save_draft(actor, slug, made, version).workflow
    except VersionConflict:
        flash.error(
            request,
            _("Not saved: the draft has changed since then. Check it and try again."),
        )
        return None
