"""Whether Redis is there, for health, metrics and the footer of the pages."""

from typing import Protocol


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


def probe() -> str:
    """``none`` without a Redis, else ``ok`` or ``away``, asked just now; at most 0.25 s."""
    if not _links:
        return "none"
    return "ok" if all(link.answers() for link in _links) else "away"
