"""The refusals of values that the reducer of their key cannot take (semantics 3.2)."""

from enum import Enum, auto
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.errors import TypeMismatch
from ctxadmin.lib.sentence import Sentence, say


class Wanted(Enum):
    """What a reducer needs."""

    LIST = auto()
    NUMBER = auto()
    OBJECT = auto()
    ELEMENTS_WITH_ID = auto()
    LIST_OF_OBJECTS = auto()
    ONLY_OBJECTS = auto()


def mismatch(
    key: str, reducer: str, wanted: Wanted, found: JsonValue, *, update: bool = False
) -> TypeMismatch:
    """The refusal of an ``update`` of a key, or else of the value that the key has."""
    text_of = _of_update if update else _of_value
    return TypeMismatch(text_of(repr(key), str(reducer), wanted, kind_of(found)), key=key)


def _of_value(key: str, reducer: str, wanted: Wanted, kind: str) -> Sentence:
    match wanted:
        case Wanted.NUMBER:
            return say(
                "The key {key} is reduced by {reducer}, which needs a number; its value is {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
        case Wanted.OBJECT:
            return say(
                "The key {key} is reduced by {reducer}, which needs an object; "
                "its value is {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
    return say(
        "The key {key} is reduced by {reducer}, which needs a list; its value is {kind}.",
        key=key,
        reducer=reducer,
        kind=kind,
    )


def _of_update(key: str, reducer: str, wanted: Wanted, kind: str) -> Sentence:
    match wanted:
        case Wanted.LIST:
            return say(
                "The key {key} is reduced by {reducer}, which needs a list; the update has {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
        case Wanted.NUMBER:
            return say(
                "The key {key} is reduced by {reducer}, which needs a number; "
                "the update has {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
        case Wanted.OBJECT:
            return say(
                "The key {key} is reduced by {reducer}, which needs an object; "
                "the update has {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
        case Wanted.ELEMENTS_WITH_ID:
            return say(
                "The key {key} is reduced by {reducer}, which needs elements with an id; "
                "the update has {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
        case Wanted.LIST_OF_OBJECTS:
            return say(
                "The key {key} is reduced by {reducer}, which needs a list of objects; "
                "the update has {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )
        case Wanted.ONLY_OBJECTS:
            return say(
                "The key {key} is reduced by {reducer}, whose list has objects only; "
                "the update has {kind}.",
                key=key,
                reducer=reducer,
                kind=kind,
            )


def kind_of(value: JsonValue) -> str:
    """Returns the JSON type of a value with its article, for a sentence."""
    for types, name in _KINDS:
        if isinstance(value, types):
            return name
    return say("null")


_KINDS: Final[tuple[tuple[type | tuple[type, ...], str], ...]] = (
    (bool, say("a boolean")),
    ((int, float), say("a number")),
    (str, say("a text")),
    (list, say("a list")),
    (dict, say("an object")),
)
