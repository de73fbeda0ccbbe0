"""Parses an update of a state into values, directives, and the names that are not state keys.

An object whose only key is ``$replace`` or ``$delete`` is a directive in every update: in
checkpoints, completions, updates of the snapshot and the initial state. With any other key the
object is data, as is every other object. ``{"$replace": v}`` stores v without the reducer, also
null and also a v that looks like a directive. ``{"$delete": true}`` removes the key; a missing key
is not an error. ``$delete`` with anything but true is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

import msgspec
import orjson

from checkpoints.domain.mismatches import Wanted, mismatch
from checkpoints.domain.reducers import HISTORY, MESSAGES, Reducer
from ctxadmin.lib.errors import FieldProblem, TypeMismatch, ValidationFailed
from ctxadmin.lib.sentence import say

MAX_KEY_LENGTH: Final = 200
_REPLACE: Final = b'{"$replace":'
_DELETE: Final = b'{"$delete":'
_elements: Final = msgspec.json.Decoder(list[msgspec.Raw])
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Directive(Enum):
    """What an update does to a key: its reducer decides, or the directive."""

    REDUCE = "reduce"
    REPLACE = "$replace"
    DELETE = "$delete"


def directive_of(value: bytes, pointer: str) -> tuple[Directive, bytes]:
    """Returns the directive in a value of an update (compact JSON), and the value itself.

    Raises ValidationFailed at ``pointer`` if ``$delete`` is not true.
    """
    if not value.startswith((_REPLACE, _DELETE)) or len(_members.decode(value)) != 1:
        return Directive.REDUCE, value
    if value.startswith(_REPLACE):
        return Directive.REPLACE, value[len(_REPLACE) : -1]
    if value != _DELETE + b"true}":
        raise ValidationFailed.at(f"{pointer}/$delete", say("only true deletes the key"))
    return Directive.DELETE, b""


@dataclass(frozen=True, slots=True)
class Update:
    """A parsed update: the state keys, and the two names that are not keys.

    ``messages`` are appended to the conversation, ``history`` entries to the execution history;
    each element is the JSON bytes of one object.
    """

    state: Mapping[str, bytes]
    messages: tuple[bytes, ...] = ()
    history: tuple[bytes, ...] = ()


def split_update(
    state_data: Mapping[str, bytes], pointer: str = "/state_data", *, is_initial: bool = False
) -> Update:
    """Splits an update into its parts (semantics 3.2, 3.5, 3.7, 3.15).

    Only the initial state can have ``execution_history``. Raises ValidationFailed for any other
    update that has it, for a key that is empty or over 200 characters, and for a directive on
    ``messages`` or ``execution_history``; TypeMismatch if these are not lists of objects.
    """
    for key in state_data:
        if not 1 <= len(key) <= MAX_KEY_LENGTH:
            message = say(
                "a state key has 1 to {max_key_length} characters", max_key_length=MAX_KEY_LENGTH
            )
            raise ValidationFailed.at(pointer, message)
    if not is_initial and state_data.get(HISTORY, b"null") != b"null":
        message = say("completions write execution_history; complete the node to add its entry")
        raise ValidationFailed.at(f"{pointer}/{HISTORY}", message)
    state = {key: value for key, value in state_data.items() if key not in (MESSAGES, HISTORY)}
    return Update(
        state,
        _appended(MESSAGES, state_data, pointer, say("use an operation on the conversation")),
        _appended(HISTORY, state_data, pointer, say("the history only grows")),
    )


def _appended(
    key: str, state_data: Mapping[str, bytes], pointer: str, instead: str
) -> tuple[bytes, ...]:
    value = state_data.get(key, b"null")
    if value == b"null":
        return ()
    where = f"{pointer}/{key}"
    if directive_of(value, where)[0] is not Directive.REDUCE:
        raise ValidationFailed.at(
            where, say("{key} can only be appended to; {instead}", key=key, instead=instead)
        )
    if not value.startswith(b"["):
        raise _refused(key, value, where, Wanted.LIST_OF_OBJECTS)
    elements = tuple(bytes(element) for element in _elements.decode(value))
    for index, element in enumerate(elements):
        if not element.startswith(b"{"):
            raise _refused(key, element, f"{where}/{index}", Wanted.ONLY_OBJECTS)
    return elements


def _refused(key: str, value: bytes, pointer: str, wanted: Wanted) -> TypeMismatch:
    error = mismatch(key, Reducer.APPEND, wanted, orjson.loads(value), update=True)
    problem = FieldProblem(pointer, error.detail, error.code)
    return TypeMismatch(error.detail, key=key, problems=[problem])
