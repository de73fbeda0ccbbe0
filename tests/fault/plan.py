"""Which faults strike when: made from a seed and nothing else, so that it can be had again."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from typing import Final


class Fault(StrEnum):
    """What can happen; ``strikes`` tells how each is done."""

    APP_KILL = "application killed"
    APP_KILL_AT_COMMIT = "application killed between commit and answer"
    APP_STOP = "application stopped"
    SQL_KILL = "database killed"
    SQL_STOP = "database stopped"
    SQL_CUT = "database connections cut"
    SQL_CUT_AT_COMMIT = "database connection cut between commit and its answer"
    SQL_STALL = "database connections stalled"
    REDIS_KILL = "Redis killed"
    REDIS_STOP = "Redis stopped"
    REDIS_CUT = "Redis connections cut"
    REDIS_STALL = "Redis connections stalled"
    REDIS_FLUSH = "Redis flushed"
    REDIS_OLD_COPY = "old copy of Redis put back"
    DISK_FULL = "disk full"
    CLOCK_AHEAD = "clock 8 days ahead"
    CLOCK_BACK = "clock 1 day back"


CLOCKS: Final = (Fault.CLOCK_AHEAD, Fault.CLOCK_BACK)
REDIS: Final = (
    Fault.REDIS_KILL,
    Fault.REDIS_STOP,
    Fault.REDIS_CUT,
    Fault.REDIS_STALL,
    Fault.REDIS_FLUSH,
    Fault.REDIS_OLD_COPY,
)
# While one of these lasts, no worker that it strikes can reach SQL.
SQL_AWAY: Final = frozenset({Fault.SQL_KILL, Fault.SQL_STOP, Fault.SQL_CUT, Fault.SQL_STALL})
# Of processes that run on several workers these strike one of them.
OF_ONE_WORKER: Final = frozenset(
    {
        Fault.APP_KILL,
        Fault.APP_KILL_AT_COMMIT,
        Fault.APP_STOP,
        Fault.SQL_CUT,
        Fault.SQL_CUT_AT_COMMIT,
        Fault.SQL_STALL,
        Fault.REDIS_CUT,
        Fault.REDIS_STALL,
        *CLOCKS,
    }
)
# What a crash may lose at any moment is met by many of them.
_TWICE: Final = frozenset({Fault.APP_KILL, Fault.APP_KILL_AT_COMMIT, Fault.SQL_KILL})
# Over in an instant: there is nothing to heal.
_AT_ONCE: Final = frozenset({Fault.REDIS_FLUSH})
_LASTING: Final = (0.2, 1.8)  # seconds
_STALLED: Final = (2.5, 6.5)  # longer and shorter than the 5 s within which callers learn of it
_STALLS: Final = frozenset({Fault.SQL_STOP, Fault.SQL_STALL})
_CALM: Final = (0.1, 0.8)  # seconds from the end of one fault to the next
_OVERLAP: Final = 0.25  # how often the next one strikes before the one before is healed


@dataclass(frozen=True, slots=True)
class Planned:
    """One fault: strikes ``at`` seconds from the start, and is healed after ``lasting``.

    ``worker`` is the number of the worker that it strikes, None for the server that all share.
    """

    fault: Fault
    at: float
    lasting: float
    worker: int | None = None


def plan(
    seed: str, seconds: float, faults: Sequence[Fault], *, workers: int = 1
) -> tuple[Planned, ...]:
    """The faults of one round, by time: all kinds in random order, then all over again.

    Kills come twice as often. All faults are healed by ``seconds``. The same arguments give the
    same plan.
    """
    chance = random.Random(f"plan {seed}")
    planned: list[Planned] = []
    at = chance.uniform(*_CALM)
    for fault in _in_turns(chance, faults):
        lasting = 0.0 if fault in _AT_ONCE else chance.uniform(*_range_of(fault))
        if at + lasting > seconds:
            break
        worker = chance.randrange(workers) if fault in OF_ONE_WORKER else None
        planned.append(Planned(fault, round(at, 3), round(lasting, 3), worker))
        overlaps = chance.random() < _OVERLAP
        at += lasting * chance.random() if overlaps else lasting + chance.uniform(*_CALM)
    return tuple(planned)


def _range_of(fault: Fault) -> tuple[float, float]:
    return _STALLED if fault in _STALLS else _LASTING


def _in_turns(chance: random.Random, faults: Sequence[Fault]) -> "cycle[Fault]":
    order = [*faults, *(fault for fault in faults if fault in _TWICE)]
    chance.shuffle(order)
    return cycle(order)
