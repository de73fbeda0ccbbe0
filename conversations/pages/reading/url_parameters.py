"""Reads the query parameters of the conversation pages."""

from typing import Final

from django.http import HttpRequest
from django.utils.translation import gettext as _

from conversations.pages.reading.view_window import SECTION, ShownView
from conversations.reading.navigation import ReadingFilter
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.whole_number import whole_number

_LONGEST: Final = 200


def requested_view(request: HttpRequest) -> ShownView:
    """Returns the requested view."""
    asked = request.GET
    return ShownView(
        which=asked.get("view", "current"),
        count=number_in(request, "count", 0) if "count" in asked else None,
        hidden=asked.get("hidden") == "1",
        words=" ".join(asked.get("q", "").split()),
        whole=asked.get("whole") == "1",
        only=ReadingFilter(
            role=_short(request, "role"),
            tool=_short(request, "tool"),
            node=_short(request, "node"),
            author=_short(request, "author"),
        ),
    )


def _short(request: HttpRequest, name: str) -> str:
    text = request.GET.get(name, "").strip()
    if len(text) > _LONGEST:
        raise ValidationFailed.at(
            f"?{name}", _("Enter at most %(n)s characters.") % {"n": _LONGEST}
        )
    return text


def requested_start(request: HttpRequest) -> int:
    """Returns the start of the requested section."""
    return number_in(request, "start", 0) // SECTION * SECTION


def number_in(request: HttpRequest, name: str, default: int) -> int:
    number = whole_number(request.GET.get(name, str(default)))
    if number is None:
        message = _("In the address, %(name)s must be a whole number.") % {"name": name}
        raise ValidationFailed.at(f"?{name}", message)
    return number
