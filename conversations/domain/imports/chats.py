"""The shapes whose values are conversations or lists of messages, the special ones first."""

from typing import Final

from pydantic import JsonValue

from conversations.domain.imports import (
    anthropic,
    gemini,
    langchain,
    openai,
    responses,
    sharegpt,
    vercel,
    vercel_ui,
)
from conversations.domain.imports.shape import Shape, first_match
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.transcript import Fields, Transcript

OPENAI: Final = Shape(
    openai.NAME,
    "OpenAI chat",
    openai.recognise,
    openai.append,
    frozenset({"messages", "choices", "role", "content", "tool_calls"}),
)

CHATS: Final = (
    Shape(
        vercel_ui.NAME,
        "Vercel AI UI messages",
        vercel_ui.recognise,
        vercel_ui.append,
        frozenset({"parts", "toolInvocations", "createdAt"}),
    ),
    Shape(
        responses.NAME,
        "OpenAI Responses",
        responses.recognise,
        responses.append,
        frozenset({"input", "output", "instructions", "call_id"}),
    ),
    Shape(
        gemini.NAME,
        "Gemini contents",
        gemini.recognise,
        gemini.append,
        frozenset({"contents", "candidates", "systemInstruction", "parts", "generationConfig"}),
    ),
    Shape(
        langchain.NAME,
        "LangChain messages",
        langchain.recognise,
        langchain.append,
        frozenset({"lc", "kwargs", "additional_kwargs", "response_metadata", "data", "values"}),
    ),
    Shape(
        sharegpt.NAME,
        "ShareGPT",
        sharegpt.recognise,
        sharegpt.append,
        frozenset({"conversations", "from", "value"}),
    ),
    Shape(
        vercel.NAME,
        "Vercel AI model messages",
        vercel.recognise,
        vercel.append,
        frozenset({"toolCallId", "toolName", "providerOptions"}),
    ),
    Shape(
        anthropic.NAME,
        "Anthropic Messages",
        anthropic.recognise,
        anthropic.append,
        frozenset({"system", "stop_reason", "max_tokens", "tool_use_id"}),
    ),
    OPENAI,
)


def append_chat(place: SourceValue, transcript: Transcript) -> Fields | None:
    """Adds the messages of a value of any of these shapes; returns None if none recognizes it."""
    shape = first_match(CHATS, place.value)
    return None if shape is None or shape.append is None else shape.append(place, transcript)


def append_list(messages: SourceValue, transcript: Transcript) -> None:
    """Adds a list of messages of any shape; an unrecognized one is read as OpenAI's."""
    if append_chat(messages, transcript) is None:
        openai.append_messages(messages, transcript)


def is_message(value: JsonValue) -> bool:
    """Returns whether some shape has such messages."""
    return isinstance(value, dict) and first_match(CHATS, [value]) is not None
