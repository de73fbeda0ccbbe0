"""What the product has of one conversation after all faults are healed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.fault.history import Json
from tests.fault.model import Change


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that REST tells of a conversation, and its part of the audit.

    ``log`` and ``views`` (by revision) are messages as they were answered, ``checkpoints`` the
    versions from 0 on, ``snapshots`` each of them read back.
    """

    head: Json
    log: Sequence[Json]
    views: Mapping[int, Sequence[Json]]
    checkpoints: Sequence[Json]
    snapshots: Mapping[int, Json]
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of one promise, in words for whoever looks into it."""

    promise: str
    conversation: str
    what: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.conversation}: {self.what}"
