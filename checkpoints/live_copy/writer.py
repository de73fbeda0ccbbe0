"""Writes the parts of a live copy into Redis: whole ones, and changes."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, cast

from checkpoints.live_copy.checksums import sum_of, sum_of_piece
from checkpoints.live_copy.layout import GROWS, IN_PIECES, mark_bytes, word_of
from checkpoints.live_copy.port import CopyChange, Delta, Grow, Part, Remove, SetValue, Value
from checkpoints.live_copy.scripts import MOVE, PUT, SEALED_BYTES
from ctxadmin.audit.record import AuditMark
from ctxadmin.storage.redis.client import Client, Pipe
from ctxadmin.storage.redis.link import Call

_BESIDE: Final = 60  # seconds after which what was written beside a part and not used is gone
_LARGE: Final = 100_000  # bytes: 10 MB through Lua take 28 ms, written beside and renamed 10
# A step of a script: kind, name, word of the list, data, sum.
Words = tuple[str, str, str, str | bytes, str | bytes]


def _as_elements(content: bytes) -> bytes:
    """Returns the elements of a JSON list with the commas before them."""
    return b"" if content == b"[]" else b"," + content[1:-1]


def put_part(
    part: Part,
    conversation: int,
    mark: AuditMark,
    values: Mapping[str, Value],
    stood: bytes,
    seconds: int,
    client: Client,
) -> None:
    """Writes the part next to the present one and swaps them atomically."""
    key = part.key(conversation)
    new = _temporary_key(key)
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
        word = word_of(name)
        words.append(word)
        fields[field] = GROWS if value.grows else IN_PIECES
        fields[f"#{word}".encode()] = b"%d 0 0 %b" % (len(data), total)
        _push(pipe, f"{new}:{word}", data)
    fields |= {
        b"mark": mark_bytes(part, mark),
        b"lists": "".join(f"{word} " for word in words).encode(),
    }
    pipe.hset(new, mapping=fields)
    pipe.expire(new, _BESIDE)
    pipe.execute()
    PUT.run(client, [key, new], [stood, seconds])


def apply_changes(changes: Sequence[CopyChange], client: Client) -> list[int]:
    """Returns how many parts followed each change."""
    calls: list[Call] = []
    for change in changes:
        keys: list[str] = []
        arguments: list[str | bytes | int] = []
        for part, delta in change.deltas.items():
            key, before = part.key(change.conversation), mark_bytes(part, change.before)
            steps = _steps(client, key, before, delta)
            keys.append(key)
            arguments += [before, mark_bytes(part, change.after), change.seconds[part], len(steps)]
            arguments += chain.from_iterable(steps)
        calls.append((keys, arguments))
    return cast(list[int], MOVE.run_all(client, calls))


def _temporary_key(key: str) -> str:
    return f"{key}:new:{secrets.token_hex(8)}"


def _push(pipe: Pipe, key: str, data: bytes) -> None:
    """Writes data as pieces of a list that expires soon unless a script uses it."""
    if data:
        view = memoryview(data)
        places = range(0, len(data), SEALED_BYTES)
        pipe.rpush(key, *(bytes(view[at : at + SEALED_BYTES]) for at in places))
        pipe.expire(key, _BESIDE)


def _steps(client: Client, key: str, mark: bytes, delta: Delta) -> list[Words]:
    """Returns a delta as the script takes it; large contents are uploaded first.

    They are not uploaded if the part is not at ``mark``: then it is dropped, or does not exist.
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


def _stands_at(client: Client, key: str, mark: bytes) -> bool:
    pipe = client.pipeline(transaction=False)
    pipe.hget(key, "mark")
    return pipe.execute(raise_on_error=False)[0] == mark


def _words(pipe: Pipe, key: str, step: SetValue | Grow | Remove) -> Iterator[Words]:
    name, word = step.name, word_of(step.name)
    if isinstance(step, Remove):
        yield "-", name, word, "", ""
        return
    grows = isinstance(step, Grow) or step.grows
    data = _as_elements(step.content) if grows else step.content
    if not grows and len(data) <= _LARGE:
        yield "=", name, word, data, sum_of(name, [data])
        return
    if isinstance(step, SetValue):
        yield ("[" if grows else ">"), name, word, "", sum_of(name, [])
    if len(data) <= _LARGE:
        if data:
            yield "+", name, word, data, sum_of_piece(data)
    else:
        beside = _temporary_key(key)
        _push(pipe, beside, data)
        yield "<", beside, word, str(len(data)), sum_of_piece(data)
