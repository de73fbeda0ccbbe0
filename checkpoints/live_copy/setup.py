"""Connects the live copy to the Redis of the settings, when the process starts."""

import os

from django.conf import settings

from checkpoints.live_copy import current, erasure
from conversations.writing.announcements import register_follower
from ctxadmin.storage.redis import links
from ctxadmin.storage.redis.counts import counts
from ctxadmin.telemetry.metrics import count_live_copy
from ctxadmin.telemetry.traces import span


def set_up() -> None:
    """Uses the Redis of the settings for the live copy; without one, imports nothing of it."""
    if settings.LIVE_REDIS is None:
        return
    from checkpoints.live_copy.redis_copy import RedisLiveCopy
    from ctxadmin.storage.redis.link import Link

    link = Link(settings.LIVE_REDIS, span=span)
    link.on_return.append(erasure.drop_erased_in_thread)
    links.use(link)
    os.register_at_fork(after_in_child=link.reset)
    count_live_copy(counts)
    current.set_current(RedisLiveCopy(link))
    register_follower(current.follow_changes)
