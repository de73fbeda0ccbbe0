"""Whether Redis is there, for health, metrics and the footer of the pages."""

from typing import Protocol

from ctxadmin.lib.finding import Finding


class Asked(Protocol):
    """What is asked of a link to Redis."""

    @property
    def is_away(self) -> bool: ...

    def answers(self) -> bool: ...


_links: list[Asked] = []


def register(link: Asked) -> None:
    """Make a link known that the process uses."""
    _links.append(link)


def is_away() -> bool:
    """True while a Redis that is to be used does not answer; nobody is asked for it."""
    return any(link.is_away for link in _links)


def findings() -> list[Finding]:
    """For /readyz: does Redis answer, asked just now; at most 0.25 s. It may be away."""
    if not _links:
        return [Finding("live_copy", "ok", "There is no live copy: SQL serves all reads.")]
    if all(link.answers() for link in _links):
        return [Finding("live_copy", "ok", "Redis answers.")]
    text = "Redis does not answer: SQL serves all reads, which are slower."
    return [Finding("live_copy", "warning", text, "Look at Redis and at REDIS_URL.")]
