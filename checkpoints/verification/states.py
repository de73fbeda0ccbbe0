"""Verifies the stored state of one execution: every value, every chain, the totals of versions."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import orjson

from checkpoints.domain.opaque import is_opaque
from checkpoints.domain.reducers import Reducer
from checkpoints.domain.state import (
    EMPTY,
    ChangeKind,
    KeyChange,
    KeyHead,
    chunk_head,
    head_of,
    totals_after,
)
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from checkpoints.store.state import EXECUTED, HISTORY, LISTS, StateRows
from checkpoints.store.state_checksums import sum_of_key, sum_of_value
from conversations.store.verification import DataFault, Unsummed, report_errors, span
from ctxadmin.lib.errors import ContextError

_BLOCK: Final = 500
_COPIED: Final = ("version", "first", "last", "digest", "size", "count")


@dataclass(slots=True)
class _Key:
    """One key as the rows of its values describe it, version by version."""

    name: str
    versions: list[int] = field(default_factory=list)
    kinds: list[ChangeKind] = field(default_factory=list)
    heads: list[KeyHead] = field(default_factory=list)
    newest: StateValue | None = None

    def take(self, row: StateValue) -> None:
        self.versions.append(row.version)
        self.kinds.append(ChangeKind(row.kind))
        self.heads.append(KeyHead(bytes.fromhex(row.digest), row.size, row.count))
        self.newest = row

    def head_before(self, row: StateValue) -> KeyHead | None:
        """Returns the head of the value that a row continues or points to.

        None if it is missing.
        """
        for first, last in reversed(_spans(row)):
            place = bisect_right(self.versions, min(last, row.version - 1)) - 1
            if place >= 0 and self.versions[place] >= first:
                return self.heads[place]
        return None


def verify_state(row: Execution, unsummed: Unsummed) -> Iterator[DataFault]:
    """Verifies the keys, the values and the totals of all versions with state."""
    where = {"conversation": row.conversation, "execution": row.number}
    heads = {each.key: each for each in StateKey.objects.filter(**where)}
    found: dict[str, _Key] = {}
    values = StateValue.objects.filter(**where).order_by("key", "version").iterator(_BLOCK)
    for key, rows in groupby(values, key=lambda value: value.key):
        found[key] = known = _Key(heads[key].name if key in heads else key)
        for value in rows:
            what = f"{_what(row, key, known.name)} at version {value.version}"
            yield from report_errors(what, _verify_value(known, value, unsummed))
        if key not in heads:
            yield DataFault(_what(row, key, known.name), "has values and is not among the keys")
    for key, head in heads.items():
        what = _what(row, head.key, head.name)
        yield from report_errors(what, _verify_key(row, head, found.get(key), unsummed))
    totals = _verify_totals(row, [known for key, known in found.items() if key not in LISTS])
    yield from report_errors(f"execution {row.number}: state", totals)
    if not _is_latest_deleted(row):
        yield from report_errors(f"execution {row.number}: lists", _verify_lists(row))


def _is_latest_deleted(row: Execution) -> bool:
    """Returns True for a former execution of which the latest version was deleted."""
    latest = {"conversation": row.conversation, "execution": row.number, "version": row.version}
    return Checkpoint.objects.filter(**latest, deleted=True).exists()


def _what(row: Execution, key: str, name: str) -> str:
    return f"execution {row.number}: {'list' if key in LISTS else 'state key'} {name!r}"


def _verify_value(known: _Key, row: StateValue, unsummed: Unsummed) -> Iterator[DataFault]:
    """Verifies one row of a key and adds it to what is known; the earlier rows are verified."""
    before = known.head_before(row)
    known.take(row)
    kind = "list" if row.key in LISTS else "state key"
    what = f"execution {row.execution}: {kind} {known.name!r} at version {row.version}"
    value = bytes(row.value)
    if row.sum is None:
        unsummed.rows += 1
    elif row.sum != sum_of_value(row.key, row.version, value):
        yield DataFault(what, "is damaged: its checksum does not match")
        return
    if row.kind in (ChangeKind.APPEND, ChangeKind.SAME) and before is None:
        yield DataFault(what, "continues a value that is missing")
        return
    try:
        expected = _expected(row, value, before)
    except ValueError:
        yield DataFault(what, "is not JSON")
        return
    if row.key not in LISTS and expected not in (
        None,
        KeyHead(bytes.fromhex(row.digest), row.size, row.count),
    ):
        yield DataFault(what, "is damaged: its digest does not match")


def _expected(row: StateValue, value: bytes, before: KeyHead | None) -> KeyHead | None:
    """Returns the head that a row must have, None if unknown.

    Raises ValueError for invalid JSON.
    """
    if row.kind == ChangeKind.GONE:
        return None
    if row.kind == ChangeKind.SAME:
        return before
    if is_opaque(value):
        return head_of(value)
    orjson.loads(value)
    if row.kind == ChangeKind.SET or before is None:
        return head_of(value, Reducer.OVERWRITE if row.count is None else Reducer.APPEND)
    return None if row.key in LISTS else chunk_head(before, value)


def _spans(row: StateValue) -> Sequence[tuple[int, int]]:
    return orjson.loads(bytes(row.spans)) if row.spans else [(row.first, row.last)]


def _verify_key(
    row: Execution, head: StateKey, known: _Key | None, unsummed: Unsummed
) -> Iterator[DataFault]:
    what = _what(row, head.key, head.name)
    if head.sum is None:
        unsummed.rows += 1
    elif head.sum != sum_of_key(head):
        yield DataFault(what, "is damaged: its checksum does not match")
    newest = known.newest if known is not None else None
    if newest is None:
        yield DataFault(what, "has no values")
        return
    same = all(getattr(head, name) == getattr(newest, name) for name in _COPIED)
    is_gone = newest.kind == ChangeKind.GONE
    if not same or bytes(head.spans) != bytes(newest.spans) or head.gone != is_gone:
        yield DataFault(what, f"does not match its latest value, of version {newest.version}")


def _verify_totals(row: Execution, keys: Sequence[_Key]) -> Iterator[DataFault]:
    """Verifies the totals of every version with state, from the heads of its keys."""
    changes: dict[int, list[KeyChange]] = defaultdict(list)
    for known in keys:
        for version, kind, head in zip(known.versions, known.kinds, known.heads, strict=True):
            after = None if kind is ChangeKind.GONE else head
            changes[version].append(KeyChange(known.name, kind, after))
    heads: dict[str, KeyHead] = {}
    totals = EMPTY
    expected = 0
    written = sorted(changes)  # a damaged number may be as large as its column holds
    place = 0
    names = ("version", "state_digest", "state_bytes", "state_keys", "thinned_at")
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    for version, digest, size, count, thinned_at in rows.order_by("version").values_list(*names):
        if expected < version:
            missing = span("version", expected, version)
            yield DataFault(f"execution {row.number}: {missing}", "is missing")
        while place < len(written) and written[place] <= version:
            number = written[place]
            place += 1
            totals = totals_after(totals, heads, changes[number])
            heads |= {each.key: each.head for each in changes[number] if each.head is not None}
            for each in changes[number]:
                if each.head is None:
                    heads.pop(each.key, None)
        expected = version + 1
        found = (totals.digest.hex(), totals.size, totals.keys)
        if thinned_at is None and found != (digest, size, count):
            yield DataFault(
                f"execution {row.number}: version {version}",
                f"has a state of {found[2]} keys and {found[1]} bytes with another digest than "
                f"its manifest of {count} keys and {size} bytes",
            )
    if expected <= row.version:
        missing = span("version", expected, row.version + 1)
        yield DataFault(f"execution {row.number}: {missing}", "is missing")


def _verify_lists(row: Execution) -> Iterator[DataFault]:
    """Verifies the current lists beside the state: whole, and of the recorded length."""
    rows = StateRows(row.conversation, row.number)
    for name, count in ((EXECUTED, row.executed_count), (HISTORY, row.history_count)):
        what = f"execution {row.number}: list {name!r}"
        try:
            held = rows.current_heads([name])
            value = rows.values(held.values()).get(name, b"[]")
            found = len(orjson.loads(value))
        except (ContextError, ValueError):
            yield DataFault(what, "cannot be read")
            continue
        if found != count:
            yield DataFault(what, f"has {found} elements, not {count}")
