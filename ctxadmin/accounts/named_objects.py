"""Finds tokens and people of a workspace by how their names begin."""

from collections.abc import Sequence

from django.db.models.functions import Length

from ctxadmin.accounts.models import EngineToken, Membership
from ctxadmin.audit.queries import NamedObject


def tokens_named(workspace: int, beginning: str, most: int) -> Sequence[NamedObject]:
    """Returns the tokens whose names begin with a text, also revoked ones."""
    rows = EngineToken.objects.filter(workspace=workspace, name__istartswith=beginning)
    found = rows.order_by(Length("name"), "public_id").values_list("public_id", "name")
    return [NamedObject("token", public_id, name) for public_id, name in found[:most]]


def members_named(workspace: int, beginning: str, most: int) -> Sequence[NamedObject]:
    """Returns the people whose names begin with a text; their names are their ids."""
    return [NamedObject("member", name, name) for name in _names(workspace, beginning, most)]


def accounts_named(workspace: int, beginning: str, most: int) -> Sequence[NamedObject]:
    """Returns the accounts of these people."""
    return [NamedObject("person", name, name) for name in _names(workspace, beginning, most)]


def _names(workspace: int, beginning: str, most: int) -> list[str]:
    rows = Membership.objects.filter(workspace=workspace, user__username__istartswith=beginning)
    names = rows.order_by(Length("user__username"), "user__username")
    return list(names.values_list("user__username", flat=True)[:most])
