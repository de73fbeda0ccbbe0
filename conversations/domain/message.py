"""The contract of an incoming message, parsed into a draft that can be logged."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    JsonValue,
    PlainSerializer,
    TypeAdapter,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from conversations.domain.bodies import TEXT_PARTS, text_of_content
from conversations.domain.hidden_pairs import refuse_hidden_pairs, refused
from conversations.domain.message_parts import Content, ContentPart, ToolCall
from conversations.domain.pointers import POINTS_TO, read_points_to
from conversations.domain.runs import Runs
from ctxadmin.lib import json_bytes
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import Duplicate, FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.ids import PATTERN
from ctxadmin.lib.sentence import say

Role = Literal["system", "user", "assistant", "tool", "developer"]
CountsAs = Literal["system", "user", "assistant", "tool"]

MAX_BYTES: Final = 1024 * 1024
MOST_MESSAGES: Final = 100_000  # of one call
OWN_FIELDS: Final = frozenset(
    {"id", "tokens", "node_id", "index", "visible", "tokens_estimated", "author", "created_at"}
)
"""Names that an answer adds to a message; in an incoming one they are read or ignored."""

_PINNED: Final = "pinned"
_OWN_OF_NEW: Final = OWN_FIELDS | {_PINNED, "pinned_by", POINTS_TO}
_MOST_TOKENS: Final = 10**9
_SNAKE: Final = {
    "toolCalls": "tool_calls",
    "toolCallId": "tool_call_id",
    "toolDescription": "tool_description",
    "nodeId": "node_id",
}
_DEFAULT_ID: Final = re.compile(r"log-[0-9]+")


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message that was read and is not logged yet.

    ``body`` is the JSON object of the message as it is returned: without the names of
    OWN_FIELDS, which an answer adds. ``text`` is the concatenation of its text parts,
    ``answers`` the tool_call_id of a tool message, ``points_to`` what a line says is hidden.
    Source: semantics 1.1 and 4.6.
    """

    body: bytes
    role: Role
    counts_as: CountsAs
    text: str
    call_ids: tuple[str, ...] = ()
    answers: str | None = None
    tool_description: bool = False
    message_id: str | None = None
    reported_tokens: int | None = None
    node_id: str | None = None
    pinned: bool = False
    points_to: Runs = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A draft with its place in the log.

    ``call_index`` is the log index of the assistant message whose call a tool message answers;
    None for an orphan and all others.
    """

    index: int
    draft: MessageDraft
    call_index: int | None = None

    @property
    def message_id(self) -> str:
        """The caller's id, else ``log-{index}``."""
        return self.draft.message_id or f"log-{self.index}"


class IncomingMessage(Contract):
    """A message; fields that are not listed are stored unchanged."""

    model_config = ConfigDict(extra="allow")

    role: Role = Field(description="Who speaks.", examples=["user"])
    tool_calls: Annotated[list[ToolCall], Field(fail_fast=True)] | None = Field(
        None, description="Tool calls of an assistant message."
    )
    content: Annotated[Content | None, Field(validate_default=True)] = Field(
        None, description="Text, or a list of parts; null beside tool calls.", examples=["Hi"]
    )
    tool_call_id: Annotated[str | None, Field(min_length=1, validate_default=True)] = Field(
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
    id: Annotated[str | None, Field(pattern=f"^{PATTERN}$")] = Field(
        None, description="Id that you choose; by default `log-{index}`.", examples=["question-1"]
    )
    tokens: Annotated[int | None, Field(ge=0, le=_MOST_TOKENS)] = Field(
        None, description="Tokens as the model counts them; by default estimated.", examples=[120]
    )
    node_id: Annotated[str | None, Field(min_length=1, max_length=64)] = Field(
        None, description="Node that wrote it.", examples=["draft"]
    )

    pinned: bool = Field(
        False, description="Whether it is pinned: operations and filters then keep it."
    )

    @field_validator("tool_calls")
    @classmethod
    def _calls_of_assistants(
        cls, calls: list[ToolCall] | None, info: ValidationInfo
    ) -> list[ToolCall] | None:
        if calls and info.data.get("role", "assistant") != "assistant":
            raise ValueError(say("only an assistant message has tool_calls"))
        if calls and len({call.id for call in calls}) < len(calls):
            raise ValueError(say("two tool calls of one message have the same id"))
        return calls

    @field_validator("content")
    @classmethod
    def _content_for_role(
        cls, content: str | list[ContentPart] | None, info: ValidationInfo
    ) -> str | list[ContentPart] | None:
        if "role" not in info.data or "tool_calls" not in info.data:
            return content
        if content is None:
            if not info.data.get("tool_calls"):
                raise PydanticCustomError("missing", "this field is required")
            return None
        if info.data["role"] not in ("system", "developer"):
            return content
        if not content or (
            isinstance(content, list)
            and all(part.type in TEXT_PARTS and not part.text for part in content)
        ):
            raise ValueError(say("a system message must not be empty"))
        return content

    @field_validator("tool_call_id")
    @classmethod
    def _call_of_tools(cls, call: str | None, info: ValidationInfo) -> str | None:
        role = info.data.get("role")
        if role == "tool" and call is None:
            raise PydanticCustomError("missing", "this field is required")
        if call is not None and role is not None and role != "tool":
            raise ValueError(say("only a tool message has a tool_call_id"))
        return call

    @field_validator("tool_description")
    @classmethod
    def _no_half_of_a_pair(cls, described: bool, info: ValidationInfo) -> bool:
        # A clear shows a description whatever else it hides, which would split its pair.
        if described and info.data.get("role") in ("assistant", "tool"):
            raise ValueError(say("an assistant or tool message is not a tool description"))
        return described

    def draft(self, source: dict[str, JsonValue], *, is_logged: bool = False) -> MessageDraft:
        """Returns the draft of this message, which was parsed from ``source``.

        A field ``pinned`` of a message that ``is_logged`` is older than pins, and data of its
        author. Raises an error of pydantic over MAX_BYTES.
        """
        return MessageDraft(
            body=_body(source, OWN_FIELDS if is_logged else _OWN_OF_NEW),
            role=self.role,
            counts_as="system" if self.role == "developer" else self.role,
            text=text_of_content(source.get("content")),
            call_ids=tuple(call.id for call in self.tool_calls or ()),
            answers=self.tool_call_id,
            tool_description=self.tool_description,
            message_id=self.id,
            reported_tokens=self.tokens,
            node_id=self.node_id,
            pinned=self.pinned,
            points_to=read_points_to(self.role, source.get(POINTS_TO)) if is_logged else (),
        )


@dataclass(frozen=True, slots=True)
class _Reading:
    """Parses a message into its draft at once; one that ``is_logged`` by the rules of its time.

    A model takes 0.9 KB beside the message: 50,000 of one letter held 42 MB.
    """

    is_logged: bool = False

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        message = handler.generate_schema(IncomingMessage)
        return core_schema.no_info_wrap_validator_function(self._read, message)

    def _read(self, data: Any, read: ValidatorFunctionWrapHandler) -> MessageDraft:
        if isinstance(data, MessageDraft):
            return data  # of BodyMessages
        if isinstance(data, dict) and (draft := _plain(data)) is not None:
            return draft
        known = data
        if self.is_logged and isinstance(data, dict) and _PINNED in data:
            known = {key: value for key, value in data.items() if key != _PINNED}
        message: IncomingMessage = read(known)  # raises if it is no object
        if not self.is_logged:
            refuse_hidden_pairs(data)
        return message.draft(data, is_logged=self.is_logged)


_PLAIN: Final = 2  # fields
_SPEAKERS: Final[Mapping[str, Literal["user", "assistant"]]] = {
    "user": "user",
    "assistant": "assistant",
}


def _plain(data: dict[str, JsonValue]) -> MessageDraft | None:
    """Returns the draft of a message with only a role and a text, as most are.

    None for any other.

    The model parses it the same, and takes 12 us where this takes 2.
    """
    if len(data) != _PLAIN:
        return None
    role, text = data.get("role"), data.get("content")
    if not isinstance(text, str) or not isinstance(role, str) or role not in _SPEAKERS:
        return None
    speaker = _SPEAKERS[role]
    return MessageDraft(body=_body(data, OWN_FIELDS), role=speaker, counts_as=speaker, text=text)


def _as_it_came(draft: MessageDraft) -> dict[str, JsonValue]:
    """Returns a draft as the message that it was parsed from, without defaults."""
    source: dict[str, JsonValue] = orjson.loads(draft.body)
    own: dict[str, JsonValue] = {
        "id": draft.message_id,
        "tokens": draft.reported_tokens,
        "node_id": draft.node_id,
    }
    own |= {_PINNED: True} if draft.pinned else {}
    message = IncomingMessage.model_validate({**source, **own})
    return message.model_dump(mode="json", exclude_none=True)


ReadMessage = Annotated[MessageDraft, _Reading(), PlainSerializer(_as_it_came)]
"""An IncomingMessage, as its draft."""

# The first wrong one is enough: to tell millions of them takes seconds and gigabytes.
ReadMessages = Annotated[list[ReadMessage], Field(max_length=MOST_MESSAGES, fail_fast=True)]


def _read_in_place(data: Any) -> Any:
    """Replaces plain messages by drafts; wrong ones are left to the reader of all."""
    if not isinstance(data, list) or len(data) > MOST_MESSAGES:
        return data
    for place, each in enumerate(data):
        if isinstance(each, dict) and len(each) == _PLAIN:
            with suppress(PydanticCustomError):
                data[place] = _plain(each) or each
    return data


# Of a body that nobody else reads: of short messages the JSON and the drafts together take half as
# much again as the larger of both.
BodyMessages = Annotated[ReadMessages, BeforeValidator(_read_in_place)]

_MESSAGE: Final = TypeAdapter(ReadMessage)
_LOGGED: Final = TypeAdapter(Annotated[MessageDraft, _Reading(is_logged=True)])


def _body(source: dict[str, JsonValue], own: frozenset[str]) -> bytes:
    kept = {
        name: value for key, value in source.items() if (name := _SNAKE.get(key, key)) not in own
    }
    try:
        body = json_bytes.dumps(kept)
    except TypeError as error:  # a lone surrogate, which no JSON text from outside has
        raise refused(say("this message is not JSON: {error}", error=error)) from None
    if len(body) > MAX_BYTES:
        message = say(
            "a message of {body} bytes is over the limit of {max_bytes}",
            body=len(body),
            max_bytes=MAX_BYTES,
        )
        context = {"text": message, "limit": MAX_BYTES}
        raise PydanticCustomError(TooLarge.code, "{text}", context)
    return body


def read_message(data: JsonValue, pointer: str = "") -> MessageDraft:
    """Parses one message; raises ValidationFailed or TooLarge with pointers under ``pointer``."""
    return parse(_MESSAGE, data, pointer)


def read_logged(data: JsonValue, pointer: str = "") -> MessageDraft:
    """Parses a message that was logged before, under the rules of its time."""
    return parse(_LOGGED, data, pointer)


def read_messages(data: JsonValue, pointer: str = "/messages") -> tuple[MessageDraft, ...]:
    """Parses a list of at least one message; raises as read_message does."""
    if not isinstance(data, list) or not data:
        raise ValidationFailed.at(pointer, say("a list of at least one message is required"))
    return tuple(read_message(each, f"{pointer}/{place}") for place, each in enumerate(data))


def tools_message(text: str) -> MessageDraft:
    """Returns a conversation's tool description as a system message with ``tool_description``."""
    return read_message({"role": "system", "content": text, "tool_description": True})


def check_ids(
    drafts: Sequence[MessageDraft], first_index: int, pointer_of: Callable[[int], str]
) -> Mapping[str, int]:
    """The ids that callers chose for drafts that are logged from ``first_index`` on, with places.

    ``pointer_of`` tells where a draft stands in the input. Raises ValidationFailed at
    ``<pointer>/id`` for an id ``log-N`` that names another index, and Duplicate for an id that two
    of them have.
    """
    chosen: dict[str, int] = {}
    for place, draft in enumerate(drafts):
        name = draft.message_id
        if name is None:
            continue
        default = f"log-{first_index + place}"
        if name != default and _DEFAULT_ID.fullmatch(name):
            message = say(
                "the id {name} is that of another log index; this is {default}",
                name=repr(name),
                default=repr(default),
            )
            raise ValidationFailed.at(f"{pointer_of(place)}/id", message)
        if name in chosen:
            raise id_is_taken(name, pointer_of(place))
        chosen[name] = place
    return chosen


def id_is_taken(name: str, pointer: str) -> Duplicate:
    """Returns the error for a message id that another message of the conversation has."""
    message = say("another message of this conversation has the id {name}", name=repr(name))
    return Duplicate(message, problems=[FieldProblem(f"{pointer}/id", message, "duplicate")])
