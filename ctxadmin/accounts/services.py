"""Creates and revokes tokens, and creates the first person of a new server."""

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q, QuerySet

from ctxadmin.accounts.models import EngineToken, Membership, User, Workspace
from ctxadmin.accounts.rights_changes import rights_changed
from ctxadmin.audit.record import AuditChange, record
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import ROLE_SCOPES, Action, Role, Scope
from ctxadmin.lib import clock
from ctxadmin.lib.errors import NotFound, VersionConflict
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.sentence import say

TOKEN_PREFIX: Final = "ctxa_"  # so that secret scanners know one when they see it


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just created; ``secret`` is shown once and not stored."""

    token: EngineToken
    secret: str


def default_workspace() -> Workspace:
    """Returns the workspace that every server has; creates it on first use."""
    return Workspace.objects.get_or_create(
        slug=Workspace.DEFAULT_SLUG, defaults={"name": "Default workspace"}
    )[0]


def token_digest(secret: str) -> str:
    """Returns the stored digest of a token's secret: SHA-256 in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def token_names(workspace: int, ids: Collection[str]) -> Mapping[str, str]:
    """Returns the names of a workspace's tokens by id, also of revoked ones."""
    rows = EngineToken.objects.filter(workspace=workspace, public_id__in=ids)
    return dict(rows.values_list("public_id", "name"))


def system_actor(workspace: Workspace, name: str) -> Actor:
    """Returns the actor of a management command: it has every right, the audit names the
    command.
    """
    scopes = ROLE_SCOPES[Role.ADMIN]
    return Actor(kind="system", id=name, name=name, workspace=workspace.key, scopes=scopes)


@transaction.atomic
def create_token(
    actor: Actor, name: str, scopes: Iterable[Scope], *, lifetime: timedelta | None = None
) -> NewToken:
    """Creates a token in the actor's workspace; without ``lifetime`` it does not expire."""
    actor.require(Action.TOKEN_MANAGE)
    held = sorted({scope.value for scope in scopes})
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = EngineToken.objects.create(
        public_id=new_public_id("token"),
        digest=token_digest(secret),
        workspace_id=actor.workspace,
        name=name,
        scopes=held,
        created_by=actor.label,
        expires_at=None if lifetime is None else clock.now() + lifetime,
    )
    detail = {"what": "created", "scopes": held}
    record_change(actor, AuditChange(Action.TOKEN_MANAGE, "token", token.public_id, detail=detail))
    return NewToken(token, secret)


@transaction.atomic
def revoke_token(actor: Actor, token_id: str) -> None:
    """Revokes a token, effective immediately."""
    actor.require(Action.TOKEN_MANAGE)
    changed = EngineToken.objects.filter(
        workspace_id=actor.workspace, public_id=token_id, revoked_at=None
    ).update(revoked_at=clock.now())
    if not changed:
        raise NotFound(say("There is no such token."))
    record_change(
        actor, AuditChange(Action.TOKEN_MANAGE, "token", token_id, detail={"what": "revoked"})
    )
    rights_changed("token", token_id)


@transaction.atomic
def create_admin(name: str) -> str | None:
    """Creates the first administrator.

    Returns the random password, None if there is one already.
    """
    workspace = default_workspace()
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser(username=name, password=password)
    Membership.objects.create(workspace=workspace, user=user, role=Role.ADMIN.value)
    actor = system_actor(workspace, "create_admin")
    record_change(
        actor, AuditChange(Action.MEMBER_MANAGE, "member", name, detail={"role": "admin"})
    )
    return password


@transaction.atomic
def set_address(name: str, address: str) -> None:
    """Sets the mail address of a person, "" for none; raises NotFound for an unknown name.

    Recorded in each of the person's workspaces, without the address.
    """
    user = User.objects.filter(username=name).first()
    if user is None or user.username != name:  # MySQL takes Anna for anna
        raise NotFound(say("There is no person {name}.", name=repr(name)))
    enter_address(user, address, lambda workspace: system_actor(workspace, "set_address"))


def enter_address(user: User, address: str, actor_in: Callable[[Workspace], Actor]) -> None:
    """Stores an address and records it in each workspace of the person, without the address."""
    user.email = address
    user.save(update_fields=["email"])
    for membership in Membership.objects.filter(user=user).select_related("workspace"):
        detail = {"what": "address set" if address else "address removed"}
        change = AuditChange(Action.MEMBER_MANAGE, "member", user.username, detail=detail)
        record_change(actor_in(membership.workspace), change)


@transaction.atomic
def remove_ended_tokens(actor: Actor, before: datetime) -> int:
    """Deletes the tokens that expired or were revoked before a time; returns how many."""
    actor.require(Action.TOKEN_MANAGE)
    ids = sorted(ended_tokens(actor.workspace, before).values_list("public_id", flat=True))
    if ids:
        EngineToken.objects.filter(workspace_id=actor.workspace, public_id__in=ids).delete()
        detail = {"what": "removed", "count": len(ids)}
        record_change(actor, AuditChange(Action.TOKEN_MANAGE, "token", ids[0], detail=detail))
    return len(ids)


def ended_tokens(workspace: int, before: datetime) -> QuerySet[EngineToken]:
    """Returns the tokens of a workspace that expired or were revoked before a time."""
    ended = Q(expires_at__lt=before) | Q(revoked_at__lt=before)
    return EngineToken.objects.filter(ended, workspace_id=workspace)


def record_change(actor: Actor, change: AuditChange) -> None:
    """Audits a change of the workspace itself, in the transaction of the caller."""
    seq = Workspace.objects.values_list("change_seq", flat=True).get(key=actor.workspace)
    moved = Workspace.objects.filter(key=actor.workspace, change_seq=seq).update(
        change_seq=F("change_seq") + 1
    )
    if not moved:
        raise VersionConflict(say("The workspace has changed."), expected=seq, actual=seq + 1)
    record(actor, change, stream=actor.workspace, seq=seq + 1)
