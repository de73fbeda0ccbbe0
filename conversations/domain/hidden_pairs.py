"""Calls and results where other providers write them, which no message may have."""

import re
from typing import Final

from pydantic import JsonValue, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from ctxadmin.lib.sentence import say

_CALL: Final = say("put a call into tool_calls of the assistant message")

_RESULT: Final = say("put a result into a message of the role tool with tool_call_id")

# Calls and results as other providers write them, into the content: ``tool_use``, ``tool-call``,
# ``mcp_tool_result``, ``function_call_output``, ``functionCall``; and ``tool-NAME``, one part for a
# call and its result, as pages of chats have it.
_HIDDEN_PAIR: Final = re.compile(
    r"(?:.*[_-])?(?:tool|function|mcp|computer|shell|search|interpreter)[_-]"
    r"(?:(?P<call>use|call|invocation)|call[_-]output|result|response)"
    r"|(?P<both>dynamic-tool|tool-.+)",
    re.IGNORECASE,
)

# Fields of a message that hold its calls elsewhere: of OpenAI before tools, of pages of chats.
_FIELDS_OF_CALLS: Final = ("function_call", "functionCall", "toolInvocations", "tool_invocations")

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_RESULT_OF_SEARCH: Final = "search_result"  # Anthropic's: a text with its source, and no pair


def refuse_hidden_pairs(source: dict[str, JsonValue]) -> None:
    """Refuses calls and results outside of ``tool_calls`` and messages of tools.

    They would not be recognized as pairs. Source: semantics 1.1.
    """
    for field in _FIELDS_OF_CALLS:
        if source.get(field):
            message = say("{field} is not understood: {instead}", field=repr(field), instead=_CALL)
            raise refused(message, field)
    for field in ("content", "parts"):
        parts = source.get(field)
        for place, part in enumerate(parts if isinstance(parts, list) else ()):
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(kind, str) and (instead := _instead_of(kind)):
                message = say(
                    "a part {kind} is not understood: {instead}", kind=repr(kind), instead=instead
                )
                raise refused(message, field, place, "type")


def refused(message: str, *place: str | int) -> ValidationError:
    error = PydanticCustomError(
        "validation", "{text}", {"text": message, "error": ValueError(message)}
    )
    details = InitErrorDetails(type=error, loc=place, input=None)
    return ValidationError.from_exception_data("message", [details])


def is_pair_part(part: dict[str, JsonValue]) -> bool:
    """Returns whether a part of a content is a call or a result, which no message has there."""
    kind = part.get("type")
    return isinstance(kind, str) and _instead_of(kind) is not None


def _instead_of(kind: str) -> str | None:
    """Returns what to send instead of a part of this type, if it is a call or a result."""
    found = _HIDDEN_PAIR.fullmatch(_HUMP.sub("_", kind))
    if found is None or kind == _RESULT_OF_SEARCH:
        return None
    return _CALL if found["call"] or found["both"] else _RESULT
