"""The live copy in Redis."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from checkpoints.live_copy.port import CopyChange, FoundParts, Part, Value
from checkpoints.live_copy.reader import read_parts
from checkpoints.live_copy.scripts import DROP
from checkpoints.live_copy.writer import apply_changes, put_part
from ctxadmin.audit.record import AuditMark
from ctxadmin.storage.redis.client import RedisDown, RedisPort
from ctxadmin.storage.redis.counts import count


class RedisLiveCopy:
    """Parts as ``scripts`` describes them, in the Redis of a link."""

    is_enabled = True

    def __init__(self, link: RedisPort) -> None:
        self.link = link

    def read(self, conversation: int, mark: AuditMark, parts: Collection[Part]) -> FoundParts:
        try:
            return self.link.call(lambda client: read_parts(client, conversation, mark, parts))
        except RedisDown:
            return FoundParts({}, {})

    def put(
        self,
        conversation: int,
        mark: AuditMark,
        parts: Mapping[Part, Mapping[str, Value]],
        found: FoundParts,
        seconds: Mapping[Part, int],
    ) -> None:
        for part, values in parts.items():
            stood = found.stood.get(part)
            if stood is None:
                continue  # it could not be looked at
            put = partial(put_part, part, conversation, mark, values, stood, seconds[part])
            try:
                self.link.call(put)
            except RedisDown:
                return
            count("rebuilds")

    def apply_changes(self, changes: Sequence[CopyChange]) -> None:
        """Applies each change with a script of its own, all in one round trip."""
        if not changes:
            return
        try:
            count("moves", sum(self.link.call(partial(apply_changes, changes))))
        except RedisDown:
            return

    def drop(self, conversation: int) -> bool:
        keys = [part.key(conversation) for part in Part]
        try:
            self.link.call(lambda client: DROP.run(client, keys, []))
        except RedisDown:
            return False
        return True
