"""The query parameter ``format``, and how answers in a provider's format look."""

from typing import Final

from pydantic import Field, JsonValue

from conversations.api.answers import WarningAnswer
from conversations.domain.formats.formats import FORMATS, OWN, ProviderFormat, provider_format
from conversations.domain.formats.written import Written
from ctxadmin.http.described import Answer, Parameter
from ctxadmin.http.endpoint import Endpoint
from ctxadmin.lib.errors import ValidationFailed

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


class FormattedAnswer(Answer):
    """The visible messages as a provider takes them; `system` only where it is not among them."""

    format: str = Field(description="Name of the format of the messages.", examples=["openai"])
    messages: list[dict[str, JsonValue]] = Field(
        description="The visible messages as the provider takes them."
    )
    system: list[dict[str, JsonValue]] | None = Field(
        None, description="System messages, in formats that keep them apart."
    )
    warnings: list[WarningAnswer] = Field(
        description="Warnings; nothing was refused because of them."
    )


def format_of(endpoint: Endpoint) -> ProviderFormat | None:
    """The provider's format that the query string names; None for our own."""
    name = endpoint.request.query_params.get("format", OWN)
    try:
        return provider_format(name)
    except KeyError:
        known = ", ".join(NAMES)
        raise ValidationFailed.at("?format", f"Unknown format. Use one of: {known}.") from None


def formatted_json(written: Written, name: ProviderFormat) -> dict[str, object]:
    """The fields of FormattedAnswer; ``system`` is left out where the format has none."""
    shown: dict[str, object] = {"format": name}
    if written.system is not None:
        shown["system"] = written.system
    shown["messages"] = written.messages
    shown["warnings"] = [warning.as_json() for warning in written.warnings]
    return shown
