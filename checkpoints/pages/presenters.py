"""What the pages of executions show, built from rows and rules."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import orjson
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints.domain.execution import Execution as Decided
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution
from checkpoints.pages.execution_queries import reason_of, translated_reason
from checkpoints.services.annotations import labels_of
from checkpoints.store.executions import as_domain
from checkpoints.store.pinned_workflow import PinnedVersion
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from conversations.reading.display_names import display_name
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Crumb, Text, Tone

_MOST_NODES: Final = 400
_KEYS_NAMED: Final = 6
_CRUMB: Final = 48


@dataclass(frozen=True, slots=True)
class WriteWords:
    """How a kind of write is shown."""

    label: Text
    icon: str
    tone: Tone


_WRITES: Final[Mapping[str, WriteWords]] = {
    WriteKind.START: WriteWords(gettext_lazy("Started"), "player-play", "blue"),
    WriteKind.CHECKPOINT: WriteWords(gettext_lazy("Checkpoint"), "device-floppy", "secondary"),
    WriteKind.COMPLETION: WriteWords(gettext_lazy("Node completed"), "check", "green"),
    WriteKind.UPDATE: WriteWords(gettext_lazy("State edited"), "pencil", "purple"),
    WriteKind.RESTORE: WriteWords(gettext_lazy("Restored"), "restore", "purple"),
    "resume": WriteWords(gettext_lazy("Resumed"), "player-play", "blue"),
    "approve": WriteWords(gettext_lazy("Approved"), "thumb-up", "green"),
    "reject": WriteWords(gettext_lazy("Rejected"), "thumb-down", "red"),
    "cancel": WriteWords(gettext_lazy("Cancelled"), "ban", "secondary"),
}
# The ranges of WAITS.
WAIT_LABELS: Final[Mapping[str, Text]] = {
    "10m": gettext_lazy("up to 10 minutes"),
    "1h": gettext_lazy("10 minutes to 1 hour"),
    "1d": gettext_lazy("1 hour to 1 day"),
    "7d": gettext_lazy("1 to 7 days"),
    "longer": gettext_lazy("more than 7 days"),
}
_UNKNOWN: Final = WriteWords(gettext_lazy("Other change"), "point", "secondary")
_FAILED: Final = WriteWords(gettext_lazy("Node failed"), "alert-circle", "red")


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node by its id and name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PathNode:
    """A node on the path of an execution; ``done`` is how often it completed, None if unknown."""

    id: str
    name: str
    type: str
    done: int | None
    current: bool
    ready: bool


@dataclass(frozen=True, slots=True)
class PositionView:
    """The position of an execution, and why it is there."""

    status: str
    version: int
    node: NamedNode | None
    side: str
    ready: Sequence[NamedNode]
    reason: str
    since: datetime | None
    deadline: datetime | None
    outcome: str
    pause_requested: bool
    review: bool
    approved: Sequence[NamedNode]


@dataclass(frozen=True, slots=True)
class TimelineLine:
    """One version of an execution in the timeline.

    At ``thinned_at`` retention removed its state, or it was ``deleted``; only this line is left of
    it then. ``took`` is the time since the version before, None if that is not listed; ``entered``
    is True if the status differs from that version's, as far as known. ``mine`` marks the reader's
    own version in a list of what happened meanwhile.
    """

    version: int
    words: WriteWords
    node: NamedNode | None
    status: str
    changed_keys: Sequence[str]
    more_keys: int
    written_bytes: int
    revision: int
    visible_count: int
    restored_from: int | None
    author: str
    reason: str
    created_at: datetime
    current: bool
    thinned_at: datetime | None
    deleted: bool = False
    label: str = ""
    took: timedelta | None = None
    entered: bool = True
    mine: bool = False


def position_view(moment: StoredSnapshot) -> PositionView:
    """Returns the position of the latest version; for an older one only what its manifest has."""
    row, pinned = moment.row, moment.pinned
    decided = as_domain(row) if row is not None else Decided(Status.IDLE)
    is_now = decided.version == moment.version
    pause = decided.pause if is_now else None
    node = moment.node_id
    rule = pinned.rules.get(node) if pinned and node else None
    return PositionView(
        status=moment.status.value,
        version=moment.version,
        node=named_node(pinned, node),
        side=moment.when.value,
        ready=[NamedNode(each, name_of(pinned, each)) for each in moment.ready],
        reason=reason_of(decided) if is_now else "",
        since=pause.since if pause else None,
        deadline=pause.deadline if pause else None,
        outcome=pause.outcome.value if pause and pause.outcome else "",
        pause_requested=moment.pause_requested,
        review=pause is not None and rule is not None and rule.when is pause.when,
        approved=[
            NamedNode(each.node_id, name_of(pinned, each.node_id))
            for each in decided.passed
            if is_now and each.approved
        ],
    )


def name_of(pinned: PinnedVersion | None, node_id: str) -> str:
    """Returns the name of a node, its id if it has none or the execution is free."""
    node = pinned.graph.nodes.get(node_id) if pinned is not None else None
    return (node.name if node is not None else None) or node_id


def named_node(pinned: PinnedVersion | None, node_id: str | None) -> NamedNode | None:
    return NamedNode(node_id, name_of(pinned, node_id)) if node_id else None


def steps_of(moment: StoredSnapshot, executed: Sequence[str] | None) -> list[PathNode]:
    """Returns the nodes of the workflow in order; of a free execution those that ran.

    ``executed`` is None if it is too long to count on a page.
    """
    counts = None if executed is None else Counter(executed)
    pinned, ready = moment.pinned, frozenset(moment.ready)
    if pinned is not None:
        nodes = [(node.id, node.name or node.id, node.type) for node in pinned.graph.nodes.values()]
    else:
        here = [moment.node_id] if moment.node_id else []
        nodes = [(name, name, "") for name in dict.fromkeys([*(executed or ()), *here])]
    return [
        PathNode(
            id=node_id,
            name=name,
            type=node_type,
            done=None if counts is None else counts[node_id],
            current=node_id == moment.node_id,
            ready=node_id in ready,
        )
        for node_id, name, node_type in nodes[:_MOST_NODES]
    ]


def node_choices(moment: StoredSnapshot) -> list[NamedNode]:
    """Returns the nodes to resume from; none for a free execution, which accepts any id."""
    if moment.pinned is None:
        return []
    return [NamedNode(node.id, node.name or node.id) for node in moment.pinned.graph.nodes.values()]


def version_lines(
    row: Execution, rows: Sequence[Checkpoint], pinned: PinnedVersion | None
) -> list[TimelineLine]:
    """Returns the timeline in the order of ``rows``, each with the version before it."""
    labels = labels_of(row, [each.version for each in rows])
    at = {each.version: each for each in rows}
    lines = []
    for each in rows:
        line = replace(version_line(row, each, pinned), label=labels.get(each.version, ""))
        if before := at.get(each.version - 1):
            took, entered = each.created_at - before.created_at, each.status != before.status
            line = replace(line, took=took, entered=entered)
        lines.append(line)
    return lines


def version_line(
    row: Execution, checkpoint: Checkpoint, pinned: PinnedVersion | None
) -> TimelineLine:
    keys: list[str] = orjson.loads(bytes(checkpoint.changed_keys))
    return TimelineLine(
        version=checkpoint.version,
        words=write_label(checkpoint),
        node=named_node(pinned, checkpoint.saved_node or checkpoint.node_id),
        status=checkpoint.status,
        changed_keys=keys[:_KEYS_NAMED],
        more_keys=max(len(keys) - _KEYS_NAMED, 0),
        written_bytes=checkpoint.written_bytes,
        revision=checkpoint.revision,
        visible_count=checkpoint.visible_count,
        restored_from=checkpoint.restored_from,
        author=checkpoint.author,
        reason=translated_reason(checkpoint.reason),
        created_at=checkpoint.created_at,
        current=checkpoint.version == row.version,
        thinned_at=checkpoint.thinned_at,
        deleted=checkpoint.deleted,
    )


def write_label(checkpoint: Checkpoint) -> WriteWords:
    """Returns how the write of a version is shown."""
    if checkpoint.kind == WriteKind.COMPLETION and checkpoint.reason:
        return _FAILED  # a completion's reason is its failure
    return _WRITES.get(checkpoint.move or checkpoint.kind, _UNKNOWN)


_MOVES: Final[Mapping[str, tuple[Action, Collection[Status]]]] = {
    "approve": (Action.EXECUTION_APPROVE, {Status.PAUSED}),
    "reject": (Action.EXECUTION_REJECT, {Status.PAUSED}),
    "edit": (Action.SNAPSHOT_UPDATE, {Status.PAUSED}),
    "resume": (Action.EXECUTION_RESUME, {Status.PENDING, Status.PAUSED, Status.FAILED}),
    "pause": (Action.EXECUTION_PAUSE, {Status.RUNNING}),
    "cancel": (Action.EXECUTION_CANCEL, {Status.PENDING, Status.RUNNING, Status.PAUSED}),
    "restore": (Action.CHECKPOINT_RESTORE, {Status.PAUSED, Status.FAILED}),
    "fork": (Action.CHECKPOINT_FORK, set(Status) - {Status.IDLE}),
}


def may_delete(actor: Actor, row: Execution, version: int) -> bool:
    """Returns whether a page offers to delete a version; the service checks other needs."""
    return actor.may(Action.CHECKPOINT_DELETE) and 0 < version < row.version


def moves_for(actor: Actor, status: Status) -> frozenset[str]:
    """Returns the buttons that a person has for an execution in this status."""
    return frozenset(
        name
        for name, (action, statuses) in _MOVES.items()
        if status in statuses and actor.may(action)
    )


def crumbs(head: Conversation | None = None, *more: Crumb) -> tuple[Crumb, ...]:
    """Returns the breadcrumbs of a page of an execution."""
    first = Crumb(_("Executions"), reverse("checkpoints:list"))
    if head is None:
        return (first, *more)
    name = display_name(head)
    short = name if len(name) <= _CRUMB else name[:_CRUMB].rstrip() + "…"
    here = Crumb(short, reverse("checkpoints:detail", args=[head.public_id]))
    return (first, here, *more)
