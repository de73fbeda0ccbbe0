"""The contract models of operations, and reading and recording them."""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, JsonValue, TypeAdapter, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from conversations.domain import runs as run_sets
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.message import CountsAs, ReadMessage, ReadMessages
from conversations.domain.pairing import Pairing
from conversations.domain.runs import Runs
from ctxadmin.lib import json_bytes
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.sentence import say

OperationName = Literal["truncate", "insert", "replace", "clear", "filter", "budget", "summarize"]
VERSION: Final = 2
_REFUSAL: Final = (
    "this is a context-processor config of version 1 (processorType and rules), which no longer "
    "runs; migrate it to version 2 (one operation and its block)"
)

Trait = Literal["tool_call", "image", "pinned", "comment"]
Pattern = Annotated[str, Field(max_length=1000)]
NameList = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(min_length=1, max_length=1000)
]
AgeCount = Annotated[int, Field(ge=0, le=10**7)]
Count = Annotated[int, Field(ge=0)]
Keyword = Annotated[str, Field(min_length=1, max_length=10_000)]
KeywordList = Annotated[list[Keyword], Field(min_length=1, max_length=10_000)]


Sources = Annotated[
    list[Annotated[list[Count], Field(min_length=2, max_length=2)]],
    Field(min_length=1, max_length=1000),
]


class RangeConfig(Contract):
    """The positions ``[start, end)``."""

    start: Count = Field(description="First position, counted from 0.", examples=[0])
    end: Count = Field(description="Position after the last one.", examples=[4])

    @field_validator("end")
    @classmethod
    def _after_start(cls, end: int, info: ValidationInfo) -> int:
        if end <= info.data.get("start", -1):
            raise ValueError(say("end must be larger than start"))
        return end


class TruncateConfig(Contract):
    """Which part of the visible list is kept; at least one option. Source: semantics 1.6.

    ``remove_ranges`` comes last; all of its ranges count in the result of the other options.
    ``keep_system`` keeps the visible system messages in addition to what the options keep.
    """

    keep_first: Count | None = Field(
        None, description="Keep this many messages at the beginning.", examples=[2]
    )
    keep_last: Count | None = Field(
        None, description="Keep this many messages at the end.", examples=[6]
    )
    remove_first: Count | None = Field(
        None, description="Hide this many messages at the beginning.", examples=[4]
    )
    remove_last: Count | None = Field(
        None, description="Hide this many messages at the end.", examples=[2]
    )
    range: RangeConfig | None = Field(None, description="Keep only these positions.")
    remove_ranges: Annotated[list[RangeConfig], Field(min_length=1, max_length=1000)] | None = (
        Field(None, description="Hide these positions.")
    )
    keep_system: bool = Field(False, description="Keep system messages in any case.")

    @model_validator(mode="after")
    def _some_option(self) -> Self:
        if not self.model_fields_set - {"keep_system"}:
            options = ", ".join(name for name in type(self).model_fields if name != "keep_system")
            raise ValueError(say("one of {options} is required", options=options))
        return self


class InsertConfig(Contract):
    """Messages and their position in the visible list; -1 is the end. Source: semantics 1.7."""

    position: Annotated[int, Field(ge=-1)] = Field(
        description="Position in the view, from 0; -1 is the end.", examples=[-1]
    )
    messages: Annotated[ReadMessages, Field(min_length=1)] = Field(
        description="Messages to insert, in order.", examples=[[{"role": "user", "content": "Hi"}]]
    )


class ReplaceConfig(Contract):
    """A message and the index of the visible message that it replaces. Source: semantics 1.8."""

    index: Count = Field(
        description="Position of the message to replace in the view, from 0.", examples=[0]
    )
    message: ReadMessage = Field(description="The message to show instead.")


class ClearConfig(Contract):
    """Whether the system messages are kept. Source: semantics 1.10."""

    keep_system_message: bool = Field(True, description="Whether system messages stay visible.")


class Age(Contract):
    """The age of messages, counted from the end of the view, in one of three measures.

    A turn begins with a user message; minutes are those before the latest visible message.
    """

    turns: AgeCount | None = Field(None, description="In turns.", examples=[3])
    messages: AgeCount | None = Field(None, description="In visible messages.", examples=[20])
    minutes: AgeCount | None = Field(
        None, description="In minutes before the latest visible message was logged.", examples=[60]
    )

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            options = ", ".join(type(self).model_fields)
            raise ValueError(say("exactly one of {options} is required", options=options))
        return self


class FilterConfig(Contract):
    """Which visible messages are kept: those that match all given criteria, at least one.

    Source: semantics 1.9 and 4.3.
    """

    roles: Annotated[list[CountsAs], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Hide messages with other roles.", examples=[["user", "assistant"]]
    )
    content_contains: KeywordList | None = Field(
        None, description="Hide messages without any of these keywords.", examples=[["parcel"]]
    )
    content_excludes: KeywordList | None = Field(
        None, description="Hide messages with any of these keywords.", examples=[["secret"]]
    )
    nodes: NameList | None = Field(
        None, description="Hide messages that none of these nodes wrote.", examples=[["research"]]
    )
    tools: NameList | None = Field(
        None, description="Hide all but calls and results of these tools.", examples=[["search"]]
    )
    metadata: Annotated[dict[str, Pattern], Field(min_length=1, max_length=100)] | None = Field(
        None,
        description="Hide messages whose metadata do not match these patterns; `*` is any text.",
        examples=[{"trust": "high*"}],
    )
    older_than: Age | None = Field(None, description="Hide messages that are not older than this.")
    newer_than: Age | None = Field(None, description="Hide messages that are older than this.")
    larger_than: Annotated[int, Field(ge=0, le=10**9)] | None = Field(
        None, description="Hide messages with at most this many tokens.", examples=[1000]
    )
    has: Annotated[list[Trait], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Hide messages that have none of these.", examples=[["image"]]
    )

    @model_validator(mode="after")
    def _some_rule(self) -> Self:
        if not self.model_fields_set:
            rules = ", ".join(type(self).model_fields)
            raise ValueError(say("one of {options} is required", options=rules))
        return self


class SummarizeConfig(Contract):
    """A span of the visible list, and the message that takes its place.

    With ``sources`` only those of the span are covered that the message was made of; alone they are
    the span. Source: semantics 4.4.
    """

    range: RangeConfig | None = Field(None, description="The positions that it replaces.")
    older_than: Age | None = Field(
        None, description="What it replaces: all that is older than this.", examples=[{"turns": 3}]
    )
    keep_system: bool = Field(True, description="Keep system messages in any case.")
    message: ReadMessage = Field(
        description="The summary; nothing is written by a model here.",
        examples=[{"role": "user", "content": "Summary: the parcel is in Lyon."}],
    )
    sources: Sources | None = Field(
        None,
        description=(
            "Log indices that the message was made of, as ranges `[start, stop)`; no other "
            "message is replaced."
        ),
        examples=[[[3, 15]]],
    )

    @property
    def source_runs(self) -> Runs | None:
        """The sources as ascending runs; None if they are not given."""
        if self.sources is None:
            return None
        return run_sets.union((start, stop) for start, stop in self.sources)

    @field_validator("sources")
    @classmethod
    def _runs(cls, sources: list[list[int]] | None) -> list[list[int]] | None:
        if any(start >= stop for start, stop in sources or ()):
            raise ValueError(say("end must be larger than start"))
        return sources

    @model_validator(mode="after")
    def _one_span(self) -> Self:
        given = [self.range, self.older_than]
        if self.sources is not None and given == [None, None]:
            return self
        if given == [None, None]:
            options = "range, older_than, sources"
            raise ValueError(say("one of {options} is required", options=options))
        if (self.range is None) == (self.older_than is None):
            options = "range, older_than"
            raise ValueError(say("exactly one of {options} is required", options=options))
        return self


def refusal() -> str:
    """Returns the sentence that refuses a config of version 1."""
    return _REFUSAL


def is_version_1(data: JsonValue) -> bool:
    """Returns True for ``{processorType, rules}`` or ``version: 1``. Source: semantics 1.13."""
    if not isinstance(data, dict):
        return False
    version = data.get("version")
    if isinstance(version, int) and not isinstance(version, bool):
        return version == 1
    return "operation" not in data and not {"processorType", "processor_type"}.isdisjoint(data)


class OperationConfig(Contract):
    """An operation: its name, its block, and the treatment of pairs and tool descriptions.

    A request model may subclass it and add fields. Source: semantics 1.6-1.13.
    """

    operation: OperationName = Field(
        description="The operation; its settings are in the field of its name.",
        examples=["truncate"],
    )
    version: Annotated[int, Field(ge=1)] = Field(
        VERSION, description="Version of the config: 2.", examples=[2]
    )
    truncate: Annotated[TruncateConfig | None, Field(validate_default=True)] = Field(
        None, description="Settings of `truncate`.", examples=[{"keep_last": 6}]
    )
    insert: Annotated[InsertConfig | None, Field(validate_default=True)] = Field(
        None, description="Settings of `insert`."
    )
    replace: Annotated[ReplaceConfig | None, Field(validate_default=True)] = Field(
        None, description="Settings of `replace`."
    )
    clear: ClearConfig | None = Field(None, description="Settings of `clear`.")
    filter: Annotated[FilterConfig | None, Field(validate_default=True)] = Field(
        None, description="Settings of `filter`."
    )
    budget: Annotated[BudgetConfig | None, Field(validate_default=True)] = Field(
        None, description="Settings of `budget`."
    )
    summarize: Annotated[SummarizeConfig | None, Field(validate_default=True)] = Field(
        None, description="Settings of `summarize`."
    )
    pairing: Pairing = Field("warn", description="What to do if a tool call would lose its result.")
    protect_tools: bool = Field(False, description="Whether the tool description stays visible.")
    include_pinned: bool = Field(
        False, description="Whether pinned messages are treated like all others."
    )

    leave_pointer: bool = Field(
        False,
        description=(
            "Whether one short line names what is hidden, by index and id, so that it can be "
            "recalled."
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _no_version_1(cls, data: Any) -> Any:  # pydantic hands over whatever came in
        if is_version_1(data):
            raise ValueError(refusal())
        return data

    @field_validator("version")
    @classmethod
    def _require_version(cls, version: int) -> int:
        if version != VERSION:
            raise ValueError(
                say("this is not a known version; the current one is {version}", version=VERSION)
            )
        return version

    @field_validator("truncate", "insert", "replace", "clear", "filter", "budget", "summarize")
    @classmethod
    def _require_own_block(cls, block: Contract | None, info: ValidationInfo) -> Contract | None:
        operation = info.data.get("operation")
        if block is None and info.field_name == operation:
            raise PydanticCustomError("missing", "this field is required")
        if block is not None and operation is not None and info.field_name != operation:
            raise ValueError(
                say(
                    "this block does not belong to the operation {operation}",
                    operation=repr(operation),
                )
            )
        return block


_CONFIG: Final = TypeAdapter(OperationConfig)


def read_operation(data: JsonValue, pointer: str = "") -> OperationConfig:
    """Reads an operation config; refuses one of version 1 with a sentence that says so.

    Raises ValidationFailed with pointers under ``pointer``. Source: semantics 1.12 and 1.13.
    """
    return parse(_CONFIG, data, pointer)


def stored_config(config: OperationConfig, first_added: int, covered: Runs = ()) -> bytes:
    """The config as it is kept with its revision, as JSON.

    Without defaults; messages stand in it as ``{"index": log index}``, ``first_added`` and so on,
    because their text is in the log already and an erased text must not live on elsewhere. Of a
    summary ``covered`` is what it stands for, unless it names its sources.
    """
    fields = set(OperationConfig.model_fields) - {"insert", "replace", "summarize"}
    record: dict[str, object] = config.model_dump(include=fields, exclude_defaults=True)
    if config.operation == "insert" and config.insert:
        places = range(first_added, first_added + len(config.insert.messages))
        record["insert"] = {
            "position": config.insert.position,
            "messages": [{"index": place} for place in places],
        }
    elif config.operation == "replace" and config.replace:
        record["replace"] = {"index": config.replace.index, "message": {"index": first_added}}
    elif config.operation == "summarize" and config.summarize:
        record["summarize"] = {
            **config.summarize.model_dump(exclude={"message"}, exclude_defaults=True),
            "message": {"index": first_added},
            "sources": config.summarize.source_runs or covered,
        }
    return json_bytes.dumps(record)
