"""Runs the bench, all of it or the named parts: ``python -m bench [values|databases]``."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Final

from bench import context, documents, private, views
from bench.table import Row, keep, table

PARTS: Final[dict[str, Sequence[Callable[[], list[Row]]]]] = {
    "values": (views.rows, context.rows, documents.rows),
    "databases": (private.rows,),
}


def main(names: Sequence[str]) -> int:
    """Measure, print one table, write ``bench/results.json``; 2 for an unknown part."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"There is no part {unknown[0]!r}; there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    chosen = names or list(PARTS)
    found: list[Row] = []
    for name in chosen:
        for part in PARTS[name]:
            print(f"... {name}: {part.__module__}", file=sys.stderr, flush=True)
            found += part()
    print("\n".join(table(found)))
    load, cores = os.getloadavg()[1], os.cpu_count() or 1
    if load > cores:  # the bench itself keeps one core busy
        print(f"The machine was busy: a load of {load:.1f} on {cores} cores.", file=sys.stderr)
    keep(found, all_parts=len(chosen) == len(PARTS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
