"""How often the live copy was believed, doubted, moved on, or could not be reached."""

from collections.abc import Mapping
from threading import Lock
from typing import Final

NAMES: Final = ("hits", "doubts", "damaged", "rebuilds", "moves", "failures", "openings")
_counts: Final = dict.fromkeys(NAMES, 0)
_lock: Final = Lock()


def count(name: str, times: int = 1) -> None:
    """Add to a count of this process, which starts at 0 with it."""
    with _lock:
        _counts[name] += times


def counts() -> Mapping[str, int]:
    """All counts of this process: they only rise.

    A read whose parts all stood in the copy is one of ``hits``, any other one of ``doubts``;
    ``damaged`` are parts whose bytes were not those that had been written; ``rebuilds`` are parts
    written from SQL, ``moves`` parts that followed a change; ``failures`` are calls that Redis did
    not answer or refused, ``openings`` how often it was left alone then.
    """
    with _lock:
        return dict(_counts)
