"""The message log: messages, and what is known of single ones."""

from typing import ClassVar

from django.db import models

from ctxadmin.storage.fields import AsciiField, JsonBytesField


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
