"""Lists the changes since the previous run: ``python -m bench.compare [a results.json]``.

A figure with an anchor is compared by its ratio, which a busy machine changes less than its value.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.table import BEFORE, RESULTS, read

_NOTABLE: Final = 0.15  # most figures of two runs of the same code differ by less


def changes(
    before: Sequence[Mapping[str, object]], after: Sequence[Mapping[str, object]]
) -> Iterator[str]:
    """Returns a line for each new, missing or notably changed figure, changed goals first."""
    former = {str(item["name"]): item for item in before}
    now = {str(item["name"]): item for item in after}
    shared = [name for name in now if name in former]
    for name in shared:
        if former[name]["met"] != now[name]["met"]:
            yield f"{_goal(former[name])} -> {_goal(now[name])}: {name}"
    for name in shared:
        was, became = _figure(former[name]), _figure(now[name])
        if was and abs(became / was - 1) > _NOTABLE:
            yield f"{became / was - 1:+8.0%}  {was:12.3f} -> {became:12.3f}  {name}"
    yield from (f"new: {name}" for name in now if name not in former)
    yield from (f"gone: {name}" for name in former if name not in now)


def _figure(item: Mapping[str, object]) -> float:
    ratio = item["ratio"]
    return float(str(item["value"] if ratio is None else ratio))


def _goal(item: Mapping[str, object]) -> str:
    met = item["met"]
    return "no goal" if met is None else "met" if met else "missed"


if __name__ == "__main__":
    against = Path(sys.argv[1]) if len(sys.argv) > 1 else BEFORE
    lines = list(changes(read(against), read(RESULTS)))
    print("\n".join(lines) or "Nothing changed notably.")
