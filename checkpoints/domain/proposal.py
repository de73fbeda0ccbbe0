"""The proposal of a paused execution: the writes that a reviewer decides on, and later ones."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from checkpoints.domain.pauses import When
from checkpoints.domain.timeline import WriteKind

_OF_NODES: Final = frozenset({WriteKind.CHECKPOINT, WriteKind.COMPLETION})


@dataclass(frozen=True, slots=True)
class VersionManifest:
    """The manifest of one version, as far as a proposal needs it.

    ``node`` is the saved or completed node; ``leads_to`` are the nodes to which an edge from it
    passed, None if that is not on record. ``keys`` are the changed keys. ``revision`` and
    ``visible_count`` are of the view right after it, ``log_count`` of the log.
    """

    version: int
    kind: WriteKind
    node: str
    keys: tuple[str, ...]
    author: str
    at: datetime
    restored_from: int | None = None
    leads_to: frozenset[str] | None = None
    revision: int = 0
    visible_count: int = 0
    log_count: int = 0


@dataclass(frozen=True, slots=True)
class ProposalSource:
    """The proposal of one node: it wrote ``keys``, and its state is at ``version``.

    ``since`` is the version before its first write. The other numbers are those of its latest
    write.
    """

    node: str
    version: int
    at: datetime
    keys: tuple[str, ...]
    author: str
    since: int
    revision: int
    visible_count: int
    log_count: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the reviewer decides on; ``since`` are later writes, latest first."""

    sources: tuple[ProposalSource, ...] = ()
    since: tuple[VersionManifest, ...] = ()

    def source_of(self, key: str) -> ProposalSource | None:
        """Returns the latest source that wrote a key."""
        return next((each for each in self.sources if key in each.keys), None)

    def changed_by(self, key: str) -> VersionManifest | None:
        """Returns the latest write of a key since its source, None if there is none."""
        return next(self.changes_of(key), None)

    def changes_of(self, key: str) -> Iterator[VersionManifest]:
        """Yields the writes of a key since its source, latest first."""
        source = self.source_of(key)
        for write in self.since:
            if source is not None and write.version == source.version:
                return
            if key in write.keys:
                yield write

    def edited_besides(self) -> tuple[str, ...]:
        """Returns the keys that people changed since and no source wrote."""
        edited = (key for each in self.since if each.kind is WriteKind.UPDATE for key in each.keys)
        return tuple(key for key in dict.fromkeys(edited) if self.source_of(key) is None)


def lineage(
    find: Callable[[int], VersionManifest | None], version: int
) -> Iterator[VersionManifest]:
    """Yields the writes that led to the state at ``version``, latest first, as far as found.

    A restore continues with the version that it restored: the versions between are undone.
    """
    while (write := find(version)) is not None:
        if write.kind is WriteKind.RESTORE and write.restored_from is not None:
            version = write.restored_from
            continue
        yield write
        version = write.version - 1


def proposal_of(
    history: Iterable[VersionManifest],
    node_id: str | None,
    when: When,
    predecessors: Collection[str] | None,
) -> Proposal:
    """Returns the proposal of an execution paused at a node; ``history`` is its lineage.

    After a node it is what that node wrote. Before a node it is what its predecessors wrote since
    the node last ran; ``predecessors`` is None for a free execution, which has none on record. If
    none of them is found, it is what the last node wrote.
    """
    passed: list[VersionManifest] = []
    found: dict[str, list[VersionManifest]] = {}
    complete: set[str] = set()
    wanted = _nodes_to_find(node_id, when, predecessors)
    for write in history:
        is_own = write.node == node_id and write.kind is WriteKind.COMPLETION
        if when is When.BEFORE and is_own:
            break  # what is older belongs to the round before
        is_of_node = write.kind in _OF_NODES
        if is_of_node and wanted is None:
            wanted = frozenset({write.node})
        if is_of_node and write.node not in found and wanted is not None and wanted <= found.keys():
            break
        passed.append(write)
        if not is_of_node or not _leads(write, node_id, when, wanted):
            continue
        is_saved = write.kind is WriteKind.CHECKPOINT
        if write.node not in found:
            found[write.node] = [write]
            if is_saved:
                complete.add(write.node)
        elif not is_saved:
            complete.add(write.node)  # an earlier run of the same node
        elif write.node not in complete:
            found[write.node].append(write)  # saved on the way to its completion
    if not found:
        last = next((each for each in passed if each.kind in _OF_NODES), None)
        found = {} if last is None else {last.node: [last]}
    return _proposal(passed, found)


def _nodes_to_find(
    node_id: str | None, when: When, predecessors: Collection[str] | None
) -> frozenset[str] | None:
    if when is When.AFTER:
        return None if node_id is None else frozenset({node_id})
    return None if predecessors is None else frozenset(predecessors)


def _leads(
    write: VersionManifest, node_id: str | None, when: When, wanted: frozenset[str] | None
) -> bool:
    if wanted is None or write.node not in wanted:
        return False
    is_saved = write.kind is WriteKind.CHECKPOINT or write.leads_to is None
    return when is When.AFTER or is_saved or node_id in (write.leads_to or ())


def _proposal(
    passed: Sequence[VersionManifest], found: Mapping[str, Sequence[VersionManifest]]
) -> Proposal:
    sources = sorted(map(_source, found.values()), key=lambda each: -passed.index(each[0]))
    newest_first = [source for _newest, source in reversed(sources)]
    if not newest_first:
        return Proposal(since=tuple(passed))
    oldest = passed.index(sources[0][0])
    return Proposal(tuple(newest_first), tuple(passed[: oldest + 1]))


def _source(writes: Sequence[VersionManifest]) -> tuple[VersionManifest, ProposalSource]:
    """Returns all that one run of a node wrote, latest version first."""
    newest = writes[0]
    keys = dict.fromkeys(key for write in writes for key in write.keys)
    return newest, ProposalSource(
        newest.node,
        newest.version,
        newest.at,
        tuple(keys),
        author=newest.author,
        since=writes[-1].version - 1,
        revision=newest.revision,
        visible_count=newest.visible_count,
        log_count=newest.log_count,
    )
