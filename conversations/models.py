"""The log, the revisions of its view, and the head row that every write locks."""

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


class Message(models.Model):
    """One message of the log; a row is written once and never changed.

    ``body`` is the JSON that is returned, without ``id``, ``tokens`` and ``node_id``, which have
    columns of their own. ``message_id`` is null for the default id, ``log-{index}``.
    ``tokens_upto`` is the sum of tokens of the log through this message, so that a run of the view
    costs two lookups. For a tool result ``answers`` is the digest of its ``tool_call_id`` and
    ``call_index`` the log index of the message with that call, null for an orphan. ``revision`` is
    the one that was current when the message was logged. ``sum`` is the checksum of the row as it
    is shown (see message_rows), null for a row older than checksums.
    """

    pk = models.CompositePrimaryKey("conversation", "index")
    conversation = models.BigIntegerField()
    index = models.IntegerField()
    message_id = AsciiField(max_length=64, null=True)
    role = AsciiField(max_length=9)
    answers = AsciiField(max_length=32, null=True)
    call_index = models.IntegerField(null=True)
    tokens = models.IntegerField()
    tokens_reported = models.BooleanField(default=False)
    tokens_upto = models.BigIntegerField()
    revision = models.IntegerField()
    node_id = AsciiField(max_length=64, default="")
    author = models.CharField(max_length=160)
    created_at = models.DateTimeField()
    body = JsonBytesField()
    sum = models.BigIntegerField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["conversation", "message_id"], name="message_id_unique"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["conversation", "role", "index"], name="message_by_role"),
            models.Index(fields=["conversation", "call_index"], name="message_by_call"),
        ]

    def __str__(self) -> str:
        return f"message {self.index}"


class Mark(models.Model):
    """Says of a logged message that it is one of few: tool description, orphan, pinned, or line.

    A tool description has ``tool_description: true`` (rule 1.10), an orphan is a tool result that
    answers no call of the log (rule 1.11). That a message is pinned (rule 4.2) can change. A line
    names messages that are hidden (rule 4.6).
    """

    TOOLS: ClassVar = "tools"
    ORPHAN: ClassVar = "orphan"
    PIN: ClassVar = "pin"
    LINE: ClassVar = "line"

    pk = models.CompositePrimaryKey("conversation", "kind", "index")
    conversation = models.BigIntegerField()
    kind = AsciiField(max_length=6)
    index = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.kind} at {self.index}"


class Pin(models.Model):
    """Who pinned or unpinned a message last, when and why; its Mark says if it is pinned now."""

    pk = models.CompositePrimaryKey("conversation", "index")
    conversation = models.BigIntegerField()
    index = models.IntegerField()
    author = models.CharField(max_length=160)
    reason = models.TextField(default="")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"pin of message {self.index}"


class Recall(models.Model):
    """How often engines read a message in full that they did not see, on one day (UTC).

    ``node_id`` is the node that asked, "" if it was not named; ``workflow`` is that of the
    conversation, ``author`` who asked last. No copy, fork or export has them (rule 4.6).
    """

    pk = models.CompositePrimaryKey("conversation", "index", "node_id", "day")
    conversation = models.BigIntegerField()
    index = models.IntegerField()
    node_id = models.CharField(max_length=128, default="")
    day = AsciiField(max_length=10)
    workspace = models.BigIntegerField()
    workflow = AsciiField(max_length=64, default="")
    count = models.IntegerField(default=1)
    author = models.CharField(max_length=160)
    last_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["workspace", "day", "workflow", "node_id", "count"], name="recall_sums"
            ),
        ]

    def __str__(self) -> str:
        return f"recalls of message {self.index}"


class UnsettledCall(models.Model):
    """A tool call of a group that is not settled, with all calls of its group; few among many.

    A group is a logged message with calls, and the results that answer them. It is *settled* once
    each call has one result, all of them directly after the message, logged into its revision and
    on every branch that has the message. Then only a replaced result can change the group, and only
    a view that cuts it can split it, which the message at the cut shows. ``index`` and ``revision``
    are those of the message, ``call`` is the digest of the call's id, ``answered`` says that it has
    a result on some branch. Of ``whole`` groups only the branches of the results are not all
    branches.
    """

    pk = models.CompositePrimaryKey("conversation", "index", "position")
    conversation = models.BigIntegerField()
    index = models.IntegerField()
    position = models.SmallIntegerField()
    call = AsciiField(max_length=32)
    revision = models.IntegerField()
    answered = models.BooleanField()
    whole = models.BooleanField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["conversation", "call"], name="unsettled_by_call"),
            models.Index(fields=["conversation", "whole"], name="unsettled_by_whole"),
        ]

    def __str__(self) -> str:
        return f"call at {self.index}"


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
