"""The positions of changes in the feed of a workspace."""

from typing import ClassVar

from django.db import models


class FeedEntry(models.Model):
    """One committed change of a conversation at its ``position`` in the feed of the workspace.

    The change itself is the audit entry ``seq`` of the conversation; ``at`` is when it was added to
    the feed.
    """

    pk = models.CompositePrimaryKey("workspace", "position")
    workspace = models.BigIntegerField()
    position = models.BigIntegerField()
    conversation = models.BigIntegerField()
    seq = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["conversation"], name="feed_of_conversation"),
            models.Index(fields=["at"], name="feed_oldest"),
        ]

    def __str__(self) -> str:
        return str(self.position)


class Feed(models.Model):
    """The feed of a workspace: its last position, and the last one that was removed for age."""

    workspace = models.BigIntegerField(primary_key=True)
    last = models.BigIntegerField(default=0)
    removed = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"feed of {self.workspace}"


class FeedMark(models.Model):
    """The last change of a conversation in the feed.

    ``erased_at_seq`` is the number of its erasure while that is not in the feed yet.
    """

    conversation = models.BigIntegerField(primary_key=True)
    workspace = models.BigIntegerField()
    seq = models.BigIntegerField(default=0)
    erased_at_seq = models.BigIntegerField(null=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["workspace", "erased_at_seq"], name="feed_erased"),
        ]

    def __str__(self) -> str:
        return str(self.seq)
