"""The parts of an incoming message: its content and its tool calls."""

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator

from conversations.domain.bodies import TEXT_PARTS
from ctxadmin.lib.sentence import say


class _Data(BaseModel):
    """Part of a message whose further fields are the caller's data."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


def _also(**fields: dict[str, object]) -> Callable[[dict[str, Any]], None]:
    """Adds fields that are data to the JSON Schema: any JSON is accepted and stored."""
    return lambda schema: schema["properties"].update(fields)


class ContentPart(_Data):
    """A part of a content; filters search ``text`` parts."""

    model_config = ConfigDict(
        json_schema_extra=_also(
            text={"description": "The text of a part of type `text`.", "examples": ["Hi"]}
        )
    )

    type: str = Field(description="Kind of the part.", examples=["text"])

    @model_validator(mode="after")
    def _text_is_text(self) -> Self:
        if self.type in TEXT_PARTS and not isinstance(self.text, str):
            raise ValueError(say("a text part needs its text"))
        return self

    @property
    def text(self) -> JsonValue:
        """Returns the field ``text`` of the part, None without one."""
        value: JsonValue = (self.model_extra or {}).get("text")
        return value


class ToolCall(_Data):
    """A tool call, stored unchanged; only its id is read."""

    model_config = ConfigDict(
        json_schema_extra=_also(
            type={"description": "Kind of the call.", "examples": ["function"]},
            function={
                "description": "Name of the function, and its arguments as JSON text.",
                "examples": [{"name": "find_parcel", "arguments": '{"id": "p-1"}'}],
            },
        )
    )

    id: Annotated[str, Field(min_length=1)] = Field(
        description="Id of the call; its result names it.", examples=["call-1"]
    )


def _kind_of_content(value: object) -> str | None:
    if isinstance(value, str):
        return "text"
    return "parts" if isinstance(value, list) else None


Content = Annotated[
    Annotated[str, Tag("text")] | Annotated[list[ContentPart], Field(fail_fast=True), Tag("parts")],
    Discriminator(
        _kind_of_content,
        custom_error_type="content_type",  # of ctxadmin.lib.contract, which has its sentence
        custom_error_message="content is a text, a list of parts, or null beside tool_calls",
    ),
]
