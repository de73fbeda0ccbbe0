"""What engines and people do to a conversation, and what a snapshot of it says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count

from pydantic import JsonValue

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.domain.status import Status
from checkpoints.live_copy import current
from checkpoints.live_copy.port import NoLiveCopy
from checkpoints.reading.queries import find_moment, snapshot_bytes
from checkpoints.services import checkpoint_saves
from conversations.domain.configs import read_operation
from conversations.services import use_cases
from ctxadmin.storage.redis.counts import counts
from tests.factories import drafts, engine, user

_ids = count()


def save(name: str, *texts: str, status: Status | None = None, **state: JsonValue) -> None:
    command = SaveCheckpoint(
        node_id="a", state_data=state, messages=[user(text) for text in texts], status=status
    )
    checkpoint_saves.save(engine(), name, f"c{next(_ids)}", command)


def append(name: str, *texts: str) -> None:
    use_cases.append(engine(), name, drafts(*(user(text) for text in texts)))


def keep_last(name: str, messages: int) -> None:
    config = read_operation({"operation": "truncate", "truncate": {"keep_last": messages}})
    use_cases.apply_operation(engine(), name, config)


def snapshot(name: str, version: int | None = None) -> bytes:
    """As a server answers it."""
    return snapshot_bytes(find_moment(engine(), name, version))


def snapshot_in_sql(name: str, version: int | None = None) -> bytes:
    """As it is without any copy."""
    used = current.copy()
    current.set_current(NoLiveCopy())
    try:
        return snapshot(name, version)
    finally:
        current.set_current(used)


@contextmanager
def counted(expected: Mapping[str, int]) -> Iterator[None]:
    """Checks by how much the counts rise."""
    before = counts()
    yield
    after = counts()
    risen = {name: after[name] - before[name] for name in expected}
    assert risen == dict(expected), risen
