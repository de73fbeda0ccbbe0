"""Records when and from where a session is used."""

from typing import Final

from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse

from ctxadmin.accounts.sessions import SessionStore

# All browsers name it when they open a page, and no script of ours does.
_OPENS_A_PAGE: Final = "application/xhtml+xml"


class SessionUseMiddleware(SessionMiddleware):
    """Django's session middleware, with uses: an opened page, or sent data.

    What open pages fetch by themselves does not count, so that an unattended session ends.
    """

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if isinstance(request.session, SessionStore):
            request.session.address = request.META.get("REMOTE_ADDR", "")
            request.session.user_agent = request.headers.get("User-Agent", "")

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response = super().process_response(request, response)
        session = request.session
        if isinstance(session, SessionStore) and session.counts_uses and _is_use(request):
            session.touch()
        return response


def ignore_use(request: HttpRequest) -> None:
    """Marks a request as no use of its session, because an open page sends it by itself."""
    if isinstance(request.session, SessionStore):
        request.session.counts_uses = False


def _is_use(request: HttpRequest) -> bool:
    if request.method not in ("GET", "HEAD"):
        return True
    return _OPENS_A_PAGE in request.headers.get("Accept", "")
