"""Finds entries of a workspace's audit: by person, object, action and time, latest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import Q, QuerySet

from ctxadmin.audit.models import AuditEntry, AuditReason
from ctxadmin.audit.streams import streams_of
from ctxadmin.identity.roles import Action

_AT_ONCE: Final = 500
_OF_CONVERSATIONS: Final = frozenset({"conversation", "execution"})
# Sort key of an entry: its time in microseconds since 1970, its stream and its number.
Position = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class NamedObject:
    """An object with its name; ``stream`` is its own stream, None if it has none."""

    object_type: str
    object_id: str
    name: str
    stream: int | None = None


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What to find; empty fields mean all.

    ``actor`` is a name, or one with its kind (``person:anna``); ``authors`` are names to find in
    its place. An ``object_type`` of ``conversation`` with an ``object_id`` also finds the changes
    of its executions, one of ``execution`` with the id of a conversation only these. ``named`` are
    objects to find beside the ``object_id``. ``since`` is included, ``until`` is not.
    """

    actor: str = ""
    action: str = ""
    object_type: str = ""
    object_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    named: Sequence[NamedObject] = ()
    authors: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """An entry with its reason, None if none was given or it was erased."""

    entry: AuditEntry
    reason: AuditReason | None

    @property
    def position(self) -> Position:
        return (microseconds(self.entry.at), self.entry.stream, self.entry.seq)


def find_entries(
    workspace: int, wanted: AuditFilter, after: Position | None, most: int
) -> list[FoundEntry]:
    """Returns the next entries after a position, at most ``most``.

    It needs two or three queries, and one more for each type of ``named`` objects.
    """
    rows = AuditEntry.objects.filter(workspace=workspace)
    rows = _restricted(rows, wanted)
    if after is not None:
        rows = rows.filter(_after(after))
    found: dict[tuple[int, int], AuditEntry] = {}
    for part in _parts(rows, workspace, wanted):
        for entry in part.order_by("-at", "stream", "seq")[:most]:
            found[entry.stream, entry.seq] = entry
    entries = sorted(found.values(), key=_newest_first)[:most]
    return with_reasons(entries)


def every_entry(workspace: int, wanted: AuditFilter, most: int = _AT_ONCE) -> Iterator[FoundEntry]:
    """Yields all matching entries, latest first, ``most`` in memory at once.

    Entries that are written meanwhile are later than the first one, and are left out.
    """
    after: Position | None = None
    while True:
        page = find_entries(workspace, wanted, after, most)
        yield from page
        if len(page) < most:
            return
        after = page[-1].position


def with_reasons(entries: Sequence[AuditEntry]) -> list[FoundEntry]:
    """Returns entries with their reasons, with at most one query."""
    given = [(entry.stream, entry.seq) for entry in entries if entry.reason_digest]
    unkeyed = [(entry.stream, entry.seq) for entry in entries if not entry.key_name]
    wanted = [*given, *unkeyed]
    rows = AuditReason.objects.filter(pk__in=wanted) if wanted else ()
    reasons = {(row.stream, row.seq): row for row in rows}
    return [FoundEntry(entry, reasons.get((entry.stream, entry.seq))) for entry in entries]


def erased_among(entries: Iterable[AuditEntry]) -> frozenset[int]:
    """Returns the streams of those conversations that were erased since, with one query."""
    streams = {each.stream for each in entries if each.object_type in _OF_CONVERSATIONS}
    if not streams:
        return frozenset()
    erasures = AuditEntry.objects.filter(stream__in=streams, action=Action.CONVERSATION_ERASE.value)
    return frozenset(erasures.values_list("stream", flat=True))


def microseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 10**6)


def _restricted(rows: QuerySet[AuditEntry], wanted: AuditFilter) -> QuerySet[AuditEntry]:
    if wanted.authors:
        rows = rows.filter(actor_name__in=wanted.authors)
    elif wanted.actor:
        kind, separator, name = wanted.actor.partition(":")
        if separator and kind in ("person", "token", "system"):
            rows = rows.filter(actor_name=name, actor_kind=kind)
        else:
            rows = rows.filter(actor_name=wanted.actor)
    if wanted.action:
        rows = rows.filter(action=wanted.action)
    if wanted.object_type and not wanted.object_id:
        rows = rows.filter(object_type=wanted.object_type)
    if wanted.since is not None:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until is not None:
        rows = rows.filter(at__lt=wanted.until)
    return rows


def _parts(
    rows: QuerySet[AuditEntry], workspace: int, wanted: AuditFilter
) -> Iterator[QuerySet[AuditEntry]]:
    """Yields the queries that together find objects: by their ids, and by their streams.

    As one query with OR, MySQL would read the whole workspace.
    """
    if not wanted.object_id:
        yield rows
        return
    by_id = rows.filter(object_id=wanted.object_id)
    yield by_id.filter(object_type=wanted.object_type) if wanted.object_type else by_id
    with_stream = "conversation" if wanted.object_type == "execution" else wanted.object_type
    streams = [*streams_of(workspace, with_stream, wanted.object_id)]
    streams += [each.stream for each in wanted.named if each.stream is not None]
    if streams:
        in_streams = rows.filter(stream__in=streams)
        only_executions = wanted.object_type == "execution"
        yield in_streams.filter(object_type="execution") if only_executions else in_streams
    ids: dict[str, list[str]] = {}
    for each in wanted.named:
        if wanted.object_type in ("", each.object_type):
            ids.setdefault(each.object_type, []).append(each.object_id)
    for object_type, of_type in ids.items():
        yield rows.filter(object_type=object_type, object_id__in=of_type)


def _after(position: Position) -> Q:
    moment, stream, seq = position
    at = datetime.fromtimestamp(moment / 10**6, UTC)
    same = Q(at=at) & (Q(stream__gt=stream) | Q(stream=stream, seq__gt=seq))
    # The first condition is what an index can begin at.
    return Q(at__lte=at) & (Q(at__lt=at) | same)


def _newest_first(entry: AuditEntry) -> tuple[int, int, int]:
    return (-microseconds(entry.at), entry.stream, entry.seq)
