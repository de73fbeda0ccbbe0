"""Light, dark or automatic: the reader's choice, stored in a cookie."""

from enum import StrEnum
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

COOKIE: Final = "theme"
_ONE_YEAR: Final = 365 * 24 * 3600


class Theme(StrEnum):
    """``auto`` follows the reader's system; it is the default."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


def chosen_theme(request: HttpRequest) -> Theme:
    """Returns the theme of the cookie; an unknown value counts as ``auto``."""
    value = request.COOKIES.get(COOKIE, "")
    return Theme(value) if value in {theme.value for theme in Theme} else Theme.AUTO


@require_http_methods(["GET", "HEAD", "POST"])
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Stores ``theme`` of the form in the cookie and redirects to ``next``.

    shell.js does the same in place; this is the way without JavaScript. A GET has no form and leads
    to the overview.
    """
    response = HttpResponseRedirect(_return_url(request))
    value = request.POST.get("theme", "")
    if value in {theme.value for theme in Theme}:
        # Readable by shell.js, and nothing in it is secret.
        response.set_cookie(
            COOKIE,
            value,
            max_age=_ONE_YEAR,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
    return response


def _return_url(request: HttpRequest) -> str:
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return target if safe else "/"
