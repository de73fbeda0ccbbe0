"""The versions of an execution: repeats, history entries, snapshots and differences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import orjson
from pydantic import JsonValue

from checkpoints.domain.opaque import is_opaque, value_of
from checkpoints.domain.pauses import Pause
from checkpoints.domain.state import KeyHead
from checkpoints.domain.status import NodeStatus, Status
from checkpoints.domain.usage import ModelUsage
from ctxadmin.lib.clock import iso
from ctxadmin.lib.errors import Duplicate
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind, Looks, diff, pointer


class WriteKind(StrEnum):
    """The write that opened a version: version 0 is a START, every other version has exactly
    one.

    A MOVE is a resume, approve, reject or cancel.
    """

    START = "start"
    CHECKPOINT = "checkpoint"
    COMPLETION = "completion"
    UPDATE = "update"
    MOVE = "move"
    RESTORE = "restore"


def is_notable(kind: WriteKind, status: Status) -> bool:
    """Returns whether a version is worth a notification: its status changed, or it waits or
    ended.

    A saved step of a running execution is not, nor an edit of one that waits already.
    """
    if kind is WriteKind.UPDATE:
        return False
    return kind is WriteKind.MOVE or status not in (Status.PENDING, Status.RUNNING)


@dataclass(frozen=True, slots=True)
class SavedCheckpoint:
    """The record that recognizes a repeated save: its id, body and answer."""

    checkpoint_id: str
    body_digest: bytes
    answer: bytes


def repeated(saved: SavedCheckpoint | None, body_digest: bytes) -> bytes | None:
    """Returns the answer for a repeated save, None for a new one.

    Call it before version and status are checked. Raises Duplicate if the id was used with another
    body. Source: semantics 3.4.
    """
    if saved is None:
        return None
    if saved.body_digest != body_digest:
        raise Duplicate(
            say(
                "The checkpoint id {checkpoint_id} was used before, with another body.",
                checkpoint_id=repr(saved.checkpoint_id),
            )
        )
    return saved.answer


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """The entry that a completion adds to the execution history (semantics 3.5), without null
    parts.
    """

    node_id: str
    status: NodeStatus
    checkpoint_id: str
    version: int
    timestamp: datetime
    prompt: JsonValue = None
    response: JsonValue = None
    metadata: Mapping[str, JsonValue] | None = None

    def as_bytes(self) -> bytes:
        """Returns the entry as one JSON object."""
        entry: dict[str, object] = {
            "node_id": self.node_id,
            "status": self.status.value,
            "checkpoint_id": self.checkpoint_id,
            "version": self.version,
            "timestamp": iso(self.timestamp),
        }
        free = {"prompt": self.prompt, "response": self.response, "metadata": self.metadata}
        return dumps(entry | {name: value for name, value in free.items() if value is not None})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An execution at a version (semantics 3.6, rest.md).

    ``state_data``, ``execution_history`` and ``executed_node_ids`` are JSON in pieces and are never
    parsed here; ``state_data`` contains the visible messages if requested. ``pause`` says why a
    PAUSED execution waits; an earlier version has none. ``opaque`` is the field of that name with
    its comma, or empty. ``usage`` is what an engine reported, if requested.
    """

    conversation_id: str
    execution: str | None
    workflow: str | None
    current_node_id: str | None
    current_node_name: str | None
    status: Status
    pause_requested: bool
    state_data: Sequence[bytes]
    execution_history: Sequence[bytes]
    executed_node_ids: Sequence[bytes]
    ready_nodes: Sequence[str]
    timestamp: datetime
    version: int
    revision: int
    pause: Pause | None = None
    opaque: Sequence[bytes] = ()
    usage: ModelUsage | None = None

    def as_pieces(self) -> list[bytes]:
        """Returns the snapshot as one JSON object, in pieces to send or join."""
        first = {
            "conversation_id": self.conversation_id,
            "execution": self.execution,
            "workflow": self.workflow,
            "current_node_id": self.current_node_id,
            "current_node_name": self.current_node_name,
            "status": self.status.value,
            "pause_requested": self.pause_requested,
        }
        last = {
            "ready_nodes": self.ready_nodes,
            "timestamp": iso(self.timestamp),
            "version": self.version,
            "revision": self.revision,
            "pause": None if self.pause is None else self.pause.as_json(),
            **({} if self.usage is None else {"usage": self.usage.as_json()}),
        }
        return [
            dumps(first)[:-1] + b',"state_data":',
            *self.state_data,
            *self.opaque,
            b',"execution_history":',
            *self.execution_history,
            b',"executed_node_ids":',
            *self.executed_node_ids,
            b"," + dumps(last)[1:],
        ]


@dataclass(frozen=True, slots=True)
class KeysCompared:
    """How the keys of two versions differ, by their heads alone; each tuple is sorted."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


ReadValues = Callable[[Sequence[str]], Mapping[str, bytes]]


def compare_keys(before: Mapping[str, KeyHead], after: Mapping[str, KeyHead]) -> KeysCompared:
    """Compares the keys of two versions of one execution by their heads; reads no value."""
    return KeysCompared(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(sorted(key for key in before.keys() & after if before[key] != after[key])),
    )


def compare_states(
    before: Mapping[str, KeyHead],
    after: Mapping[str, KeyHead],
    read_before: ReadValues,
    read_after: ReadValues,
) -> list[Difference]:
    """Yields the differences of two versions, in order of keys; paths begin with the key.

    Reads only the values of keys that differ, each side at once.
    """
    keys = compare_keys(before, after)
    left = read_before([*keys.removed, *keys.changed])
    right = read_after([*keys.added, *keys.changed])
    found: list[Difference] = []
    looks = Looks()
    for key in sorted((*keys.added, *keys.removed, *keys.changed)):
        path = pointer("", key)
        if key not in right:
            found.append(Difference(path, DifferenceKind.REMOVED, value_of(left[key]), ABSENT))
        elif key not in left:
            found.append(Difference(path, DifferenceKind.ADDED, ABSENT, value_of(right[key])))
        elif is_opaque(left[key]) or is_opaque(right[key]):
            sides = value_of(left[key]), value_of(right[key])
            found.append(Difference(path, DifferenceKind.CHANGED, *sides))
        else:
            found += diff(orjson.loads(left[key]), orjson.loads(right[key]), path, looks)
    return found
