"""The query parameter ``format``, and answers in a provider's format."""

from typing import Final

from pydantic import ConfigDict, Field, JsonValue

from conversations.api.answers import WarningAnswer
from conversations.domain.formats.formats import FORMATS, OWN, ProviderFormat, provider_format
from conversations.domain.formats.formatted_view import FormattedView
from ctxadmin.http.described import Answer, Parameter
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

NAMES: Final = (OWN, *FORMATS)
FORMAT: Final = Parameter(
    "format",
    "How the messages are written: as they are (`ctxadmin`), or as OpenAI's chat completions, "
    "Anthropic's Messages, OpenAI's Responses or Vercel's AI SDK take them.",
    limits={"enum": list(NAMES), "default": OWN},
)

IN_FORMAT: Final = Parameter(
    "format",
    "How the messages of the body are written: as in this contract (`ctxadmin`), or as OpenAI's "
    "chat completions, Anthropic's Messages, OpenAI's Responses or Vercel's AI SDK have them.",
    limits={"enum": list(NAMES), "default": OWN},
)
EXPORT_FORMAT: Final = Parameter(
    "format",
    "All of the conversation (`ctxadmin`), or its current view as OpenAI's chat completions, "
    "Anthropic's Messages, OpenAI's Responses or Vercel's AI SDK take it.",
    limits={"enum": list(NAMES), "default": OWN},
)


class ProviderMessage(Answer):
    """A message or an item in the format of a provider; the fields are the provider's.

    Messages have a `role` and a `content`, items of Responses also a `type`.
    """

    model_config = ConfigDict(extra="allow")

    role: str | None = Field(None, description="Who speaks.", examples=["user"])
    type: str | None = Field(
        None, description="Kind of an item, in `responses`.", examples=["function_call"]
    )
    content: str | list[dict[str, JsonValue]] | None = Field(
        None, description="Text, or the provider's parts.", examples=["Hi"]
    )
    tool_calls: list[dict[str, JsonValue]] | None = Field(
        None,
        description="Tool calls of an assistant message, in `openai`.",
        examples=[
            [
                {
                    "id": "call-1",
                    "type": "function",
                    "function": {"name": "find_parcel", "arguments": '{"id": "p-1"}'},
                }
            ]
        ],
    )
    tool_call_id: str | None = Field(
        None, description="Id of the call whose result this is, in `openai`.", examples=["call-1"]
    )
    call_id: str | None = Field(
        None,
        description="Id of the call, of calls and results in `responses`.",
        examples=["call-1"],
    )
    name: str | None = Field(
        None, description="Name of the speaker or the tool.", examples=["find_parcel"]
    )
    arguments: str | None = Field(
        None,
        description="Arguments of a call as JSON text, in `responses`.",
        examples=['{"id": "p-1"}'],
    )
    output: JsonValue = Field(
        None, description="Result of a call, in `responses`.", examples=["It is in Lyon."]
    )


class FormattedAnswer(Answer):
    """The visible messages in a provider's format; `system` only where it is separate from them."""

    format: str = Field(description="Name of the format of the messages.", examples=["openai"])
    messages: list[ProviderMessage] = Field(
        description="The visible messages as the provider takes them."
    )
    system: list[ProviderMessage] | None = Field(
        None, description="System messages, in formats that keep them apart."
    )
    warnings: list[WarningAnswer] = Field(
        description="Warnings; nothing was refused because of them."
    )


def format_of(endpoint: Endpoint) -> ProviderFormat | None:
    """Returns the provider's format in the query string; None for ctxadmin's own."""
    name = endpoint.request.query_params.get("format", OWN)
    try:
        return provider_format(name)
    except KeyError:
        known = ", ".join(NAMES)
        raise ValidationFailed.at(
            "?format", say("Unknown format. Use one of: {known}.", known=known)
        ) from None


def formatted_json(written: FormattedView, name: ProviderFormat) -> dict[str, object]:
    """Returns the fields of FormattedAnswer, without ``system`` where the format has none."""
    shown: dict[str, object] = {"format": name}
    if written.system is not None:
        shown["system"] = written.system
    shown["messages"] = written.messages
    shown["warnings"] = [warning.as_json() for warning in written.warnings]
    return shown
