"""Logged messages parsed into what every provider has: texts, images, calls and results."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import orjson
from pydantic import JsonValue

from conversations.domain.bodies import TEXT_PARTS
from conversations.domain.formats.own_fields import (
    NOTHING,
    OWN,
    Fields,
    OwnFields,
    own_fields_of,
    own_part_of,
)
from conversations.domain.formats.warnings import (
    A_CALL,
    A_MESSAGE,
    A_PART,
    Warnings,
    field_named,
    field_of,
)
from conversations.domain.message import OWN_FIELDS
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps, loads_strict
from ctxadmin.lib.sentence import Sentence, say

# Fields that have a meaning here, or in the log only.
_NONE: Final[Set[str]] = frozenset()
_KNOWN: Final = OWN_FIELDS | frozenset(
    {"role", "content", "name", "tool_calls", "tool_call_id", "metadata", "tool_description"}
)
DATA_URL: Final = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,")
_UNNAMED: Final = "unnamed"
_RAW: Final = "_raw"
_OF_FILES: Final = ("type", "mediaType", "mimeType", "filename", "name")  # other formats say it too
# Calls and results that have places of their own: written from here they would be no pairs.
_NEVER_OWN: Final = frozenset(
    {
        *("tool_use", "tool_result", "function_call", "function_call_output"),
        *("custom_tool_call", "custom_tool_call_output"),
    }
)
PROVIDER_PART: Final = OWN
"""The type of a part ``{type, format, part}`` that only the provider of the format knows."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text part; ``more`` are its fields other than type and text."""

    text: str
    more: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    """A text by which a model refused to answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its address, or as base64 ``data`` of a ``media_type``."""

    url: str = ""
    media_type: str = ""
    data: str = ""
    more: Fields = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Returns its URL, a data URL if it has no other."""
        return self.url or f"data:{self.media_type};base64,{self.data}"


@dataclass(frozen=True, slots=True)
class Other:
    """A part that only some providers know, as it was logged."""

    kind: str
    fields: Fields


Part: TypeAlias = SourceText | ModelRefusal | Image | Other


@dataclass(frozen=True, slots=True)
class SourceCall:
    """A tool call; ``arguments`` as logged, a text or a value. A ``custom`` tool takes any text."""

    id: str
    name: str
    arguments: JsonValue
    is_custom: bool = False
    own: OwnFields = NOTHING

    @property
    def text(self) -> str:
        """Returns the arguments as text."""
        given = self.arguments
        return given if isinstance(given, str) else dumps({} if given is None else given).decode()


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message of a view: its log index, and its JSON object, parsed.

    The object may be the stored body, or the message as an answer shows it.
    """

    index: int
    body: Fields

    @property
    def role(self) -> str:
        return str(self.body.get("role"))

    @property
    def name(self) -> str | None:
        name = self.body.get("name")
        return name if isinstance(name, str) else None

    @property
    def answers(self) -> str:
        """Returns the id of the call that a tool message answers."""
        return str(self.body.get("tool_call_id"))

    def own_fields(self, warnings: Warnings) -> Fields:
        """What only the written format knows of the message; warns of what another one knows."""
        return _own_of(own_fields_of(self.body), A_MESSAGE, self.index, warnings)

    def parts(self, warnings: Warnings) -> list[Part]:
        """Returns the content as parts; a text is one part."""
        content = self.body.get("content")
        if isinstance(content, str):
            return [SourceText(content)]
        listed = content if isinstance(content, list) else []
        return [_part(each, self.index, warnings) for each in listed if isinstance(each, dict)]

    def all_parts(self, warnings: Warnings) -> list[Part]:
        """Returns the parts including the refusal that OpenAI has in a field beside them."""
        refusal = self.body.get("refusal")
        beside = [ModelRefusal(refusal)] if isinstance(refusal, str) and refusal else []
        return [*self.parts(warnings), *beside]

    def calls(self, warnings: Warnings) -> Iterator[SourceCall]:
        """Returns the tool calls, in whatever form they were logged; warns of what is dropped."""
        listed = self.body.get("tool_calls")
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                yield _call(each, self.index, warnings)


def provider_part(format_name: str, part: JsonValue) -> dict[str, JsonValue]:
    """Returns a content part that preserves what only one provider has, under its format's name."""
    return {"type": PROVIDER_PART, "format": format_name, "part": part}


def own_part(part: Part, format_name: str) -> dict[str, JsonValue] | None:
    """Returns what ``provider_part`` preserved for this format; None for any other part."""
    if not isinstance(part, Other) or part.fields.get("type") != PROVIDER_PART:
        return None
    kept = part.fields.get("part")
    if part.fields.get("format") != format_name or not isinstance(kept, dict):
        return None
    return None if _is_hidden_pair(kept) else dict(kept)


def _is_hidden_pair(kept: Fields) -> bool:
    """A call or a result that would be no pair; those that the provider ran itself are none."""
    kind = kept.get("type")
    if kind == "tool-call":
        return kept.get("providerExecuted") is not True
    return kind in _NEVER_OWN


def _own_of(own: OwnFields, of: Sentence, index: int, warnings: Warnings) -> Fields:
    if own.fields and own.format_name != warnings.format_name:
        names = ", ".join(own.fields)
        message = say(
            "a field of {of} that only the format {format} has ({names})",
            format=repr(own.format_name),
            of=of,
            names=names,
        )
        warnings.field_left_out(message, index)
    return own.of(warnings.format_name)


def insert_calls(
    blocks: list[JsonValue], calls: Sequence[tuple[SourceCall, JsonValue]], name: str
) -> None:
    """Adds calls to a content: behind its other parts, or where they stood in this format."""
    for call, written in calls:
        place = call.own.place_in(name)
        blocks.insert(len(blocks) if place is None else place, written)


def warn_of_fields(message: SourceMessage, warnings: Warnings, known: Set[str] = _NONE) -> None:
    """Warns of the fields of a message that a format lacks, except those ``known``.

    ``refusal`` is one of the parts (``all_parts``), and the name of a result is that of its call.
    """
    if message.name is not None and message.role != "tool" and "name" not in known:
        warnings.field_left_out(field_named("name"), message.index)
    for name, value in message.body.items():
        is_own = name == OWN and own_fields_of(message.body) is not NOTHING
        if name not in _KNOWN and name not in known and not is_own and value is not None:
            warnings.field_left_out(field_named(name), message.index)


def warn_of_further_fields(more: Fields, of: Sentence, index: int, warnings: Warnings) -> None:
    """Warns of the further fields of a part that a format lacks."""
    for name in more:
        warnings.field_left_out(field_of(name, of), index)


def source_messages(bodies: Sequence[tuple[int, bytes]]) -> list[SourceMessage]:
    """Returns the messages of a view from their log indices and JSON."""
    return [SourceMessage(index, orjson.loads(body)) for index, body in bodies]


def arguments_object(call: SourceCall, index: int, warnings: Warnings) -> dict[str, JsonValue]:
    """Returns the arguments of a call as the object that some providers require.

    A text that is not a JSON object is passed on under ``_raw``, with a warning; so is one whose
    values would change, such as integers beyond 64 bits. An empty text means no arguments.
    """
    given = call.arguments
    if isinstance(given, dict):
        return given
    if given is None or (isinstance(given, str) and not given.strip() and not call.is_custom):
        return {}
    if isinstance(given, str) and not call.is_custom:
        try:
            parsed = loads_strict(given.encode())
        except (ValidationFailed, UnicodeEncodeError):
            parsed = None
        if isinstance(parsed, dict):
            return parsed
    message = say(
        "the arguments of a call are not a JSON object and are sent under the name {name}",
        name=repr(_RAW),
    )
    warnings.add("arguments_not_object", message, index)
    return {_RAW: given}


def _call(data: Fields, index: int, warnings: Warnings) -> SourceCall:
    call_id, own = str(data.get("id")), own_fields_of(data)
    _own_of(own, A_CALL, index, warnings)
    if own is not NOTHING:
        data = _without(data, OWN)
    for kind, arguments in (("function", "arguments"), ("custom", "input")):
        inner = data.get(kind)
        if isinstance(inner, dict):
            _warn_of_rest(data, {"id", "type", kind}, index, warnings)
            _warn_of_rest(inner, {"name", arguments}, index, warnings)
            name = _name(inner.get("name"), index, warnings)
            return SourceCall(call_id, name, inner.get(arguments), kind == "custom", own)
    given = next((key for key in ("arguments", "args", "input") if key in data), "arguments")
    _warn_of_rest(data, {"id", "type", "name", given}, index, warnings)
    return SourceCall(call_id, _name(data.get("name"), index, warnings), data.get(given), own=own)


def _warn_of_rest(data: Fields, known: set[str], index: int, warnings: Warnings) -> None:
    for name in data:
        if name not in known:
            warnings.field_left_out(field_of(name, A_CALL), index)


def _name(name: JsonValue, index: int, warnings: Warnings) -> str:
    if isinstance(name, str) and name:
        return name
    message = say("a call without a name gets the name {name}", name=repr(_UNNAMED))
    warnings.add("call_without_name", message, index)
    return _UNNAMED


def _part(data: dict[str, JsonValue], index: int, warnings: Warnings) -> Part:
    source = own_part_of(data, warnings.format_name)
    if source is not None:
        name = warnings.format_name
        return Other(f"{name}:{source.get('type')}", provider_part(name, source))
    own = own_fields_of(data)
    if own is not NOTHING:
        more = OwnFields(own.format_name, _without(own.fields, *_OF_FILES))
        _own_of(more, A_PART, index, warnings)
        data = _without(data, OWN)
    return _plain_part(data)


def _plain_part(data: dict[str, JsonValue]) -> Part:
    kind = str(data.get("type"))
    if kind in TEXT_PARTS:
        return SourceText(str(data.get("text")), _without(data, "type", "text"))
    refusal = data.get("refusal")
    if kind == "refusal" and isinstance(refusal, str):
        return ModelRefusal(refusal)
    kept = data.get("part")
    if kind == PROVIDER_PART and isinstance(kept, dict):
        return Other(f"{data.get('format')}:{kept.get('type')}", data)
    return _image(kind, data) or Other(kind, data)


def _image(kind: str, data: dict[str, JsonValue]) -> Image | None:
    """Returns the image of a part in OpenAI's, Anthropic's or Vercel's form, None for another
    part.
    """
    if kind in ("image_url", "input_image"):
        inner = data.get("image_url")
        more = _without(data, "type", "image_url")
        if isinstance(inner, dict):
            more |= _without(inner, "url")
            inner = inner.get("url")
        return _located(inner, "", more)
    if kind == "image" and isinstance(data.get("source"), dict):
        return _sourced(data)
    media_type = data.get("mediaType")
    of_type = media_type if isinstance(media_type, str) else ""
    if kind == "image":
        return _located(data.get("image"), of_type, _without(data, "type", "image", "mediaType"))
    if kind == "file" and of_type.startswith("image/"):
        return _located(data.get("data"), of_type, _without(data, "type", "data", "mediaType"))
    return None


def _sourced(data: dict[str, JsonValue]) -> Image | None:
    source = data["source"]
    if not isinstance(source, dict):
        return None
    more = _without(data, "type", "source")
    url, content, media_type = (source.get(name) for name in ("url", "data", "media_type"))
    if source.get("type") == "url" and isinstance(url, str):
        return Image(url=url, more=more)
    if source.get("type") == "base64" and isinstance(content, str) and isinstance(media_type, str):
        return Image(media_type=media_type, data=content, more=more)
    return None


def _located(address: JsonValue, media_type: str, more: Fields) -> Image | None:
    """Returns the image at an address, or in a data URL, or as plain base64 of a known type."""
    if not isinstance(address, str) or not address:
        return None
    found = DATA_URL.match(address)
    if found:
        return Image(media_type=found["type"].lower(), data=address[found.end() :], more=more)
    if address.startswith("data:"):
        return None
    if "://" in address[:16]:
        return Image(url=address, more=more)
    return Image(media_type=media_type, data=address, more=more) if "/" in media_type else None


def _without(data: Fields, *names: str) -> dict[str, JsonValue]:
    return {key: value for key, value in data.items() if key not in names}
