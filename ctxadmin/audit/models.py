"""The append-only, hash-chained record of every change, and the anchors of its chains."""

from typing import ClassVar

from django.db import models

from ctxadmin.storage.fields import AsciiField, JsonBytesField


class AuditEntry(models.Model):
    """One change: who, what, when, and the version before and after.

    ``stream`` is the key of the conversation, workflow or workspace that changed and ``seq`` the
    number of the change in it, without gaps. ``detail`` has ids, counts and digests as JSON, never
    content; the typed reason is an ``AuditReason``, whose ``reason_digest`` is here. ``hash`` is
    the HMAC of the entry and of the hash before it with the key that ``key_name`` names. An entry
    without a name is of release 0.1.0: see ``chain``.
    """

    append_only: ClassVar = True

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
    detail = JsonBytesField(default=b"{}")
    request_id = AsciiField(max_length=64, default="")
    address = AsciiField(max_length=45, default="")
    reason_digest = AsciiField(max_length=64, default="")
    key_name = AsciiField(max_length=8, default="")
    hash = AsciiField(max_length=64)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["workspace", "-at"], name="audit_newest"),
            models.Index(fields=["workspace", "actor_name", "-at"], name="audit_by_actor"),
            models.Index(fields=["workspace", "action", "-at"], name="audit_by_action"),
            models.Index(fields=["workspace", "object_id", "-at"], name="audit_by_object"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_id} by {self.actor_name}"


class AuditReason(models.Model):
    """The reason of a change, as typed; erased with the conversation that it concerns.

    ``salt`` is random, so that the digest in the entry reveals nothing about an erased reason.
    """

    pk = models.CompositePrimaryKey("stream", "seq")
    stream = models.BigIntegerField()
    seq = models.BigIntegerField()
    salt = AsciiField(max_length=32, default="")
    text = models.TextField()

    def __str__(self) -> str:
        return self.text


class AuditCheck(models.Model):
    """A complete verification of the audit: what it covered, and how many streams were broken.

    ``anchor`` is the last anchor when it began, ``hash`` the HMAC of the other fields with the key
    that ``key_name`` names, so that nobody without that key can claim one.
    """

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    streams = models.BigIntegerField()
    broken = models.BigIntegerField()
    anchor = models.IntegerField()
    key_name = AsciiField(max_length=8)
    hash = AsciiField(max_length=64)

    def __str__(self) -> str:
        return f"{self.broken} of {self.streams} streams broken at {self.at}"


class AuditHead(models.Model):
    """The last entry of a stream without a row of its own, such as that of sign-ins."""

    stream = models.BigIntegerField(primary_key=True)
    seq = models.BigIntegerField(default=0)
    hash = AsciiField(max_length=64, default="")

    def __str__(self) -> str:
        return f"{self.stream}: {self.seq}"


class AuditAnchor(models.Model):
    """The heads of all streams at one moment; the anchors are a chain of their own, from 1.

    ``digest`` is the SHA-256 of the ``streams`` rows of AuditAnchoredHead with this number.
    """

    append_only: ClassVar = True

    number = models.IntegerField(primary_key=True)
    at = models.DateTimeField()
    streams = models.IntegerField()
    digest = AsciiField(max_length=64)
    key_name = AsciiField(max_length=8)
    hash = AsciiField(max_length=64)

    def __str__(self) -> str:
        return f"anchor {self.number}"


class AuditAnchoredHead(models.Model):
    """The last entry of a stream at an anchor; only of streams that grew since the last one.

    ``unkeyed`` is the number of release 0.1.0 entries at the start of the stream, and 0 in all
    anchors except the first.
    """

    append_only: ClassVar = True

    pk = models.CompositePrimaryKey("stream", "anchor")
    stream = models.BigIntegerField()
    anchor = models.IntegerField()
    seq = models.BigIntegerField()
    hash = AsciiField(max_length=64)
    unkeyed = models.BigIntegerField(default=0)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["anchor", "stream"], name="audit_heads_of_anchor"),
        ]

    def __str__(self) -> str:
        return f"{self.stream}: {self.seq} in anchor {self.anchor}"
