"""Tool calls in one line: the name, short arguments, what came back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import JsonValue

from conversations.pages.reading.blocks import Block, looks_like_json, text_block
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import NotJson, loads_strict
from ctxadmin.ui.components import Text

_LONGEST_NAME: Final = 200
_BRIEF: Final = 90
_SHAPE: Final = 60
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ToolCallLine:
    """What was called and how; ``name`` is "" for a call that says none.

    ``brief`` is the beginning of the arguments in one line, of an object its fields: ``city: Rome,
    nights: 2``. ``broken`` arguments are a text that begins like JSON and is none.
    """

    name: str
    call_id: str
    arguments: Block
    brief: str
    broken: bool = False


def call_of(call: dict[str, JsonValue]) -> ToolCallLine:
    """A stored tool call for a reader."""
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    broken = False
    if isinstance(arguments, str):
        block = text_block(arguments, parse=True)
        broken = block.kind == "text" and _is_broken(arguments)
    else:
        block = Block("json", value=arguments)
    brief = _one_line(block.text) if block.kind == "text" else _brief(block.value)
    kind = str(call.get("type") or "")
    name = str(inner.get("name") or ("" if kind == "function" else kind))
    return ToolCallLine(_named(name), _named(str(call["id"])), block, brief, broken)


def shape_of(blocks: Sequence[Block]) -> Text:
    """What a result is, in a few words: ``12 fields``, ``3 items``, or how its text begins."""
    first = blocks[0] if blocks else Block("text")
    if first.kind == "json" and isinstance(first.value, dict):
        count = len(first.value)
        return ngettext("%(n)s field", "%(n)s fields", count) % {"n": count}
    if first.kind == "json" and isinstance(first.value, list):
        count = len(first.value)
        return ngettext("%(n)s item", "%(n)s items", count) % {"n": count}
    text = _SPACE.sub(" ", first.text[: 4 * _SHAPE]).strip()
    if not text:
        return _("empty") if first.kind == "text" else ""
    return text if len(text) <= _SHAPE else f"{text[:_SHAPE]}…"


def _brief(value: JsonValue) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict):
        return _one_line(_said(value))
    fields: list[str] = []
    length = 0
    for name, inner in value.items():
        fields.append(f"{name}: {_said(inner)}"[: 2 * _BRIEF])
        length += len(fields[-1])
        if length > _BRIEF:
            break
    return _one_line(", ".join(fields))


def _said(value: JsonValue) -> str:
    """Returns a value as it is read: a text without its quotes, all else as JSON."""
    return value if isinstance(value, str) and value else orjson.dumps(value).decode()


def _one_line(text: str) -> str:
    line = _SPACE.sub(" ", text[: 2 * _BRIEF]).strip()
    return line if len(line) <= _BRIEF else f"{line[:_BRIEF]}…"


def _is_broken(text: str) -> bool:
    if not looks_like_json(text):
        return False
    try:
        loads_strict(text.encode())
    except NotJson:
        return True
    except ValidationFailed:
        return False  # well-formed, and more than a tree can say
    return False


def _named(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
