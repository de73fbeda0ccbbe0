"""Presence: the people at an object, by this process's sockets and other processes' reports."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ctxadmin.realtime.protocol import MOST_PEOPLE, Person, Presence

# A process tells of its people this often, and is not believed for longer than three times that.
TOLD_EVERY: Final = 15.0
BELIEVED_FOR: Final = 3 * TOLD_EVERY


@dataclass(slots=True)
class Elsewhere:
    """The people of other processes at one object, each list until it expires."""

    lists: dict[str, tuple[float, tuple[Person, ...]]] = field(default_factory=dict)

    def report(self, process: str, people: tuple[Person, ...], now: float) -> bool:
        """Stores the report of a process; returns True if it is new."""
        before = self.lists.pop(process, (0.0, ()))[1]
        if people:
            self.lists[process] = (now + BELIEVED_FOR, people)
        return people != before

    def expire(self, now: float) -> bool:
        """Drops processes that were silent for too long; returns True if there were any."""
        late = [process for process, (until, _) in self.lists.items() if until <= now]
        for process in late:
            del self.lists[process]
        return bool(late)

    def people(self) -> Iterable[Person]:
        for _, people in self.lists.values():
            yield from people


def presence(here: Iterable[Person], elsewhere: Elsewhere) -> Presence:
    """Returns everyone at the object; editors first, then by name."""
    everybody = sorted(
        (*here, *elsewhere.people()),
        key=lambda each: (not each.editing, each.name, each.socket),
    )
    listed = tuple(everybody[:MOST_PEOPLE])
    return Presence(people=listed, more=len(everybody) - len(listed))
