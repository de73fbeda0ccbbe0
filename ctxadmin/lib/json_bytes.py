"""Strict reading and canonical writing of JSON as bytes."""

import hashlib
import json
from typing import Final

import orjson
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed

MAX_DEPTH: Final = 64
_MIN_INT: Final = -(2**63)
_MAX_INT: Final = 2**64 - 1
_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")


class NotJson(ValidationFailed):
    """A text that is no JSON: ``what`` is wrong at which ``line`` and ``column``, from 1."""

    def __init__(self, error: orjson.JSONDecodeError) -> None:
        super().__init__(f"This is not JSON: {error}.", malformed=True)
        self.what, self.line, self.column = error.msg, error.lineno, error.colno


def loads_strict(data: bytes) -> JsonValue:
    """The value of a JSON text from outside (rest.md, "JSON").

    Refuses, as ``validation``: what is not UTF-8 or not JSON, NaN, Infinity and numbers
    that overflow, lone surrogates (these are malformed text), and duplicate keys, integers
    beyond 64 bit, nesting over 64 (these are well-formed text that the contract forbids).
    """
    try:
        value: JsonValue = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if "depth limit" in str(error):
            raise _too_deep() from None
        raise NotJson(error) from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and depth(value, MAX_DEPTH) > MAX_DEPTH:
        raise _too_deep()
    # orjson keeps the last of two equal keys and turns large integers into floats, so a text
    # that it writes back as it was has neither. Else the standard library's scanner, which
    # takes 3 to 10 times as long, shows the keys and the large integers to its hooks.
    if orjson.dumps(value) != data:
        many_digits = b"0" * 19 in data.translate(_ZEROS)
        look = _int_64 if many_digits else None
        json.loads(data, object_pairs_hook=_unique_keys, parse_int=look)
    return value


def _unique_keys(pairs: list[tuple[str, object]]) -> None:
    if len(pairs) == len(dict(pairs)):
        return
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _refused(f"the key {key!r} occurs twice in one object")
        seen.add(key)


def _int_64(text: str) -> None:
    if len(text) > 20 or not _MIN_INT <= int(text) <= _MAX_INT:
        raise _refused(f"the integer {text[:32]} does not fit into 64 bit")


def _too_deep() -> ValidationFailed:
    return _refused(f"nesting is deeper than {MAX_DEPTH} levels")


def _refused(what: str) -> ValidationFailed:
    return ValidationFailed(f"This JSON is refused: {what}.")


def depth(value: JsonValue, most: int | None = None) -> int:
    """How deep arrays and objects are nested: 0 for a scalar, 1 for ``[]``.

    Deeper than ``most`` is not looked at: the answer is then ``most + 1``.
    """
    found = 0
    level = [value] if isinstance(value, list | dict) else []
    while level and found != (None if most is None else most + 1):
        found += 1
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, list | dict)
        ]
    return found


def dumps(value: object) -> bytes:
    """Compact JSON bytes, keys in the order of the value."""
    return orjson.dumps(value)


def canonical(value: object) -> bytes:
    """Compact JSON bytes with sorted keys: equal values, equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(data: bytes) -> bytes:
    """The digest of bytes as we store it: BLAKE2b, 16 bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()
