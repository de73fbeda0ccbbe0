"""Transforms: named pure functions over one value, for the rules of filters."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import orjson
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import canonical, dumps, loads_strict

# A transform is total and pure: a value that it does not apply to comes back as it is, and the
# value it is given is never changed.
Transform = Callable[[JsonValue], JsonValue]

REDACTED: Final = "[redacted]"
_ELLIPSIS: Final = "…"
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")


def _uppercase(value: JsonValue) -> JsonValue:
    """Letters of a text in upper case."""
    return value.upper() if isinstance(value, str) else value


def _lowercase(value: JsonValue) -> JsonValue:
    """Letters of a text in lower case."""
    return value.lower() if isinstance(value, str) else value


def _strip(value: JsonValue) -> JsonValue:
    """A text without white space at its ends."""
    return value.strip() if isinstance(value, str) else value


def _one_line(value: JsonValue) -> JsonValue:
    """A text with every stretch of white space and line breaks made one space."""
    return " ".join(value.split()) if isinstance(value, str) else value


def _first_line(value: JsonValue) -> JsonValue:
    """The first line of a text that is not empty."""
    if not isinstance(value, str):
        return value
    return value.strip().partition("\n")[0].rstrip()


def _shortener(bound: int) -> Transform:
    def shorten(value: JsonValue) -> JsonValue:
        if isinstance(value, str) and len(value) > bound:
            return value[: bound - 1] + _ELLIPSIS
        if isinstance(value, list) and len(value) > bound:
            return value[:bound]
        return value

    shorten.__doc__ = (
        f"At most {bound:,} characters of a text, the last an ellipsis if some were cut, "
        f"or at most {bound:,} elements of an array."
    )
    return shorten


# The three that make JSON text leave a text as it is: quoting it again and again would double it
# each time, so that forty rules could fill the memory.
def _to_string(value: JsonValue) -> JsonValue:
    """A value as JSON text in the order of its keys; a text stays as it is."""
    return value if isinstance(value, str) else dumps(value).decode()


def _json(value: JsonValue) -> JsonValue:
    """A value as canonical JSON text, with sorted keys; a text stays as it is."""
    return value if isinstance(value, str) else canonical(value).decode()


def _json_pretty(value: JsonValue) -> JsonValue:
    """A value as JSON text with indents, as people read it; a text stays as it is."""
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _parse_json(value: JsonValue) -> JsonValue:
    """The value of a JSON text; a text that is not JSON stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return loads_strict(value.encode())
    except (ValidationFailed, UnicodeEncodeError):
        return value


def _to_number(value: JsonValue) -> JsonValue:
    """The number that a text spells; any other text stays as it is."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return value
    if value.lstrip("-").isdecimal():
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else value


def _to_boolean(value: JsonValue) -> JsonValue:
    """Whether a value counts as true in a condition: not null, false, 0 or an empty text."""
    return isinstance(value, (list, dict)) or bool(value)


def _length(value: JsonValue) -> JsonValue:
    """The number of characters, elements or keys; null has 0."""
    if value is None:
        return 0
    return len(value) if isinstance(value, (str, list, dict)) else value


def _redact(value: JsonValue) -> JsonValue:
    """The text ``[redacted]`` instead of any value."""
    return REDACTED


def _first(value: JsonValue) -> JsonValue:
    """The first element of an array, null of an empty one."""
    if not isinstance(value, list):
        return value
    return value[0] if value else None


def _last(value: JsonValue) -> JsonValue:
    """The last element of an array, null of an empty one."""
    if not isinstance(value, list):
        return value
    return value[-1] if value else None


def _keys(value: JsonValue) -> JsonValue:
    """The keys of an object as an array, in their order."""
    return list(value) if isinstance(value, dict) else value


def _values(value: JsonValue) -> JsonValue:
    """The values of an object as an array, in their order."""
    return list(value.values()) if isinstance(value, dict) else value


def _without_nulls(value: JsonValue) -> JsonValue:
    """An array or object without its null elements; only the outermost level is looked at."""
    if isinstance(value, list):
        return [each for each in value if each is not None]
    if isinstance(value, dict):
        return {key: each for key, each in value.items() if each is not None}
    return value


def _reverse(value: JsonValue) -> JsonValue:
    """An array in the opposite order."""
    return value[::-1] if isinstance(value, list) else value


BUILTIN_TRANSFORMS: Final[Mapping[str, Transform]] = MappingProxyType(
    {
        "first": _first,
        "first_line": _first_line,
        "json": _json,
        "json_pretty": _json_pretty,
        "keys": _keys,
        "last": _last,
        "length": _length,
        "lowercase": _lowercase,
        "one_line": _one_line,
        "parse_json": _parse_json,
        "redact": _redact,
        "reverse": _reverse,
        "strip": _strip,
        "to_boolean": _to_boolean,
        "to_number": _to_number,
        "to_string": _to_string,
        "truncate": _shortener(1_000),
        "truncate_100": _shortener(100),
        "truncate_10000": _shortener(10_000),
        "uppercase": _uppercase,
        "values": _values,
        "without_nulls": _without_nulls,
    }
)


def apply_all(transforms: Sequence[Transform], value: JsonValue) -> JsonValue:
    """Returns the value after the transforms, in order."""
    for transform in transforms:
        value = transform(value)
    return value


@dataclass(frozen=True, slots=True)
class Emptied:
    """Replaces the whole content of a message, whatever it is.

    ``freed`` is the number of its tokens.
    """

    text: str
    freed: int

    def __call__(self, value: JsonValue) -> JsonValue:
        return self.text


@lru_cache(maxsize=4_096)
def empty_text(text: str, freed: int) -> Emptied:
    """Returns the same ``Emptied`` each time, so that rewrites are compared by identity first."""
    return Emptied(text, freed)


def count_freed_tokens(transforms: Sequence[Transform]) -> int:
    """Returns how many tokens of a message the transforms are known to free."""
    return sum(each.freed for each in transforms if isinstance(each, Emptied))


def rewrite_content(content: JsonValue, transforms: Sequence[Transform]) -> JsonValue:
    """Applies the transforms to the text or the text parts of a message's content.

    The content of a message is text, so any other result becomes its JSON text; null and parts
    without text stay unchanged - unless the content was ``Emptied``.
    """
    for place, transform in enumerate(transforms):
        if isinstance(transform, Emptied):
            return rewrite_content(transform.text, transforms[place + 1 :])
    if isinstance(content, str):
        return _to_string(apply_all(transforms, content))
    if isinstance(content, list):
        return [_rewrite_part(part, transforms) for part in content]
    return content


def _rewrite_part(part: JsonValue, transforms: Sequence[Transform]) -> JsonValue:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return {**part, "text": _to_string(apply_all(transforms, part["text"]))}
    return part
