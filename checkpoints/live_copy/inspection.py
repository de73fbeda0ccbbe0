"""Inspects the Redis of the live copy, for its operators."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

from checkpoints.live_copy.port import ALL_PARTS, Part
from ctxadmin.storage.redis.client import Client, RedisPort

_CONVERSATION: Final = re.compile(rb"[a-z:]+:\{([0-9]{1,19})\}")


@dataclass(frozen=True, slots=True)
class PartStatus:
    """One part: its change, its size in bytes, and its remaining seconds (-1: no expiry).

    ``change`` is None for a part without a readable mark. ``size`` is the memory that Redis needs.
    """

    change: int | None
    keys: int
    size: int
    seconds: int


def stored_conversations(link: RedisPort) -> list[int]:
    """Yields the keys of all conversations with data in Redis, ascending; raises RedisDown."""
    return sorted(set(link.call(lambda client: list(_scan(client)))))


def status_of(link: RedisPort, conversation: int) -> Mapping[Part, PartStatus]:
    """Returns the parts of a conversation in Redis, under any mark; raises RedisDown."""
    return link.call(partial(_parts_of, conversation))


def _scan(client: Client) -> Iterator[int]:
    for part in ALL_PARTS:
        pattern = part.value.replace("%d", "*")
        for key in client.scan_iter(match=pattern, count=1000):
            match = _CONVERSATION.match(key)
            if match is not None:
                yield int(match[1])


def _parts_of(conversation: int, client: Client) -> Mapping[Part, PartStatus]:
    found: dict[Part, PartStatus] = {}
    for part in ALL_PARTS:
        key = part.key(conversation)
        pipe = client.pipeline(transaction=False)
        pipe.hget(key, "mark")
        pipe.hget(key, "lists")
        pipe.ttl(key)
        mark, lists, seconds = pipe.execute(raise_on_error=False)
        if seconds == -2:
            continue
        words = lists.decode().split() if isinstance(lists, bytes) else []
        keys = [key, *(f"{key}:{word}" for word in words)]
        pipe = client.pipeline(transaction=False)
        for each in keys:
            pipe.memory_usage(each, samples=0)
        sizes = [size for size in pipe.execute() if isinstance(size, int)]
        found[part] = PartStatus(_change(mark), len(sizes), sum(sizes), cast(int, seconds))
    return found


def _change(mark: object) -> int | None:
    words = mark.split() if isinstance(mark, bytes) else []
    return int(words[1]) if len(words) == 4 and words[1].isdigit() else None
