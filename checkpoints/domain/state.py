"""What an update does to a state: changes by key, with digests and sizes kept along.

A value is compact JSON bytes, as ``json_bytes.dumps`` writes them: normalised at the edge, then
never parsed again but by a reducer that needs to. A save costs what it changes: of the other keys
nothing is read, and of an append key only its head.
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
    """What has to be known of a key's current value without reading it.

    ``digest`` has 16 bytes, ``size`` is that of the value in bytes. ``count`` is the number of
    elements of a list under the reducer append, whose digest chains over its elements; None for
    every other value, whose digest is that of its bytes.
    """

    digest: bytes
    size: int
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Of a whole state: its ``digest`` (32 bytes), its canonical ``size`` in bytes, its ``keys``.

    The digest is the sum modulo 2**256 over the keys of blake2b(key digest, name): it follows a
    change without a look at the other keys, and it does not depend on their order. It tells
    apart what accidents make; it is no signature.
    """

    digest: bytes
    size: int
    keys: int


EMPTY: Final = Totals(bytes(32), len(b"{}"), 0)


class ChangeKind(StrEnum):
    """What happens to a key; the ``value`` of a SET is all of it, of an APPEND the new elements.

    SAME comes from a restore only: the value that the key had at the restored version.
    """

    SET = "set"
    APPEND = "append"
    SAME = "same"
    GONE = "gone"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class KeyChange:
    """One key of an update; ``head`` is the one after it, None if the key is not there then."""

    key: str
    kind: ChangeKind
    head: KeyHead | None
    value: bytes = b""


@dataclass(frozen=True, slots=True)
class StateChange:
    """All keys of an update in its order, the unchanged ones too, and the totals after it."""

    changes: tuple[KeyChange, ...]
    totals: Totals

    @property
    def changed_keys(self) -> tuple[str, ...]:
        """The keys that are other than before."""
        return tuple(each.key for each in self.changes if each.kind is not ChangeKind.UNCHANGED)


def apply_update(
    update: Mapping[str, bytes],
    *,
    totals: Totals,
    heads: Mapping[str, KeyHead],
    current: Callable[[str], bytes],
    reducers: ReducerTable,
    limit: int = MAX_STATE_BYTES,
    pointer: str = "/state_data",
    literal: Collection[str] = (),
) -> StateChange:
    """Put an update through the reducers of its keys (semantics 3.2); all of it or nothing.

    ``heads`` are those of the named keys that exist, ``current`` reads the value of one that a
    reducer needs. The values of ``literal`` keys are data even if they look like directives:
    a model's output must not delete anything. Raises TypeMismatch, OutOfRange, ValidationFailed
    with pointers below ``pointer``; TooLarge if the state would grow beyond ``limit`` bytes or
    MAX_STATE_KEYS keys.
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
            raise _placed(error, where) from None
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


def restored(current: Mapping[str, KeyHead], target: Mapping[str, KeyHead]) -> StateChange:
    """The change from all heads of now to all heads of a former version: SAME and GONE."""
    same = [
        KeyChange(key, ChangeKind.SAME, head)
        for key, head in target.items()
        if current.get(key) != head
    ]
    gone = [KeyChange(key, ChangeKind.GONE, None) for key in current if key not in target]
    return StateChange((*same, *gone), totals_of(target))


def head_of(value: bytes, reducer: Reducer = Reducer.OVERWRITE) -> KeyHead:
    """The head of a whole value, from scratch."""
    if reducer is not Reducer.APPEND or not value.startswith(b"["):
        return KeyHead(digest(value), len(value))
    elements = _elements.decode(value)
    return KeyHead(_chained(b"", elements), len(value), len(elements))


def totals_of(heads: Mapping[str, KeyHead]) -> Totals:
    """The totals of a state, from scratch."""
    total, size = 0, _punctuation(len(heads))
    for key, head in heads.items():
        total += _term(key, head)
        size += _size(key, head)
    return Totals((total % _MODULUS).to_bytes(32), size, len(heads))


def totals_after(
    totals: Totals, heads: Mapping[str, KeyHead], changes: Iterable[KeyChange]
) -> Totals:
    """The totals after some changes of a state; ``heads`` are those of the keys before."""
    total, keys = int.from_bytes(totals.digest), totals.keys
    content = totals.size - _punctuation(keys)
    for change in changes:
        old = heads.get(change.key)
        for head, sign in ((old, -1), (change.head, 1)):
            if head is not None and old != change.head:
                total += sign * _term(change.key, head)
                content += sign * _size(change.key, head)
                keys += sign
    return Totals((total % _MODULUS).to_bytes(32), content + _punctuation(keys), keys)


def chunk_head(old: KeyHead, chunk: bytes) -> KeyHead:
    """The head of a list under the reducer append that had the head ``old`` after a chunk."""
    elements = _elements.decode(chunk)
    comma = 1 if old.count else 0
    return KeyHead(
        _chained(old.digest, elements),
        old.size + comma + len(chunk) - len(_EMPTY_LIST),
        (old.count or 0) + len(elements),
    )


def join_list(chunks: Iterable[bytes]) -> bytes:
    """One list of several: of a list that was set and the chunks appended to it."""
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
    """The digest of a list that had the digest ``before`` after more elements."""
    link = before or hashlib.blake2b(digest_size=16, person=_CHAIN).digest()
    for element in elements:
        step = hashlib.blake2b(link, digest_size=16, person=_CHAIN)
        step.update(element)
        link = step.digest()
    return link


def _punctuation(keys: int) -> int:
    """The braces of an object and the commas between its keys."""
    return len(b"{}") + max(keys - 1, 0)


def _size(key: str, head: KeyHead) -> int:
    """The bytes of a key with its value in canonical JSON."""
    return len(dumps(key)) + len(b":") + head.size


def _term(key: str, head: KeyHead) -> int:
    return int.from_bytes(hashlib.blake2b(head.digest + key.encode(), digest_size=32).digest())


def _placed(error: TypeMismatch | OutOfRange, pointer: str) -> ContextError:
    """The same refusal with the place in the input."""
    problems = [FieldProblem(pointer, error.detail, error.code)]
    if isinstance(error, TypeMismatch):
        return TypeMismatch(error.detail, key=error.key, problems=problems)
    return OutOfRange(error.detail, problems=problems)
