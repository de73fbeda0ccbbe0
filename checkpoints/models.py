"""Executions, their checkpoints, and their state key by key."""

from functools import cached_property
from typing import ClassVar

from django.db import models

from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from ctxadmin.storage.fields import AsciiField, JsonBytesField


class Execution(models.Model):
    """One run of a conversation, at its latest version.

    Every write sets this row while it holds the lock of the conversation's head. ``decided`` is the
    domain's value of the execution, ``marking`` the positions of the tokens of a pinned workflow,
    ``reducers`` the JSON it was started with, ``leases`` the JSON of claimed nodes (see Leases).
    ``status``, ``node_id``, ``waiting_since`` and ``deadline`` repeat parts of ``decided`` for
    lists of many executions. ``workflow`` is "" for a free execution. ``state_*`` are the totals of
    the state; ``thinned_count`` is the number of versions without their state. The ``origin_*`` of
    a fork name its source. ``to_tell`` is the time since which a version awaits its notifications,
    and ``told_version`` the last version notified: writers set the first, the sender sets the
    second.
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
            models.Index(fields=["workspace", "created_at", "status"], name="execution_days"),
            models.Index(fields=["deadline"], name="execution_overdue"),
            models.Index(fields=["to_tell"], name="execution_to_tell"),
            models.Index(fields=["origin_execution"], name="execution_forks"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @cached_property
    def details(self) -> "ExecutionDetails":
        """Returns its metadata, read on first use; raises NotFound if it was erased."""
        rows = ExecutionDetails.objects.filter(conversation=self.conversation, number=self.number)
        found = rows.first()
        if found is None:
            raise NotFound(
                say("There is no execution {public_id}.", public_id=repr(self.public_id))
            )
        return found


class ExecutionDetails(models.Model):
    """The metadata that an execution was started with; they never change.

    They can be large, so they have a row of their own, as those of ConversationDetails do.
    """

    pk = models.CompositePrimaryKey("conversation", "number")
    conversation = models.BigIntegerField()
    number = models.IntegerField()
    metadata = JsonBytesField(default=b"{}")

    def __str__(self) -> str:
        return f"details of execution {self.number}"


class Checkpoint(models.Model):
    """The manifest of one version: a row per write, written once.

    ``kind`` is a WriteKind, ``move`` the kind of a MOVE. ``node_id`` and ``side`` are the position
    of the execution, ``saved_node`` is the node that was saved or completed. ``revision``,
    ``visible_count``, ``log_count`` and ``revision_count`` are those of the conversation right
    after the write. ``checkpoint_id``, ``body_digest`` and ``answer`` recognize a repeated save.
    ``routing`` lists the decisions on the edges of the saved node, ``marking`` the positions of the
    tokens then. ``whole`` is empty unless the executed node ids were replaced and not appended to:
    then it lists the decisions on record of those. ``change_seq`` is the number of the change in
    the conversation's audit, below 1 for what a fork has of its source. From ``thinned_at`` on, if
    set, the version has no state, only this row. ``details_sum`` is the checksum of its
    CheckpointDetails, null if it has none. A ``deleted`` version has no state since ``thinned_at``
    either, and no details. ``usage_sum`` is the checksum of its Usage, null if none was reported.
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
    """The details of a checkpoint, which are not state; a checkpoint without any has no row.

    ``parent`` is the id of a checkpoint, ``namespace`` a text of the engine's; "" means none. The
    checksum is in the checkpoint's own row.
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
    """The model usage of a step, as the engine reported it; a step without a report has no row.

    ``workflow`` and ``workflow_version`` are those of the execution, ``node_id`` is the completed
    node, ``cost`` is in billionths, ``day`` as 2026-11-24, in UTC. The checksum is in the
    checkpoint's own row. Forks do not copy usage; thinning and deleting keep it.
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
    """The writes of one task for a checkpoint, named by its id, which may be saved later.

    ``writes`` is JSON of a list, as it was sent; ``sum`` is the checksum of the row.
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
    """An erased conversation whose live copy is still to be dropped, because Redis was
    unavailable.
    """

    conversation = models.BigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return str(self.conversation)


class PendingEdit(models.Model):
    """The draft of a person: edits of an execution's state that are not applied yet.

    ``version`` is the one that was shown; ``typed`` is JSON in the format of the pages. ``seq``
    counts its changes: a write succeeds only if it is still the number that was read.
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
    """The head of a key: what is known of its current value without reading it.

    ``key`` is the digest of ``name`` in hex, because names can have any characters and no collation
    may decide which are equal; the lists beside the state have plain words as keys, which no digest
    is. ``version`` is that of the last change. The value is joined from the rows of StateValue from
    ``first`` to ``last``; ``spans`` says which of them if not all. ``sum`` is the checksum of the
    row (see state_checksums), null in a row older than checksums.
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
    """The change of one key by one version; a row is written once and never changed.

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
    """The retention policy of a workspace; without a row the server's own policy applies.

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
    """The lock that lets one maintenance run work at a time, and the report of the last one.

    ``holder`` is active if ``until`` has not passed: a run renews it regularly, so that one that
    was killed does not block others for long. ``ended_at`` is when a run last completed, ``report``
    what it did, as JSON.
    """

    name = AsciiField(max_length=16, primary_key=True)
    holder = AsciiField(max_length=32, default="")
    until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    report = JsonBytesField(default=b"")

    def __str__(self) -> str:
        return self.name


class Label(models.Model):
    """The label of a version, which retention then keeps whole."""

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
    """The claim of a pause; it is valid while the execution has waited ``since`` that moment."""

    pk = models.CompositePrimaryKey("conversation", "execution")
    conversation = models.BigIntegerField()
    execution = models.IntegerField()
    since = models.DateTimeField()
    holder_id = AsciiField(max_length=64)
    holder = models.CharField(max_length=160)
    claimed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.holder
