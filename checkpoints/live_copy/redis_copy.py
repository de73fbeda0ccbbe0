"""The live copy in Redis."""

import logging
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, cast

from checkpoints.live_copy.port import (
    WHOLE,
    Change,
    Delta,
    Found,
    Grow,
    Part,
    Remove,
    Set,
    Value,
)
from checkpoints.live_copy.scripts import DROP, MOVE, PUT, SEALED_BYTES
from checkpoints.live_copy.sums import DIGITS, sum_of, sum_of_piece
from checkpoints.state_store import digest_of_name
from ctxadmin.audit.record import AuditMark
from ctxadmin.live.client import Away, Client, Pipe, Reached
from ctxadmin.live.counts import count
from ctxadmin.live.link import Call

_FORMAT: Final = 2  # rises when the bytes of a part come to mean something else
_BESIDE: Final = 60  # seconds after which what was written beside a part and not used is gone
_LARGE: Final = 100_000  # bytes: 10 MB through Lua take 28 ms, written beside and renamed 10
_GROWS, _IN_PIECES = b"[", b">"
# A step of a script: kind, name, word of the list, data, sum.
Words = tuple[str, str, str, str | bytes, str | bytes]
Row = dict[bytes, bytes]
logger = logging.getLogger(__name__)


class _Evicted(Exception):
    """A list of a part is gone, as Redis removes what it has no room for."""


class _Damaged(Exception):
    """A part has other bytes than were written."""


class RedisLiveCopy:
    """Parts as ``scripts`` describes them, on the Redis that a link leads to."""

    holds = True

    def __init__(self, link: Reached) -> None:
        self.link = link

    def read(self, conversation: int, mark: AuditMark, parts: Collection[Part]) -> Found:
        try:
            return self.link.ask(lambda client: _read(client, conversation, mark, list(parts)))
        except Away:
            return Found({}, {})

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: Found,
        seconds: Mapping[Part, int],
    ) -> None:
        for part, values in parts.items():
            stood = found.stood.get(part)
            if stood is None:
                continue  # it could not be looked at
            key, expiry = part.key(conversation), seconds[part]
            try:
                self.link.ask(partial(_put, key, mark, values, stood, expiry))
            except Away:
                return
            count("rebuilds")

    def move(self, changes: Sequence[Change]) -> None:
        """Each by a script of its own, and all by one round trip."""
        if not changes:
            return
        try:
            count("moves", sum(self.link.ask(partial(_move, changes))))
        except Away:
            return

    def drop(self, conversation: int) -> bool:
        keys = [part.key(conversation) for part in Part]
        try:
            self.link.ask(lambda client: DROP.run(client, keys, []))
        except Away:
            return False
        return True


def _mark(mark: AuditMark) -> bytes:
    return f"{_FORMAT} {mark.seq} {mark.hash}".encode()


def _word(name: str) -> str:
    """The last word of the key of a list; names may have any characters."""
    return WHOLE if name == WHOLE else digest_of_name(name)


def _read(client: Client, conversation: int, mark: AuditMark, parts: Sequence[Part]) -> Found:
    pipe = client.pipeline(transaction=True)
    for part in parts:
        pipe.hgetall(part.key(conversation))
        pipe.lrange(f"{part.key(conversation)}:{WHOLE}", 0, -1)
    answers = pipe.execute(raise_on_error=False)
    stood: dict[Part, bytes] = {}
    found: dict[Part, Mapping[str, Value]] = {}
    damaged: set[Part] = set()
    for part, row, whole in zip(parts, answers[::2], answers[1::2], strict=True):
        fields = _fields(row)
        stood[part] = fields.get(b"mark", b"")
        if stood[part] != _mark(mark):
            continue
        lists = _other_lists(client, part.key(conversation), mark, fields)
        if lists is None:
            continue
        try:
            found[part] = _values(fields, {WHOLE: whole, **lists})
        except _Evicted:
            continue
        except _Damaged:
            damaged.add(part)
    if damaged:
        count("damaged", len(damaged))
        logger.warning("The live copy of {%d} holds what was not written there", conversation)
    return Found(found, stood, damaged)


def _fields(answer: object) -> Row:
    """A hash as it is answered: redis-py's clients of a cluster leave it a flat list."""
    if isinstance(answer, list):
        return dict(zip(answer[::2], answer[1::2], strict=True))
    return answer if isinstance(answer, dict) else {}


def _other_lists(
    client: Client, key: str, mark: AuditMark, fields: Row
) -> Mapping[str, object] | None:
    """The lists of a part by their words; None if it has gone on since it was looked at."""
    words = fields.get(b"lists", b"").decode(errors="replace").split()
    others = [word for word in words if word != WHOLE]
    if not others:
        return {}
    pipe = client.pipeline(transaction=True)
    pipe.hget(key, "mark")
    for word in others:
        pipe.lrange(f"{key}:{word}", 0, -1)
    stands, *lists = pipe.execute(raise_on_error=False)
    return dict(zip(others, lists, strict=True)) if stands == _mark(mark) else None


def _values(fields: Row, lists: Mapping[str, object]) -> dict[str, Value]:
    """The values of a part; raises _Evicted or _Damaged."""
    if fields.get(b"fields") != b"%d" % len(fields):
        raise _Damaged
    found: dict[str, Value] = {}
    for field, content in fields.items():
        if field.startswith(b"="):
            try:
                name = field[1:].decode()
            except UnicodeDecodeError as error:
                raise _Damaged from error
            found[name] = _value(name, content, fields, lists)
    return found


def _value(name: str, content: bytes, fields: Row, lists: Mapping[str, object]) -> Value:
    if content not in (_GROWS, _IN_PIECES):
        told, pieces = content[:DIGITS], [content[DIGITS:]]
        if sum_of(name, pieces) != told:
            raise _Damaged
        return Value(pieces)
    word = _word(name)
    found, counts = lists.get(word), fields.get(f"#{word}".encode(), b"")
    if not found and not counts.startswith(b"0 "):
        raise _Evicted
    if not isinstance(found, list) or sum_of(name, found) != counts[-DIGITS:]:
        raise _Damaged
    grows = content == _GROWS
    return Value(_as_list(found) if grows else found, grows=grows)


def _as_list(pieces: Sequence[bytes]) -> Sequence[bytes]:
    """JSON of a list whose elements come with the commas before them."""
    if not pieces:
        return (b"[]",)
    return (b"[" + pieces[0][1:], *pieces[1:], b"]")


def _as_elements(content: bytes) -> bytes:
    """The elements of a JSON list with the commas before them."""
    return b"" if content == b"[]" else b"," + content[1:-1]


def _put(
    key: str,
    mark: AuditMark,
    values: Mapping[str, Value],
    stood: bytes,
    seconds: int,
    client: Client,
) -> None:
    """Write the part beside the one that is there, and have it take its place at once."""
    new = _beside(key)
    fields: dict[bytes, bytes] = {}
    words: list[str] = []
    pipe = client.pipeline(transaction=True)
    for name, value in values.items():
        field = b"=" + name.encode()
        content = b"".join(value.pieces)
        data = _as_elements(content) if value.grows else content
        total = sum_of(name, [data])
        if not value.grows and len(data) <= _LARGE:
            fields[field] = total + data
            continue
        word = _word(name)
        words.append(word)
        fields[field] = _GROWS if value.grows else _IN_PIECES
        fields[f"#{word}".encode()] = b"%d 0 0 %b" % (len(data), total)
        _push(pipe, f"{new}:{word}", data)
    fields |= {b"mark": _mark(mark), b"lists": "".join(f"{word} " for word in words).encode()}
    pipe.hset(new, mapping=fields)
    pipe.expire(new, _BESIDE)
    pipe.execute()
    PUT.run(client, [key, new], [stood, seconds])


def _move(changes: Sequence[Change], client: Client) -> list[int]:
    """How many parts followed each change."""
    calls: list[Call] = []
    for change in changes:
        arguments: list[str | bytes | int] = [_mark(change.before), _mark(change.after)]
        for part, delta in change.deltas.items():
            steps = _steps(client, part.key(change.conversation), change.before, delta)
            arguments += [change.seconds[part], len(steps), *chain.from_iterable(steps)]
        calls.append(([part.key(change.conversation) for part in change.deltas], arguments))
    return cast(list[int], MOVE.run_all(client, calls))


def _beside(key: str) -> str:
    return f"{key}:new:{secrets.token_hex(8)}"


def _push(pipe: Pipe, key: str, data: bytes) -> None:
    """Write data as pieces of a list that is gone soon if nobody takes it."""
    if data:
        view = memoryview(data)
        places = range(0, len(data), SEALED_BYTES)
        pipe.rpush(key, *(bytes(view[at : at + SEALED_BYTES]) for at in places))
        pipe.expire(key, _BESIDE)


def _steps(client: Client, key: str, mark: AuditMark, delta: Delta) -> list[Words]:
    """A delta as the script takes it; large contents are written beside the part first.

    They are not if the part does not stand at ``mark``: then it is dropped, or not even there.
    """
    large = any(not isinstance(step, Remove) and len(step.content) > _LARGE for step in delta.steps)
    if delta.other or (large and not _stands_at(client, key, mark)):
        return [("other", "", "", "", "")]
    pipe = client.pipeline(transaction=True)
    steps: list[Words] = [("clear", "", "", "", "")] if delta.cleared else []
    for step in delta.steps:
        steps += _words(pipe, key, step)
    if large:
        pipe.execute()
    return steps


def _stands_at(client: Client, key: str, mark: AuditMark) -> bool:
    pipe = client.pipeline(transaction=False)
    pipe.hget(key, "mark")
    return pipe.execute(raise_on_error=False)[0] == _mark(mark)


def _words(pipe: Pipe, key: str, step: Set | Grow | Remove) -> Iterator[Words]:
    name, word = step.name, _word(step.name)
    if isinstance(step, Remove):
        yield "-", name, word, "", ""
        return
    grows = isinstance(step, Grow) or step.grows
    data = _as_elements(step.content) if grows else step.content
    if not grows and len(data) <= _LARGE:
        yield "=", name, word, data, sum_of(name, [data])
        return
    if isinstance(step, Set):
        yield ("[" if grows else ">"), name, word, "", sum_of(name, [])
    if len(data) <= _LARGE:
        if data:
            yield "+", name, word, data, sum_of_piece(data)
    else:
        beside = _beside(key)
        _push(pipe, beside, data)
        yield "<", beside, word, str(len(data)), sum_of_piece(data)
