"""Thinning in SQL: reads what retention needs to know of versions, and removes their state."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby
from typing import Final

import orjson
from django.db import connection
from django.db.models import F

from checkpoints.domain.retention import Needs, RetainedVersion
from checkpoints.domain.state import ChangeKind
from checkpoints.domain.status import Status
from checkpoints.domain.thinning import KeyRow, Span, rows_to_drop
from checkpoints.models import (
    Checkpoint,
    CheckpointDetails,
    Execution,
    Label,
    PendingEdit,
    StateKey,
    StateValue,
)
from checkpoints.store.state import LISTS, quote_names
from checkpoints.store.state_checksums import sum_of_key
from checkpoints.store.task_writes import drop_writes
from conversations.store.damage import ALTERED, damaged
from ctxadmin.lib.errors import ContextError

Place = tuple[str, int]  # key and version: a row of StateValue in one execution

_READ: Final = 2000
# What the head of a key repeats of its latest value.
_COPIED: Final = ("version", "first", "last", "spans", "digest", "size", "count")
_PAIRS: Final = 200  # of key and version in one statement
_VERSIONS: Final = 500
_ONE: Final = "(conversation = %s AND execution = %s AND `key` = %s AND version = %s)"
BATCH: Final = 500  # versions of one transaction: about 0.1 s under the lock of the conversation


@dataclass(frozen=True, slots=True)
class RetentionState:
    """The versions of an execution for retention; ``thinned`` are those thinned before.

    Deleted versions are not included: no other version would be kept in their place.
    """

    versions: Sequence[RetainedVersion]
    thinned: frozenset[int]
    needs: Needs


@dataclass(frozen=True, slots=True)
class ThinningBatch:
    """The work of one transaction: versions that lose their state, and rows that nothing reads
    then.
    """

    versions: Sequence[int]
    places: Sequence[Place]


def retention_state_of(row: Execution) -> RetentionState:
    """Returns all versions of an execution, from their manifests."""
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    names = ("version", "created_at", "status", "restored_from", "thinned_at", "deleted")
    found = list(rows.order_by("version").values_list(*names))
    ends: list[datetime | None] = [*(each[1] for each in found[1:]), None]
    paused_from: int | None = None
    restored: set[int] = set()
    for number, _, status, restored_from, *_ in found:
        if status != Status.PAUSED:
            paused_from = None
        elif paused_from is None:
            paused_from = number
        if restored_from is not None:
            restored.add(restored_from)
    return RetentionState(
        versions=[
            RetainedVersion(each[0], each[1], until)
            for each, until in zip(found, ends, strict=True)
            if not each[5]
        ],
        thinned=frozenset(each[0] for each in found if each[4] is not None and not each[5]),
        needs=Needs(
            newest=row.version,
            paused_from=paused_from,
            restored=frozenset(restored),
            forked=forked_versions(row),
            labelled=labelled_versions(row),
            edited=edited_versions(row),
            origin=row.origin_version,
        ),
    )


def forked_versions(row: Execution) -> frozenset[int]:
    """Returns the versions of an execution that were forked."""
    forks = Execution.objects.filter(origin_execution=row.public_id)
    found = forks.values_list("origin_version", flat=True)
    return frozenset(version for version in found if version is not None)


def labelled_versions(row: Execution) -> frozenset[int]:
    """Returns the versions of an execution that have a label."""
    rows = Label.objects.filter(conversation=row.conversation, execution=row.number)
    return frozenset(rows.values_list("version", flat=True))


def edited_versions(row: Execution) -> frozenset[int]:
    """Returns the versions of an execution that are the base of drafts."""
    rows = PendingEdit.objects.filter(conversation=row.conversation, execution=row.number)
    return frozenset(rows.values_list("version", flat=True))


def restored_versions_after(row: Execution, version: int) -> frozenset[int]:
    """Returns the versions that later ones than ``version`` restored."""
    rows = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version__gt=version
    )
    found = rows.exclude(restored_from=None).values_list("restored_from", flat=True)
    return frozenset(each for each in found if each is not None)


def thinning_batches(
    row: Execution,
    retained: Sequence[int],
    thinned: Sequence[int],
    *,
    keys: Collection[str] | None = None,
) -> list[ThinningBatch]:
    """Yields the transactions of thinning; everything is consistent after each of them.

    ``retained`` versions keep their state, ``thinned`` ones lose it; both ascend.
    ``keys`` are those with rows to delete, if known.
    """
    ends = [*thinned[BATCH - 1 :: BATCH]]
    if not ends or ends[-1] != thinned[-1]:
        ends.append(thinned[-1])
    places: list[list[Place]] = [[] for _ in ends]
    for key, rows in _rows_by_key(row, max(retained[-1], thinned[-1]), keys):
        for version, after in rows_to_drop(rows, retained, thinned):
            places[bisect_left(ends, after)].append((key, version))
    parts = [thinned[start : start + BATCH] for start in range(0, len(thinned), BATCH)]
    return [ThinningBatch(versions, found) for versions, found in zip(parts, places, strict=True)]


def deletion_batch(row: Execution, version: int) -> ThinningBatch:
    """Returns the rows to delete with a single version that is not the first.

    These are only rows of keys that were written both since the retained version before it and up
    to the one after it: any other row of this version is read by one of these too. No version is
    after the last retained one of an ended execution.
    """
    rows = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, thinned_at=None
    )
    retained = [
        *rows.exclude(version=version).order_by("version").values_list("version", flat=True)
    ]
    place = bisect_left(retained, version)
    before = retained[place - 1] if place else -1
    values = StateValue.objects.filter(conversation=row.conversation, execution=row.number)
    since = values.filter(version__gt=before, version__lte=version).values_list("key", flat=True)
    keys = {*since}
    if place < len(retained):
        until = values.filter(version__gt=version, version__lte=retained[place])
        keys.intersection_update(until.values_list("key", flat=True))
    [batch] = thinning_batches(row, retained, [version], keys=keys)
    return batch


def _rows_by_key(
    row: Execution, newest: int, keys: Collection[str] | None = None
) -> Iterator[tuple[str, list[KeyRow]]]:
    """Yields the rows of the state up to a version, without values, in order of the primary key.

    Later versions are left alone.
    """
    rows = StateValue.objects.filter(
        conversation=row.conversation, execution=row.number, version__lte=newest
    )
    if keys is not None:
        rows = rows.filter(key__in=keys)
    named = rows.order_by("key", "version").values_list("key", "version", "first", "last", "spans")
    for key, group in groupby(named.iterator(_READ), key=lambda each: each[0]):
        yield (
            key,
            [
                KeyRow(version, _spans_of(row, key, version, (first, last), bytes(spans)))
                for _, version, first, last, spans in group
            ],
        )


def _spans_of(row: Execution, key: str, version: int, ends: Span, data: bytes) -> tuple[Span, ...]:
    """Returns the spans of a value; raises Damaged unless they ascend between its ends.

    Otherwise rows that are still read could be deleted.
    """
    try:
        spans = tuple((int(first), int(last)) for first, last in orjson.loads(data or b"[]"))
    except (ValueError, TypeError):
        raise _damaged(row, key) from None
    spans = spans or (ends,)
    places = [*chain.from_iterable(spans)]
    fits = (places[0], places[-1]) == ends and places[0] >= 0 and places[-1] <= version
    if not fits or places != sorted(places):
        raise _damaged(row, key)
    return spans


def _damaged(row: Execution, key: str) -> ContextError:
    names = StateKey.objects.filter(conversation=row.conversation, execution=row.number, key=key)
    name = names.values_list("name", flat=True).first()
    return damaged(row.conversation, "list" if key in LISTS else "state key", name or key, ALTERED)


def _follow_values(row: Execution) -> None:
    """Makes the heads of keys those of the values that are left, once the latest version went.

    Until then the heads are those of the latest version, whose values are never removed.
    """
    own = {"conversation": row.conversation, "execution": row.number}
    left = StateValue.objects.filter(**own).order_by("key", "version").defer("value")
    newest = {each.key: each for each in left.iterator(_READ)}
    for head in StateKey.objects.filter(**own):
        value = newest.get(head.key)
        if value is None:
            StateKey.objects.filter(**own, key=head.key).delete()
        elif value.version != head.version:
            for name in _COPIED:
                setattr(head, name, getattr(value, name))
            head.gone = value.kind == ChangeKind.GONE
            StateKey.objects.filter(**own, key=head.key).update(
                gone=head.gone,
                sum=sum_of_key(head),
                **{name: getattr(head, name) for name in _COPIED},
            )


def size_of_values(row: Execution, places: Sequence[Place]) -> int:
    """Returns the bytes of the values of some rows."""
    return sum(_for_pairs(row, "SELECT COALESCE(SUM(LENGTH(value)), 0) FROM", places))


def drop_states(row: Execution, batch: ThinningBatch, at: datetime) -> int:
    """Removes the state of versions; returns the freed bytes.

    The manifests stay: the timeline remains complete, repeated saves get their answers, and the
    decisions on edges can be traced.
    """
    freed = size_of_values(row, batch.places)
    for _ in _for_pairs(row, "DELETE FROM", batch.places):
        pass
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    for start in range(0, len(batch.versions), _VERSIONS):
        part = batch.versions[start : start + _VERSIONS]
        rows.filter(version__in=part).update(thinned_at=at, marking=b"")
        drop_writes(row.conversation, rows.filter(version__in=part).values("checkpoint_id"))
    Execution.objects.filter(conversation=row.conversation, number=row.number).update(
        thinned_count=F("thinned_count") + len(batch.versions)
    )
    if rows.filter(version=row.version, thinned_at__isnull=False).exists():
        _follow_values(row)
    return freed


def mark_deleted(row: Execution, version: int, at: datetime) -> None:
    """Marks a version without state as deleted, and removes its details."""
    own = {"conversation": row.conversation, "execution": row.number, "version": version}
    CheckpointDetails.objects.filter(**own).delete()
    Checkpoint.objects.filter(**own).update(deleted=True, thinned_at=at, details_sum=None)


def paused_since_version(row: Execution) -> int | None:
    """Returns the version since which an execution has been PAUSED, None if it is not."""
    if row.status != Status.PAUSED:
        return None
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    others = rows.exclude(status=Status.PAUSED.value).order_by("-version")
    last = others.values_list("version", flat=True).first()
    return 0 if last is None else last + 1


def _for_pairs(row: Execution, verb: str, places: Sequence[Place]) -> Iterable[int]:
    """Runs a statement over rows by their keys and versions; returns its results, or 0."""
    for start in range(0, len(places), _PAIRS):
        part = places[start : start + _PAIRS]
        # SQLite seeks for a term only if it names the whole key.
        chosen = " OR ".join([_ONE] * len(part))
        own: list[str | int] = []
        for key, version in part:
            own += (row.conversation, row.number, key, version)
        with connection.cursor() as cursor:
            cursor.execute(quote_names(f"{verb} checkpoints_statevalue WHERE {chosen}"), own)
            yield int(cursor.fetchone()[0]) if cursor.description else 0
