"""Authenticates endpoints: a token in the Authorization header, or a browser session."""

from typing import TYPE_CHECKING, Final, TypeAlias

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from ctxadmin.accounts.authentication import person_actor, token_actor
from ctxadmin.identity.actor import Actor

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which reads the settings that name this module

_REALM: Final = 'Bearer realm="ctxadmin"'

Anyone: TypeAlias = AbstractBaseUser | AnonymousUser


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer <token>``; refuses a wrong, revoked or expired token at once."""

    def authenticate(self, request: Request) -> tuple[Anyone, Actor] | None:
        if not get_authorization_header(request).strip():
            return None
        return AnonymousUser(), bearer_actor(request._request)

    def authenticate_header(self, request: Request) -> str:
        return _REALM


class BrowserAuthentication(SessionAuthentication):
    """A signed-in person; writes need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[Anyone, Actor] | None:
        found = super().authenticate(request)
        if found is None:
            return None
        actor = person_actor(request._request)
        return None if actor is None else (found[0], actor)

    def authenticate_header(self, request: Request) -> str:
        return _REALM


class ActorPermission(BasePermission):
    """Admits identified callers only; services check the rights of each."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.auth, Actor):
            raise NotAuthenticated("This needs a token or a session.")
        return True


def bearer_actor(request: HttpRequest) -> Actor:
    """Returns the actor of the token in the Authorization header; raises AuthenticationFailed."""
    words = request.META.get("HTTP_AUTHORIZATION", "").encode("latin-1").split()
    if len(words) != 2 or words[0].lower() != b"bearer":
        raise AuthenticationFailed("Send the header 'Authorization: Bearer <token>'.")
    return token_actor(words[1].decode("latin-1"), request)
