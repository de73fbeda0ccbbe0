"""Several real processes under faults: nothing acknowledged is lost, nothing is done twice.

Each round is made from a seed: the same faults strike and the clients want the same, only when
which request meets which fault cannot be had again. ``make soak SEED=...`` repeats a round.
"""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import Final

import pytest

from tests.fault import report
from tests.fault.cluster import Cluster, embedded, several
from tests.fault.rounds import open_stage, play
from tests.fault.soak import keep

SEVERAL_SECONDS: Final = 12.0
EMBEDDED_SECONDS: Final = 6.0
RANDOM: Final = os.environ.get("FAULT_SEED") or str(random.SystemRandom().randrange(10**6))
# A seed that failed once gets a name here, and stays. The first of each has most kinds of faults.
SEVERAL: Final = {"most kinds": "670", "random": RANDOM}
# With the clock a day back, or eight days ahead, repeated calls took effect twice.
EMBEDDED: Final = {"a clock that jumps": "2", "random": RANDOM}


@pytest.fixture(scope="module", autouse=True)
def seed_is_told(request: pytest.FixtureRequest) -> None:
    """Before anything happens: whatever comes, the seed is known."""
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        sys.stdout.write(f"\nThe random seed of these faults: FAULT_SEED={RANDOM}\n")


@pytest.fixture(scope="module")
def on_mariadb(
    tmp_path_factory: pytest.TempPathFactory, mysql_client: ModuleType
) -> Iterator[Cluster]:
    with several(tmp_path_factory.mktemp("several")) as cluster:
        open_stage(cluster)
        yield cluster


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with embedded(tmp_path_factory.mktemp("embedded")) as cluster:
        open_stage(cluster)
        yield cluster


@pytest.mark.parametrize("name", SEVERAL)
def test_two_workers_on_mariadb_and_redis_keep_their_promises(
    on_mariadb: Cluster, name: str
) -> None:
    holds(on_mariadb, SEVERAL[name], SEVERAL_SECONDS)


@pytest.mark.parametrize("name", EMBEDDED)
def test_the_embedded_server_keeps_its_promises(on_sqlite: Cluster, name: str) -> None:
    holds(on_sqlite, EMBEDDED[name], EMBEDDED_SECONDS)


def holds(cluster: Cluster, seed: str, seconds: float) -> None:
    result = play(cluster, seed, seconds)
    if result.violations:
        kept = keep(cluster, result, f"FAULT_SEED={seed} make test")
        pytest.fail(kept + report.telling(list(map(str, result.violations))), pytrace=False)
    assert result.history.strikes
    assert any(write.acknowledged for write in result.history.writes)
