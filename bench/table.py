"""Figures of a bench: taken as medians, shown as one table, kept in ``bench/results.json``."""

import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

RESULTS: Final = Path(__file__).with_name("results.json")
BEFORE: Final = Path(".cache/bench/before.json")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in ``unit``, beside an anchor of the same run in the same unit if there is one.

    ``goal`` is the largest ``ratio`` (value through anchor) that is fine, or, without an anchor,
    the largest value.
    """

    name: str
    value: float
    unit: str
    anchor: float | None = None
    goal: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if not self.anchor else self.value / self.anchor

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return (self.value if self.ratio is None else self.ratio) <= self.goal

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def times_of(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    number: int = 1,
    seconds: float | None = None,
) -> dict[str, list[float]]:
    """Seconds of one call each, ascending, of calls that are made by turns.

    So what slows the machine for a while slows them all; every other round goes backwards, so that
    none always follows the same. ``number`` calls make one measurement;
    no round is begun ``seconds`` after the start.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    begun = time.perf_counter()
    for done in range(rounds):
        if seconds is not None and done and time.perf_counter() - begun > seconds:
            break
        for name, call in list(calls.items())[:: -1 if done % 2 else 1]:
            start = time.perf_counter()
            for _ in range(number):
                call()
            times[name].append((time.perf_counter() - start) / number)
    return {name: sorted(measured) for name, measured in times.items()}


def medians(
    calls: Mapping[str, Callable[[], object]], rounds: int, *, number: int = 1
) -> dict[str, float]:
    """The medians of ``times_of``."""
    measured = times_of(calls, rounds, number=number)
    return {name: statistics.median(times) for name, times in measured.items()}


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The rows as lines of text."""
    yield f"{'':<68} {'value':>10} {'':<5} {'anchor':>10} {'ratio':>8} {'goal':>8}"
    for row in rows:
        cells = [f"{row.name:<68} {row.value:>10.3f} {row.unit:<5}"]
        cells.append(f"{'':>10}" if row.anchor is None else f"{row.anchor:>10.3f}")
        cells.append(f"{'':>8}" if row.ratio is None else f"{row.ratio:>8.3f}")
        if row.goal is not None:
            cells.append(f"{row.goal:>8g} {'met' if row.met else 'MISSED'}")
        yield " ".join(cells).rstrip()


def keep(rows: Sequence[Row], *, all_parts: bool) -> None:
    """Writes the results; those of parts that did not run stay, the former ones are renamed."""
    former = read(RESULTS)
    BEFORE.parent.mkdir(parents=True, exist_ok=True)
    BEFORE.write_text(_lines(former))
    new = {row.name: row.as_json() for row in rows}
    if not all_parts:
        new = {str(item["name"]): item for item in former} | new
    RESULTS.write_text(_lines(new.values()))


def read(path: Path) -> list[dict[str, object]]:
    """The rows that a run wrote, none without a file."""
    if not path.exists():
        return []
    found: list[dict[str, object]] = json.loads(path.read_text())
    return found


def _lines(items: Iterable[dict[str, object]]) -> str:
    """JSON with a line for each row, so that a difference of two results can be read."""
    return "[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]\n"
