"""What the bar of a list sends: it leads to the dry run of the action."""

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from bulk import jobs
from bulk.models import BulkJob
from bulk.pages.job_page import job_list
from bulk.pages.selection import action_in, filter_query, list_url, selection_in
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.pages import page
from ctxadmin.ui.sentences import translated


@require_http_methods(["GET", "HEAD", "POST"])
@page
def select(request: HttpRequest, actor: Actor) -> HttpResponse:
    if request.method != "POST":
        return _not_sent(request, actor)
    action = action_in(request.POST)
    actor.require(action.right)
    selection = selection_in(request.POST, action.list, actor.workspace)
    query = filter_query(request.POST)
    if not selection:
        flash.warning(request, _("Nothing is selected. Select items in the list first."))
        return redirect(list_url(action.list, query))
    try:
        job = jobs.select(actor, action, selection, query)
    except TooLarge as error:
        flash.warning(request, translated(error.detail))
        return redirect(list_url(action.list, query))
    return redirect(f"{reverse('bulk:job', args=[job.public_id])}{_shown_query(request, job)}")


def _not_sent(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Shows the list of bulk actions at the address to which signing in again leads.

    With JavaScript the page then sends the selection again (``form_drafts``).
    """
    flash.warning(request, _("Nothing is selected. Select items in the list first."))
    return job_list(request)


def _shown_query(request: HttpRequest, job: BulkJob) -> str:
    """Returns how many the button said that match, for the dry run, if now it is another number."""
    shown = whole_number(request.POST.get("shown", ""))
    if request.POST.get("scope") != "all" or shown in (None, job.total):
        return ""
    return f"?shown={shown}"
