"""The first steps of a workspace: which ones are done, and for how long the overview lists them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Exists, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ctxadmin.accounts.models import Workspace
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.ui.pages import page

CLOSED: Final = "first-steps-closed"  # a cookie: who closes the list has seen it
# A workspace in use for longer is not told how to start, whichever step it never took.
_LISTED_FOR: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """Which of the first steps were done, by others than the demo data and the server.

    ``drawn``: a workflow was changed. ``watched``: the demo engine ran. ``imported``: a
    conversation was imported. ``connected``: a token was created. ``is_new`` says whether the
    workspace is young enough to be told of them.
    """

    drawn: bool
    watched: bool
    imported: bool
    connected: bool
    is_new: bool

    @property
    def all_done(self) -> bool:
        return self.drawn and self.watched and self.imported and self.connected


def read_first_steps(workspace: int) -> FirstSteps:
    """Returns what people did, also on the command line, in one query."""
    entries = AuditEntry.objects.filter(workspace=workspace)

    def has(action: Action, *commands: str) -> Exists:
        own = ~Q(actor_kind="system") | Q(actor_name__in=commands)
        return Exists(entries.filter(own, action=action))

    by_demo = entries.filter(action=Action.TOKEN_MANAGE, actor_name="demo_engine")
    drawn, watched, imported, connected, created_at = (
        Workspace.objects.filter(pk=workspace)
        .values_list(
            has(Action.WORKFLOW_CHANGE),
            Exists(by_demo.filter(actor_kind="system")),
            has(Action.CONVERSATION_IMPORT, "import_conversations"),
            has(Action.TOKEN_MANAGE, "create_token"),
            "created_at",
        )
        .get()
    )
    is_new = clock.now() - created_at < _LISTED_FOR
    return FirstSteps(drawn, watched, imported, connected, is_new)


def are_listed(steps: FirstSteps, request: HttpRequest) -> bool:
    """Returns whether the overview lists the steps beside what there is already."""
    return steps.is_new and not steps.all_done and CLOSED not in request.COOKIES


@require_http_methods(["GET", "HEAD", "POST"])
@page
def close_first_steps(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Stores in a cookie that this browser lists the first steps no longer.

    A reader comes here by GET after signing in and is redirected to the overview.
    """
    response = HttpResponseRedirect(reverse("overview"))
    if request.method != "POST":
        return response
    response.set_cookie(
        CLOSED,
        "1",
        max_age=_LISTED_FOR,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response
