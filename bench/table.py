"""Figures of a bench: medians, printed as a table, stored in ``bench/results.json``."""

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
    """A figure in ``unit``, with an anchor of the same run and unit if there is one.

    ``goal`` is the largest acceptable ``ratio`` (value divided by anchor) or, without an anchor,
    the largest acceptable value.
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
    """Returns the seconds of one call of each function, sorted; the functions run in turn.

    So a slow phase of the machine slows all of them. Every other round has the reverse order, so
    that none always follows the same one. A measurement has ``number`` calls; no round begins later
    than ``seconds`` after the start.
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
    """Returns the medians of ``times_of``."""
    measured = times_of(calls, rounds, number=number)
    return {name: statistics.median(times) for name, times in measured.items()}


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Returns the rows as lines of text."""
    yield f"{'':<68} {'value':>10} {'':<5} {'anchor':>10} {'ratio':>8} {'goal':>8}"
    for row in rows:
        cells = [f"{row.name:<68} {row.value:>10.3f} {row.unit:<5}"]
        cells.append(f"{'':>10}" if row.anchor is None else f"{row.anchor:>10.3f}")
        cells.append(f"{'':>8}" if row.ratio is None else f"{row.ratio:>8.3f}")
        if row.goal is not None:
            cells.append(f"{row.goal:>8g} {'met' if row.met else 'MISSED'}")
        yield " ".join(cells).rstrip()


def keep(rows: Sequence[Row], *, all_parts: bool) -> None:
    """Writes the results; keeps earlier ones of parts that did not run, and the previous file."""
    former = read(RESULTS)
    BEFORE.parent.mkdir(parents=True, exist_ok=True)
    BEFORE.write_text(_lines(former))
    new = {row.name: row.as_json() for row in rows}
    if not all_parts:
        new = {str(item["name"]): item for item in former} | new
    RESULTS.write_text(_lines(new.values()))


def read(path: Path) -> list[dict[str, object]]:
    """Returns the rows that a run wrote; none without a file."""
    if not path.exists():
        return []
    found: list[dict[str, object]] = json.loads(path.read_text())
    return found


def _lines(items: Iterable[dict[str, object]]) -> str:
    """Returns JSON with a line for each row, so that a diff of two results is readable."""
    return "[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]\n"
