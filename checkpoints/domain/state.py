"""The changes of a state by key, with running digests and sizes.

A value is compact JSON bytes, as ``json_bytes.dumps`` writes them: normalized at the edge, then
parsed only by a reducer that needs to. A save costs what it changes: other keys are not read, and
of an append key only the head is.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec
import orjson
from pydantic import JsonValue

from checkpoints.domain.directives import Directive, directive_of
from checkpoints.domain.mismatches import Wanted, mismatch
from checkpoints.domain.opaque import is_opaque
from checkpoints.domain.reducers import Reducer, ReducerTable, reduce
from ctxadmin.lib.errors import ContextError, FieldProblem, OutOfRange, TooLarge, TypeMismatch
from ctxadmin.lib.json_bytes import digest, dumps
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import pointer as below

MAX_STATE_BYTES: Final = 10 * 1024 * 1024
# Each is two rows: 5,000 take 0.6 to 0.8 s of processor time to save, 200,000 half a minute.
MAX_STATE_KEYS: Final = 5_000
_MODULUS: Final = 1 << 256
_CHAIN: Final = b"ctxadmin list"  # sets a list's chain apart from the digest of plain bytes
_EMPTY_LIST: Final = b"[]"
_NULL: Final = digest(b"null")
_elements: Final = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True)
class KeyHead:
    """The digest, size and count of a key's current value, known without reading it.

    ``digest`` has 16 bytes; ``size`` is in bytes. ``count`` is the number of elements of a list
    under the reducer append, whose digest chains over its elements; it is None for every other
    value, whose digest is that of its bytes.
    """

    digest: bytes
    size: int
    count: int | None = None


@dataclass(frozen=True, slots=True)
class StateTotals:
    """The totals of a state: its ``digest`` (32 bytes), canonical ``size`` in bytes, and
    ``keys``.

    The digest is the sum modulo 2**256 over the keys of blake2b(key digest, name): it can be
    updated without the other keys and does not depend on their order. It detects accidents; it is
    not a signature.
    """

    digest: bytes
    size: int
    keys: int


EMPTY: Final = StateTotals(bytes(32), len(b"{}"), 0)


class ChangeKind(StrEnum):
    """The kind of a key's change.

    The ``value`` of a SET is whole, that of an APPEND the new elements.

    SAME comes from a restore only: the value that the key had at the restored version.
    """

    SET = "set"
    APPEND = "append"
    SAME = "same"
    GONE = "gone"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The change of one key; ``head`` is the one after it, None if the key is then missing."""

    key: str
    kind: ChangeKind
    head: KeyHead | None
    value: bytes = b""


@dataclass(frozen=True, slots=True)
class StateChange:
    """All keys of an update in order, unchanged ones included, and the totals after it."""

    changes: tuple[KeyChange, ...]
    totals: StateTotals

    @property
    def changed_keys(self) -> tuple[str, ...]:
        """Returns the keys whose values differ from before."""
        return tuple(each.key for each in self.changes if each.kind is not ChangeKind.UNCHANGED)


def apply_update(
    update: Mapping[str, bytes],
    *,
    totals: StateTotals,
    heads: Mapping[str, KeyHead],
    current: Callable[[str], bytes],
    reducers: ReducerTable,
    limit: int = MAX_STATE_BYTES,
    pointer: str = "/state_data",
    literal: Collection[str] = (),
) -> StateChange:
    """Applies an update through the reducers of its keys (semantics 3.2), entirely or not at
    all.

    ``heads`` are those of the named keys that exist; ``current`` reads a value for a reducer. The
    values of ``literal`` keys are data even if they look like directives: a model's output must not
    delete anything. Raises TypeMismatch, OutOfRange, ValidationFailed with pointers below
    ``pointer``; TooLarge if the state would exceed ``limit`` bytes or MAX_STATE_KEYS keys.
    """
    changes = []
    for key, value in update.items():
        where = below("/opaque" if is_opaque(value) else pointer, key)
        directive = Directive.REDUCE
        if key not in literal:
            directive, value = directive_of(value, where)
        try:
            changes.append(_changed(key, directive, value, heads.get(key), reducers, current))
        except (TypeMismatch, OutOfRange) as error:
            raise _at_pointer(error, where) from None
    after = totals_after(totals, heads, changes)
    if after.size > limit and after.size > totals.size:
        raise TooLarge(
            say(
                "The state would have {n} bytes; at most {most} are allowed.",
                n=after.size,
                most=limit,
            ),
            limit=limit,
        )
    if after.keys > MAX_STATE_KEYS and after.keys > totals.keys:
        message = say(
            "The state would have {n} keys; at most {most} are allowed.",
            n=after.keys,
            most=MAX_STATE_KEYS,
        )
        problem = FieldProblem(pointer, message, TooLarge.code)
        raise TooLarge(message, limit=MAX_STATE_KEYS, problems=[problem])
    return StateChange(tuple(changes), after)


def restore_heads(current: Mapping[str, KeyHead], target: Mapping[str, KeyHead]) -> StateChange:
    """Returns the change from all current heads to all heads of an earlier version: SAME and
    GONE.
    """
    same = [
        KeyChange(key, ChangeKind.SAME, head)
        for key, head in target.items()
        if current.get(key) != head
    ]
    gone = [KeyChange(key, ChangeKind.GONE, None) for key in current if key not in target]
    return StateChange((*same, *gone), totals_of(target))


def head_of(value: bytes, reducer: Reducer = Reducer.OVERWRITE) -> KeyHead:
    """Computes the head of a whole value."""
    if reducer is not Reducer.APPEND or not value.startswith(b"["):
        return KeyHead(digest(value), len(value))
    elements = _elements.decode(value)
    return KeyHead(_chained(b"", elements), len(value), len(elements))


def totals_of(heads: Mapping[str, KeyHead]) -> StateTotals:
    """Computes the totals of a state from its heads."""
    total, size = 0, _punctuation(len(heads))
    for key, head in heads.items():
        total += _term(key, head)
        size += _size(key, head)
    return StateTotals((total % _MODULUS).to_bytes(32), size, len(heads))


def totals_after(
    totals: StateTotals, heads: Mapping[str, KeyHead], changes: Iterable[KeyChange]
) -> StateTotals:
    """Returns the totals after some changes; ``heads`` are those of the changed keys before."""
    total, keys = int.from_bytes(totals.digest), totals.keys
    content = totals.size - _punctuation(keys)
    for change in changes:
        old = heads.get(change.key)
        for head, sign in ((old, -1), (change.head, 1)):
            if head is not None and old != change.head:
                total += sign * _term(change.key, head)
                content += sign * _size(change.key, head)
                keys += sign
    return StateTotals((total % _MODULUS).to_bytes(32), content + _punctuation(keys), keys)


def chunk_head(old: KeyHead, chunk: bytes) -> KeyHead:
    """Returns the head of an append list after a chunk was added to ``old``."""
    elements = _elements.decode(chunk)
    comma = 1 if old.count else 0
    return KeyHead(
        _chained(old.digest, elements),
        old.size + comma + len(chunk) - len(_EMPTY_LIST),
        (old.count or 0) + len(elements),
    )


def join_list(chunks: Iterable[bytes]) -> bytes:
    """Joins a list that was set and the chunks appended to it."""
    return b"[" + b",".join(chunk[1:-1] for chunk in chunks if chunk != _EMPTY_LIST) + b"]"


def _changed(
    key: str,
    directive: Directive,
    value: bytes,
    old: KeyHead | None,
    reducers: ReducerTable,
    current: Callable[[str], bytes],
) -> KeyChange:
    if directive is Directive.DELETE:
        return KeyChange(key, ChangeKind.GONE if old else ChangeKind.UNCHANGED, None)
    reducer = reducers.for_key(key)
    if is_opaque(value) and reducer is not Reducer.OVERWRITE:
        message = say(
            "The key {key} is reduced by {reducer}; only overwrite takes an opaque value.",
            key=repr(key),
            reducer=str(reducer),
        )
        raise TypeMismatch(message, key=key)
    if reducer is Reducer.OVERWRITE or directive is Directive.REPLACE:
        return _set(key, reducer, old, value)
    if value == b"null":
        return KeyChange(key, ChangeKind.UNCHANGED, old)
    if reducer is Reducer.APPEND:
        return _appended(key, old, value, current)
    before: JsonValue = None if old is None else orjson.loads(current(key))
    return _set(key, reducer, old, dumps(reduce(reducer, key, before, orjson.loads(value))))


def _appended(
    key: str, old: KeyHead | None, chunk: bytes, current: Callable[[str], bytes]
) -> KeyChange:
    if not chunk.startswith(b"["):
        raise mismatch(key, Reducer.APPEND, Wanted.LIST, orjson.loads(chunk), update=True)
    if old is None or old.digest == _NULL:
        return _set(key, Reducer.APPEND, old, chunk)
    if old.count is None:
        raise mismatch(key, Reducer.APPEND, Wanted.LIST, orjson.loads(current(key)))
    if chunk == _EMPTY_LIST:
        return KeyChange(key, ChangeKind.UNCHANGED, old)
    return KeyChange(key, ChangeKind.APPEND, chunk_head(old, chunk), chunk)


def _set(key: str, reducer: Reducer, old: KeyHead | None, value: bytes) -> KeyChange:
    head = head_of(value, reducer)
    if head == old:
        return KeyChange(key, ChangeKind.UNCHANGED, old)
    return KeyChange(key, ChangeKind.SET, head, value)


def _chained(before: bytes, elements: Iterable[msgspec.Raw]) -> bytes:
    """Returns the digest of a list after more elements; ``before`` is its digest so far."""
    link = before or hashlib.blake2b(digest_size=16, person=_CHAIN).digest()
    for element in elements:
        step = hashlib.blake2b(link, digest_size=16, person=_CHAIN)
        step.update(element)
        link = step.digest()
    return link


def _punctuation(keys: int) -> int:
    """Returns the bytes of an object's braces and the commas between its keys."""
    return len(b"{}") + max(keys - 1, 0)


def _size(key: str, head: KeyHead) -> int:
    """Returns the bytes of a key with its value in canonical JSON."""
    return len(dumps(key)) + len(b":") + head.size


def _term(key: str, head: KeyHead) -> int:
    return int.from_bytes(hashlib.blake2b(head.digest + key.encode(), digest_size=32).digest())


def _at_pointer(error: TypeMismatch | OutOfRange, pointer: str) -> ContextError:
    """Returns the same error with its place in the input."""
    problems = [FieldProblem(pointer, error.detail, error.code)]
    if isinstance(error, TypeMismatch):
        return TypeMismatch(error.detail, key=error.key, problems=problems)
    return OutOfRange(error.detail, problems=problems)
