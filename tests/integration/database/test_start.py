"""What a start says that fails at its database."""

from pathlib import Path

import pytest

from tests.live_server import LiveServer

pytestmark = pytest.mark.only("mysql")


class Prepared(LiveServer):
    """A server that finds its database as it is."""

    def prepare(self) -> None:
        pass


def said(folder: Path, url: str) -> str:
    with pytest.raises(RuntimeError) as failed:
        Prepared(folder, {"DATABASE_URL": url}).start()
    return str(failed.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://root@127.0.0.1:1/n", "The database does not respond"),
        ("mysql://root@no-such-host.invalid/n", "The host of the database is not known"),
    ],
)
def test_it_says_first_what_it_waits_for(tmp_path: Path, url: str, told: str) -> None:
    first, rest = said(tmp_path, url).split("CommandError", 1)
    assert "-- Checking the database\n" in first
    assert told in rest
