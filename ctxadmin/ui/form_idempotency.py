"""Forms that are sent again because no answer came: they are applied once."""

import secrets
from collections.abc import Callable
from typing import Final

from django.contrib import messages as flash
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.translation import gettext as _

from ctxadmin.http.endpoints.idempotency import REPLAYED, IdempotentCall, KeyReused, run_once
from ctxadmin.http.problems import wants_json
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import Duplicate
from ctxadmin.lib.json_bytes import canonical

FIELD: Final = "form_key"
_TOKEN: Final = "csrfmiddlewaretoken"


class RefusedRedirect(HttpResponseRedirect):
    """Leads back from a form that was refused; it is not stored, since nothing was applied."""


def new_key() -> str:
    """Returns a key for one form, new at each load of its page."""
    return secrets.token_urlsafe(16)


def is_redirect(response: HttpResponse) -> bool:
    """Returns True for the redirect of a form, False for another page."""
    return response.status_code in (302, 303) and "Location" in response


def _is_applied(response: HttpResponse) -> bool:
    return is_redirect(response) and not isinstance(response, RefusedRedirect)


def run_once_per_form(
    request: HttpRequest, actor: Actor, stream: int, act: Callable[[], HttpResponse]
) -> HttpResponse:
    """Applies a form, or redirects to where its first submission led and says so.

    Only redirects are applied and stored; a ``RefusedRedirect`` and any other answer leave
    nothing. A form that was changed after it was applied is refused, and gets a new key, because
    it is a new one.
    """
    key = request.POST.get(FIELD, "")
    if request.method != "POST" or not key:
        return act()
    call = IdempotentCall.build("POST", request.path, _content_of(request), key, actor, stream)
    try:
        response = run_once(call, act, is_done=_is_applied)
    except KeyReused:
        return _was_changed(request)
    if REPLAYED in response:
        text = _("Already saved; nothing was changed twice.")
        flash.success(request, text)
    return response


def _content_of(request: HttpRequest) -> bytes:
    """Returns the content of the form without the CSRF token, which another tab may have
    renewed.
    """
    fields = sorted((name, values) for name, values in request.POST.lists() if name != _TOKEN)
    sent = [file for file in request.FILES.values() if isinstance(file, UploadedFile)]
    files = [(file.name, file.size) for file in sent]
    return canonical([fields, files])


def _was_changed(request: HttpRequest) -> HttpResponse:
    text = _("Already saved as you first submitted it. Your later changes are not saved yet.")
    if not wants_json(request):
        raise Duplicate(text)
    again = _("Submit again to save them too.")
    return JsonResponse({"detail": f"{text} {again}", FIELD: new_key()}, status=409)
