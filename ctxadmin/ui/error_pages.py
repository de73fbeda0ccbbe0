"""Errors outside of views: problem+json for programs, a page for people."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from ctxadmin.http.diagnosis import find_damage
from ctxadmin.http.error_catalogue import CATALOGUE
from ctxadmin.http.problems import (
    TITLES,
    of_database,
    of_error,
    problem,
    status_of,
    wants_json,
)
from ctxadmin.lib.errors import (
    ContextError,
    Damaged,
    FieldProblem,
    Forbidden,
    NotFound,
    Unavailable,
)
from ctxadmin.telemetry.facts import note_refusal
from ctxadmin.ui.components import Text
from ctxadmin.ui.sentences import as_sentence, translated


@dataclass(frozen=True, slots=True)
class Refusal:
    """A domain error as ``problem.html`` shows it; ``remedy`` is what its reader can do."""

    title: str
    detail: str
    code: str
    errors: Sequence[dict[str, object]]
    remedy: str = ""

    @property
    def says_more(self) -> bool:
        """Returns False if the detail already says everything."""
        return any(error["message"] != self.detail for error in self.errors)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 400, "validation", _("The request is not valid."))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 403, "forbidden", _("You are not allowed to do this."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answers a form without the token of this browser."""
    if reason == REASON_NO_CSRF_COOKIE:
        text = _("This browser sent no cookies. Changes need them.")
    else:
        text = _("The form is out of date, or it came from another site. Nothing was changed.")
    if wants_json(request):
        return problem(403, "forbidden", text)
    context = {
        "detail": text,
        "no_cookies": reason == REASON_NO_CSRF_COOKIE,
        "plain_url": request.get_full_path(),
        "plain_label": _("Open the form again"),
    }
    return render(request, "csrf.html", context, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    text = _("This page does not exist, or you have no access to it.")
    if isinstance(exception, NotFound):  # of a page's service; it does not tell what others have
        text = translated(exception.detail)
    return _answer(request, 404, "not_found", text)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answers an unhandled error; the database can fail before and after a view, too."""
    error = sys.exception()
    if isinstance(error, Error):
        refusal = of_database(error)
        if refusal is not None:
            return unavailable(request, refusal)
    damage = find_damage()
    if damage is not None:
        return refusal_page(request, damage)
    return _answer(request, 500, "internal", _("Something went wrong. The error was logged."))


def unavailable(request: HttpRequest, refusal: Unavailable) -> HttpResponse:
    """Returns the page of an outage, without a database query."""
    if wants_json(request):
        return of_error(refusal, translated)
    response = render(request, "503.html", {"detail": translated(refusal.detail)}, status=503)
    response["Retry-After"] = str(refusal.retry_after)
    return response


def _answer(request: HttpRequest, status: int, code: str, detail: str) -> HttpResponse:
    if wants_json(request):
        return problem(status, code, detail)
    return render(request, f"{status}.html", {"detail": detail}, status=status)


def _as_json(problem: FieldProblem) -> dict[str, object]:
    return problem.as_json() | {"message": as_sentence(problem.message)}


def refusal_page(
    request: HttpRequest, error: ContextError, *, url: str = "", label: Text = ""
) -> HttpResponse:
    """Returns a domain error as a page with its status; ``url`` leads on to what it is about."""
    note_refusal(error.code)
    if isinstance(error, NotFound):
        return not_found(request, error)
    if isinstance(error, Forbidden):
        return forbidden(request)
    refusal = Refusal(
        title=translated(TITLES.get(error.code, error.code)),
        detail=translated(error.detail),
        code=error.code,
        errors=[_as_json(item) for item in error.problems],
        remedy=str(CATALOGUE[error.code].remedy) if isinstance(error, Damaged) else "",
    )
    of_address = any(each.pointer.startswith("?") for each in error.problems)
    context = {
        "problem": refusal,
        "back_url": _back(request),
        "plain_url": url or (request.path if of_address else ""),
        "plain_label": label,
    }
    response = render(request, "problem.html", context, status=status_of(error))
    if isinstance(error, Unavailable):
        response["Retry-After"] = str(error.retry_after)
    return response


def _back(request: HttpRequest) -> str:
    """Returns the page that the reader came from, if it is one of ours."""
    came_from = request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        return ""
    parts = urlsplit(came_from)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
