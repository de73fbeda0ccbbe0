"""Measures operations on views of a million messages: ``python -m bench.bench_views``."""

from functools import partial

from bench.table import Row, median, publish
from conversations.domain.configs import read_operation
from conversations.domain.memory import MemoryLog
from conversations.domain.message import Draft
from conversations.domain.operations import truncated
from conversations.domain.view import View

MILLION = 1_000_000
LOG = 100_000


def bench_slices() -> list[Row]:
    """Slicing costs the runs of a view, not its messages."""
    config = read_operation(
        {"operation": "truncate", "truncate": {"keep_first": 10, "keep_last": 50}}
    ).truncate
    if config is None:
        raise ValueError("a truncate has its block")
    rows: list[Row] = []
    for runs in (1, 1_000):
        length = MILLION // runs
        view = View((2 * n * length, (2 * n + 1) * length) for n in range(runs))
        view.slice(0, 1)  # the prefix sums are made once for a view
        name = f"of 1,000,000 messages in {runs:,} runs"
        seconds = median(partial(view.slice, 100, 900_000), 9, number=2_000)
        rows.append(Row(f"slice {name}", seconds * 1e6, "us"))
        seconds = median(partial(truncated, config, view), 9, number=2_000)
        rows.append(Row(f"truncate {name}", seconds * 1e6, "us"))
    return rows


def bench_roles() -> list[Row]:
    """A role filter on an index, beside a loop over the messages."""
    drafts = [
        Draft(body=b"{}", role=role, counts_as=role, text="x")
        for role in ("user", "assistant")
        for _ in range(1)
    ] * (LOG // 2)
    log = MemoryLog(drafts)
    runs = ((0, len(log)),)
    index = median(lambda: log.with_roles(frozenset({"user"}), runs), 9)
    loop = median(lambda: [n for n, draft in enumerate(drafts) if draft.counts_as == "user"], 9)
    name = "role filter of 100,000 alternating messages, beside a bare loop"
    return [Row(name, index * 1e3, "ms", anchor=loop * 1e3)]


if __name__ == "__main__":
    publish([*bench_slices(), *bench_roles()])
