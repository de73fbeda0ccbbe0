"""The answers of dry runs: what filters, edges and nodes would see."""

from typing import Annotated, Self

import orjson
from pydantic import Field, JsonValue

from conversations.api.answers import MessageFields
from conversations.api.formats import ProviderMessage
from ctxadmin.http.described import Answer, FromZero, JsonOf
from ctxadmin.lib.json_bytes import dumps
from workflows.api.answers import Problems
from workflows.domain.context.prompt_context import PromptContextInput
from workflows.previews.conversation import PreviewResult
from workflows.previews.dry_run import DryRunResult
from workflows.previews.node_inputs import notices_of


class NoticeAnswer(Answer):
    """A warning about messages, by their indices."""

    code: str = Field(description="Stable code.", examples=["split_pair"])
    message: str = Field(
        description="Explanation for a person.",
        examples=["A tool call is visible without its result."],
    )
    indices: list[FromZero] = Field(description="Log indices of the messages.", examples=[[4, 5]])
    step: str | FromZero = Field(
        description="Step of the filters: a name, or a number from 0.", examples=["filter"]
    )


class ConflictAnswer(Answer):
    """Two edges have different values under one name; the later edge won."""

    section: str = Field(
        description="Section of the context: variables, history, metadata or messages.",
        examples=["variables"],
    )
    name: str = Field(description="Name.", examples=["score"])
    winner: str = Field(description="Edge whose value was kept.", examples=["b"])
    loser: str = Field(description="Edge whose value was dropped.", examples=["a"])


class DecisionAnswer(Answer):
    """What happened to one name or message, by which step and rule, and why."""

    section: str = Field(
        description="Section of the context: variables, history, metadata or messages.",
        examples=["variables"],
    )
    name: str | None = Field(
        None, description="Name, in the sections of names.", examples=["draft"]
    )
    index: FromZero | None = Field(None, description="Log index, of a message.", examples=[8])
    verdict: str = Field(description="kept, dropped, changed or added.", examples=["kept"])
    step: str | FromZero = Field(
        description="Step of the filters: a name, or a number from 0.", examples=["filter"]
    )
    rule: FromZero | None = Field(
        None, description="Number of the rule in its filter, from 0.", examples=[0]
    )
    filter: FromZero | None = Field(
        None, description="Number of the filter in its step, from 0.", examples=[0]
    )
    renamed: str | None = Field(
        None, description="The new name, if it was renamed.", examples=["summary"]
    )
    reason: str = Field(
        description="Why the rule decided so.", examples=["no rule matches it, the default is pass"]
    )
    before: JsonValue = Field(None, description="The value before.", examples=["It is in Lyon."])
    after: JsonValue = Field(
        None, description="The value after.", examples=["It arrives tomorrow."]
    )


class SeenMessageAnswer(MessageFields):
    """A message as a node sees it, with its additional fields."""

    index: FromZero = Field(description="Index in the message log, counted from 0.", examples=[0])
    id: str = Field(description="Id of the message.", examples=["log-0"])
    visible: bool = Field(description="Whether it is in the current view.")
    tokens: FromZero = Field(
        description="Tokens of a model: as reported by the engine, else estimated.", examples=[120]
    )
    tokens_estimated: bool = Field(description="Whether the tokens are an estimate.")


Context = Annotated[object, JsonOf(PromptContextInput)]

SeenMessages = Annotated[object, JsonOf(list[SeenMessageAnswer])]

Explanation = Annotated[object, JsonOf(list[DecisionAnswer])]

Notices = Annotated[object, JsonOf(list[NoticeAnswer])]

Conflicts = Annotated[object, JsonOf(list[ConflictAnswer])]


def _fragment(data: dict[str, JsonValue]) -> orjson.Fragment:
    """Returns large data as finished JSON, so that nothing traverses it again."""
    return orjson.Fragment(dumps(data))


class AppliedAnswer(Answer):
    """A context and messages after filters, with the reason for each kept, dropped or changed
    item.
    """

    context: Context = Field(description="The prompt context.")
    messages: SeenMessages = Field(description="The messages, in order.")
    explanation: Explanation = Field(description="For each name and message, which rule decided.")
    warnings: Notices = Field(description="Warnings; nothing was refused because of them.")

    @classmethod
    def of(cls, tried: DryRunResult) -> Self:
        return cls(
            context=_fragment(tried.context.as_json()),
            messages=tried.messages,
            explanation=[each.as_json() for each in tried.explanation],
            warnings=[each.as_json() for each in tried.warnings],
        )


class JoinedAnswer(Answer):
    """The merged context of several edges."""

    context: Context = Field(description="The prompt context.")
    messages: SeenMessages = Field(description="The messages, in order.")
    conflicts: Conflicts = Field(description="Names with different values on several edges.")
    warnings: Notices = Field(description="Warnings; nothing was refused because of them.")

    @classmethod
    def of(cls, tried: DryRunResult) -> Self:
        return cls(
            context=_fragment(tried.context.as_json()),
            messages=tried.messages,
            conflicts=[each.as_json() for each in tried.conflicts],
            warnings=[each.as_json() for each in tried.warnings],
        )


class PreviewAnswer(AppliedAnswer):
    """What a node would see, with the problems of the document and the tokens.

    ``edges`` are the incoming edges that were used. The messages are in the requested ``format``;
    ``system`` is null if that format has no separate system text.
    """

    messages: Annotated[object, JsonOf(list[SeenMessageAnswer] | list[ProviderMessage])] = Field(
        description="The messages that the node would see, in order."
    )
    format: str = Field(description="Name of the format of the messages.", examples=["openai"])
    system: Annotated[object, JsonOf(list[ProviderMessage] | None)] = Field(
        description="System messages, in formats that keep them apart."
    )
    conflicts: Conflicts = Field(description="Names with different values on several edges.")
    edges: list[str] = Field(
        description="Ids of the incoming edges that were used.", examples=[["to-review"]]
    )
    problems: Problems = Field(description="Problems of the document, in order.")
    tokens_before: FromZero = Field(
        description="Tokens of the visible messages before.", examples=[2400]
    )
    tokens_after: FromZero = Field(
        description="Tokens of the visible messages after.", examples=[900]
    )
    cached_prefix_lost: FromZero = Field(
        description="Tokens of the cached prefix that are lost.", examples=[300]
    )

    @classmethod
    def of_preview(cls, found: PreviewResult, name: str) -> Self:
        fields = AppliedAnswer.of(found.seen).model_dump()
        written = found.seen.written
        system = None
        if written is not None:
            fields["messages"] = written.messages
            fields["warnings"] += notices_of(written)
            system = written.system
        return cls(
            **fields,
            format=name,
            system=None if system is None else list(system),
            conflicts=[each.as_json() for each in found.seen.conflicts],
            edges=list(found.edges),
            problems=[each.as_json() for each in found.problems],
            tokens_before=found.tokens_before,
            tokens_after=found.tokens_after,
            cached_prefix_lost=found.cached_prefix_lost,
        )


class CheckedAnswer(Answer):
    """A valid condition; with a context also its value, and whether that counts as true.

    ``names`` are the names in the condition.
    """

    ok: bool = Field(description="Always true; an invalid condition is `validation`.")
    names: list[str] = Field(description="Names that the condition mentions.", examples=[["score"]])
    value: JsonValue = Field(None, description="Its value in the given context.", examples=[True])
    holds: bool | None = Field(None, description="Whether that value counts as true.")
