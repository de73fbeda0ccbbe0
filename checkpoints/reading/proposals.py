"""Reads the proposal of a paused execution from the manifests of its latest versions."""

from dataclasses import replace
from typing import Final

import orjson

from checkpoints.domain.pauses import When
from checkpoints.domain.proposal import Proposal, VersionManifest, lineage, proposal_of
from checkpoints.domain.reducers import MESSAGES
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.executions import CHECKPOINTS, check_manifest
from checkpoints.store.snapshots import StoredSnapshot

_READ: Final = 200  # manifests of one query
_MOST_READS: Final = 5  # a restore may lead far back


def find_proposal(moment: StoredSnapshot) -> Proposal:
    """Returns the proposal that a reviewer decides on; None if the execution is not paused."""
    if moment.row is None or moment.status is not Status.PAUSED:
        return Proposal()
    writes = _Writes(moment.row)
    history = lineage(writes.find, moment.version)
    return proposal_of(history, moment.node_id, moment.when, _predecessors(moment))


def _predecessors(moment: StoredSnapshot) -> frozenset[str] | None:
    if moment.pinned is None or moment.node_id is None or moment.when is When.AFTER:
        return None
    edges = moment.pinned.graph.incoming.get(moment.node_id, ())
    return frozenset(edge.from_node for edge in edges)


class _Writes:
    """The manifests of an execution, read in large batches."""

    def __init__(self, row: Execution) -> None:
        self._where = {"conversation": row.conversation, "execution": row.number}
        self._found: dict[int, VersionManifest] = {}
        self._reads = 0

    def find(self, version: int) -> VersionManifest | None:
        if version not in self._found and version >= 0 and self._reads < _MOST_READS:
            self._reads += 1
            rows = CHECKPOINTS.find_last(
                self._where,
                "version",
                below=version + 1,
                limit=_READ,
                without=("answer", "marking", "whole"),
            )
            self._found |= {row.version: _with_ways(check_manifest(row)) for row in rows}
        return self._found.get(version)


def read_manifest(row: Checkpoint) -> VersionManifest:
    """Returns what an undamaged version wrote, without the edges that it led to."""
    # A version whose view changed names MESSAGES too, which is no key of the state.
    keys: list[str] = orjson.loads(bytes(row.changed_keys))
    return VersionManifest(
        version=row.version,
        kind=WriteKind(row.kind),
        node=row.saved_node,
        keys=tuple(key for key in keys if key != MESSAGES),
        author=row.author,
        at=row.created_at,
        restored_from=row.restored_from,
        revision=row.revision,
        visible_count=row.visible_count,
        log_count=row.log_count,
    )


def _with_ways(row: Checkpoint) -> VersionManifest:
    ways = orjson.loads(bytes(row.routing))
    leads_to = frozenset(way["to"] for way in ways if way["passes"]) if ways else None
    return replace(read_manifest(row), leads_to=leads_to)
