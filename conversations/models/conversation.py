"""The head row that every write locks, and what belongs to a conversation as a whole."""

from functools import cached_property
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from ctxadmin.storage.fields import AsciiField, JsonBytesField


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def for_workspace(self, workspace: int) -> "ConversationQuerySet":
        """Returns what the members of a workspace can see; every query starts here."""
        return self.filter(workspace=workspace)

    def that_are(self, *, archived: bool) -> "ConversationQuerySet":
        """Returns those that are archived, or those that are not.

        For ``archived=False`` Django generates ``NOT archived`` on SQLite, which can use no index:
        the list of 100,000 conversations then read and sorted all of them.
        """
        return self.filter(archived__in=[archived])


class Conversation(models.Model):
    """The head of a conversation.

    Every write locks this row, decides, and sets it on the condition that ``change_seq`` is still
    the number that it read; ``change_seq`` is also the number of the audit entry, and
    ``audit_hash`` the hash of that entry: together they distinguish one state of a conversation
    from every other, even after a backup was restored. ``log_count`` and ``log_tokens`` count the
    log, ``visible_count`` and ``visible_tokens`` the current view. ``status`` and ``workflow``
    repeat those of the current execution, so that a list needs no join. ``log_bytes`` sums the
    bodies of the log, ``state_bytes`` is the size of the current execution's state,
    ``checkpoint_bytes`` sums the stored values of all versions of all executions. An ``archived``
    one has had no write since ``updated_at``. ``unfed``: it may have changes that are not in the
    feed of its workspace yet (see ``feed``). Large fields are in ``details``.
    """

    key = models.BigIntegerField(primary_key=True)
    workspace = models.BigIntegerField()
    public_id = AsciiField(max_length=64)
    title = models.CharField(max_length=300, default="")
    status = AsciiField(max_length=16, default="IDLE")
    workflow = AsciiField(max_length=64, default="")
    change_seq = models.BigIntegerField(default=0)
    audit_hash = AsciiField(max_length=64, default="")
    log_count = models.IntegerField(default=0)
    log_tokens = models.BigIntegerField(default=0)
    log_bytes = models.BigIntegerField(default=0)
    state_bytes = models.BigIntegerField(default=0)
    checkpoint_bytes = models.BigIntegerField(default=0)
    current_revision = models.IntegerField(default=0)
    current_batch = models.IntegerField(default=0)
    revision_count = models.IntegerField(default=1)
    visible_count = models.IntegerField(default=0)
    visible_tokens = models.BigIntegerField(default=0)
    archived = models.BooleanField(default=False)
    unfed = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    objects = ConversationQuerySet.as_manager()
    first_words: str | None = None  # of the first user message; read by ``display_names``

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["workspace", "public_id"], name="conversation_id_unique"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["workspace", "archived", "-updated_at", "-key"], name="conversation_newest"
            ),
            models.Index(
                fields=["workspace", "archived", "status", "-updated_at", "-key"],
                name="conversation_by_status",
            ),
            # These two hold nothing that a write changes, so that a save does not pay for them.
            models.Index(
                fields=["workspace", "archived", "workflow"], name="conversation_of_workflow"
            ),
            models.Index(
                fields=["workspace", "archived", "title", "public_id", "key"],
                name="conversation_words",
            ),
            # A write changes it only if the feed was read since the write before.
            models.Index(fields=["workspace", "unfed"], name="conversation_unfed"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @cached_property
    def details(self) -> "ConversationDetails":
        """Returns its metadata and tools, read on first use; raises NotFound if it was erased."""
        found = ConversationDetails.objects.filter(conversation=self.key).first()
        if found is None:
            raise NotFound(say("There is no conversation {name}.", name=repr(self.public_id)))
        return found

    @property
    def stored_bytes(self) -> int:
        """Returns the bytes of its messages and of the states of all versions."""
        return self.log_bytes + self.checkpoint_bytes


class ConversationDetails(models.Model):
    """The fields of a conversation that can be large, and that appends neither read nor write.

    Each conversation has one row. Every write of the head puts the whole row into the binary log of
    MySQL by default: 1 MB of ``metadata`` there cost 2 MB per append.
    """

    conversation = models.BigIntegerField(primary_key=True)
    metadata = JsonBytesField(default=b"{}")
    tools = models.TextField(default="")

    def __str__(self) -> str:
        return f"details of {self.conversation}"


class Comment(models.Model):
    """A comment on a message, a key of the state or a version.

    ``number`` is that of its audit entry. ``message`` is a log index; ``execution`` with
    ``version`` names a checkpoint, with ``key_name`` a key of the state at that version.
    """

    pk = models.CompositePrimaryKey("conversation", "number")
    conversation = models.BigIntegerField()
    number = models.BigIntegerField()
    message = models.IntegerField(null=True)
    execution = models.IntegerField(null=True)
    version = models.IntegerField(null=True)
    key_name = models.TextField(default="")
    text = models.TextField()
    author_id = AsciiField(max_length=64)
    author = models.CharField(max_length=160)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["conversation", "message"], name="comment_of_message"),
            models.Index(fields=["conversation", "execution"], name="comment_of_execution"),
        ]

    def __str__(self) -> str:
        return f"comment {self.number}"


class WorkspacePrices(models.Model):
    """The prices that the admins of a workspace set; without a row only the public ones apply.

    ``rules`` is a PriceRules as JSON, ``version`` the number of times they were set.
    """

    workspace = models.BigIntegerField(primary_key=True)
    rules = JsonBytesField()
    version = models.IntegerField()
    author = models.CharField(max_length=160)
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"prices of {self.workspace}"
