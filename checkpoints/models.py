"""Executions, their checkpoints, and their state key by key."""

from functools import cached_property
from typing import ClassVar

from django.db import models

from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from ctxadmin.storage.fields import AsciiField, JsonBytesField


class Execution(models.Model):
    """One run of a conversation, as it stands at its newest version.

    Every write sets this row while it holds the lock of the conversation's head.
    ``decided`` is the domain's own value of the execution, ``marking`` tells where the tokens of
    a pinned workflow are, ``reducers`` is JSON of what it was started with, ``leases`` JSON of
    those who have claimed nodes (see Leases).
    ``status``, ``node_id``, ``waiting_since`` and ``deadline`` repeat what ``decided`` says for
    lists of many executions. ``workflow`` is "" for a free execution. ``state_*`` are the totals
    of the state; ``thinned_count`` versions gave their state up to retention or were deleted. The
    ``origin_*`` say of a forked one where it came from. ``to_tell`` is since when there is a
    version that those who asked for it have not been told of, and ``told_version`` the last one
    that they have: who writes sets the first, who tells the second.
    """

    pk = models.CompositePrimaryKey("conversation", "number")
    conversation = models.BigIntegerField()
    number = models.IntegerField()
    public_id = AsciiField(max_length=32, unique=True)
    workspace = models.BigIntegerField()
    workflow = AsciiField(max_length=64, default="")
    workflow_key = models.BigIntegerField(null=True)
    workflow_version = models.IntegerField(null=True)
    reducers = JsonBytesField(default=b"{}")
    leases = JsonBytesField(default=b"")
    status = AsciiField(max_length=16)
    version = models.IntegerField(default=0)
    node_id = models.CharField(max_length=128, default="")
    decided = JsonBytesField()
    marking = JsonBytesField(default=b"")
    state_digest = AsciiField(max_length=64)
    state_bytes = models.BigIntegerField()
    state_keys = models.IntegerField()
    executed_count = models.IntegerField(default=0)
    history_count = models.IntegerField(default=0)
    thinned_count = models.IntegerField(default=0)
    waiting_since = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    to_tell = models.DateTimeField(null=True)
    told_version = models.IntegerField(default=-1)
    origin_conversation = AsciiField(max_length=64, default="")
    origin_execution = AsciiField(max_length=32, default="")
    origin_version = models.IntegerField(null=True)
    author = models.CharField(max_length=160)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["workspace", "status", "waiting_since"], name="execution_waiting"),
            models.Index(
                fields=["workspace", "workflow_key", "-created_at"], name="execution_of_workflow"
            ),
            models.Index(
                fields=["workspace", "workflow_key", "workflow_version"],
                name="execution_of_version",
            ),
            models.Index(fields=["deadline"], name="execution_overdue"),
            models.Index(fields=["to_tell"], name="execution_to_tell"),
            models.Index(fields=["origin_execution"], name="execution_forks"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @cached_property
    def details(self) -> "ExecutionDetails":
        """Its metadata, read when they are first asked for; NotFound if it was erased."""
        rows = ExecutionDetails.objects.filter(conversation=self.conversation, number=self.number)
        found = rows.first()
        if found is None:
            raise NotFound(
                say("There is no execution {public_id}.", public_id=repr(self.public_id))
            )
        return found


class ExecutionDetails(models.Model):
    """The metadata that an execution was started with; they never change.

    They may be large, and stand apart as those of ConversationDetails do.
    """

    pk = models.CompositePrimaryKey("conversation", "number")
    conversation = models.BigIntegerField()
    number = models.IntegerField()
    metadata = JsonBytesField(default=b"{}")

    def __str__(self) -> str:
        return f"details of execution {self.number}"


class Checkpoint(models.Model):
    """The manifest of one version: a row per write, written once.

    ``kind`` is a WriteKind, ``move`` which of the moves it was. ``node_id`` and ``side`` tell
    where the execution stood, ``saved_node`` which node was saved or completed. ``revision``,
    ``visible_count``, ``log_count`` and ``revision_count`` are those of the conversation right
    after the write. ``checkpoint_id``, ``body_digest`` and ``answer`` make a repeated save the
    same save. ``routing`` lists the decisions on the edges of the saved node, ``marking`` where
    the tokens were then. ``whole`` is empty unless the executed node ids were replaced and not
    appended to: then it lists the decisions on record of those. ``change_seq`` is the number of
    the change in the conversation's audit, below 1 for what a fork has of its source. Since
    ``thinned_at``, if that is set, the version has no state any more, only this row.
    ``details_sum`` is the checksum of its CheckpointDetails, null if it has none. A ``deleted``
    one has been without a state since ``thinned_at``, too, and has no details. ``usage_sum`` is
    the checksum of its Usage, null if none was reported.
    """

    pk = models.CompositePrimaryKey("conversation", "execution", "version")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    version = models.IntegerField()
    kind = AsciiField(max_length=12)
    move = AsciiField(max_length=8, default="")
    status = AsciiField(max_length=16)
    node_id = models.CharField(max_length=128, default="")
    side = AsciiField(max_length=6)
    saved_node = models.CharField(max_length=128, default="")
    changed_keys = JsonBytesField(default=b"[]")
    written_bytes = models.BigIntegerField(default=0)
    state_digest = AsciiField(max_length=64)
    state_bytes = models.BigIntegerField()
    state_keys = models.IntegerField()
    executed_count = models.IntegerField(default=0)
    history_count = models.IntegerField(default=0)
    revision = models.IntegerField()
    visible_count = models.IntegerField()
    log_count = models.IntegerField()
    revision_count = models.IntegerField()
    checkpoint_id = AsciiField(max_length=64, null=True)
    body_digest = AsciiField(max_length=32, default="")
    answer = JsonBytesField(default=b"")
    routing = JsonBytesField(default=b"[]")
    marking = JsonBytesField(default=b"")
    whole = JsonBytesField(default=b"")
    restored_from = models.IntegerField(null=True)
    change_seq = models.BigIntegerField()
    author = models.CharField(max_length=160)
    reason = models.TextField(default="")
    created_at = models.DateTimeField()
    thinned_at = models.DateTimeField(null=True)
    details_sum = models.BigIntegerField(null=True)
    deleted = models.BooleanField(default=False)
    usage_sum = models.BigIntegerField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["conversation", "checkpoint_id"], name="checkpoint_id_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"


class CheckpointDetails(models.Model):
    """What an engine says of a checkpoint beside its state; only those that have any have a row.

    ``parent`` is the id of a checkpoint, ``namespace`` a text of the engine's; "" is neither.
    The checksum stands in the checkpoint's own row.
    """

    pk = models.CompositePrimaryKey("conversation", "execution", "version")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    version = models.IntegerField()
    namespace = models.TextField()
    parent = AsciiField(max_length=64, default="")
    metadata = JsonBytesField(default=b"{}")

    def __str__(self) -> str:
        return f"details of version {self.version}"


class Usage(models.Model):
    """What the model of a step used, as the engine reported it; only those that did have a row.

    ``workflow`` and ``workflow_version`` are those of the execution, ``node_id`` is the node that
    was completed, ``cost`` in billionths, ``day`` as 2026-11-24, in UTC. The checksum stands in
    the checkpoint's own row. Forks do not copy it, thinning and deleting leave it.
    """

    pk = models.CompositePrimaryKey("conversation", "execution", "version")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    version = models.IntegerField()
    workspace = models.BigIntegerField()
    workflow = AsciiField(max_length=64, default="")
    workflow_version = models.IntegerField(null=True)
    node_id = models.CharField(max_length=128)
    model = models.CharField(max_length=128, default="")
    input_tokens = models.IntegerField()
    cached_tokens = models.IntegerField()
    cache_write_tokens = models.IntegerField()
    output_tokens = models.IntegerField()
    cost = models.BigIntegerField(null=True)
    day = AsciiField(max_length=10)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # Has all columns that are summed: 1,000,000 rows are added up without being read.
            models.Index(
                fields=[
                    *("workspace", "day", "workflow", "workflow_version", "model", "node_id"),
                    *("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens"),
                    "cost",
                ],
                name="usage_sums",
            ),
        ]

    def __str__(self) -> str:
        return f"usage of version {self.version}"


class TaskWrites(models.Model):
    """What one task wrote beside a checkpoint, named by its id, which may be saved later.

    ``writes`` is JSON of a list, as it was sent; ``sum`` the checksum of the row.
    """

    pk = models.CompositePrimaryKey("conversation", "checkpoint", "task")
    conversation = models.BigIntegerField()
    checkpoint = AsciiField(max_length=64)
    task = AsciiField(max_length=64)
    writes = JsonBytesField()
    sum = models.BigIntegerField()

    def __str__(self) -> str:
        return f"writes of {self.task}"


class UndroppedCopy(models.Model):
    """An erased conversation whose live copy is still to be dropped: Redis could not be reached."""

    conversation = models.BigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return str(self.conversation)


class PendingEdit(models.Model):
    """What a person typed into the state of an execution and has not applied yet.

    ``version`` is the one that was seen; ``typed`` is JSON of the pages' own. ``seq`` counts how
    often it was kept: every write is under the condition that it is still the number that was read.
    """

    pk = models.CompositePrimaryKey("conversation", "execution", "person")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    person = models.BigIntegerField()
    version = models.IntegerField()
    seq = models.IntegerField()
    typed = JsonBytesField()
    changed_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["changed_at"], name="pending_edit_oldest"),
        ]

    def __str__(self) -> str:
        return f"edit of version {self.version}"


class StateKey(models.Model):
    """What has to be known of a key's current value without reading it.

    ``key`` is the digest of ``name`` in hex, because a name may have any characters and no
    collation may decide which are equal; the lists beside the state stand under plain words,
    which no digest is. ``version`` is that of the last change. The value is joined of the rows
    of StateValue from ``first`` to ``last``; ``spans`` says which of them if not all. ``sum`` is
    the checksum of the row (see state_sums), null in one that is older than the sums.
    """

    pk = models.CompositePrimaryKey("conversation", "execution", "key")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    key = AsciiField(max_length=32)
    name = models.TextField()
    version = models.IntegerField()
    gone = models.BooleanField(default=False)
    first = models.IntegerField()
    last = models.IntegerField()
    spans = JsonBytesField(default=b"")
    digest = AsciiField(max_length=32)
    size = models.BigIntegerField()
    count = models.IntegerField(null=True)
    sum = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return self.name


class StateValue(models.Model):
    """What one version did to one key; a row is written once and never changed.

    ``kind`` is a ChangeKind: ``set`` has the whole value, ``append`` the new elements as a list,
    ``same`` and ``gone`` nothing. The other fields are as in StateKey, as of this version; ``sum``
    is the checksum of the value in its place.
    """

    pk = models.CompositePrimaryKey("conversation", "execution", "key", "version")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    key = AsciiField(max_length=32)
    version = models.IntegerField()
    kind = AsciiField(max_length=6)
    value = JsonBytesField(default=b"")
    first = models.IntegerField()
    last = models.IntegerField()
    spans = JsonBytesField(default=b"")
    digest = AsciiField(max_length=32)
    size = models.BigIntegerField()
    count = models.IntegerField(null=True)
    sum = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.key} at {self.version}"


class Retention(models.Model):
    """What the admins of a workspace chose to keep; without a row the server's own policy holds.

    ``policy`` is a RetentionPolicy as JSON, ``version`` the number of times it was set.
    """

    workspace = models.BigIntegerField(primary_key=True)
    policy = JsonBytesField()
    version = models.IntegerField()
    author = models.CharField(max_length=160)
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"retention of {self.workspace}"


class Maintenance(models.Model):
    """The lock that lets one run of maintenance work at a time, and what the last one did.

    ``holder`` works, if ``until`` has not passed: a run says again and again that it is alive, so
    that one that was killed blocks nobody for long. ``ended_at`` is when a run last came to its
    end, ``report`` what it did, as JSON.
    """

    name = AsciiField(max_length=16, primary_key=True)
    holder = AsciiField(max_length=32, default="")
    until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    report = JsonBytesField(default=b"")

    def __str__(self) -> str:
        return self.name


class Label(models.Model):
    """The name that a person gave to a version, which retention then leaves whole."""

    pk = models.CompositePrimaryKey("conversation", "execution", "version")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    version = models.IntegerField()
    name = models.CharField(max_length=80)
    author = models.CharField(max_length=160)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Claim(models.Model):
    """Who has claimed a pause: it holds while the execution waits ``since`` that very moment."""

    pk = models.CompositePrimaryKey("conversation", "execution")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    since = models.DateTimeField()
    holder_id = AsciiField(max_length=64)
    holder = models.CharField(max_length=160)
    claimed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.holder
