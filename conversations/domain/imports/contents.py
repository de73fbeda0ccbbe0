"""Contents of messages in the chat form: texts, parts, media, results of tools."""

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from conversations.domain.bodies import TEXT_PARTS
from conversations.domain.hidden_pairs import is_pair_part
from ctxadmin.lib import json_bytes

_SOUNDS: Final = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
}

Part = dict[str, JsonValue]


def text_part(text: str, rest: Part | None = None) -> Part:
    """Returns a part with a text, and its further fields."""
    return {"type": "text", "text": text, **(rest or {})}


def reasoning_part(text: str, rest: Part | None = None) -> Part:
    """Returns a part with what the model thought before it answered."""
    return {"type": "reasoning", "text": text, **(rest or {})}


def media_part(media_type: str | None, data: str, name: str | None = None) -> Part:
    """Returns a picture, a sound or a file from base64 data or a URL."""
    kind = media_type or ""
    is_url = data.startswith(("http://", "https://", "data:", "gs://", "file:"))
    url = data if is_url else f"data:{kind or 'application/octet-stream'};base64,{data}"
    if kind.startswith("image"):
        return {"type": "image_url", "image_url": {"url": url}}
    if kind in _SOUNDS and not is_url:
        return {"type": "input_audio", "input_audio": {"data": data, "format": _SOUNDS[kind]}}
    file: Part = {"filename": name} if name else {}
    if url.startswith("data:"):
        file["file_data"] = url
    else:
        file |= {"file_url": url, **({"media_type": kind} if kind else {})}
    return {"type": "file", "file": file}


def content_of(parts: Sequence[JsonValue]) -> JsonValue:
    """Returns a text if that is all, None for nothing, else the list of parts."""
    if not parts:
        return None
    only = parts[0] if len(parts) == 1 else None
    if isinstance(only, dict) and only.get("type") == "text" and len(only) == 2:
        return only.get("text")
    return list(parts)


def result_content(value: JsonValue) -> tuple[JsonValue, bool]:
    """Returns the content of a result, and whether it became JSON text because it was not text."""
    if value is None:
        return "", False
    if isinstance(value, str):
        return value, False
    if isinstance(value, list) and value and all(map(_is_part, value)):
        return value, False
    return json_bytes.dumps(value).decode(), True


def _is_part(value: JsonValue) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"] in TEXT_PARTS and not isinstance(value.get("text"), str):
        return False
    return not is_pair_part(value)
