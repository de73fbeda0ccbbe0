"""A workflow with its draft, and its published versions."""

from typing import ClassVar

from django.db import models

from ctxadmin.background.models import JobStatus, LeasedJob
from ctxadmin.storage.fields import AsciiField, JsonBytesField


class WorkflowQuerySet(models.QuerySet["Workflow"]):
    def for_workspace(self, workspace: int) -> "WorkflowQuerySet":
        """Returns what the members of a workspace can see; every query starts here."""
        return self.filter(workspace=workspace, slug__isnull=False)


class Workflow(models.Model):
    """A workflow: its name, its draft, and which version is published.

    Every write reads this row, decides, and updates it on the condition that ``change_seq`` and
    ``draft_version`` are still what it read; ``change_seq`` is also the number of the audit entry.
    ``published_draft`` is the ``draft_version`` that was published last. A deleted workflow stays
    for the executions that are pinned to its versions: its ``slug`` is null, so that another
    workflow can take it, and moves to ``deleted_slug``.
    """

    key = models.BigIntegerField(primary_key=True)
    workspace = models.BigIntegerField()
    slug = AsciiField(max_length=64, null=True)
    deleted_slug = AsciiField(max_length=64, default="")
    name = models.CharField(max_length=200)
    description = models.TextField(default="")
    draft = JsonBytesField()
    draft_version = models.IntegerField(default=0)
    published_version = models.IntegerField(null=True)
    published_draft = models.IntegerField(null=True)
    change_seq = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = WorkflowQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["workspace", "slug"], name="workflow_slug_unique"),
        ]

    def __str__(self) -> str:
        return self.slug or f"{self.deleted_slug} (deleted)"


class WorkflowVersion(models.Model):
    """One published document; a row is written once and never changed or deleted."""

    pk = models.CompositePrimaryKey("workflow", "version")
    workflow = models.BigIntegerField()
    version = models.IntegerField()
    document = JsonBytesField()
    note = models.TextField(default="")
    author = models.CharField(max_length=160)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"version {self.version}"


class Backtest(LeasedJob):
    """What policies would have cost on recorded conversations: the question, then the result.

    ``question`` is JSON of ``workflows.backtests.questions``, ``result`` JSON of the sums.
    """

    Status = JobStatus

    workflow = AsciiField(max_length=64, default="")
    author = models.CharField(max_length=160)
    question = JsonBytesField()
    result = JsonBytesField(default=b"")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="backtest_id_unique"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["status", "key"], name="backtest_waiting"),
            models.Index(fields=["workspace", "workflow", "key"], name="backtest_of_workflow"),
            models.Index(fields=["created_at"], name="backtest_oldest"),
        ]
