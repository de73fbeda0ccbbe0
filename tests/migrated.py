"""MariaDB databases with all tables: the first of a run is migrated, those after it copy that one.

Sixty migrations take seconds of a processor, a copy of what they make takes a moment. What
migrations do to rows, and what comes of one that is interrupted, is tested where they run
(``test_releases.py``, ``test_interrupted_migrations.py``).
"""

import fcntl
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests import servers


def bring_up(url: str, migrate: Callable[[], object]) -> None:
    """Bring a database up to date; an empty one gets what the migrations of this program make."""
    client = [servers.program("mariadb-client-core", "mariadb", "mysql"), *_place(url)]
    if _run([*client, "-e", "SHOW TABLES"], capture_output=True).stdout:
        migrate()
        return
    copy = servers.run_folder() / "migrated.sql"
    with (servers.run_folder() / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not copy.exists():
            migrate()
            _dump(url, copy)
            return
    with copy.open("rb") as source:
        _run(client, stdin=source)


def _dump(url: str, copy: Path) -> None:
    draft = copy.with_suffix(".draft")
    dump = [servers.program("mariadb-client", "mariadb-dump", "mysqldump"), *_place(url)]
    with draft.open("wb") as target:
        _run([*dump, "--hex-blob", "--skip-add-drop-table"], stdout=target)
    draft.rename(copy)


def _run(command: Sequence[str], **streams: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, check=True, timeout=servers.COMMAND_SECONDS, **streams)


def _place(url: str) -> list[str]:
    """Where the database of a URL is, as options of MariaDB's clients; the first stands first."""
    parts = urlsplit(url)
    return [
        "--no-defaults",
        "--default-character-set=utf8mb4",
        f"--host={parts.hostname}",
        f"--port={parts.port}",
        f"--user={unquote(parts.username or '')}",
        f"--password={unquote(parts.password or '')}",
        parts.path.lstrip("/"),
    ]
