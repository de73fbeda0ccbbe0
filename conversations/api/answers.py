"""The answers of the conversation endpoints, as the OpenAPI document describes them."""

from pydantic import ConfigDict, Field, JsonValue

from conversations.domain.diff import ChangeKind
from conversations.domain.legacy import MigrationResult
from conversations.domain.message_parts import ContentPart, ToolCall
from conversations.domain.revisions import MoveKind, RevisionKind
from ctxadmin.http.described import Answer, FromOne, FromZero, ListOf, Time

Run = tuple[FromZero, FromZero]


class ConversationAnswer(Answer):
    """A conversation, with counts and tokens of the current view."""

    id: str = Field(description="Id of the conversation.", examples=["support-42"])
    title: str = Field(description="Title.", examples=["Lost parcel"])
    workflow: str | None = Field(
        description="Slug of the workflow that it runs; null without.", examples=["support"]
    )
    status: str = Field(
        description="Status of the current execution; IDLE without one.", examples=["RUNNING"]
    )
    current_batch: FromZero = Field(description="Number of the current batch.", examples=[2])
    current_revision: FromZero = Field(description="Current revision of the view.", examples=[3])
    message_count: FromZero = Field(description="Number of messages in the log.", examples=[20])
    visible_count: FromZero = Field(description="Number of visible messages.", examples=[12])
    tokens: FromZero = Field(description="Tokens of the visible messages.", examples=[900])
    metadata: dict[str, JsonValue] = Field(
        description="Any JSON of the caller, by name.", examples=[{"customer": "c-7"}]
    )
    tools: str | None = Field(
        description="Text of the tool description; null without.",
        examples=["find_parcel(id): where a parcel is"],
    )
    archived: bool = Field(description="Whether it is archived.")
    message_bytes: FromZero = Field(
        description="Stored size of the messages, in bytes.", examples=[4096]
    )
    state_bytes: FromZero = Field(
        description="Stored size of the states, in bytes.", examples=[2048]
    )
    checkpoint_bytes: FromZero = Field(
        description="Stored size of the checkpoints, in bytes.", examples=[8192]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")
    updated_at: Time = Field(description="When it was last changed (ISO 8601, UTC).")


class TakenAnswer(Answer):
    """``source``, a field or part of the body, was stored as ``target`` ``count`` times."""

    source: str = Field(description="Field or part of the import.", examples=["message"])
    target: str = Field(description="What it is stored as.", examples=["user message"])
    count: FromZero = Field(description="How many times.", examples=[4])


class NotedAnswer(Answer):
    """``what`` was left out, or is unusual, ``count`` times; ``pointer`` names the first one."""

    what: str = Field(description="Field or part of the import.", examples=["/messages/0/logprobs"])
    why: str = Field(
        description="Why it was left out, or what is odd.", examples=["no such field is stored"]
    )
    count: FromZero = Field(description="How many times.", examples=[2])
    pointer: str = Field(description="JSON pointer to the first one.", examples=["/messages/0"])
    line: FromOne | None = Field(
        description="Line of the first one, from 1, where the import has lines.", examples=[1]
    )


class ReportAnswer(Answer):
    """What an import stored as what, and what it left out.

    The lists have at most 50 kinds each; the counts are complete.
    """

    shape: str = Field(description="Format that was recognized.", examples=["openai"])
    conversations: FromZero = Field(
        description="Number of conversations in the import.", examples=[1]
    )
    messages: FromZero = Field(description="Number of stored messages.", examples=[12])
    calls: FromZero = Field(description="Number of stored tool calls.", examples=[2])
    results: FromZero = Field(description="Number of stored tool results.", examples=[2])
    taken: list[TakenAnswer] = Field(description="What was stored as what.")
    left_out: list[NotedAnswer] = Field(description="What was left out, and why.")
    left_out_count: FromZero = Field(description="How many things were left out.", examples=[0])
    warnings: list[NotedAnswer] = Field(description="What is odd.")
    warning_count: FromZero = Field(description="How many things are odd.", examples=[0])


class ImportedAnswer(ConversationAnswer):
    """The imported conversation, and the report of the import."""

    report: ReportAnswer = Field(description="What was stored as what, and what was left out.")


class MessageFields(Answer):
    """The fields of a message that its author sent; others are returned as they were sent."""

    model_config = ConfigDict(extra="allow")

    role: str = Field(description="Who speaks.", examples=["user"])
    content: str | list[ContentPart] | None = Field(
        None, description="Text, or a list of parts; null beside tool calls.", examples=["Hi"]
    )
    tool_calls: list[ToolCall] | None = Field(
        None, description="Tool calls of an assistant message."
    )
    tool_call_id: str | None = Field(
        None,
        description="Id of the call whose result this is, of a tool message.",
        examples=["call-1"],
    )
    name: str | None = Field(
        None, description="Name of the speaker or the tool.", examples=["find_parcel"]
    )
    metadata: dict[str, JsonValue] | None = Field(
        None, description="Any JSON of the caller, by name.", examples=[{"customer": "c-7"}]
    )
    tool_description: bool = Field(
        False, description="Whether it tells the model which tools it has."
    )


class PointsToAnswer(Answer):
    """Hidden messages that a line names."""

    runs: list[Run] = Field(
        description="Their log indices as ranges `[start, stop)`, at most 1,000.",
        examples=[[[3, 15]]],
    )
    count: FromOne = Field(description="How many they are.", examples=[12])


class MessageAnswer(MessageFields):
    """A message with its log index and its additional fields."""

    index: FromZero = Field(description="Index in the message log, counted from 0.", examples=[0])
    id: str = Field(
        description="Id of the message: the caller's, else `log-{index}`.", examples=["log-0"]
    )
    visible: bool = Field(description="Whether it is in the current view.")
    tokens: FromZero = Field(
        description="Tokens of a model: as reported by the engine, else estimated.", examples=[120]
    )
    tokens_estimated: bool = Field(description="Whether the tokens are an estimate.")
    node_id: str | None = Field(
        description="Node that wrote it; null without one.", examples=["draft"]
    )
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")
    pinned: bool = Field(False, description="Whether it is pinned; missing if it is not.")
    points_to: PointsToAnswer | None = Field(
        None, description="What it names, if it is a line about hidden messages; else missing."
    )


class PinAnswer(Answer):
    """The person or token that pinned a message, when and why."""

    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    reason: str | None = Field(
        description="Why it was done, in the author's words.", examples=["The date was wrong."]
    )
    created_at: Time = Field(description="When it was pinned (ISO 8601, UTC).")


class OneMessageAnswer(MessageAnswer):
    """A message, and its pin."""

    pinned_by: PinAnswer | None = Field(
        None, description="Who pinned it; missing if it is not pinned."
    )


class AppendedAnswer(Answer):
    """The log indices of appended messages, and the batch and revision that show them."""

    first_index: FromZero = Field(
        description="Log index of the first appended message.", examples=[8]
    )
    count: FromZero = Field(description="Number of appended messages.", examples=[2])
    batch: FromZero = Field(description="Number of the batch, counted from 0.", examples=[2])
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )


class WarningAnswer(Answer):
    """A warning about visible messages, by their log indices."""

    code: str = Field(description="Stable code.", examples=["split_pair"])
    message: str = Field(
        description="Explanation for a person.",
        examples=["A tool call is visible without its result."],
    )
    indices: list[FromZero] = Field(description="Log indices of the messages.", examples=[[4, 5]])


class AppliedAnswer(Answer):
    """The effect of a change of the view; runs ``[start, stop)`` are of log indices.

    In a dry run nothing was changed and ``revision`` is null.
    """

    batch: FromZero = Field(description="Number of the batch, counted from 0.", examples=[2])
    revision: FromZero | None = Field(
        description="Revision of the view; null in a dry run.", examples=[3]
    )
    visible_count: FromZero = Field(description="Number of visible messages.", examples=[12])
    warnings: list[WarningAnswer] = Field(
        description="Warnings; nothing was refused because of them."
    )
    added: list[Run] = Field(
        description="Newly logged messages, as runs of log indices.", examples=[[[8, 9]]]
    )
    shown: list[Run] = Field(
        description="Messages that came back, as runs of log indices.", examples=[[[0, 6]]]
    )
    hidden: list[Run] = Field(
        description="Messages that were hidden, as runs of log indices.", examples=[[[0, 6]]]
    )
    tokens_before: FromZero = Field(
        description="Tokens of the visible messages before.", examples=[2400]
    )
    tokens_after: FromZero = Field(
        description="Tokens of the visible messages after.", examples=[900]
    )
    cached_prefix_lost: FromZero = Field(
        description="Tokens of the cached prefix that are lost.", examples=[300]
    )


class PoppedAnswer(Answer):
    """The popped messages, now hidden, in the order of the view.

    Without any, nothing was changed: batch and revision are the current ones.
    """

    messages: list[MessageAnswer] = Field(
        description="The messages that were hidden, in the order of the view."
    )
    batch: FromZero = Field(description="Number of the batch, counted from 0.", examples=[2])
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    visible_count: FromZero = Field(description="Number of visible messages.", examples=[12])
    warnings: list[WarningAnswer] = Field(
        description="Warnings; nothing was refused because of them."
    )


class RevisionAnswer(Answer):
    """A batch: the operation that opened it, and its view; ``parent`` only with ``all=true``."""

    number: FromZero = Field(description="Number of the batch on its branch, from 0.", examples=[2])
    revision: FromZero = Field(
        description="Revision of the conversation's view, counted from 0.", examples=[3]
    )
    operation: RevisionKind = Field(description="What opened it.")
    config: JsonValue = Field(
        description="Settings of the operation; null without.", examples=[{"keep_last": 20}]
    )
    boundary: FromZero | None = Field(
        description="Log index at which it begins; null if not set.", examples=[8]
    )
    visible_count: FromZero = Field(description="Number of visible messages.", examples=[12])
    tokens: FromZero = Field(
        description="Tokens of a model: as reported by the engine, else estimated.", examples=[120]
    )
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    reason: str | None = Field(
        description="Why it was done, in the author's words.", examples=["The date was wrong."]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")
    parent: FromZero | None = Field(
        None, description="The revision before, with `all=true`.", examples=[2]
    )


class MoveAnswer(Answer):
    """A rollback or a restore, which moved the current revision."""

    kind: MoveKind = Field(description="Whether it was a rollback or a restore.")
    from_revision: FromZero = Field(description="Current revision before.", examples=[3])
    to_revision: FromZero = Field(description="Current revision after.", examples=[1])
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    reason: str | None = Field(
        description="Why it was done, in the author's words.", examples=["The date was wrong."]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")


class BatchesAnswer(ListOf[RevisionAnswer]):
    """A page of batches; the moves only with ``all=true``."""

    current_revision: FromZero = Field(description="The current revision.", examples=[3])
    moves: list[MoveAnswer] = Field([], description="Rollbacks and restores, with `all=true`.")


class MessageChangeAnswer(Answer):
    """A difference of two views."""

    kind: str = Field(description="Kind of the difference.", examples=["edited"])
    index: FromZero = Field(description="Index in the message log, counted from 0.", examples=[0])
    previous_index: FromZero | None = Field(
        None, description="Log index of the message that it replaced.", examples=[4]
    )
    position: FromZero | None = Field(
        None, description="Position in the later view, counted from 0.", examples=[0]
    )
    previous_position: FromZero | None = Field(
        None, description="Position in the earlier view, counted from 0.", examples=[0]
    )


class ChangeAnswer(MessageChangeAnswer):
    """One difference of two views, with the fields of its kind."""

    kind: ChangeKind = Field(description="Kind of the difference.")


class ValidatedAnswer(Answer):
    """A valid config of version 2."""

    ok: bool = Field(description="Always true; an invalid config is `validation`.")
    config: dict[str, JsonValue] = Field(
        description="The config in version 2.", examples=[{"truncate": {"keep_last": 20}}]
    )


class RuleReportAnswer(Answer):
    """The result for one rule of a config of version 1; null for the whole config."""

    rule: FromZero | None = Field(
        description="Number of the rule, from 0; null for the whole config.", examples=[0]
    )
    result: MigrationResult = Field(description="What became of the rule.")
    message: str = Field(
        description="Explanation for a person.", examples=["the rule is the same in version 2"]
    )


class MigratedAnswer(Answer):
    """The config of version 2, and the result for each rule."""

    config: dict[str, JsonValue] | None = Field(
        description="The config in version 2; null if it has none.",
        examples=[{"truncate": {"keep_last": 20}}],
    )
    report: list[RuleReportAnswer] = Field(description="What became of each rule.")
