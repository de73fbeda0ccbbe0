"""The columns that every job has."""

from django.db import models

from ctxadmin.storage.fields import AsciiField


class JobStatus(models.TextChoices):
    """What every kind of job can be; a kind may have more."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class LeasedJob(models.Model):
    """A job that one process at a time works on.

    While it is ``running``, ``holder`` is who works and ``until`` when that counts as dead unless
    it renews the lease. ``attempts`` is how often it was taken, ``done`` of ``total`` how far it
    is, ``problem`` says in one word why it failed.
    """

    key = models.BigIntegerField(primary_key=True)
    workspace = models.BigIntegerField()
    public_id = AsciiField(max_length=64)
    status = AsciiField(max_length=10, choices=JobStatus, default=JobStatus.QUEUED)
    problem = AsciiField(max_length=20, default="")
    total = models.IntegerField()
    done = models.IntegerField(default=0)
    attempts = models.IntegerField(default=0)
    holder = AsciiField(max_length=64, default="")
    until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.public_id
