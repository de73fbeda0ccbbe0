"""What helps in reading a conversation: its outline, the next error, how much detail is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.conf import settings
from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages.reading import view_window
from conversations.pages.reading.url_parameters import number_in, requested_view
from conversations.pages.reading.view_window import ShownView
from conversations.reading import navigation
from conversations.reading.navigation import Turns
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Text
from ctxadmin.ui.pages import page, part_of

Detail = Literal["talk", "tools", "everything"]
DETAILS: Final[Sequence[tuple[Detail, Text, str]]] = (  # with the icon that a phone shows
    ("talk", gettext_lazy("Talk"), "message"),
    ("tools", gettext_lazy("With tools"), "tool"),
    ("everything", gettext_lazy("Everything"), "list-details"),
)
_COOKIE: Final = "detail"
_ONE_YEAR: Final = 365 * 24 * 60 * 60
_TURNS: Final = 50


@dataclass(frozen=True, slots=True)
class Outline:
    """Turns of the user, and where those beside them are."""

    turns: Turns
    messages_url: str
    outline_url: str


def detail_in(request: HttpRequest) -> Detail:
    """How much is shown: as the address says, else as it was chosen before."""
    for asked in (request.GET.get("detail", ""), request.COOKIES.get(_COOKIE, "")):
        for name, _label, _icon in DETAILS:
            if asked == name:
                return name
    return "tools"


def remember_detail(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response that keeps what the address chose; a script reads and writes the cookie, too."""
    if "detail" in request.GET:
        response.set_cookie(
            _COOKIE,
            detail_in(request),
            max_age=_ONE_YEAR,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
    return response


def outline_of(head: Conversation, shown: ShownView, view: View, index: int) -> Outline:
    """The turns of the user in the ``view`` that is ``shown``, around a message."""
    return Outline(
        turns=navigation.find_turns(head, view, index, _TURNS),
        messages_url=view_window.messages_url(head, shown),
        outline_url=reverse("conversations:outline", args=[head.public_id]) + shown.query,
    )


@require_safe
@part_of("conversations:detail", "conversation_id")
@page
def outline(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """The turns around a message, for the outline of a page."""
    head = find_head(actor.workspace, conversation_id)
    shown, around = requested_view(request), number_in(request, "around", 0)
    found = outline_of(head, shown, view_window.whole_view(head, shown), around)
    return render(request, "conversations/_outline.html", {"outline": found})


@require_safe
@page
def next_error(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Go to the next tool result that reports an error, or say that there is none."""
    head = find_head(actor.workspace, conversation_id)
    shown, after = requested_view(request), number_in(request, "after", 0)
    view = view_window.view_shown(head, shown)
    here = view_window.messages_url(head, shown)
    found = navigation.next_failure(head, view, after if "after" in request.GET else -1)
    if found is not None:
        return redirect(f"{here}at={found}#m{found}")
    if "after" in request.GET:
        flash.info(request, _("No more errors after message #%(n)s.") % {"n": after})
        return redirect(f"{here}at={after}#m{after}" if after in view else here)
    flash.info(request, _("No tool result reports an error."))
    return redirect(here)
