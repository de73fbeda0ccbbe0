"""The part of a value around some words, for a page that shows the value only in part."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.pages.state.state_view import MOST_PAGE_BYTES, small_values
from checkpoints.reading import queries
from conversations.reading.message_search import LONGEST, passage_in
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.json_texts import texts_of
from ctxadmin.ui.pages import page


@require_safe
@page
def value_passage(
    request: HttpRequest, actor: Actor, conversation_id: str, number: int
) -> HttpResponse:
    """Returns what ``?key=`` has ``around`` some words at a version; nothing if it lacks them."""
    moment = queries.find_moment(actor, conversation_id, number)
    key, words = request.GET.get("key", ""), request.GET.get("around", "")[:LONGEST]
    values = small_values(moment, {key}, MOST_PAGE_BYTES)
    whole = request.GET.get("whole") == "1"
    text = "\n".join(texts_of(values[key])) if key in values else ""
    hit = passage_in(text, words, whole=whole)
    context = {"hit": hit, "title": _("More in this value:")}
    return render(request, "conversations/_passage.html", context)
