"""A workflow with its draft, and the versions of it that were published."""

from typing import ClassVar

from django.db import models

from ctxadmin.storage.fields import AsciiField, JsonBytesField


class WorkflowQuerySet(models.QuerySet["Workflow"]):
    def for_workspace(self, workspace: int) -> "WorkflowQuerySet":
        """What the members of a workspace may see; every query starts here."""
        return self.filter(workspace=workspace, slug__isnull=False)


class Workflow(models.Model):
    """A workflow: its name, its draft, and which version is published.

    Every write takes this row, decides, and sets it under the condition that ``change_seq`` and
    ``draft_version`` are still what it read; ``change_seq`` is also the number of the audit entry.
    ``published_draft`` is the ``draft_version`` that was published last. A deleted workflow stays
    for the executions that are pinned to its versions: its ``slug`` is null, so that another may
    take it, and stands in ``deleted_slug``.
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
