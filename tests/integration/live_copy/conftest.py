"""A live copy on the private Redis, followed and read as a server does it."""

from collections.abc import Iterator

import pytest
import redis

from checkpoints.live_copy import current
from checkpoints.live_copy.port import NoLiveCopy
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from conversations.writing import announcements
from ctxadmin.storage.redis import links
from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link


@pytest.fixture
def following(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Changes are announced to the copy of the process, whichever that is."""
    monkeypatch.setattr(announcements, "FOLLOWERS", [current.follow_changes])
    yield
    current.set_current(NoLiveCopy())


@pytest.fixture
def copy(following: None, redis_url: str) -> Iterator[RedisLiveCopy]:
    link = Link(read_address(redis_url), timeout=10, pause=0.05)
    used = RedisLiveCopy(link)
    current.set_current(used)
    links.use(link)
    yield used
    links.use(None)
    link.close()


@pytest.fixture
def server(redis_url: str) -> Iterator["redis.Redis"]:
    """The Redis of the copy as its keeper sees it."""
    with redis.Redis.from_url(redis_url) as client:
        yield client
