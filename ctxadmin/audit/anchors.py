"""Anchors: the heads of all streams at one moment, in a chain of their own."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Max

from ctxadmin.audit.chain import FIRST_HASH, anchor_hash, heads_digest
from ctxadmin.audit.keys import current_key
from ctxadmin.audit.models import AuditAnchor, AuditAnchoredHead, AuditEntry
from ctxadmin.lib import clock

_log = logging.getLogger("ctxadmin.audit")

# An entry has the time at which its transaction began, by the clock of its machine: entries that
# are so much older than the last anchor may have come after it.
_OVERLAP: Final = timedelta(minutes=10)
_CHUNK: Final = 400
_ANCHOR_AFTER: Final = timedelta(minutes=15)
NO_WORKSPACE: Final = 0

Row = tuple[int, int, str, int]  # stream, seq, hash, unkeyed
_workspaces: Final[list[Callable[[], Iterable[int]]]] = []


def register_workspaces(keys: Callable[[], Iterable[int]]) -> None:
    """Registers the workspaces whose entries are anchored, besides those of none."""
    _workspaces.append(keys)


def last_anchor() -> AuditAnchor | None:
    """Returns the latest anchor.

    None only if someone removed all, because migrations make the first.
    """
    return AuditAnchor.objects.order_by("-number").first()


def anchor_heads(*, everything: bool = False) -> AuditAnchor | None:
    """Anchors the streams that grew since the last anchor; returns that one if none did.

    It finds the entries since then by their times; with ``everything`` those of all streams,
    including entries with a wrong clock. Writers are not blocked. Of two concurrent calls one does
    it. Returns None without an anchor to continue from: migrations made the first, so someone
    removed all, and a new first one would hide that.
    """
    last = last_anchor()
    if last is None:
        _log.error("the audit has no anchors: run verify_audit to see what is wrong")
        return None
    found = _all_heads() if everything else _heads_since(last)
    rows = sorted(_not_anchored(found))
    if not rows:
        return last
    try:
        return insert_anchor(last, rows)
    except IntegrityError:
        return last_anchor()


def anchor_if_due() -> None:
    """Anchors what grew, if that was not done for 15 minutes."""
    last = last_anchor()
    if last is None or not timedelta() <= clock.now() - last.at < _ANCHOR_AFTER:
        anchor_heads()


def _all_heads() -> Mapping[int, int]:
    rows = AuditEntry.objects.order_by("stream").values_list("stream").annotate(Max("seq"))
    return dict(rows)


def _heads_since(last: AuditAnchor) -> Mapping[int, int]:
    """Returns heads by the index of workspace and time, which covers the query."""
    found: dict[int, int] = {}
    since = last.at - _OVERLAP
    for workspace in (NO_WORKSPACE, *(key for keys in _workspaces for key in keys())):
        rows = AuditEntry.objects.filter(workspace=workspace, at__gte=since)
        for stream, seq in rows.order_by().values_list("stream").annotate(Max("seq")):
            found[stream] = max(seq, found.get(stream, 0))
    return found


def _not_anchored(found: Mapping[int, int]) -> Iterator[Row]:
    for streams in _chunks(sorted(found)):
        rows = AuditAnchoredHead.objects.filter(stream__in=streams).order_by()
        anchored = dict(rows.values_list("stream").annotate(Max("seq")))
        grown = [each for each in streams if found[each] > anchored.get(each, 0)]
        entries = AuditEntry.objects.filter(pk__in=[(each, found[each]) for each in grown])
        for stream, seq, hash_ in entries.values_list("stream", "seq", "hash"):
            yield stream, seq, hash_, 0


def _chunks(streams: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(streams), _CHUNK):
        yield streams[start : start + _CHUNK]


@transaction.atomic
def insert_anchor(last: AuditAnchor | None, rows: Sequence[Row]) -> AuditAnchor:
    """Stores the anchor after ``last`` with its heads.

    Raises IntegrityError if one exists already.
    """
    key, number = current_key(), last.number + 1 if last else 1
    anchor = AuditAnchor(
        number=number,
        at=clock.now(),
        streams=len(rows),
        digest=heads_digest(rows),
        key_name=key.name,
    )
    before = last.hash if last else FIRST_HASH
    anchor.hash = anchor_hash(before, number, anchor.at, anchor.streams, anchor.digest, key)
    anchor.save(force_insert=True)
    AuditAnchoredHead.objects.bulk_create(
        (
            AuditAnchoredHead(stream=stream, anchor=number, seq=seq, hash=hash_, unkeyed=unkeyed)
            for stream, seq, hash_, unkeyed in rows
        ),
        batch_size=500,
    )
    return anchor
