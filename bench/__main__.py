"""Runs the bench: ``python -m bench [part ...] [--minutes=0.3]``; ``parts`` names them."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench import (
    apply_times,
    budgets,
    canvas,
    context,
    databases,
    desk,
    documents,
    enter_calls,
    fairness,
    fanout,
    hostile,
    http,
    langgraph,
    live_copy,
    page_weights,
    policies,
    savers,
    search_times,
    tokens,
    views,
)
from bench.table import Row, keep, table

Part = Callable[[], list[Row]]


def parts(
    minutes: float,
    files: Sequence[Path] = (),
    tools: Path | None = None,
    messages: int = search_times.MESSAGES,
) -> Mapping[str, Sequence[Part]]:
    """Returns the parts by name; ``minutes`` is how long the memory of the server is measured.

    ``messages`` is the number of messages to search. ``files`` and ``tools`` are conversations and
    tool schemas for the experiment on policies.
    """
    return {
        "values": (views.rows, context.rows, documents.rows),
        "databases": (databases.rows,),
        "lists": (databases.list_rows,),
        "search": (partial(databases.search_rows, messages),),
        "copy": (live_copy.rows,),
        "savers": (savers.rows,),
        "langgraph": (langgraph.rows,),
        "http": (partial(http.rows, minutes),),
        "canvas": (canvas.rows,),
        "desk": (desk.rows,),
        "pages": (page_weights.rows,),
        "applied": (apply_times.rows,),
        "fanout": (fanout.rows,),
        "entered": (enter_calls.rows,),
        "budgets": (budgets.rows,),
        "tokens": (tokens.rows,),
        "policies": (partial(policies.rows, files, tools),),
        "hostile": (hostile.rows, hostile.crowd_rows, fairness.rows),
    }


def main(arguments: Sequence[str]) -> int:
    """Measures, prints a table, writes ``bench/results.json``; returns 2 for an unknown part."""
    parser = ArgumentParser(prog="bench", description="Measures ctxadmin beside anchors and goals.")
    listed = "values, databases, lists, search, copy, savers, langgraph, http, canvas, desk, "
    listed += "pages, applied, fanout, entered, budgets, tokens, policies, hostile"
    parser.add_argument("names", nargs="*", metavar="part", help=listed)
    parser.add_argument("--minutes", type=float, default=0.3, help="of load, to watch the memory")
    parser.add_argument("--files", type=Path, nargs="+", default=(), help="conversations")
    parser.add_argument("--tools", type=Path, help="tool schemas, for the part policies")
    parser.add_argument(
        "--messages", type=int, default=search_times.MESSAGES, help="that are searched"
    )
    options = parser.parse_args(arguments)
    known = parts(options.minutes, options.files, options.tools, options.messages)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        print(f"There is no part {unknown[0]!r}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    chosen = options.names or list(known)
    found: list[Row] = []
    for name in chosen:
        print(f"... {name}", file=sys.stderr, flush=True)
        for part in known[name]:
            found += part()
    print("\n".join(table(found)))
    load, cores = os.getloadavg()[1], os.cpu_count() or 1
    if load > cores:  # the bench itself uses one core
        print(f"The machine was busy: a load of {load:.1f} on {cores} cores.", file=sys.stderr)
    keep(found, all_parts=len(chosen) == len(known))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
