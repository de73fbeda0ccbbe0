"""What every test can use: private servers, and rules that hold for all tests.

How tests reach databases is described in ``tests/settings.py``, how servers live in ``servers.py``.
"""

import gc
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest
import redis
from django.db import connection
from django.template import Context, Template
from django.test import TransactionTestCase
from django.test.utils import instrumented_test_render  # type: ignore[attr-defined]
from django.utils import translation

from scripts.ci import runs_in_ci
from tests import servers
from tests.clean_tables import clean_tables
from tests.examples import examples

_USES = {"db", "transactional_db"}  # the default database, without a mark
PAGES = Path(__file__).parent / "integration" / "pages"
ENGINES = Path(__file__).parent / "engines"  # whose server is on the database of the run
# They take longest, and come first: else one process is still at them when the others are done.
LONGEST = {
    Path(__file__).parent / name
    for name in (
        "fault/test_faults.py",
        "fault/test_interrupted_migrations.py",
        "fault/test_memory.py",
        "fault/test_python_client.py",
        "fault/test_reload.py",
    )
}

# A shared machine is slow at times; neither that nor a pause of 30 s is a failure of the code.
hypothesis.settings.register_profile(
    "ctxadmin",
    deadline=None,
    print_blob=True,
    max_examples=examples(),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("ctxadmin")


def _only_loopback(event: str, arguments: tuple[object, ...]) -> None:
    """No test needs the network, and none may use it unnoticed."""
    if event != "socket.connect":
        return
    address = arguments[1]
    host = address[0] if isinstance(address, tuple) else "localhost"  # a unix socket is a path
    if host not in {"127.0.0.1", "::1", "localhost"}:
        raise RuntimeError(f"A test wants to connect to {host}.")


sys.addaudithook(_only_loopback)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None]:
    with _lacking_is_told():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    with _lacking_is_told():
        yield


@contextmanager
def _lacking_is_told() -> Iterator[None]:
    """What a machine lacks skips a test at home and fails it in CI."""
    try:
        yield
    except servers.Missing as missing:
        if runs_in_ci():
            pytest.fail(str(missing))
        pytest.skip(str(missing))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked for another database than this run's; begin with long files."""
    items.sort(key=lambda item: item.path not in LONGEST)
    left_out = [item for item in items if not _fits_database(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _fits_database(item)]


def pytest_collection_finish() -> None:
    """What thousands of tests consist of stays: the garbage collector need not look at it again.

    With its usual thresholds it takes a twentieth of the processor time of tests of pages.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _fits_database(item: pytest.Item) -> bool:
    """On MariaDB only what can come out differently there is run a second time.

    That is what uses Django's default database, and of the pages what is marked: races, lists and
    searches, whose statements or plans differ. A test with servers of its own runs once.
    """
    only = item.get_closest_marker("only")
    if only is not None:
        return connection.vendor in only.args
    if connection.vendor == "sqlite":
        return True
    if item.path.is_relative_to(ENGINES):
        return True
    if item.path.is_relative_to(PAGES):
        return item.get_closest_marker("both_databases") is not None
    return item.get_closest_marker("django_db") is not None or bool(_USES & _fixtures(item))


def _fixtures(item: pytest.Item) -> set[str]:
    return set(item.fixturenames) if isinstance(item, pytest.Function) else set()


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> Iterator[None]:
    """A test that commits leaves clean tables, in a tenth of the time of ``flush``."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", lambda _: clean_tables())
        yield


def _render(template: Template, context: Context) -> str:
    """As tests see it: what a page was made of, and not each of its hundreds of parts."""
    if context.template is template:
        shown: str = instrumented_test_render(template, context)
        return shown
    return template.nodelist.render(context)


@pytest.fixture(scope="session", autouse=True)
def _quick_rendering(django_test_environment: None) -> Iterator[None]:
    """Django's test environment copies the context of every included template."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Template, "_render", _render)
        yield


@pytest.fixture(scope="session")
def mysql_client() -> ModuleType:
    """The module MySQLdb, a production package that an embedded machine lacks."""
    try:
        return import_module("MySQLdb")
    except ImportError:
        raise servers.Missing(
            "mysqlclient is not installed: pip install -r requirements.txt"
        ) from None


@pytest.fixture
def mariadb_url(mysql_client: ModuleType) -> Iterator[str]:
    """A fresh, empty database of the private MariaDB, for tests that start a server of their own.

    Tests of stores do not need it: they use Django's default database (``tests/settings.py``).
    """
    with servers.fresh_database(mysql_client) as url:
        yield url


@pytest.fixture(scope="module")
def mariadb_of_module(mysql_client: ModuleType) -> Iterator[str]:
    """Such a database for all tests of a file: a server takes seconds of a processor to start."""
    with servers.fresh_database(mysql_client) as url:
        yield url


@pytest.fixture
def redis_url(worker_id: str) -> str:
    """An empty database of the private Redis; workers of a run do not see each other's keys.

    Publishing is one space for the whole server: name channels at random.
    """
    number = 0 if worker_id == "master" else int(worker_id.removeprefix("gw")) + 1
    url = f"{servers.shared('redis')}{number}"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    return url


@pytest.fixture(autouse=True)
def _language_ends_with_the_test() -> Iterator[None]:
    """Ends the language of the last page that a test opened, which stays active in its thread."""
    yield
    translation.deactivate()
