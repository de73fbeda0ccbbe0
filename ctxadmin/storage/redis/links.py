"""The Redis of the live copy for this process, and whether it is available."""

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.redis.client import Reached

_copies: Reached | None = None


def use(link: Reached | None) -> None:
    """Sets the Redis of the live copy; None if there is no copy."""
    global _copies
    _copies = link


def copies() -> Reached | None:
    """Returns the Redis of the live copy."""
    return _copies


def is_away() -> bool:
    """Returns True while a configured Redis does not answer; makes no call."""
    return _copies is not None and _copies.is_away


def findings() -> list[Finding]:
    """Returns the finding for /readyz: whether Redis answers now, and else why not.

    At most 0.25 s.
    """
    if _copies is None:
        return [Finding("live_copy", "ok", "There is no live copy: SQL serves all reads.")]
    if _copies.answers():
        return [Finding("live_copy", "ok", "Redis answers.")]
    trouble = _copies.trouble
    text = f"{trouble.text}: SQL serves all reads, which are slower."
    return [Finding("live_copy", "warning", text, trouble.fix)]
