"""Counts tokens: what the engine reported, else an estimate that needs no network."""

import re
from typing import Final

import orjson
from pydantic import JsonValue

from conversations.domain.bodies import TEXT_PARTS, text_of_content
from conversations.domain.formats.own_fields import NOTHING, OWN, own_fields_of
from conversations.domain.message import MessageDraft
from ctxadmin.lib import json_bytes

# One match is about one token of a byte-pair tokenizer: it splits at changes of case and class,
# takes digits by three, and joins a few signs. A single space belongs to the word behind it.
_ASCII_PIECE: Final = re.compile(
    r"[A-Z]?[a-z]{1,10}|[A-Z]{1,3}|[0-9]{1,3}"
    r"|[^\sA-Za-z0-9\u0080-\U0010ffff]{1,2}|\n+[ \t]*|[ \t]{2,}"
)
_OTHER_SIGN: Final = re.compile(
    "([\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"  # Han
    "|([\u3040-\u30ff])"  # kana
    "|([\uac00-\ud7af])"  # Hangul
    "|([\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40])"  # punctuation
    "|([\u0080-\u024f])"  # Latin with marks
    "|([\u0250-\u1fff])"  # Greek, Cyrillic, Arabic, Indic ...
    "|([^\x00-\x7f])"  # emoji, symbols, the rest
)
_HUNDREDTHS: Final = (72, 60, 68, 85, 60, 35, 150)

_PER_MESSAGE: Final = 4
_PER_CALL: Final = 8
_PER_PICTURE: Final = 765  # of 1024 x 1024 in OpenAI's published formula
_PER_SOUND: Final = 600  # a minute, at the ten tokens a second of OpenAI's audio models
_PER_FILE: Final = 1500  # a page of a PDF, the least that Anthropic says of one
_PER_MEDIUM: Final = {
    "image": _PER_PICTURE,
    "image_url": _PER_PICTURE,
    "input_image": _PER_PICTURE,
    "audio": _PER_SOUND,
    "input_audio": _PER_SOUND,
    "document": _PER_FILE,
    "file": _PER_FILE,
    "input_file": _PER_FILE,
}


def tokens_of_message(draft: MessageDraft) -> int:
    """Returns the reported tokens, else the estimate of one message with the chat's framing.

    That is its text, its calls, its other parts - a flat figure for pictures, sounds and files,
    whose bytes say little, else their JSON - and the frame. Measured against o200k_base over 0.5
    MB: English prose and Markdown 1.01-1.03 of the true figure, JSON 0.99-1.15, Python 1.06-1.12,
    Chinese 1.06-1.13 (0.8-1.0 of cl100k_base), other scripts 0.9-1.2; 4 MB/s, Chinese 2.5.
    """
    if draft.reported_tokens is not None:
        return draft.reported_tokens
    tokens = tokens_of_plain(draft.text)
    if draft.call_ids or b'"content":[' in draft.body:
        tokens += _beyond_text(orjson.loads(draft.body))
    return tokens


def tokens_of_plain(text: str) -> int:
    """Returns the estimated tokens of a message that has nothing but this text."""
    return _PER_MESSAGE + tokens_of_text(text)


def tokens_of_text(text: str) -> int:
    """Returns the estimated tokens of a text."""
    tokens = len(_ASCII_PIECE.findall(text))
    if text.isascii():
        return tokens
    hundredths = sum(
        _HUNDREDTHS[(found.lastindex or 1) - 1] for found in _OTHER_SIGN.finditer(text)
    )
    return tokens + (hundredths + 99) // 100


def _beyond_text(message: dict[str, JsonValue]) -> int:
    tokens = 0
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        tokens += _PER_CALL + _tokens_of_call(call)
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        tokens += _tokens_of_part(part)
    return tokens


def _tokens_of_part(part: JsonValue) -> int:
    """Returns the tokens of a part without its text, which the message counts."""
    if not isinstance(part, dict) or part.get("type") in TEXT_PARTS:
        return 0
    kind = part.get("type")
    if isinstance(kind, str) and kind in _PER_MEDIUM:
        return _PER_MEDIUM[kind]
    if kind == "tool_use":
        return _PER_CALL + _tokens_of_call(
            {"function": {"name": part.get("name"), "arguments": part.get("input")}}
        )
    if kind == "tool_result":
        content = part.get("content")
        others = content if isinstance(content, list) else []
        text = tokens_of_text(text_of_content(content))
        return _PER_CALL + text + sum(map(_tokens_of_part, others))
    return tokens_of_text(json_bytes.dumps(part).decode())


def _without_own_fields(call: JsonValue) -> JsonValue:
    """Ids and states of a provider's items are not what a model reads."""
    if not isinstance(call, dict) or own_fields_of(call) is NOTHING:
        return call
    return {name: value for name, value in call.items() if name != OWN}


def _tokens_of_call(call: JsonValue) -> int:
    function = call.get("function") if isinstance(call, dict) else None
    if isinstance(function, dict):
        parts = [function.get("name"), function.get("arguments")]
    else:
        parts = [_without_own_fields(call)]
    return sum(
        tokens_of_text(part if isinstance(part, str) else json_bytes.dumps(part).decode())
        for part in parts
        if part is not None
    )
