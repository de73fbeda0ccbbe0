"""Workspaces, people, their roles and sessions, and the tokens of engines."""

from collections.abc import Iterable
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

from ctxadmin.identity.roles import Role
from ctxadmin.lib.ids import new_key
from ctxadmin.storage.fields import AsciiField


class User(AbstractUser):
    """A person who signs in with a browser.

    With a password that someone else was shown they can only choose their own.
    """

    must_change_password = models.BooleanField(default=False)


class Workspace(models.Model):
    """The workflows, conversations, people and tokens that belong together.

    ``change_seq`` numbers the changes of the workspace itself (members, tokens), which are the rows
    of its audit stream.
    """

    key = models.BigIntegerField(primary_key=True, default=new_key, editable=False)
    slug = AsciiField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    change_seq = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    DEFAULT_SLUG: ClassVar[str] = "default"

    def __str__(self) -> str:
        return self.name


def workspace_keys() -> Iterable[int]:
    """Returns the keys of all workspaces."""
    return Workspace.objects.values_list("key", flat=True)


class Membership(models.Model):
    """The role of a person in a workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = AsciiField(max_length=16, choices=[(role.value, role.value) for role in Role])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="one_role_per_workspace"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} in {self.workspace}"


class BrowserSession(AbstractBaseSession):
    """A session of a browser, by the digest of its key; without a person before the sign-in.

    ``expire_date`` is a fixed time after the sign-in. ``address``, ``browser`` and ``system`` are
    those of the last recorded use.
    """

    session_key = AsciiField(max_length=40, primary_key=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sessions", null=True
    )
    signed_in_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField()
    address = AsciiField(max_length=45, default="")
    browser = AsciiField(max_length=20, default="")
    system = AsciiField(max_length=20, default="")

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        from ctxadmin.accounts.sessions import SessionStore  # which stands on this model

        return SessionStore


class EngineToken(models.Model):
    """A token of an engine: scoped, in one workspace, perhaps expiring.

    Only the SHA-256 of the secret is stored, which is enough for 256 random bits; ``public_id``
    names the token in lists and in the audit. ``addresses`` are those that it was used from, oldest
    first, separated by spaces: see ``token_addresses``.
    """

    public_id = AsciiField(max_length=24, primary_key=True)
    digest = AsciiField(max_length=64, unique=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    scopes = models.JSONField(default=list)
    created_by = models.CharField(max_length=160)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    addresses = AsciiField(max_length=400, default="", blank=True)
    address_added_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
