"""Identifies callers by the text of a token or the session of a browser."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import OperationalError
from django.http import HttpRequest
from rest_framework.exceptions import AuthenticationFailed

from ctxadmin.accounts.models import EngineToken, Membership, User, Workspace
from ctxadmin.accounts.services import token_digest
from ctxadmin.accounts.token_addresses import is_new, note_address
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import ROLE_SCOPES, Role, Scope
from ctxadmin.lib import clock
from ctxadmin.storage.tables import Question, Table, run_queries
from ctxadmin.telemetry.facts import note_actor

_TOKENS: Final = Table(EngineToken)
_USED_EVERY: Final = timedelta(minutes=5)
SESSION_WORKSPACE: Final = "workspace"


def token_actor(secret: str, request: HttpRequest) -> Actor:
    """Returns the actor of a token; raises AuthenticationFailed if it is not valid now."""
    token = _TOKENS.find({"digest": token_digest(secret)})
    now = clock.now()
    if token is None or not _holds(token, now):
        raise AuthenticationFailed("This token is unknown, revoked or expired.")
    if _is_to_be_noted(token, now):
        with suppress(OperationalError):  # a database that only reads still answers reads
            EngineToken.objects.filter(pk=token.pk).update(last_used_at=now)
    request_id = getattr(request, "request_id", "")
    actor = _actor_of(token, request_id, request.META.get("REMOTE_ADDR", ""))
    if is_new(token, actor.address, now):
        with suppress(OperationalError):
            note_address(actor, now)
    note_actor(actor, request)
    return actor


@dataclass(frozen=True, slots=True)
class TokenUse:
    """A token that a call came with, by its digest, and the caller's address."""

    digest: str
    request_id: str
    address: str

    def actor_of(self, token: EngineToken | None) -> Actor | None:
        """Returns the actor of the token's row as it was just read.

        None if it is not valid, and if its use is to be recorded: then ``token_actor`` has to
        check.
        """
        now = clock.now()
        if token is None or not _holds(token, now):
            return None
        if _is_to_be_noted(token, now) or is_new(token, self.address, now):
            return None
        return _actor_of(token, self.request_id, self.address)


def question_of_tokens(digests: Iterable[str]) -> Question[EngineToken]:
    """Returns the query for the rows of some tokens."""
    return _TOKENS.question({}, "digest", sorted(set(digests)))


def workspaces_of(digests: Iterable[str]) -> Mapping[str, int]:
    """Returns the workspaces of tokens, by digest; unknown ones are left out.

    A token never leaves its workspace, so this is cached. It does not say whether the token is
    still valid.
    """
    wanted = set(digests)
    missing = wanted - _workspaces.keys()
    if missing:
        (rows,) = run_queries(question_of_tokens(missing))
        if len(_workspaces) + len(rows) > _REMEMBERED:
            _workspaces.clear()
        _workspaces.update((row.digest, row.workspace_id) for row in rows)
    return {digest: _workspaces[digest] for digest in wanted & _workspaces.keys()}


_REMEMBERED: Final = 10_000
_workspaces: Final[dict[str, int]] = {}


def _holds(token: EngineToken, now: datetime) -> bool:
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


def _is_to_be_noted(token: EngineToken, now: datetime) -> bool:
    return token.last_used_at is None or now - token.last_used_at > _USED_EVERY


def _actor_of(token: EngineToken, request_id: str, address: str) -> Actor:
    return Actor(
        kind="token",
        id=token.public_id,
        name=token.name,
        workspace=token.workspace_id,
        scopes=frozenset(Scope(scope) for scope in token.scopes),
        request_id=request_id,
        address=address,
    )


def person_actor(request: HttpRequest) -> Actor | None:
    """Returns the signed-in person in the workspace that the session chose, or None.

    None also for someone who has to choose a password first.
    """
    return None if must_choose_password(request) else member_actor(request)


def must_choose_password(request: HttpRequest) -> bool:
    """Returns True for someone who signed in with a password that someone else was shown."""
    return isinstance(request.user, User) and request.user.must_change_password


def member_actor(request: HttpRequest) -> Actor | None:
    """Returns the signed-in person as ``person_actor`` does, whoever knows the password."""
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        return None
    memberships = Membership.objects.filter(user=user).order_by("workspace_id")
    chosen = request.session.get(SESSION_WORKSPACE)
    membership = (memberships.filter(workspace_id=chosen).first() if chosen else None) or (
        memberships.first()
    )
    request_id = getattr(request, "request_id", "")
    actor = _person(user, membership, request_id, request.META.get("REMOTE_ADDR", ""))
    if actor is not None:
        note_actor(actor, request)
    return actor


def person_in(workspace: int, user_key: int, request_id: str, address: str) -> Actor | None:
    """Returns a person in a workspace with the rights of now; None for someone without any.

    ``request_id`` and ``address`` are those of the request that asked for what is done now.
    """
    user = User.objects.filter(pk=user_key, is_active=True).first()
    if user is None:
        return None
    membership = Membership.objects.filter(user=user, workspace_id=workspace).first()
    actor = _person(user, membership, request_id, address)
    return actor if actor is not None and actor.workspace == workspace else None


def token_in(workspace: int, token_id: str, request_id: str, address: str) -> Actor | None:
    """Returns a token of a workspace with the scopes of now; None for one that does not hold.

    ``request_id`` and ``address`` as in ``person_in``.
    """
    token = EngineToken.objects.filter(pk=token_id, workspace_id=workspace).first()
    if token is None or not _holds(token, clock.now()):
        return None
    return _actor_of(token, request_id, address)


def _person(
    user: User, membership: Membership | None, request_id: str, address: str
) -> Actor | None:
    """Returns a person as a member; a superuser without membership is admin by default."""
    if membership is not None:
        workspace, scopes = membership.workspace_id, ROLE_SCOPES[Role(membership.role)]
    elif user.is_superuser:
        workspace = Workspace.objects.get(slug=Workspace.DEFAULT_SLUG).key
        scopes = ROLE_SCOPES[Role.ADMIN]
    else:
        return None
    return Actor(
        kind="person",
        id=str(user.pk),
        name=user.get_username(),
        workspace=workspace,
        scopes=scopes,
        request_id=request_id,
        address=address,
    )
