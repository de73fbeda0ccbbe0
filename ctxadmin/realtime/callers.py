"""The caller behind a socket or a waiting request, checked again when rights change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from rest_framework.exceptions import AuthenticationFailed

from ctxadmin.accounts.authentication import person_actor, token_actor
from ctxadmin.accounts.sessions import SessionGlance, stored_key
from ctxadmin.identity.actor import Actor

_BEARER: Final = b"bearer "


@dataclass(frozen=True, slots=True)
class Caller:
    """An actor and its credential: a token, or the key of a session."""

    actor: Actor
    secret: str
    by_token: bool

    @property
    def session(self) -> str:
        """Returns the public name of a session: the digest of its key, as in its row."""
        return "" if self.by_token else stored_key(self.secret)

    def is_affected(self, kind: str, name: str) -> bool:
        """Returns True if a change of rights is about this caller.

        See ``accounts.rights_changes``.
        """
        if kind == "session":
            return not self.by_token and self.session == name
        return (kind, name) == (self.actor.kind, self.actor.id)


def caller_of(headers: Iterable[tuple[bytes, bytes]], address: str = "") -> Caller | None:
    """Returns the caller of a socket, by its token or session cookie; None without one."""
    given = dict(headers)
    shown = given.get(b"authorization", b"")
    if shown:
        by_token = shown[: len(_BEARER)].lower() == _BEARER
        secret = shown[len(_BEARER) :].strip().decode("latin-1")
    else:
        by_token, secret = False, _session_key(given.get(b"cookie", b""))
    if not secret or (shown and not by_token):
        return None
    return _ask(secret, address, by_token=by_token)


def caller_of_request(request: HttpRequest, actor: Actor) -> Caller:
    """Returns the caller of an authenticated request."""
    shown = request.META.get("HTTP_AUTHORIZATION", "")
    if shown:
        return Caller(actor, shown[len(_BEARER) :].strip(), by_token=True)
    return Caller(actor, request.session.session_key or "", by_token=False)


def with_current_rights(caller: Caller) -> Caller | None:
    """Returns the caller with its current rights.

    None if the token or session is no longer valid.
    """
    return _ask(caller.secret, caller.actor.address, by_token=caller.by_token)


def _ask(secret: str, address: str, *, by_token: bool) -> Caller | None:
    request = HttpRequest()
    request.META["REMOTE_ADDR"] = address
    if by_token:
        try:
            return Caller(token_actor(secret, request), secret, by_token=True)
        except AuthenticationFailed:
            return None
    request.session = SessionGlance(secret)
    request.user = get_user(request)
    actor = person_actor(request)
    return None if actor is None else Caller(actor, secret, by_token=False)


def _session_key(cookies: bytes) -> str:
    try:
        found = SimpleCookie(cookies.decode("latin-1")).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return ""
    return "" if found is None else found.value


def has_own_origin(scope: Mapping[str, Any]) -> bool:
    """Returns True unless a page of another site opens the socket with the cookies of this one.

    A browser always names the page's origin and sends no token, so a token needs no origin.
    """
    headers = dict(scope["headers"])
    if b"authorization" in headers:
        return True
    origin = headers.get(b"origin", b"").decode("latin-1")
    host = headers.get(b"host", b"").decode("latin-1")
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    parts = urlsplit(origin)
    schemes = ("https",) if settings.HTTPS_ONLY else ("http", "https")
    return parts.scheme in schemes and parts.netloc == host
