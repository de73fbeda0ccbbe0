"""Bulk jobs and their items."""

from typing import ClassVar

from django.db import models

from ctxadmin.background.models import LeasedJob
from ctxadmin.storage.fields import AsciiField, JsonBytesField


class BulkJob(LeasedJob):
    """One action on many items: a draft that a person looks at, then work in the background.

    ``list`` and ``filter`` say where the items were selected (the query string of that list).
    ``label`` is the one that each item gets, "" for other actions.
    ``person`` is the key of the user whose rights are asked again at each step, 0 for a ``token``,
    whose id that is. ``author`` is the name that is shown, ``address`` and ``request_id`` go into
    the audit. ``done`` and ``refused`` count its items.
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    action = AsciiField(max_length=16)
    filter = models.TextField(default="")
    reason = models.TextField(default="")
    label = models.CharField(max_length=80, default="")
    person = models.BigIntegerField()
    token = AsciiField(max_length=24, default="")
    author = models.CharField(max_length=160)
    address = AsciiField(max_length=64, default="")
    request_id = AsciiField(max_length=64, default="")
    status = AsciiField(max_length=10, choices=Status, default=Status.DRAFT)
    refused = models.IntegerField(default=0)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="bulk_job_id_unique"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["status", "key"], name="bulk_job_waiting"),
            models.Index(fields=["created_at"], name="bulk_job_oldest"),
        ]


class BulkItem(models.Model):
    """One item of a job, with its conversation as it was selected, and what came of it.

    It is stored with its conversation, so that the change and its outcome are one transaction.
    ``execution`` is the id of the one that was selected, "" for conversations. ``outcome`` is "" as
    long as nothing was done; ``why`` is the refusal (``ctxadmin.lib.stored_sentence``).
    """

    class Outcome(models.TextChoices):
        WAITING = ""
        DONE = "done"
        REFUSED = "refused"

    pk = models.CompositePrimaryKey("conversation", "job")
    conversation = models.BigIntegerField()
    job = models.BigIntegerField()
    place = models.IntegerField()
    public_id = AsciiField(max_length=64)
    execution = AsciiField(max_length=32, default="")
    selected_status = AsciiField(max_length=16)
    selected_change = models.BigIntegerField()
    outcome = AsciiField(max_length=8, choices=Outcome, default=Outcome.WAITING)
    why = JsonBytesField(default=b"")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["job", "place"], name="bulk_item_of_job"),
            models.Index(fields=["job", "outcome", "place"], name="bulk_item_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.public_id}"
