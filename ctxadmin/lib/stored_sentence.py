"""Sentences as stored JSON, so that they can still be translated when they are read."""

from typing import cast

import orjson

from ctxadmin.lib.sentence import Sentence


def sentence_bytes(text: str) -> bytes:
    """Returns a text as JSON: a sentence with its template and values, other texts as strings."""
    return orjson.dumps(_value(text))


def read_sentence(data: bytes) -> str:
    """Returns the text that ``sentence_bytes`` wrote; "" for nothing."""
    return cast("str", _text(orjson.loads(data))) if data else ""


def _value(value: object) -> object:
    if isinstance(value, Sentence):
        return {"say": value.template, "with": {k: _value(v) for k, v in value.values.items()}}
    if isinstance(value, int | float):
        return value
    return str(value)


def _text(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return Sentence(value["say"], {name: _text(each) for name, each in value["with"].items()})
