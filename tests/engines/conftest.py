"""Engines' libraries against a real server: programs in the environment of these libraries.

``engine(program, *arguments)`` runs one of ``programs`` with the server's address and the secrets
of a token of an engine and one of a reviewer, and returns what it printed.
"""

import os
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from scripts.ci import runs_in_ci
from scripts.environment import ENGINES, python_of
from tests.live_server import LiveServer
from tests.servers import ROOT, fresh_database
from tests.standing import Standing, ends

Engine = Callable[..., str]
FOLDER = Path(__file__).parent
PROGRAMS = FOLDER / "programs"
SERVER = Standing[LiveServer]()


def engine_command(program: str) -> list[str]:
    """The command of a program; without the libraries a test is skipped, and fails in CI."""
    python = python_of(ENGINES)
    if not python.exists():
        missing = "the libraries of engines are not installed: scripts.environment engines"
        if runs_in_ci():
            pytest.fail(missing)
        pytest.skip(missing)
    return [str(python), str(PROGRAMS / f"{program}.py")]


def engine_environment() -> dict[str, str]:
    """This process's, with the client from the sources."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python/src")}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None]:
    """The server ends when no test of engines is next."""
    try:
        yield
    finally:
        if ends(FOLDER, nextitem):
            SERVER.end()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> LiveServer:
    """One for all files; with ``CTXADMIN_TEST_DATABASE=mariadb`` on a private MariaDB."""

    @contextmanager
    def started() -> Iterator[LiveServer]:
        with ExitStack() as opened:
            settings = {}
            if os.environ.get("CTXADMIN_TEST_DATABASE") == "mariadb":
                client = request.getfixturevalue("mysql_client")
                settings = {"DATABASE_URL": opened.enter_context(fresh_database(client))}
            folder = tmp_path_factory.mktemp("engines")
            live = opened.enter_context(LiveServer(folder, settings, "--no-demo"))
            live.make_people("engine")
            yield live

    return SERVER.get(started)


@pytest.fixture(scope="module")
def engine(server: LiveServer) -> Engine:
    return engine_of(server)


def engine_of(server: LiveServer) -> Engine:
    """Runs programs against a server, with new tokens of an engine and of a reviewer."""
    engine_command("")
    secrets = [server.token("engine"), server.token("review")]

    def run(program: str, *arguments: str) -> str:
        ended = subprocess.run(
            [*engine_command(program), server.url, *secrets, *arguments],
            env=engine_environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-8_000:]
        return ended.stdout

    return run
