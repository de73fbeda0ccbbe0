"""The answers of the conversation endpoints, as the OpenAPI document describes them."""

from pydantic import ConfigDict, JsonValue

from conversations.domain.diff import ChangeKind
from conversations.domain.legacy import MigrationResult
from conversations.domain.revisions import MoveKind, RevisionKind
from ctxadmin.http.described import Answer, ListOf

Run = tuple[int, int]


class ConversationAnswer(Answer):
    """A conversation, with counts and tokens of the current view."""

    id: str
    title: str
    workflow: str | None
    status: str
    current_batch: int
    current_revision: int
    message_count: int
    visible_count: int
    tokens: int
    metadata: dict[str, JsonValue]
    tools: str | None
    archived: bool
    message_bytes: int
    state_bytes: int
    checkpoint_bytes: int
    created_at: str
    updated_at: str


class TakenAnswer(Answer):
    """``source``, a field or part of the body, was stored as ``target`` ``count`` times."""

    source: str
    target: str
    count: int


class NotedAnswer(Answer):
    """``what`` was left out, or is odd, ``count`` times; ``pointer`` names the first one."""

    what: str
    why: str
    count: int
    pointer: str
    line: int | None


class ReportAnswer(Answer):
    """What an import stored as what, and what it left out.

    The lists hold at most 50 kinds each; the counts are complete.
    """

    shape: str
    conversations: int
    messages: int
    calls: int
    results: int
    taken: list[TakenAnswer]
    left_out: list[NotedAnswer]
    left_out_count: int
    warnings: list[NotedAnswer]
    warning_count: int


class ImportedAnswer(ConversationAnswer):
    """The imported conversation, and the report of the import."""

    report: ReportAnswer


class MessageAnswer(Answer):
    """A message with its log index and its additional fields."""

    model_config = ConfigDict(extra="allow")

    index: int
    id: str
    role: str
    visible: bool
    tokens: int
    tokens_estimated: bool
    node_id: str | None
    author: str
    created_at: str


class AppendedAnswer(Answer):
    """Where appended messages are in the log, and the batch and revision that show them."""

    first_index: int
    count: int
    batch: int
    revision: int


class WarningAnswer(Answer):
    """A warning about visible messages, by their log indices."""

    code: str
    message: str
    indices: list[int]


class AppliedAnswer(Answer):
    """What a change of the view did; runs ``[start, stop)`` are of log indices.

    In a dry run nothing was changed and ``revision`` is null.
    """

    batch: int
    revision: int | None
    visible_count: int
    warnings: list[WarningAnswer]
    added: list[Run]
    shown: list[Run]
    hidden: list[Run]
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int


class PoppedAnswer(Answer):
    """The messages that were taken, now hidden, in the order of the view.

    Without any, nothing was changed: batch and revision are the current ones.
    """

    messages: list[MessageAnswer]
    batch: int
    revision: int
    visible_count: int
    warnings: list[WarningAnswer]


class RevisionAnswer(Answer):
    """A batch: what opened it, and its view; ``parent`` only with ``all=true``."""

    number: int
    revision: int
    operation: RevisionKind
    config: JsonValue
    boundary: int | None
    visible_count: int
    tokens: int
    author: str
    reason: str | None
    created_at: str
    parent: int | None = None


class MoveAnswer(Answer):
    """A rollback or a restore, which moved the current revision."""

    kind: MoveKind
    from_revision: int
    to_revision: int
    author: str
    reason: str | None
    created_at: str


class BatchesAnswer(ListOf[RevisionAnswer]):
    """A page of batches; the moves only with ``all=true``."""

    current_revision: int
    moves: list[MoveAnswer] = []


class ChangeAnswer(Answer):
    """One difference of two views, with the fields of its kind."""

    kind: ChangeKind
    index: int
    previous_index: int | None = None
    position: int | None = None
    previous_position: int | None = None


class ValidatedAnswer(Answer):
    """A valid config of version 2."""

    ok: bool
    config: dict[str, JsonValue]


class RuleReportAnswer(Answer):
    """The result for one rule of a config of version 1; null for the whole config."""

    rule: int | None
    result: MigrationResult
    message: str


class MigratedAnswer(Answer):
    """The config of version 2, and the result for each rule."""

    config: dict[str, JsonValue] | None
    report: list[RuleReportAnswer]
