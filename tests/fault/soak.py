"""Round after round for as long as one likes: ``make soak MINUTES=30 SEED=...``."""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.fault import report
from tests.fault.cluster import Cluster, embedded, several
from tests.fault.rounds import Result, look_again, open_stage, play
from tests.servers import COMMAND_SECONDS, ROOT

ROUND_SECONDS: Final = 25.0
ROUNDS_OF_A_CLUSTER: Final = 8  # then all is killed, looked at again, and made again
EMBEDDED_SHARE: Final = 0.25
KEPT: Final = ROOT / ".cache" / "faults"


def main(arguments: list[str]) -> int:
    """Run, tell each round in a line and all of them in a table; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**6)))
    asked = parser.parse_args(arguments)
    print(f"Seed {asked.seed}, {asked.minutes:g} minutes", flush=True)
    total = report.Sum()
    try:
        soak(total, asked.seed, time.monotonic() + 60 * asked.minutes)
    except KeyboardInterrupt:
        print("Stopped.")
    print("\n".join(["", *total.lines()]))
    if total.violations:
        print("\n" + report.telling(total.violations))
        print("Again, each alone: " + ", ".join(map(_again, total.failed_seeds)))
    return 1 if total.violations else 0


def soak(total: report.Sum, seed: str, end: float) -> None:
    """The first round has the seed itself, so that any round can be had again as a first one."""
    seeds = _seeds(seed)
    while total.rounds == 0 or time.monotonic() < end:
        with _clusters() as clusters:
            results: list[tuple[Cluster, Result]] = []
            while len(results) < ROUNDS_OF_A_CLUSTER and (
                total.rounds == 0 or time.monotonic() < end
            ):
                one = next(seeds)
                cluster = clusters[random.Random(f"scenario {one}").random() < EMBEDDED_SHARE]
                result = play(cluster, one, ROUND_SECONDS)
                results.append((cluster, result))
                total.add(result)
                print(report.line(result), flush=True)
                if result.violations:
                    print(keep(cluster, result, _again(one)), flush=True)
            for cluster in clusters:
                _kill_all(cluster)
                mine = [result for where, result in results if where is cluster]
                found = list(map(str, look_again(cluster, mine)))
                if found:
                    cluster.keep_logs(KEPT / f"{seed}-again")
                    print(report.telling(found), flush=True)
                total.violations += found


def keep(cluster: Cluster, result: Result, again: str) -> str:
    """Write history and logs down and say where, and by which command it comes again."""
    folder = KEPT / result.seed
    told = {"seed": result.seed, "violations": list(map(str, result.violations))}
    result.history.keep(folder / "history.jsonl", told)
    cluster.keep_logs(folder)
    return f"History and logs are in {folder.relative_to(ROOT)}; again: {again}\n"


def _again(seed: str) -> str:
    return f"make soak MINUTES=0 SEED={seed}"


@contextmanager
def _clusters() -> Iterator[tuple[Cluster, Cluster]]:
    with tempfile.TemporaryDirectory(prefix="ctxadmin-soak-") as folder, ExitStack() as stack:
        made = (
            stack.enter_context(several(Path(folder) / "several")),
            stack.enter_context(embedded(Path(folder) / "embedded")),
        )
        for cluster in made:
            open_stage(cluster)
        yield made


def _kill_all(cluster: Cluster) -> None:
    """Everything at once, as a power cut ends it, and up again."""
    for worker in cluster.workers:
        worker.kill()
    for server in (cluster.sql, cluster.redis):
        if server is not None:
            server.kill()
            cluster.start(server.start).result(COMMAND_SECONDS)
    for started in [cluster.start(worker.start_again) for worker in cluster.workers]:
        started.result(COMMAND_SECONDS)


def _seeds(seed: str) -> Iterator[str]:
    yield seed
    number = 0
    while True:
        number += 1
        yield f"{seed}-{number}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
