"""Measures the memory of the server: for a large request, and its growth under load."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import orjson

from bench.calls import MANY, SIZES, Calls
from bench.documents import state_of
from bench.load import Caller, load
from bench.table import Row

_MB: Final = 1e6
_EVERY: Final = 0.25


def memory_rows(pids: Sequence[int], caller: Caller, calls: Calls, minutes: float) -> list[Row]:
    """Returns peaks of a request with 10 MB, then the memory over minutes of a mixed load."""
    return [*_peaks(pids, caller, calls), _growth(pids, caller, calls, minutes)]


def _peaks(pids: Sequence[int], caller: Caller, calls: Calls) -> list[Row]:
    name = calls.with_state("10 MB")
    state = orjson.dumps(state_of(SIZES["10 MB"], step=1))
    requests = {
        "a snapshot of 10 MB": next(calls.snapshots_of(name)),
        "a save of 10 MB": next(calls.saves_of(name, lambda _: state)),
    }
    found: list[Row] = []
    for what, request in requests.items():
        before = forget_peaks(pids)
        load(caller.port, [[request]], 60)
        peak = max(memory_of(pid, "VmHWM") - before[pid] for pid in pids)
        found.append(
            Row(f"memory that {what} takes, beside its size", peak / _MB, "MB", len(state) / _MB, 5)
        )
    return found


def _growth(pids: Sequence[int], caller: Caller, calls: Calls, minutes: float) -> Row:
    kinds = list(calls.each.values())
    clients = [kinds[place % len(kinds)]() for place in range(MANY)]
    seen: list[int] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            seen.append(sum(memory_of(pid, "VmRSS") for pid in pids))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        load(caller.port, clients, minutes * 60)
    finally:
        done.set()
        watcher.join()
    half, end = max(seen[: len(seen) // 2]), max(seen[len(seen) // 2 :])
    name = f"memory in the second half of {minutes:g} minutes of load, beside the first"
    return Row(name, end / _MB, "MB", half / _MB, 1.05)


def forget_peaks(pids: Sequence[int]) -> dict[int, int]:
    """Resets the peaks; returns the current memory of each process."""
    for pid in pids:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    return {pid: memory_of(pid, "VmRSS") for pid in pids}


def memory_of(pid: int, name: str) -> int:
    """Returns a memory figure of a process in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise KeyError(name)
