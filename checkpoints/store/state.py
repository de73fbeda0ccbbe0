"""The state of one execution in SQL: a small head per key, a row per change, no rewrites."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

import orjson
from django.db import connection
from django.db.models import QuerySet

from checkpoints.domain.state import ChangeKind, KeyChange, KeyHead, join_list
from checkpoints.models import Checkpoint, StateKey, StateValue
from checkpoints.store.state_checksums import (
    sum_of_head,
    sum_of_key,
    sum_of_value,
    summed_key,
    summed_value,
)
from conversations.store.damage import ALTERED, MISSING, damaged
from ctxadmin.lib.errors import ContextError, NotFound
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.storage.tables import Table

EXECUTED: Final = "executed_node_ids"
HISTORY: Final = "execution_history"
LISTS: Final = (EXECUTED, HISTORY)  # plain words: no digest of a state key is one of them
EMPTY_LIST: Final = b"[]"

Span = tuple[int, int]

_UNITED: Final = 100  # parts of one statement; SQLite takes 500 of a union
_HEAD: Final = ("key", "name", "version", "first", "last", "spans", "digest", "size", "count")
_KEYS: Final = Table(StateKey)
_STORED: Final = Table(StateValue)


_SHOWN: Final = ", ".join(f"{{{name}}}" for name in (*_HEAD, "gone", "sum"))
_OF_EXECUTION: Final = "{conversation} = %s AND {execution} = %s"


def digest_of_name(name: str) -> str:
    """Returns the lookup key of a state key: names can have any characters and no collation."""
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key of the state, or a list beside it, as of some version.

    ``version`` is that of its last change, ``spans`` the versions, both ends included, whose rows
    form the value. ``head`` is None for a missing key.
    """

    key: str
    name: str
    version: int
    spans: tuple[Span, ...]
    head: KeyHead | None

    def spans_after(self, version: int) -> tuple[Span, ...]:
        """Returns the spans after one more chunk at ``version``."""
        *others, (first, last) = self.spans
        if last == self.version:  # no row of this key stands between
            return (*others, (first, version))
        return (*self.spans, (version, version))


@dataclass(slots=True)
class StateRows:
    """The state rows of one execution."""

    conversation: int
    execution: int

    def current_heads(self, keys: Collection[str]) -> dict[str, StoredKey]:
        """Returns the current heads of some keys by digest, deleted ones included."""
        where = {"conversation": self.conversation, "execution": self.execution}
        found: dict[str, StoredKey] = {}
        for row in map(self._checked, _KEYS.find_all(where, "key", keys)):
            held = _stored_key(*(getattr(row, name) for name in _HEAD))
            found[held.key] = replace(held, head=None) if row.gone else held
        return found

    def _checked(self, row: StateKey) -> StateKey:
        """Returns the row; raises Damaged if its checksum differs.

        A row without one is not checked.
        """
        if row.sum is not None and row.sum != sum_of_key(row):
            raise self.damaged(row.key, row.name, ALTERED)
        return row

    def damaged(self, key: str, name: str, how: str) -> ContextError:
        """Returns the error for a damaged key or list of this state."""
        what = "list" if key in LISTS else "state key"
        return damaged(self.conversation, what, name, how)

    def heads_at(self, version: int) -> dict[str, StoredKey]:
        """Returns all keys and lists that existed at a version, by digest; reads no value."""
        now: dict[str, StoredKey] = {}
        changed: dict[str, str] = {}  # since then: name by digest
        own = [self.conversation, self.execution]
        for key, *head, gone, total in _KEYS.read(_SHOWN, _OF_EXECUTION, own):
            held = _stored_key(key, *head)
            if total is not None and total != sum_of_head(*head, gone=gone):
                raise self.damaged(held.key, held.name, ALTERED)
            if held.version > version:
                changed[held.key] = held.name
            elif not gone:
                now[held.key] = held
        return now | self._keys_at(changed, version)

    def _keys_at(self, names: Mapping[str, str], version: int) -> dict[str, StoredKey]:
        """Returns the heads at a version of keys that changed since, each by an index seek."""
        found: dict[str, StoredKey] = {}
        keys = list(names)
        for start in range(0, len(keys), _UNITED):
            part = keys[start : start + _UNITED]
            sql = quote_names(
                " UNION ALL ".join(_LATEST.format(place) for place in range(len(part)))
            )
            own = [(self.conversation, self.execution, key, version) for key in part]
            with connection.cursor() as cursor:
                cursor.execute(sql, list(chain.from_iterable(own)))
                for key, kind, *row in cursor.fetchall():
                    if kind != ChangeKind.GONE:
                        found[key] = _stored_key(key, names[key], *row)
        return found

    def names_changed_since(self, version: int) -> list[str]:
        """Returns the state keys that changed after a version, sorted."""
        rows = self._keys().filter(version__gt=version).exclude(key__in=LISTS)
        return sorted(rows.values_list("name", flat=True))

    def values(self, held: Iterable[StoredKey], at: int | None = None) -> dict[str, bytes]:
        """Returns the values of keys by digest, as of the versions of their heads.

        ``at`` is the version whose values they are, if it is not the latest: raises NotFound if
        retention removes its state meanwhile. Raises Damaged if a checksum differs.
        """
        wanted = {each.key: each for each in held if each.head is not None}
        spans = [(each.key, *span) for each in wanted.values() for span in each.spans]
        chunks: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        for start in range(0, len(spans), _UNITED):
            part = spans[start : start + _UNITED]
            sql = quote_names(_VALUES.format(" OR ".join([_SPAN] * len(part))))
            own = [(self.conversation, self.execution, *span) for span in part]
            with connection.cursor() as cursor:
                cursor.execute(sql, list(chain.from_iterable(own)))
                while rows := cursor.fetchmany(1000):
                    for key, version, value, total in rows:
                        chunk = bytes(value)
                        if total is not None and total != sum_of_value(key, version, chunk):
                            raise self.damaged(key, wanted[key].name, ALTERED)
                        chunks[key].append((version, chunk))
        found = {key: _join_chunks(parts) for key, parts in chunks.items()}
        for each in wanted.values():
            if not self._is_whole(each, found):
                raise self._without(each, at)
        return found

    def _is_whole(self, held: StoredKey, found: Mapping[str, bytes]) -> bool:
        """Returns True if a value has its full length, as far as that is known."""
        size = held.head.size if held.head is not None else 0
        return held.key in found and size in (0, len(found[held.key]))

    def _without(self, held: StoredKey, at: int | None) -> ContextError:
        """Returns the error for a value with missing rows."""
        rows = Checkpoint.objects.filter(conversation=self.conversation, execution=self.execution)
        gone = None if at is None else rows.filter(version=at, thinned_at__isnull=False).first()
        if gone is not None and gone.deleted:
            return NotFound(say("Version {n} was deleted while it was read.", n=gone.version))
        if gone is not None:
            return NotFound(
                say("The state of this version was removed by retention while it was read.")
            )
        return self.damaged(held.key, held.name, MISSING)

    def write(self, version: int, changes: Sequence["StoredChange"]) -> int:
        """Stores the changes of a version; returns the bytes of the values."""
        values = [summed_value(self._value_row(version, change)) for change in changes]
        _STORED.insert(values)
        _KEYS.upsert(
            summed_key(self._key_row(change, row))
            for change, row in zip(changes, values, strict=True)
        )
        return sum(len(row.value) for row in values)

    def _value_row(self, version: int, change: "StoredChange") -> StateValue:
        spans = change.spans(version)
        head = change.head or _NO_HEAD
        return StateValue(
            conversation=self.conversation,
            execution=self.execution,
            key=change.key,
            version=version,
            kind=change.kind.value,
            value=change.value,
            first=spans[0][0],
            last=spans[-1][1],
            spans=dumps(spans) if len(spans) > 1 else b"",
            digest=head.digest.hex(),
            size=head.size,
            count=head.count,
        )

    def _key_row(self, change: "StoredChange", row: StateValue) -> StateKey:
        return StateKey(
            conversation=self.conversation,
            execution=self.execution,
            key=change.key,
            name=change.name,
            version=row.version,
            gone=change.kind is ChangeKind.GONE,
            first=row.first,
            last=row.last,
            spans=row.spans,
            digest=row.digest,
            size=row.size,
            count=row.count,
        )

    def _keys(self) -> QuerySet[StateKey]:
        return StateKey.objects.filter(conversation=self.conversation, execution=self.execution)


# A key's last change up to a version. One statement with a subquery over all keys would not do:
# neither MariaDB nor SQLite seeks there, and both read every version of a key.
_LATEST: Final = """SELECT * FROM (
SELECT `key`, kind, version, `first`, `last`, spans, digest, size, `count`
FROM checkpoints_statevalue
WHERE conversation = %s AND execution = %s AND `key` = %s AND version <= %s
ORDER BY version DESC LIMIT 1) AS q{}"""
# SQLite seeks for a term of an OR only if the term names the whole key.
_SPAN: Final = "(conversation = %s AND execution = %s AND `key` = %s AND version BETWEEN %s AND %s)"
_VALUES: Final = "SELECT `key`, version, value, sum FROM checkpoints_statevalue WHERE {}"


@dataclass(frozen=True, slots=True)
class StoredChange:
    """One change of one key in stored form.

    ``before`` is the head of the key before, ``same_as`` the earlier spans that a SAME points to.
    """

    key: str
    name: str
    kind: ChangeKind
    head: KeyHead | None
    value: bytes = b""
    before: StoredKey | None = None
    same_as: tuple[Span, ...] = field(default=())

    def spans(self, version: int) -> tuple[Span, ...]:
        """Returns the spans of the value after this change at ``version``."""
        if self.kind is ChangeKind.SAME:
            return self.same_as
        if self.kind is ChangeKind.APPEND and self.before is not None:
            return self.before.spans_after(version)
        return ((version, version),)

    def head_at(self, version: int) -> StoredKey:
        """Returns the head of the key after this change at ``version``."""
        head = None if self.kind is ChangeKind.GONE else self.head or _NO_HEAD
        return StoredKey(self.key, self.name, version, self.spans(version), head)


def changed_state(
    changes: Iterable[KeyChange],
    held: Mapping[str, StoredKey],
    former: Mapping[str, StoredKey] | None = None,
) -> list[StoredChange]:
    """Returns the changes of state keys in stored form; ``former`` is the target of a restore."""
    written: list[StoredChange] = []
    for change in changes:
        if change.kind is ChangeKind.UNCHANGED:
            continue
        key = digest_of_name(change.key)
        spans = former[key].spans if former and change.kind is ChangeKind.SAME else ()
        written.append(
            StoredChange(
                key, change.key, change.kind, change.head, change.value, held.get(key), spans
            )
        )
    return written


def list_growth(
    name: str, elements: Sequence[bytes], before: StoredKey | None
) -> list[StoredChange]:
    """Returns the change of a list beside the state that grew, none without new elements."""
    if not elements:
        return []
    there = before is not None and before.head is not None
    kind = ChangeKind.APPEND if there else ChangeKind.SET
    value = b"[" + b",".join(elements) + b"]"
    return [
        StoredChange(name, name, kind, _list_head(value, before if there else None), value, before)
    ]


def list_replacement(
    name: str, elements: Sequence[bytes], before: StoredKey | None
) -> StoredChange:
    """Returns the change of a list beside the state that was replaced as a whole."""
    value = b"[" + b",".join(elements) + b"]"
    return StoredChange(name, name, ChangeKind.SET, _list_head(value), value, before)


def same_list(name: str, now: StoredKey | None, former: StoredKey | None) -> list[StoredChange]:
    """Returns the change of a list beside the state that is restored."""
    if former is not None and former.head is not None:
        if now is not None and now.spans == former.spans:
            return []
        return [StoredChange(name, name, ChangeKind.SAME, former.head, b"", now, former.spans)]
    if now is not None and now.head is not None:
        return [StoredChange(name, name, ChangeKind.GONE, None, b"", now)]
    return []


_NO_HEAD: Final = KeyHead(b"", 0)


def _list_head(value: bytes, before: StoredKey | None = None) -> KeyHead:
    """Returns the head of a list beside the state: its size, 0 if that of ``before`` is unknown."""
    if before is None or before.head is None:
        return KeyHead(b"", len(value))
    size = before.head.size
    comma = 1 if size > len(EMPTY_LIST) else 0
    return KeyHead(b"", size and size + comma + len(value) - len(EMPTY_LIST))


def _stored_key(
    key: str,
    name: str,
    version: int,
    first: int,
    last: int,
    spans: bytes,
    digest: str,
    size: int,
    count: int | None,
) -> StoredKey:
    places: tuple[Span, ...] = ((first, last),)
    if spans:
        places = tuple((start, stop) for start, stop in orjson.loads(bytes(spans)))
    return StoredKey(key, name, version, places, KeyHead(bytes.fromhex(digest), size, count))


def _join_chunks(chunks: list[tuple[int, bytes]]) -> bytes:
    """Joins the rows of one value."""
    if len(chunks) == 1:
        return chunks[0][1]
    return join_list(value for _, value in sorted(chunks))


def quote_names(sql: str) -> str:
    """Returns the SQL with the quotes of the database: ``key`` and ``first`` are reserved words."""
    return sql.replace("`", '"') if connection.vendor == "sqlite" else sql
