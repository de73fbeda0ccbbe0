"""The browsers in which someone is signed in, on their own page; each can be signed out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from ctxadmin.accounts import own_sessions as services
from ctxadmin.accounts.own_sessions import OwnSession
from ctxadmin.accounts.sessions import stored_key
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Text
from ctxadmin.ui.pages import page

MOST_LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in the list; ``is_here`` is the one of the browser that shows the list."""

    session: OwnSession
    browser: Text
    is_here: bool


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions of a person, this one first; ``more`` are not shown."""

    lines: Sequence[SessionLine]
    more: int
    has_others: bool


def session_list(request: HttpRequest, actor: Actor) -> SessionList:
    here = _current_session(request)
    found = services.list_sessions(actor)
    lines = [SessionLine(each, _browser(each), each.id == here) for each in found]
    lines.sort(key=lambda line: not line.is_here)
    others = any(not line.is_here for line in lines)
    return SessionList(lines[:MOST_LISTED], max(len(lines) - MOST_LISTED, 0), others)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def end_session(request: HttpRequest, actor: Actor, session: str) -> HttpResponse:
    """Signs one browser out; opening the address redirects to the list."""
    if request.method == "POST":
        if services.end_session(actor, session):
            flash.success(request, _("Browser signed out."))
        else:
            flash.info(request, _("This browser was already signed out."))
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
@page
def end_other_sessions(request: HttpRequest, actor: Actor) -> HttpResponse:
    if request.method == "POST":
        count = services.end_other_sessions(actor, _current_session(request))
        text = ngettext(
            "%(n)d other browser signed out.", "%(n)d other browsers signed out.", count
        )
        flash.success(request, text % {"n": count})
    return redirect("account")


def _current_session(request: HttpRequest) -> str:
    return stored_key(request.session.session_key or "")


def _browser(session: OwnSession) -> Text:
    if session.browser and session.system:
        names = {"browser": session.browser, "system": session.system}
        return _("%(browser)s on %(system)s") % names
    return session.browser or session.system or _("Unknown browser")
