"""Identifies callers by the headers alone, and caches them for a while."""

from functools import cache
from io import BytesIO
from typing import Final, Literal, TypeAlias

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.db import Error, close_old_connections
from django.http import HttpResponse
from rest_framework.exceptions import AuthenticationFailed

from ctxadmin.accounts.authentication import person_actor
from ctxadmin.http.endpoints.authentication import bearer_actor
from ctxadmin.http.problems import BASE_PATH, of_database
from ctxadmin.http.requests.early_responses import RefusedEarly, Scope
from ctxadmin.http.requests.fair_queue import SMALL
from ctxadmin.identity import roles
from ctxadmin.lib.sentence import say
from ctxadmin.telemetry.facts import Facts

Caller: TypeAlias = tuple[Literal["token", "person"], str]  # by its id
Scopes: TypeAlias = frozenset[roles.Scope]

_MOST: Final = 10_000
_KNOWN_SECONDS: Final = 300.0
UNAUTHENTICATED: Final = 401
_CONTRACT: Final = f"{BASE_PATH}/"


class KnownCallers:
    """The callers of credentials that were valid within the last minutes.

    It decides who is counted and queued, never who may do something: each request checks that
    again.
    """

    def __init__(self) -> None:
        self._found: dict[bytes, tuple[Caller, Scopes | None, float]] = {}

    def find(self, credential: bytes, now: float) -> Caller | None:
        found = self._found.get(credential)
        return found[0] if found is not None and found[2] > now else None

    def scopes(self, credential: bytes, now: float) -> Scopes | None:
        """Returns the scopes that a caller had when it was looked up for a large body, if it
        was.
        """
        found = self._found.get(credential)
        return found[1] if found is not None and found[2] > now else None

    def store(
        self, credential: bytes, caller: Caller, now: float, scopes: Scopes | None = None
    ) -> None:
        if scopes is None:
            scopes = self.scopes(credential, now)
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[credential] = caller, scopes, now + _KNOWN_SECONDS

    def record(self, credential: bytes, facts: Facts, now: float) -> None:
        """Stores who made an answered request, and forgets a refused credential."""
        actor = facts.actor
        if facts.status == UNAUTHENTICATED:
            self._found.pop(credential, None)
        elif credential and actor is not None and actor.kind != "system":
            self.store(credential, (actor.kind, actor.id), now)


def credential_of(scope: Scope) -> bytes:
    """Returns the credential of a request: a token for the REST contract, else a session."""
    cookies = b""
    for name, value in scope["headers"]:
        if name == b"authorization":
            if scope["path"].startswith(_CONTRACT):
                return bytes(value)
        elif name == b"cookie":
            cookies = value
    return _session_in(cookies) if cookies else b""


def _session_in(cookies: bytes) -> bytes:
    start = _session_start()
    if start in cookies:
        for each in cookies.split(b";"):
            cookie = each.strip()
            if cookie.startswith(start):
                return cookie
    return b""


@cache
def _session_start() -> bytes:
    return settings.SESSION_COOKIE_NAME.encode() + b"="


def identify(scope: Scope) -> tuple[Caller, Scopes | None]:
    """Returns the caller and its scopes, from the database; raises RefusedEarly.

    A person without a workspace, or who has to choose a password first, has no scopes. It checks
    the credential alone; the endpoint reports everything else.
    """
    request = ASGIRequest(scope, BytesIO())
    is_of_contract = request.path.startswith(_CONTRACT)
    close_old_connections()
    try:
        if is_of_contract and "HTTP_AUTHORIZATION" in request.META:
            actor = bearer_actor(request)
            return ("token", actor.id), actor.scopes
        SessionMiddleware(lambda _: HttpResponse()).process_request(request)
        request.user = get_user(request)
        if request.user.is_authenticated:
            person = person_actor(request)
            return ("person", str(request.user.pk)), None if person is None else person.scopes
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
    text = say("A body of more than {n} bytes needs a token or a session.", n=SMALL)
    raise RefusedEarly(413, "too_large", text, limit=SMALL)
