"""The append-only, hash-chained record of every change."""

from typing import ClassVar

from django.db import models

from ctxadmin.web.fields import AsciiField, JsonBytesField


class AuditEntry(models.Model):
    """One change: who, what, when, why, and the version before and after.

    ``stream`` is the key of the conversation, workflow or workspace that changed and ``seq``
    the number of the change in it, without gaps. ``detail`` holds ids, counts and digests as
    JSON, never content. ``hash`` covers the entry and the hash of the one before.
    """

    pk = models.CompositePrimaryKey("stream", "seq")
    stream = models.BigIntegerField()
    seq = models.BigIntegerField()
    workspace = models.BigIntegerField()
    at = models.DateTimeField()
    actor_kind = AsciiField(max_length=8)
    actor_id = AsciiField(max_length=150)
    actor_name = models.CharField(max_length=200)
    action = AsciiField(max_length=40)
    object_type = AsciiField(max_length=20)
    object_id = models.CharField(max_length=200)
    version_before = AsciiField(max_length=40, default="")
    version_after = AsciiField(max_length=40, default="")
    reason = models.TextField(default="")
    detail = JsonBytesField(default=b"{}")
    request_id = AsciiField(max_length=64, default="")
    address = AsciiField(max_length=45, default="")
    hash = AsciiField(max_length=64)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["workspace", "-at"], name="audit_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_id} by {self.actor_name}"
