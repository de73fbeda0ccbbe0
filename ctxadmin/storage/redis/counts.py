"""Counts of live copy reads that hit or missed, of moves, and of failures."""

from collections.abc import Mapping
from threading import Lock
from typing import Final

NAMES: Final = ("hits", "doubts", "damaged", "rebuilds", "moves", "failures", "openings")
_counts: Final = dict.fromkeys(NAMES, 0)
_lock: Final = Lock()


def count(name: str, times: int = 1) -> None:
    """Adds to a count of this process, which starts at 0."""
    with _lock:
        _counts[name] += times


def counts() -> Mapping[str, int]:
    """Returns all counts of this process, which only rise.

    A read whose parts were all in the copy is one of ``hits``, any other one of ``doubts``;
    ``damaged`` are parts whose bytes were not those that had been written; ``rebuilds`` are parts
    written from SQL, ``moves`` parts that followed a change; ``failures`` are calls that Redis did
    not answer or refused, ``openings`` how often it was left alone then.
    """
    with _lock:
        return dict(_counts)
