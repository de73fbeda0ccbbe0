"""Reads executions: snapshots, the list of versions, the difference of two."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson

from checkpoints.domain.opaque import is_opaque, returned_value
from checkpoints.domain.reducers import MESSAGES
from checkpoints.domain.state import KeyHead
from checkpoints.domain.timeline import Snapshot, compare_states
from checkpoints.live_copy.contents import (
    Contents,
    contents_of,
    contents_of_keys,
    whole_list,
)
from checkpoints.live_copy.port import ALL_PARTS, Part, Value
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.executions import CHECKPOINTS, check_manifest, find_current
from checkpoints.store.snapshots import StoredSnapshot, current_snapshot, snapshot_at
from checkpoints.store.state import LISTS
from checkpoints.store.usage import usage_at
from conversations.domain import diff
from conversations.domain.revisions import Revision
from conversations.models import Conversation
from conversations.store.conversation import as_revision, find_head, find_revision, view_of
from ctxadmin.http.endpoints.pagination import Page, PageRequest, foreign_cursor, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.structural_diff import Difference

_BEHIND_ALL: Final = 2**31  # more than the largest version
_NOTHING: Mapping[str, bytes] = {}


def find_moment(actor: Actor, public_id: str, version: int | None = None) -> StoredSnapshot:
    """Returns the current execution now or at a version; raises NotFound for others."""
    head = find_head(actor.workspace, public_id)
    if version is None:
        return current_snapshot(head)
    return snapshot_at(head, find_current(head.key), version)


def snapshot_pieces(moment: StoredSnapshot, keys: Collection[str] | None = None) -> list[bytes]:
    """Returns the snapshot of a moment as JSON in pieces, from the stored bytes.

    ``keys`` names the keys of ``state_data`` to include, all by default.
    """
    contents = contents_of(moment, ALL_PARTS) if keys is None else contents_of_keys(moment, keys)
    moment.require_whole()
    row, pinned = moment.row, moment.pinned
    return Snapshot(
        conversation_id=moment.head.public_id,
        execution=row.public_id if row else None,
        workflow=(row.workflow if row else moment.head.workflow) or None,
        current_node_id=moment.node_id,
        current_node_name=_node_name(moment),
        status=moment.status,
        pause_requested=moment.pause_requested,
        state_data=list(_state_data(contents)),
        execution_history=whole_list(contents, Part.HISTORY),
        executed_node_ids=whole_list(contents, Part.EXECUTED),
        ready_nodes=moment.ready if row or pinned else (),
        timestamp=moment.at,
        version=moment.version,
        revision=moment.revision,
        pause=moment.pause,
        opaque=list(_opaque(contents)),
        usage=usage_at(moment.manifest) if isinstance(moment.manifest, Checkpoint) else None,
    ).as_pieces()


def snapshot_bytes(moment: StoredSnapshot, keys: Collection[str] | None = None) -> bytes:
    """Returns ``snapshot_pieces`` as one text."""
    return b"".join(snapshot_pieces(moment, keys))


def state_pieces(moment: StoredSnapshot) -> list[bytes]:
    """Returns the value of ``state_data`` as JSON in pieces, followed by ``opaque``, if any."""
    contents = contents_of(moment, (Part.STATE, Part.MESSAGES))
    moment.require_whole()
    return [*_state_data(contents), *_opaque(contents)]


def _state_data(contents: Contents) -> Iterator[bytes]:
    """Returns the keys by name, followed by the visible messages if requested."""
    before = b"{"
    for name, value in sorted(contents[Part.STATE].items()):
        if _is_opaque(value):
            continue
        yield before + dumps(name) + b":"
        yield from value.pieces
        before = b","
    if Part.MESSAGES in contents:
        yield before + dumps(MESSAGES) + b":"
        yield from whole_list(contents, Part.MESSAGES)
        before = b","
    yield b"{}" if before == b"{" else b"}"


def _opaque(contents: Contents) -> Iterator[bytes]:
    """Returns the field ``opaque`` with the comma before it; nothing without opaque values."""
    before = b',"opaque":{'
    for name, value in sorted(contents[Part.STATE].items()):
        if _is_opaque(value):
            yield before + dumps(name) + b":"
            yield returned_value(b"".join(value.pieces))
            before = b","
    if before == b",":
        yield b"}"


def _is_opaque(value: Value) -> bool:
    return bool(value.pieces) and is_opaque(value.pieces[0])


def _node_name(moment: StoredSnapshot) -> str | None:
    """Returns the name of the current node, its id if it has none."""
    if moment.node_id is None or moment.pinned is None:
        return moment.node_id
    node = moment.pinned.graph.nodes.get(moment.node_id)
    return node.name or node.id if node is not None else moment.node_id


def list_checkpoints(
    actor: Actor, public_id: str, request: PageRequest
) -> tuple[Execution | None, Page[Checkpoint]]:
    """Lists the versions of a conversation's current execution, latest first, without state."""
    head = find_head(actor.workspace, public_id)
    row = find_current(head.key)
    before = place_after(request)
    if row is None:
        return None, Page((), None)
    found = CHECKPOINTS.find_last(
        {"conversation": head.key, "execution": row.number},
        "version",
        below=before,
        limit=request.limit + 1,
        without=("answer", "marking", "routing"),
    )
    found = [check_manifest(each) for each in found]
    return row, page_of(found, request, lambda checkpoint: (checkpoint.version,))


def place_after(request: PageRequest) -> int:
    """Returns the version above those of this page."""
    match request.after:
        case ():
            return _BEHIND_ALL
        case (int() as before,) if 0 <= before < _BEHIND_ALL:
            return before
        case _:
            raise foreign_cursor()


def checkpoint_json(row: Checkpoint) -> dict[str, object]:
    """Returns a version as the contract lists it.

    ``node_id`` is the saved node, else the current one.
    """
    return {
        "version": row.version,
        "kind": row.kind,
        "move": row.move or None,
        "checkpoint_id": row.checkpoint_id,
        "node_id": row.saved_node or row.node_id or None,
        "current_node_id": row.node_id or None,
        "when": row.side,
        "status": row.status,
        "changed_keys": orjson.Fragment(bytes(row.changed_keys)),
        "written_bytes": row.written_bytes,
        "state_bytes": row.state_bytes,
        "state_digest": row.state_digest,
        "revision": row.revision,
        "visible_count": row.visible_count,
        "executed_count": row.executed_count,
        "restored_from": row.restored_from,
        "thinned_at": None if row.deleted else _time(row.thinned_at),
        "deleted_at": _time(row.thinned_at) if row.deleted else None,
        "author": row.author,
        "reason": row.reason or None,
        "created_at": clock.iso(row.created_at),
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else clock.iso(at)


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """The differences of two versions."""

    state: Sequence[Difference]
    messages: Sequence[diff.ViewDifference]


def compare(actor: Actor, public_id: str, before: int, after: int) -> VersionComparison:
    """Compares two versions of the current execution; raises NotFound for others."""
    head = find_head(actor.workspace, public_id)
    row = find_current(head.key)
    return compare_moments(snapshot_at(head, row, before), snapshot_at(head, row, after))


def compare_moments(before: StoredSnapshot, after: StoredSnapshot) -> VersionComparison:
    """Compares two moments of one conversation, also of different executions."""
    left, right = _Side(before), _Side(after)
    state = compare_states(left.heads, right.heads, left.read, right.read)
    before.require_whole()
    after.require_whole()
    return VersionComparison(state, _message_changes(before, after))


class _Side:
    """One version's keys, whose values are read on demand."""

    def __init__(self, moment: StoredSnapshot) -> None:
        self.moment = moment
        self.held = {each.name: each for key, each in moment.heads().items() if key not in LISTS}

    @property
    def heads(self) -> dict[str, KeyHead]:
        return {name: each.head for name, each in self.held.items() if each.head is not None}

    def read(self, names: Sequence[str]) -> Mapping[str, bytes]:
        rows = self.moment.rows
        if rows is None:
            return _NOTHING
        found = rows.values([self.held[name] for name in names], self.moment.version)
        return {name: found[self.held[name].key] for name in names}


def _message_changes(
    before: StoredSnapshot, after: StoredSnapshot
) -> Sequence[diff.ViewDifference]:
    edits: Mapping[int, int] = {}
    if before.revision != after.revision:
        revisions = _Revisions(before.head)
        first, last = revisions[before.revision], revisions[after.revision]
        edits = diff.edits_between(first, last, revisions)
    return diff.diff_views(before.view(), after.view(), known=before.log_count, edits=edits)


class _Revisions(dict[int, Revision]):
    """The revisions of a conversation by number, each read on demand."""

    def __init__(self, head: Conversation) -> None:
        super().__init__()
        self.head = head

    def __missing__(self, number: int) -> Revision:
        row = find_revision(self.head.key, number)
        self[number] = as_revision(row, view_of(row))
        return self[number]
