"""Warnings about what a format cannot express, with the messages that they concern."""

from dataclasses import dataclass
from typing import Final

from ctxadmin.lib.sentence import Sentence, say

A_MESSAGE: Final = say("a message")
A_CALL: Final = say("a call")
A_PART: Final = say("a part")
A_TEXT_PART: Final = say("a text part")
A_REASONING_PART: Final = say("a reasoning part")
AN_IMAGE: Final = say("an image")
REFUSAL_AS_TEXT: Final = say("a refusal is written as text")


@dataclass(frozen=True, slots=True)
class FormatWarning:
    """Something that a format changes or omits, by log indices, ascending."""

    code: str
    message: Sentence
    indices: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        return {"code": self.code, "message": self.message, "indices": list(self.indices)}


class Warnings:
    """Collects the warnings of a format; the same one about several messages is reported once."""

    def __init__(self, format_name: str) -> None:
        self.format_name = format_name
        self._found: dict[tuple[str, Sentence], set[int]] = {}

    def add(self, code: str, message: Sentence, index: int) -> None:
        self._found.setdefault((code, message), set()).add(index)

    def part_left_out(self, what: Sentence, index: int) -> None:
        self.add("part_left_out", _left_out(what), index)

    def field_left_out(self, what: Sentence, index: int) -> None:
        self.add("field_left_out", _left_out(what), index)

    def all(self) -> tuple[FormatWarning, ...]:
        """Returns the warnings in the order of their first occurrence."""
        return tuple(
            FormatWarning(code, message, tuple(sorted(indices)))
            for (code, message), indices in self._found.items()
        )


def _left_out(what: Sentence) -> Sentence:
    return say("{what} has no place in this format and is left out", what=what)


def part_of_type(kind: str) -> Sentence:
    """Names a part for a warning."""
    return say("a part of the type {kind}", kind=repr(kind))


def image_of_role(role: str) -> Sentence:
    """Names an image for a warning, by the role of its message."""
    return say("an image of a message of the role {role}", role=role)


def field_of(name: str, of: Sentence) -> Sentence:
    """Names a field of a part, a call or an image for a warning."""
    return say("the field {name} of {of}", name=repr(name), of=of)


def field_named(name: str) -> Sentence:
    """Names a field of a message for a warning."""
    return say("the field {name}", name=repr(name))
