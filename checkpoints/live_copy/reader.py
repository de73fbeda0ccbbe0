"""Reads the parts of a live copy from Redis and verifies them."""

import logging
from collections.abc import Collection, Mapping, Sequence

from checkpoints.live_copy.checksums import DIGITS, sum_of
from checkpoints.live_copy.layout import GROWS, IN_PIECES, OWN_FIELDS, mark_bytes, word_of
from checkpoints.live_copy.port import WHOLE, FoundParts, Part, Value
from ctxadmin.audit.record import AuditMark
from ctxadmin.storage.redis.client import Client
from ctxadmin.storage.redis.counts import count

logger = logging.getLogger(__name__)
_Row = dict[bytes, bytes]


class _Evicted(Exception):
    """A list of a part is missing, because Redis evicted it."""


class _Damaged(Exception):
    """The bytes of a part differ from what was written."""


def read_parts(
    client: Client, conversation: int, mark: AuditMark, parts: Collection[Part]
) -> FoundParts:
    """Returns the parts at the mark, with their checksums verified."""
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
        if stood[part] != mark_bytes(part, mark):
            continue
        lists = _other_lists(client, part.key(conversation), fields)
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
        logger.warning(
            "The live copy of {%d} contains data that ctxadmin did not write", conversation
        )
    return FoundParts(found, stood, damaged)


def _fields(answer: object) -> _Row:
    """Returns a hash; redis-py's cluster clients return it as a flat list."""
    if isinstance(answer, list):
        return dict(zip(answer[::2], answer[1::2], strict=True))
    return answer if isinstance(answer, dict) else {}


def _other_lists(client: Client, key: str, fields: _Row) -> Mapping[str, object] | None:
    """Returns the lists of a part by their words; None if the part changed since it was read."""
    others = [word for word in _words(fields) if word != WHOLE]
    if not others:
        return {}
    pipe = client.pipeline(transaction=True)
    pipe.hget(key, "mark")
    for word in others:
        pipe.lrange(f"{key}:{word}", 0, -1)
    stands, *lists = pipe.execute(raise_on_error=False)
    return dict(zip(others, lists, strict=True)) if stands == fields[b"mark"] else None


def _words(fields: _Row) -> list[str]:
    """Returns the words of the lists of a part."""
    return fields.get(b"lists", b"").decode(errors="replace").split()


def _values(fields: _Row, lists: Mapping[str, object]) -> dict[str, Value]:
    """Returns the values of a part; raises _Evicted or _Damaged."""
    found: dict[str, Value] = {}
    for field, content in fields.items():
        if field.startswith(b"="):
            try:
                name = field[1:].decode()
            except UnicodeDecodeError as error:
                raise _Damaged from error
            found[name] = _value(name, content, fields, lists)
    own = {*OWN_FIELDS, *(f"#{word}".encode() for word in _words(fields))} & fields.keys()
    if len(found) + len(own) != len(fields) or fields.get(b"fields") != b"%d" % len(fields):
        raise _Damaged
    return found


def _value(name: str, content: bytes, fields: _Row, lists: Mapping[str, object]) -> Value:
    if content not in (GROWS, IN_PIECES):
        checksum, pieces = content[:DIGITS], [content[DIGITS:]]
        if sum_of(name, pieces) != checksum:
            raise _Damaged
        return Value(pieces)
    word = word_of(name)
    found, counts = lists.get(word), fields.get(f"#{word}".encode(), b"")
    size, _, rest = counts.partition(b" ")
    if not found and size != b"0":
        raise _Evicted
    if not isinstance(found, list) or not all(found):
        raise _Damaged
    if size != b"%d" % sum(map(len, found)) or rest[-DIGITS:] != sum_of(name, found):
        raise _Damaged
    grows = content == GROWS
    return Value(_as_list(found) if grows else found, grows=grows)


def _as_list(pieces: Sequence[bytes]) -> Sequence[bytes]:
    """Returns JSON of a list whose elements have the commas before them."""
    if not pieces:
        return (b"[]",)
    return (b"[" + pieces[0][1:], *pieces[1:], b"]")
