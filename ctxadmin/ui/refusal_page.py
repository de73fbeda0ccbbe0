"""The page of a refusal that is answered before Django is called."""

from functools import lru_cache

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from ctxadmin.http.problems import TITLES
from ctxadmin.ui.sentences import translated
from ctxadmin.ui.theme import Theme, chosen_theme


def refusal_page(request: HttpRequest, code: str, detail: str) -> str:
    """Returns the page in the language and the theme of its reader, without a query."""
    language = translation.get_language_from_request(request)
    return _page(code, detail, language, chosen_theme(request))


@lru_cache(maxsize=64)
def _page(code: str, detail: str, language: str, theme: Theme) -> str:
    """Returns a page with nothing of its reader except language and theme; details are few."""
    with translation.override(language):
        context = {
            "title": translated(TITLES[code]),
            "detail": translated(detail),
            "shell": {"theme": theme},
        }
        return render_to_string("errors/early.html", context)
