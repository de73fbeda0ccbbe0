"""The language of answers for a reader, and the words of the scripts in it."""

from functools import cache
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

from ctxadmin.http.problems import BASE_PATH

CONTRACT_LANGUAGE: Final = "en"
_ONE_YEAR: Final = 365 * 24 * 3600


class LanguageMiddleware(LocaleMiddleware):
    """The language of the reader's cookie, else of their browser.

    The REST contract is in English.

    Programs read what ``/api/v1`` answers, also when a browser with a session asks.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not _is_contract(request):
            super().process_request(request)
            return
        translation.activate(CONTRACT_LANGUAGE)
        request.LANGUAGE_CODE = CONTRACT_LANGUAGE

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if _is_contract(request):
            return response
        patch_vary_headers(response, ["Cookie"])
        return super().process_response(request, response)


def _is_contract(request: HttpRequest) -> bool:
    return request.path_info.startswith(f"{BASE_PATH}/")


class _IslandWords(JavaScriptCatalog):
    """The words of the islands, without those of Django's own admin."""

    domain = "djangojs"
    packages = ["ctxadmin.ui"]


@cache
def _words(language: str) -> tuple[str, bytes]:
    """Returns a script with the words of the islands, after its digest."""
    request = HttpRequest()
    request.method = "GET"
    with translation.override(language):
        content = _IslandWords().get(request).content
    return sha256(content).hexdigest()[:16], content


@require_safe
def island_words(request: HttpRequest, language: str, digest: str) -> HttpResponse:
    """Answers ``GET /language/<language>.<digest>.js``; an old digest gets the current words."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    now, content = _words(language)
    kept = f"public, max-age={_ONE_YEAR}, immutable" if digest == now else "no-store"
    return HttpResponse(
        content, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": kept}
    )


def url_of_words() -> str:
    """Returns the address of the words for scripts; "" in the language that they are written in."""
    language = translation.get_language() or CONTRACT_LANGUAGE
    if language == CONTRACT_LANGUAGE:
        return ""
    return reverse("island_words", args=[language, _words(language)[0]])
