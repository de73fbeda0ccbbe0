"""The Redis of the live copy for this process, and whether it is available."""

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.redis.client import RedisPort

_copies: RedisPort | None = None


def use(link: RedisPort | None) -> None:
    """Sets the Redis of the live copy; None if there is no copy."""
    global _copies
    _copies = link


def live_copy_redis() -> RedisPort | None:
    """Returns the Redis of the live copy."""
    return _copies


def is_down() -> bool:
    """Returns True while a configured Redis does not answer; makes no call."""
    return _copies is not None and _copies.is_down


def findings() -> list[Finding]:
    """Returns the finding for /readyz: whether Redis answers now, and else why not.

    At most 0.25 s.
    """
    if _copies is None:
        return [Finding("live_copy", "ok", "There is no live copy: SQL serves all reads.")]
    if _copies.is_reachable():
        return [Finding("live_copy", "ok", "Redis answers.")]
    failure = _copies.failure
    text = f"{failure.text}: SQL serves all reads, which are slower."
    return [Finding("live_copy", "warning", text, failure.fix)]
