"""Opaque values: an engine's bytes, which are stored, returned and compared, but never parsed.

In the state such a value is a zero byte, its type, a zero byte, its bytes; no JSON starts like
that.
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, Final

import orjson
from pydantic import Field, JsonValue

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.json_bytes import digest, dumps
from ctxadmin.lib.sentence import say

_MARK: Final = b"\x00"
_TYPE: Final = r"^[A-Za-z0-9._+/;=-]{1,64}$"


class OpaqueValue(Contract):
    """A value as engines send and receive it; ``base64`` encodes its bytes."""

    type: Annotated[
        str,
        Field(pattern=_TYPE, description="How the engine encodes it.", examples=["msgpack"]),
    ]
    base64: Annotated[str, Field(description="The bytes of the value.", examples=["gaFhAQ=="])]

    def stored(self, pointer: str, limit: int) -> bytes:
        """Returns the value as the state stores it.

        Raises ValidationFailed, or TooLarge over ``limit`` bytes.
        """
        try:
            data = base64.b64decode(self.base64.encode(), validate=True)
        except (ValueError, binascii.Error):
            raise ValidationFailed.at(f"{pointer}/base64", say("this is not base64")) from None
        if len(data) > limit:
            message = say(
                "The opaque value has {data} bytes; at most {limit} are allowed.",
                data=len(data),
                limit=limit,
            )
            problem = FieldProblem(pointer, message, TooLarge.code)
            raise TooLarge(message, limit=limit, problems=[problem])
        return _MARK + self.type.encode() + _MARK + data


@dataclass(frozen=True, slots=True)
class Opaque:
    """The description of an opaque value for everyone who cannot read it."""

    type: str
    size: int
    digest: str

    def as_json(self) -> dict[str, JsonValue]:
        return {"$opaque": {"type": self.type, "size": self.size, "digest": self.digest}}


def is_opaque(value: bytes) -> bool:
    """Returns True for an opaque value of a state, or the beginning of one."""
    return value.startswith(_MARK)


def opaque_summary(value: bytes) -> Opaque | None:
    """Returns the description of an opaque value of a state, None for JSON."""
    if not is_opaque(value):
        return None
    kind, data = _parts(value)
    return Opaque(kind, len(data), digest(data).hex())


def value_of(value: bytes) -> JsonValue:
    """Returns a value of a state; for an opaque one its type, size and digest."""
    found = opaque_summary(value)
    if found is not None:
        return found.as_json()
    read: JsonValue = orjson.loads(value)
    return read


def returned_value(value: bytes) -> bytes:
    """Returns an opaque value as JSON in the form in which it was sent."""
    kind, data = _parts(value)
    return dumps({"type": kind, "base64": base64.b64encode(data).decode()})


def _parts(value: bytes) -> tuple[str, bytes]:
    kind, _, data = value[1:].partition(_MARK)
    return kind.decode(), data
