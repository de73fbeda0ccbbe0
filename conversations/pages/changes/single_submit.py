"""The pages of a conversation whose form is applied once, however often it is sent."""

from functools import wraps
from typing import ParamSpec

from django.http import HttpRequest, HttpResponse

from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.form_idempotency import run_once_per_form
from ctxadmin.ui.pages import PageView

P = ParamSpec("P")


def submit_once(view: PageView[P]) -> PageView[P]:
    """Wraps a view with ``conversation_id`` in its path whose form redirects when done.

    See ``run_once_per_form``.
    """

    @wraps(view)
    def shown(
        request: HttpRequest, actor: Actor, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        def act() -> HttpResponse:
            return view(request, actor, *args, **kwargs)

        if request.method != "POST":
            return act()
        head = find_head(actor.workspace, str(kwargs["conversation_id"]))
        return run_once_per_form(request, actor, head.key, act)

    return shown
