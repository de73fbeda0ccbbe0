"""Two workers on one machine: whichever is asked tells what both counted."""

import http.client
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live_server import Workers

pytestmark = pytest.mark.only("sqlite")

REQUESTS = 40


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    folder = tmp_path_factory.mktemp("workers")
    settings = {"PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics")}
    with Workers(folder, settings) as server:
        yield server


def ask(server: Workers, path: str) -> str:
    """What a new connection brings, which any of the workers may take."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status == 200
    return text


def test_each_tells_the_sum_of_all(workers: Workers) -> None:
    for _ in range(REQUESTS):
        ask(workers, "/healthz")
    counted = re.compile(r'ctxadmin_requests_total\{.*route="/healthz".*\} (\d+)')
    told = {float(counted.findall(ask(workers, "/metrics"))[0]) for _ in range(10)}
    assert len(told) == 1
    assert told.pop() >= REQUESTS


def test_memory_is_reported_of_each(workers: Workers) -> None:
    text = ask(workers, "/metrics")
    pids = re.findall(r'process_resident_memory_bytes\{pid="(\d+)"\}', text)
    assert len(set(pids)) == len(pids) >= 2


def test_what_a_killed_worker_had_in_progress_is_forgotten(workers: Workers) -> None:
    folder = Path(workers.settings["PROMETHEUS_MULTIPROC_DIR"])
    for kind in ("gauge_livesum", "counter"):
        shutil.copy(next(folder.glob(f"{kind}_*.db")), folder / f"{kind}_999999999.db")
    ask(workers, "/metrics")
    assert not (folder / "gauge_livesum_999999999.db").exists()
    assert (folder / "counter_999999999.db").exists()


def test_the_files_of_a_worker_that_starts_are_empty_at_first(workers: Workers) -> None:
    folder = Path(workers.settings["PROMETHEUS_MULTIPROC_DIR"])
    for kind in ("counter", "gauge_livesum", "histogram"):
        (folder / f"{kind}_{workers.pid}.db").touch()
    assert "ctxadmin_requests_total" in ask(workers, "/metrics")
