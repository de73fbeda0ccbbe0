"""The current rights of the recipients of deliveries."""

from ctxadmin.accounts.models import EngineToken, Membership, User, Workspace
from ctxadmin.identity.roles import ROLE_SCOPES, Action, Role, Scope, allows
from ctxadmin.lib import clock


def owner_may(kind: str, owner_id: str, workspace: int, action: Action) -> bool:
    """Returns whether a person, a token or the server itself still has this right in the
    workspace.
    """
    if kind == "system":
        return True
    scopes = (
        scopes_of_person(owner_id, workspace)
        if kind == "person"
        else _scopes_of_token(owner_id, workspace)
    )
    return scopes is not None and allows(scopes, action)


def scopes_of_person(owner_id: str, workspace: int) -> frozenset[Scope] | None:
    """Returns the scopes of a person in a workspace, None for a former member."""
    user = User.objects.filter(pk=int(owner_id), is_active=True).first()
    if user is None:
        return None
    role = Membership.objects.filter(user=user, workspace_id=workspace).values_list(
        "role", flat=True
    )
    found = role.first()
    if found is not None:
        return ROLE_SCOPES[Role(found)]
    default = user.is_superuser and not Membership.objects.filter(user=user).exists()
    is_default = Workspace.objects.filter(key=workspace, slug=Workspace.DEFAULT_SLUG)
    return ROLE_SCOPES[Role.ADMIN] if default and is_default.exists() else None


def _scopes_of_token(owner_id: str, workspace: int) -> frozenset[Scope] | None:
    token = EngineToken.objects.filter(
        public_id=owner_id, workspace_id=workspace, revoked_at=None
    ).first()
    if token is None or (token.expires_at is not None and token.expires_at <= clock.now()):
        return None
    return frozenset(Scope(scope) for scope in token.scopes)
