"""Who calls, found by the headers alone and remembered for a while."""

from io import BytesIO
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.db import Error, close_old_connections
from django.http import HttpResponse
from rest_framework.exceptions import AuthenticationFailed

from ctxadmin.web.authentication import bearer_actor
from ctxadmin.web.bodies import SMALL
from ctxadmin.web.early_answers import RefusedEarly, Scope
from ctxadmin.web.problems import BASE_PATH, of_database

_MOST: Final = 10_000
_CONTRACT: Final = f"{BASE_PATH}/"


class KnownCallers:
    """The credentials that held when they were last seen, and whose they are.

    It says who is to be counted and let in line, never who may do something: that is asked anew
    with every request.
    """

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}

    def name_of(self, credential: bytes) -> str | None:
        return self._names.get(credential)

    def keep(self, credential: bytes, name: str) -> None:
        if len(self._names) >= _MOST:
            self._names.clear()
        self._names[credential] = name

    def forget(self, credential: bytes) -> None:
        self._names.pop(credential, None)


def credential_of(scope: Scope) -> bytes:
    """What a request names its caller by: a token if it is of the contract, else a session."""
    token = cookies = b""
    for name, value in scope["headers"]:
        if name == b"authorization":
            token = value
        elif name == b"cookie":
            cookies = value
    if token and scope["path"].startswith(_CONTRACT):
        return bytes(token)
    return _session_in(cookies) if cookies else b""


def _session_in(cookies: bytes) -> bytes:
    start = settings.SESSION_COOKIE_NAME.encode() + b"="
    for each in cookies.split(b";"):
        cookie = each.strip()
        if cookie.startswith(start):
            return cookie
    return b""


def identify(scope: Scope) -> str:
    """The name of who calls, asking the database; RefusedEarly.

    The credential alone is looked at: what else of the request is wrong its endpoint says.
    """
    request = ASGIRequest(scope, BytesIO())
    is_of_contract = request.path.startswith(_CONTRACT)
    close_old_connections()
    try:
        if is_of_contract and "HTTP_AUTHORIZATION" in request.META:
            return f"token:{bearer_actor(request).id}"
        SessionMiddleware(lambda _: HttpResponse()).process_request(request)
        user = get_user(request)
        if user.is_authenticated:
            return f"person:{user.pk}"
    except AuthenticationFailed as error:
        raise RefusedEarly(401, "unauthenticated", str(error.detail)) from None
    except Error as error:
        refusal = of_database(error)
        if refusal is None:
            raise
        retry = refusal.retry_after
        raise RefusedEarly(503, refusal.code, refusal.detail, retry_after=retry) from None
    if is_of_contract or settings.SESSION_COOKIE_NAME in request.COOKIES:
        raise RefusedEarly(401, "unauthenticated", "This needs a token or a session.")
    text = f"Before you sign in, a body may have {SMALL} bytes."
    raise RefusedEarly(413, "too_large", text, limit=SMALL)
