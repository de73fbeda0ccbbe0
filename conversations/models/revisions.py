"""The revisions of the view, and the moves between them."""

from typing import ClassVar

from django.db import models

from ctxadmin.storage.fields import AsciiField, JsonBytesField


class Revision(models.Model):
    """One state of the view: opened by an operation, grown by appends until others open from it.

    ``opened`` is the view as it was opened and is never rewritten: its runs, or, if ``patches`` is
    not 0, a patch of its parent's view; ``patches`` is the number of patches from a whole view to
    it. ``grown`` has the runs that were appended since, ``log_length`` is the length of the log
    when it was opened or last grew. ``last_talk`` is the log index of the last message of the
    branch that is not a tool message, -1 without one. ``branched_at`` is set if it was opened from
    its parent as that was earlier: messages of the parent from that log index on are not of its
    branch. ``starts_line`` unless it was opened from the whole of the revision numbered before it
    (see Branch). ``sum`` is the checksum of what never changes, ``grown_sum`` of what appends and
    later revisions change (see revision_sums); null in a row older than checksums.
    """

    pk = models.CompositePrimaryKey("conversation", "number")
    conversation = models.BigIntegerField()
    number = models.IntegerField()
    parent = models.IntegerField(null=True)
    batch = models.IntegerField()
    operation = AsciiField(max_length=16)
    config = JsonBytesField(default=b"{}")
    boundary = models.IntegerField(null=True)
    starts_line = models.BooleanField()
    patches = models.SmallIntegerField(default=0)
    opened = models.BinaryField()
    grown = models.BinaryField(default=b"")
    log_length = models.IntegerField()
    last_talk = models.IntegerField(default=-1)
    branched_at = models.IntegerField(null=True)
    visible_count = models.IntegerField()
    tokens = models.BigIntegerField()
    has_children = models.BooleanField(default=False)
    author = models.CharField(max_length=160)
    reason = models.TextField(default="")
    created_at = models.DateTimeField()
    sum = models.BigIntegerField(null=True)
    grown_sum = models.BigIntegerField(null=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["conversation", "starts_line", "number"], name="revision_lines"),
            models.Index(fields=["conversation", "batch", "number"], name="revision_by_batch"),
        ]

    def __str__(self) -> str:
        return f"revision {self.number}"


class Move(models.Model):
    """A rollback or a restore: the current revision moved; nothing was created."""

    pk = models.CompositePrimaryKey("conversation", "seq")
    conversation = models.BigIntegerField()
    seq = models.BigIntegerField()
    kind = AsciiField(max_length=8)
    from_revision = models.IntegerField()
    to_revision = models.IntegerField()
    author = models.CharField(max_length=160)
    reason = models.TextField(default="")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} {self.from_revision} -> {self.to_revision}"
