"""The details of a checkpoint, which are not state: metadata, parent, namespace."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson
from pydantic import JsonValue

from ctxadmin.lib.errors import FieldProblem, TooLarge
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.row_sums import row_sum
from ctxadmin.lib.sentence import say

MAX_METADATA: Final = 64 * 1024  # bytes of JSON: a page of the list has up to 1,000 of them
MAX_NAMESPACE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Details:
    """``metadata`` is a JSON object as bytes; "" means no parent, and the root namespace."""

    metadata: bytes = b"{}"
    parent: str = ""
    namespace: str = ""

    @classmethod
    def of(cls, metadata: Mapping[str, JsonValue], parent: str, namespace: str) -> "Details":
        """Builds details. Raises TooLarge at ``/metadata`` over MAX_METADATA bytes."""
        data = dumps(metadata)
        if len(data) > MAX_METADATA:
            message = say(
                "The metadata is {data} bytes long; at most {max_metadata} are allowed.",
                data=len(data),
                max_metadata=MAX_METADATA,
            )
            problem = FieldProblem("/metadata", message, TooLarge.code)
            raise TooLarge(message, limit=MAX_METADATA, problems=[problem])
        return cls(data, parent, namespace)

    def sum(self, version: int) -> int:
        """Returns the checksum of the details of a version."""
        return row_sum(f"{version}|{self.parent}|{self.namespace}|", self.metadata)

    def as_json(self) -> dict[str, object]:
        return {
            "metadata": orjson.Fragment(self.metadata),
            "parent": self.parent or None,
            "namespace": self.namespace,
        }


NO_DETAILS: Final = Details()


@dataclass(frozen=True, slots=True)
class DetailsFilter:
    """A filter of checkpoints by equality; None and {} match everything."""

    namespace: str | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return self.namespace is None and not self.metadata

    def matches(self, details: Details) -> bool:
        if self.namespace is not None and self.namespace != details.namespace:
            return False
        if not self.metadata:
            return True
        values: dict[str, JsonValue] = orjson.loads(details.metadata)
        return all(
            key in values and _equal(values[key], wanted) for key, wanted in self.metadata.items()
        )


def value_spelled(text: str) -> JsonValue:
    """Returns the value of a query parameter: parsed as JSON if it is JSON, else the text."""
    try:
        value: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value


def _equal(one: JsonValue, other: JsonValue) -> bool:
    """Compares as JSON does: true is not 1, but 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other
