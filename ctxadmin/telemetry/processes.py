"""Memory, CPU time and open files of this process, or of all workers that count together."""

import os
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from prometheus_client import ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample


class CountsCollector(MultiProcessCollector):
    """The sums of all workers that count in files of a folder.

    A worker that starts empties its files and then extends them. Meanwhile there is nothing to read
    in them, and the library fails on them.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(None, str(folder))  # type: ignore[no-untyped-call]
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        files = [str(file) for file in self._folder.glob("*.db") if _has_begun(file)]
        found: Iterable[Metric] = self.merge(files)  # type: ignore[no-untyped-call]
        return found


def _has_begun(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:  # of a process that has ended, and another worker removed it
        return False


class WorkersCollector(Collector):
    """The usual ``process_*`` metrics, with the ``pid`` of the worker as their label."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        found: dict[str, Metric] = {}
        for pid in _workers(self._folder):
            for metric in ProcessCollector(pid=partial(int, pid), registry=None).collect():
                whole = found.setdefault(metric.name, metric)
                samples = [_with_pid(sample, pid) for sample in metric.samples]
                whole.samples = samples if whole is metric else [*whole.samples, *samples]
        return found.values()

    def describe(self) -> Iterable[Metric]:
        return ()


def _with_pid(sample: Sample, pid: int) -> Sample:
    return sample._replace(labels={**sample.labels, "pid": str(pid)})


def _workers(folder: Path | None) -> list[int]:
    """Returns the processes that count; drops the in-progress counts of dead ones."""
    if folder is None:
        return [os.getpid()]
    named = {int(file.stem.rpartition("_")[2]) for file in folder.glob("counter_*.db")}
    alive = sorted(pid for pid in named if Path(f"/proc/{pid}").exists())
    for pid in named.difference(alive):
        with suppress(FileNotFoundError):  # another worker does the same just now
            mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]
    return alive
