"""The prompt context and the messages of one node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import Field, JsonValue, PlainValidator, SkipValidation

from conversations.domain.log import Log
from conversations.domain.memory import MemoryLog
from conversations.domain.message import Entry, MessageDraft
from conversations.domain.pairing import place_drafts
from conversations.domain.view import View
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import FieldProblem, TooLarge
from ctxadmin.lib.sentence import say
from workflows.domain.context.transforms import Transform, count_freed_tokens, rewrite_content

MESSAGES_KEY: Final = "messages"
HISTORY_KEY: Final = "execution_history"
MAX_NAMES: Final = 100_000  # of a section of a context that is sent; see the limits of filters
_NOTHING: Final[Mapping[str, JsonValue]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """The prompt and the answer of one completed node (rest.md, "prompt context")."""

    node_id: str
    prompt: JsonValue = ""
    response: JsonValue = ""
    timestamp: JsonValue = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "node_id": self.node_id,
            "prompt": self.prompt,
            "response": self.response,
            "timestamp": self.timestamp,
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True, slots=True)
class PromptContext:
    """Template, variables, history and metadata; the data is shared, never copied or changed.

    Source: semantics 2.1.
    """

    template: str = ""
    variables: Mapping[str, JsonValue] = field(default_factory=dict)
    history: tuple[HistoryEntry, ...] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    @classmethod
    def read(cls, data: object, pointer: str = "") -> Self:
        """Reads the context in parsed JSON; raises ValidationFailed or TooLarge with pointers."""
        given = parse(PromptContextInput, data, pointer)
        for section in ("variables", "history", "metadata"):
            count = len(getattr(given, section))
            if count > MAX_NAMES:
                message = f"a context has at most {MAX_NAMES} {section}, this one has {count}"
                problem = FieldProblem(f"{pointer}/{section}", message, TooLarge.code)
                raise TooLarge(message, problems=[problem])
        history = tuple(
            HistoryEntry(each.node_id, each.prompt, each.response, each.timestamp, each.metadata)
            for each in given.history
        )
        return cls(given.template, given.variables, history, given.metadata)

    @classmethod
    def of_state(
        cls,
        state: Mapping[str, JsonValue],
        execution_history: Sequence[Mapping[str, JsonValue]],
        *,
        template: str = "",
        conversation_metadata: Mapping[str, JsonValue] = _NOTHING,
        execution_metadata: Mapping[str, JsonValue] = _NOTHING,
    ) -> Self:
        """Returns the context of a node from the state of its execution.

        Variables are all keys except ``messages`` and ``execution_history``; history the entries of
        completed nodes (those with another ``status`` are omitted); metadata the conversation's,
        overlaid by the execution's. Source: semantics 2.1.
        """
        variables = {
            key: value for key, value in state.items() if key not in (MESSAGES_KEY, HISTORY_KEY)
        }
        history = tuple(
            _completed(entry)
            for entry in execution_history
            if entry.get("status") in (None, "COMPLETED")
        )
        return cls(template, variables, history, {**conversation_metadata, **execution_metadata})

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "template": self.template,
            "variables": dict(self.variables),
            "history": [entry.as_json() for entry in self.history],
            "metadata": dict(self.metadata),
        }


def _completed(entry: Mapping[str, JsonValue]) -> HistoryEntry:
    metadata = entry.get("metadata")
    return HistoryEntry(
        node_id=str(entry.get("node_id", "")),
        prompt=entry.get("prompt", ""),
        response=entry.get("response", ""),
        timestamp=entry.get("timestamp"),
        metadata=metadata if isinstance(metadata, dict) else _NOTHING,
    )


@dataclass(frozen=True, slots=True)
class Messages:
    """The visible messages: a log and a view of it, which filters narrow (semantics 2.1).

    ``log`` includes the ``inserted`` messages: those that filters add follow the logged ones, exist
    in this view only and are never logged. ``rewrites`` are the transforms of filters by log index;
    they apply when a message is returned, so that no filter ever loads a body, and operations see
    the text that was logged.
    """

    log: Log
    view: View
    inserted: tuple[Entry, ...] = ()
    rewrites: Mapping[int, tuple[Transform, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, drafts: Sequence[MessageDraft] = (), *, tools: str | None = None) -> Self:
        """Returns all of some messages that belong to no conversation, as a log of their own."""
        log = MemoryLog(tools=tools)
        log.append(place_drafts(drafts, log))
        return cls(log, View([(0, len(drafts))]))

    def with_view(self, view: View) -> Self:
        """Returns the same messages with another view."""
        return type(self)(self.log, view, self.inserted, self.rewrites)

    showing = with_view  # its former name, which installed processors may call

    @property
    def logged(self) -> int:
        """Returns the number of logged messages; higher indices are inserted ones."""
        return len(self.log) - len(self.inserted)

    def inserted_at(self, index: int) -> Entry | None:
        """Returns the inserted message at a log index, None for a logged one."""
        return self.inserted[index - self.logged] if index >= self.logged else None

    def seen_message(self, index: int, message: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Returns the message of a log index as the node sees it: its texts with the rewrites
        applied.

        Its tokens are without those of an emptied content.
        """
        transforms = self.rewrites.get(index)
        if not transforms or "content" not in message:
            return message
        seen = {**message, "content": rewrite_content(message["content"], transforms)}
        tokens = message.get("tokens")
        if isinstance(tokens, int) and (freed := count_freed_tokens(transforms)):
            seen |= {"tokens": tokens - freed, "tokens_estimated": True}
        return seen

    def freed(self) -> dict[int, int]:
        """Returns the freed tokens of messages whose content was emptied, by log index."""
        if not self.rewrites:
            return {}
        found = {
            index: count_freed_tokens(transforms) for index, transforms in self.rewrites.items()
        }
        return {index: freed for index, freed in found.items() if freed}


@dataclass(frozen=True, slots=True)
class NodeInput:
    """The input of one node or edge: prompt context and messages."""

    context: PromptContext
    messages: Messages

    @classmethod
    def of(cls, context: PromptContext) -> Self:
        """Returns the input of a context without any messages."""
        return cls(context, Messages.of())

    def template_only(self) -> Self:
        """Returns the template and nothing else (``isolate``, ``pass_none``)."""
        return replace(
            self,
            context=PromptContext(template=self.context.template),
            messages=self.messages.with_view(View()),
        )


def _object(value: object) -> object:
    if not isinstance(value, dict):
        raise ValueError(say("an object is expected here"))
    return value


# Data is taken over as it came. Validating it as JSON would copy it: it is parsed JSON already.
_Verbatim = Annotated[JsonValue, SkipValidation]
_Data = Annotated[
    dict[str, JsonValue], PlainValidator(_object, json_schema_input_type=dict[str, JsonValue])
]


class HistoryEntryInput(Contract):
    """A history entry in a prompt context of a request."""

    node_id: str = Field(description="Id of the node.", examples=["draft"])
    prompt: _Verbatim = Field(
        "", description="What the node asked.", examples=["Answer in one sentence."]
    )
    response: _Verbatim = Field(
        "", description="What it was answered.", examples=["It is in Lyon."]
    )
    timestamp: _Verbatim = Field(
        None, description="When it was completed.", examples=["2026-07-01T09:30:00.000000Z"]
    )
    metadata: _Data = Field(
        {}, description="Any JSON of the caller, by name.", examples=[{"customer": "c-7"}]
    )


class PromptContextInput(Contract):
    """A prompt context in a request (rest.md, "prompt context")."""

    template: str = Field(
        "", description="The prompt template.", examples=["Answer in one sentence."]
    )
    variables: _Data = Field({}, description="Values by name.", examples=[{"score": 4}])
    history: Annotated[tuple[HistoryEntryInput, ...], Field(strict=False, fail_fast=True)] = Field(
        (), description="What completed nodes asked and answered, oldest first."
    )
    metadata: _Data = Field({}, description="Metadata by name.", examples=[{"customer": "c-7"}])
