"""Writes of a task for a checkpoint, which make no version (semantics 3.18)."""

from typing import Annotated, Final, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from checkpoints.domain.commands import Data
from checkpoints.domain.opaque import OpaqueValue
from checkpoints.domain.state import MAX_STATE_BYTES
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.row_sums import row_sum
from ctxadmin.lib.sentence import say

MOST_WRITES: Final = 1_000  # of a task
MOST_TASKS: Final = 1_000  # of a checkpoint
MOST_BYTES: Final = 64 * 1024**2  # of a checkpoint: a list has those of one at least, at once
LEAST_INDEX: Final = -(2**31)


class TaskWrite(Contract):
    """One write: a value, which can be null, or an opaque one."""

    channel: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Name of the channel.",
            examples=["__interrupt__"],
        ),
    ]
    index: Annotated[
        int, Field(ge=LEAST_INDEX, lt=2**31, description="Its place in the task.", examples=[0])
    ]
    value: Data = Field(
        None, description="The value as JSON, unless it is opaque.", examples=["found it"]
    )
    opaque: OpaqueValue | None = Field(None, description="The value, if it is opaque.")

    @model_validator(mode="wrap")
    @classmethod
    def _some_value(cls, data: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Validates the raw data, because null is a value here and not a missing field."""
        write = read(data)
        if write.opaque is None and isinstance(data, dict) and "value" not in data:
            raise ValueError(say("a write needs a value, which may be null, or an opaque one"))
        return write

    @model_validator(mode="after")
    def _one_value(self) -> "TaskWrite":
        if self.opaque is not None and self.value is not None:
            raise ValueError(say("a write has a value or an opaque one, not both"))
        return self

    def as_json(self) -> dict[str, object]:
        """Returns the write as it was sent."""
        place = {"channel": self.channel, "index": self.index}
        if self.opaque is not None:
            return {**place, "opaque": self.opaque.model_dump()}
        return {**place, "value": self.value}


class PutWrites(Contract):
    """``PUT checkpoints/{checkpoint_id}/writes/{task_id}``: all writes of the task."""

    writes: Annotated[
        list[TaskWrite],
        Field(
            max_length=MOST_WRITES,
            fail_fast=True,
            description="All writes of the task; they replace those that it has.",
        ),
    ]

    def stored(self) -> bytes:
        """Returns the list as JSON.

        Raises TooLarge at ``/writes``; ValidationFailed for invalid base64, and for two writes at
        one place of a channel.
        """
        size = 0
        places: set[tuple[str, int]] = set()
        for place, write in enumerate(self.writes):
            if (write.channel, write.index) in places:
                text = say(
                    "channel {channel} has two writes with the index {index}",
                    channel=repr(write.channel),
                    index=write.index,
                )
                raise ValidationFailed.at(f"/writes/{place}/index", text)
            places.add((write.channel, write.index))
            where = f"/writes/{place}/opaque"
            if write.opaque is not None:
                size += len(write.opaque.stored(where, MAX_STATE_BYTES))
            else:
                size += len(dumps(write.value))
        if size > MAX_STATE_BYTES:
            message = say(
                "The writes are {size} bytes long; at most {max_state_bytes} are allowed.",
                size=size,
                max_state_bytes=MAX_STATE_BYTES,
            )
            problem = FieldProblem("/writes", message, TooLarge.code)
            raise TooLarge(message, limit=MAX_STATE_BYTES, problems=[problem])
        return dumps([write.as_json() for write in self.writes])


def sum_of_writes(checkpoint: str, task: str, writes: bytes) -> int:
    """Returns the checksum of the writes of a task."""
    return row_sum(f"{checkpoint}|{task}|", writes)
