"""Figures of the benches: printed as a table and kept in ``bench/results.json``."""

import json
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

RESULTS: Final = Path(__file__).with_name("results.json")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: a median in ``unit``, beside an anchor of the same run if there is one.

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


def median(call: Callable[[], object], rounds: int, *, number: int = 1) -> float:
    """Seconds of one call: the median of ``rounds``, each of ``number`` calls."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            call()
        times.append((time.perf_counter() - start) / number)
    return statistics.median(times)


def publish(rows: Iterable[Row]) -> None:
    """Print the rows, and put them into the results in place of those of the same names."""
    new = list(rows)
    for row in new:
        ratio = "" if row.ratio is None else f"{row.ratio:8.2f} x anchor"
        goal = "" if row.goal is None else f"  goal {row.goal:g}: {'met' if row.met else 'MISSED'}"
        print(f"{row.name:<66} {row.value:>10.3f} {row.unit:<6}{ratio}{goal}")
    kept = {item["name"]: item for item in _read()}
    for row in new:
        kept[row.name] = asdict(row) | {"ratio": row.ratio, "met": row.met}
    RESULTS.write_text(json.dumps(list(kept.values()), indent=1) + "\n")


def _read() -> list[dict[str, object]]:
    if not RESULTS.exists():
        return []
    found: list[dict[str, object]] = json.loads(RESULTS.read_text())
    return found
