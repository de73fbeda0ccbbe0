"""The Redis of the live copy as this process reaches it, and whether it is there."""

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.redis.client import Reached

_copies: Reached | None = None


def use(link: Reached | None) -> None:
    """Name the Redis of the live copy; None if there is no copy."""
    global _copies
    _copies = link


def copies() -> Reached | None:
    """The Redis of the live copy."""
    return _copies


def is_away() -> bool:
    """True while a Redis that is to be used does not answer; nobody is asked for it."""
    return _copies is not None and _copies.is_away


def findings() -> list[Finding]:
    """For /readyz: does Redis answer, asked just now, and else why not; at most 0.25 s."""
    if _copies is None:
        return [Finding("live_copy", "ok", "There is no live copy: SQL serves all reads.")]
    if _copies.answers():
        return [Finding("live_copy", "ok", "Redis answers.")]
    trouble = _copies.trouble
    text = f"{trouble.text}: SQL serves all reads, which are slower."
    return [Finding("live_copy", "warning", text, trouble.fix)]
