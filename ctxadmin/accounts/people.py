"""The people of a workspace: their roles, passwords, and access."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import Field

from ctxadmin.accounts.models import BrowserSession, Membership, User, Workspace
from ctxadmin.accounts.services import enter_address, record_change
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action, Role
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import (
    Duplicate,
    InvalidState,
    NotFound,
    ValidationFailed,
    VersionConflict,
)

RoleName = Literal["viewer", "reviewer", "designer", "admin"]


class NewPersonRequest(Contract):
    """The username, role and mail address of a new person."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^\w[\w.@+-]*$")]
    role: RoleName = "reviewer"
    email: Annotated[str, Field(max_length=254)] = ""


@dataclass(frozen=True, slots=True)
class Person:
    """A member of a workspace.

    ``locked``: deactivated, cannot sign in; ``must_change``: the password is one that an
    administrator was shown; ``is_operator``: has every right on this server.
    """

    name: str
    role: Role
    email: str
    locked: bool
    must_change: bool
    is_operator: bool
    last_login: datetime | None


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A password that is shown once: with it its person can choose another."""

    name: str
    password: str


def list_people(actor: Actor) -> Sequence[Person]:
    """Lists everyone in the actor's workspace, by name, deactivated ones last."""
    actor.require(Action.MEMBER_MANAGE)
    rows = Membership.objects.filter(workspace=actor.workspace).select_related("user")
    people = [_person(row) for row in rows.order_by("user__username")]
    return sorted(people, key=lambda person: person.locked)


def find_person(actor: Actor, name: str) -> Person:
    """Returns a person of the actor's workspace; raises NotFound."""
    actor.require(Action.MEMBER_MANAGE)
    return _person(_membership(actor, name))


def role_of(actor: Actor) -> Role:
    """Returns the role of a person; the operator is an administrator everywhere."""
    rows = Membership.objects.filter(workspace=actor.workspace, user=int(actor.id))
    role = rows.values_list("role", flat=True).first()
    return Role.ADMIN if role is None else Role(role)


@transaction.atomic
def add_person(actor: Actor, name: str, role: Role, email: str = "") -> NewPassword:
    """Adds a person; raises Duplicate if the name is taken, ignoring case."""
    actor.require(Action.MEMBER_MANAGE)
    _require_address(email)
    workspace = _locked_workspace(actor)
    if User.objects.filter(username__iexact=name).exists():
        raise Duplicate(_("This username is taken."))
    password = _new_password()
    user = User.objects.create_user(
        username=name, email=email, password=password, must_change_password=True
    )
    Membership.objects.create(workspace=workspace, user=user, role=role.value)
    _record(actor, name, what="added", role=role.value)
    return NewPassword(name, password)


@transaction.atomic
def change_person(
    actor: Actor, name: str, role: Role, email: str, *, seen: Role, seen_email: str
) -> None:
    """Changes a person's role and mail address, both or neither; raises as each alone."""
    change_role(actor, name, role, seen=seen)
    change_address(actor, name, email, seen=seen_email)


def change_address(actor: Actor, name: str, email: str, *, seen: str) -> None:
    """Sets the mail address of a person, "" for none.

    Raises ValidationFailed for an invalid address, VersionConflict if it is not the one that was
    ``seen``, InvalidState for someone of other workspaces too.
    """
    actor.require(Action.MEMBER_MANAGE)
    user = _membership(actor, name).user
    if email == user.email:
        return
    if user.email != seen:
        raise VersionConflict(
            _("Someone else changed the email address while you were editing."),
            expected=seen,
            actual=user.email,
        )
    if actor.kind != "person" or actor.id != str(user.pk):
        user = _governed(actor, name)
    _require_address(email)
    enter_address(user, email, lambda workspace: replace(actor, workspace=workspace.key))


def _require_address(email: str) -> None:
    try:
        if email:
            validate_email(email)
    except ValidationError:
        raise ValidationFailed.at(
            "/email", _("Enter an email address, for example anna@example.org.")
        ) from None


@transaction.atomic
def change_role(actor: Actor, name: str, role: Role, *, seen: Role) -> None:
    """Changes the role of a person.

    Raises VersionConflict if it is not the one that was ``seen``, InvalidState if no administrator
    would be left.
    """
    actor.require(Action.MEMBER_MANAGE)
    _locked_workspace(actor)
    membership = _membership(actor, name)
    if membership.role != seen.value:
        raise VersionConflict(
            _("Someone else changed the role while you were editing."),
            expected=seen.value,
            actual=membership.role,
        )
    if role.value == membership.role:
        return
    _require_others(membership)
    membership.role = role.value
    membership.save(update_fields=["role"])
    _record(actor, name, what="role changed", role=role.value, before=seen.value)


@transaction.atomic
def renew_password(actor: Actor, name: str) -> NewPassword:
    """Replaces a forgotten password and ends the person's sessions."""
    actor.require(Action.MEMBER_MANAGE)
    _locked_workspace(actor)
    user = _governed(actor, name)
    password = _new_password()
    user.set_password(password)
    user.must_change_password = True
    user.save(update_fields=["password", "must_change_password"])
    _end_sessions(user)
    _record(actor, name, what="password renewed")
    return NewPassword(name, password)


@transaction.atomic
def lock(actor: Actor, name: str) -> None:
    """Deactivates a person and closes open pages at once.

    Their past work stays under their name.
    """
    actor.require(Action.MEMBER_MANAGE)
    _locked_workspace(actor)
    user = _governed(actor, name)
    _require_others(_membership(actor, name))
    _set_active(actor, user, active=False)


@transaction.atomic
def unlock(actor: Actor, name: str) -> None:
    """Reactivates a person with the former password and role."""
    actor.require(Action.MEMBER_MANAGE)
    _locked_workspace(actor)
    _set_active(actor, _governed(actor, name), active=True)


@transaction.atomic
def record_new_password(actor: Actor, user: User) -> None:
    """Records that a person chose a password; the file of the first one is then useless."""
    user.must_change_password = False
    user.save(update_fields=["must_change_password"])
    _end_sessions(user)
    _locked_workspace(actor)
    _record(actor, user.username, what="password changed")
    transaction.on_commit(lambda: _forget_first_password(user.username))


def _person(row: Membership) -> Person:
    user = row.user
    return Person(
        name=user.username,
        role=Role(row.role),
        email=user.email,
        locked=not user.is_active,
        must_change=user.must_change_password,
        is_operator=user.is_superuser,
        last_login=user.last_login,
    )


def _membership(actor: Actor, name: str) -> Membership:
    rows = Membership.objects.filter(workspace=actor.workspace, user__username=name)
    row = rows.select_related("user").first()
    if row is None or row.user.username != name:  # MySQL takes Anna for anna
        raise NotFound(_("There is no such person in this workspace."))
    return row


def _governed(actor: Actor, name: str) -> User:
    """Returns a person whose access this workspace decides, and not the actor.

    Else InvalidState.
    """
    user: User = _membership(actor, name).user
    if actor.kind == "person" and actor.id == str(user.pk):
        raise InvalidState(
            _("You cannot do this to yourself. Change your password on your account page.")
        )
    if user.is_superuser:
        raise InvalidState(
            _("This is the operator of the server. Use manage.py to change this account.")
        )
    if Membership.objects.filter(user=user).exclude(workspace=actor.workspace).exists():
        raise InvalidState(
            _("This person also belongs to other workspaces. Ask the operator of the server.")
        )
    return user


def _require_others(leaving: Membership) -> None:
    """Raises InvalidState if nobody else is an administrator who can sign in."""
    if leaving.role != Role.ADMIN:
        return
    admins = Membership.objects.filter(
        workspace=leaving.workspace_id, role=Role.ADMIN.value, user__is_active=True
    )
    if not admins.exclude(pk=leaving.pk).exists():
        raise InvalidState(_("This is the only admin. Make someone else an admin first."))


def _set_active(actor: Actor, user: User, *, active: bool) -> None:
    if user.is_active == active:
        return
    user.is_active = active
    user.save(update_fields=["is_active"])
    _end_sessions(user)
    _record(actor, user.username, what="unlocked" if active else "locked")


def _end_sessions(user: User) -> None:
    """Ends all sessions; the browser that changes the password gets a new one.

    Open pages are notified of the change of the person.
    """
    BrowserSession.objects.filter(user=user).delete()


def _locked_workspace(actor: Actor) -> Workspace:
    """Returns the locked row of the workspace: two administrators at once would count on each
    other.
    """
    return Workspace.objects.select_for_update().get(key=actor.workspace)


def _record(actor: Actor, name: str, **detail: str) -> None:
    record_change(actor, AuditChange(Action.MEMBER_MANAGE, "member", name, detail=detail))


def _new_password() -> str:
    return secrets.token_urlsafe(12)


def _forget_first_password(name: str) -> None:
    path = settings.DATA_DIR / "first_password"
    with suppress(OSError):
        if path.read_text(encoding="utf-8").split(" ")[0] == name:
            path.unlink()
