"""Errors outside of views: problem+json for programs, a page for people."""

import sys

from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.utils.translation import gettext as _

from ctxadmin.lib.errors import NotFound, Unavailable
from ctxadmin.web.phrases import in_the_readers_language
from ctxadmin.web.problems import of_database, of_error, problem, reads_problems


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 400, "validation", _("The request cannot be read."))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 403, "forbidden", _("You may not do this here."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without the token that this browser was given."""
    if reason == REASON_NO_CSRF_COOKIE:
        text = _("This browser sent no cookies, and without them nothing can be changed here.")
    else:
        text = _("The form is out of date, or it came from another site. Nothing was changed.")
    if reads_problems(request):
        return problem(403, "forbidden", text)
    context = {
        "detail": text,
        "no_cookies": reason == REASON_NO_CSRF_COOKIE,
        "plain_url": request.get_full_path(),
        "plain_label": _("Open the form again"),
    }
    return render(request, "csrf.html", context, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    text = _("There is nothing here, or it is not yours.")
    if isinstance(exception, NotFound):  # of a page's service; it does not tell what others have
        text = in_the_readers_language(exception.detail)
    return _answer(request, 404, "not_found", text)


def server_error(request: HttpRequest) -> HttpResponse:
    """What nothing has handled; the database may go away also before and after a view."""
    error = sys.exception()
    if isinstance(error, Error):
        refusal = of_database(error)
        if refusal is not None:
            return unavailable(request, refusal)
    return _answer(request, 500, "internal", _("Something went wrong; it was logged."))


def unavailable(request: HttpRequest, refusal: Unavailable) -> HttpResponse:
    """The page of an outage, which asks nothing of the database."""
    if reads_problems(request):
        return of_error(refusal)
    response = render(request, "503.html", {"detail": refusal.detail}, status=503)
    response["Retry-After"] = str(refusal.retry_after)
    return response


def _answer(request: HttpRequest, status: int, code: str, detail: str) -> HttpResponse:
    if reads_problems(request):
        return problem(status, code, detail)
    return render(request, f"{status}.html", {"detail": detail}, status=status)
