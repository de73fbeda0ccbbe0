"""Converts ``DATABASE_URL`` to Django's settings of the one database."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SQLITE: Final = "django.db.backends.sqlite3"
MYSQL: Final = "ctxadmin.storage.database.mysql"
EXAMPLE: Final = "mysql://user:password@host:3306/name"
LOCK_WAIT: Final = 3  # seconds; below the timeouts, so that a lock is told from an outage
# Together with a moment to answer in, a request learns of a stalled server within five seconds.
_TIMEOUTS: Final = {"connect_timeout": 2, "read_timeout": 4, "write_timeout": 4}
_LONGEST: Final = 24 * 3600
_SSL_MODES: Final = ("disabled", "preferred", "required", "verify_ca", "verify_identity")
SECRET: Final = ("REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY")  # modes that are never in clear text
_SSL_FILES: Final = ("ssl_ca", "ssl_cert", "ssl_key")

Settings = dict[str, Any]


def sqlite(path: Path) -> Settings:
    """Returns Django's settings of a SQLite file.

    A power cut keeps what was acknowledged (FULL), readers do not wait for the writer (WAL), and a
    writer takes the lock at once instead of failing half way (IMMEDIATE). Threads keep their
    connections: opening one takes longer than most queries.
    """
    return {
        "ENGINE": SQLITE,
        "NAME": path,
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 4,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                "PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON; PRAGMA secure_delete=ON"
            ),
        },
    }


def parse(url: str) -> Settings:
    """Returns Django's settings; ImproperlyConfigured names only the part that is wrong."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused(
            f"cannot be read; write {EXAMPLE}, and in the password %2F for /, %40 for @, %23 for #"
        ) from None
    if parts.fragment:
        raise _refused("has a #; write %23 for a # in the password")
    if parts.scheme in ("mysql", "mariadb"):
        return _mysql(parts, port)
    if parts.scheme == "sqlite":
        return _sqlite(parts)
    raise _refused("must start with mysql://, mariadb:// or sqlite://")


def session(lock_wait: int) -> str:
    """Returns the first statement of new connections: strict, in UTC, with a lock timeout."""
    return (
        "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone='+00:00',"
        f" innodb_lock_wait_timeout={lock_wait}, lock_wait_timeout={lock_wait}"
    )


def _mysql(parts: SplitResult, port: int | None) -> Settings:
    name = unquote(parts.path.removeprefix("/"))
    if not name or "/" in name:
        raise _refused(f"must name one database after the host; write {EXAMPLE}")
    options = _options(parts, _MYSQL_OPTIONS)
    socket = options.get("unix_socket")
    if parts.hostname and socket:
        raise _refused("has a host and a unix_socket; remove one of them")
    if not parts.hostname and not socket:
        raise _refused(f"names no host; write {EXAMPLE}, or mysql:///name?unix_socket=/path")
    return {
        "ENGINE": MYSQL,
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "charset": "utf8mb4",
            "isolation_level": "read committed",
            "init_command": session(LOCK_WAIT),
            **_TIMEOUTS,
            **_with_tls(options),
        },
    }


def _with_tls(options: Mapping[str, Any]) -> Settings:
    """Returns the options for the driver; files without a mode imply one."""
    files = {name: options[name] for name in _SSL_FILES if name in options}
    found = {name: value for name, value in options.items() if name not in files}
    if ("ssl_cert" in files) != ("ssl_key" in files):
        raise _refused("must have ssl_cert and ssl_key together, or none of them")
    asked = "VERIFY_IDENTITY" if "ssl_ca" in files else "REQUIRED" if files else None
    mode = options.get("ssl_mode") or asked
    if mode in ("VERIFY_CA", "VERIFY_IDENTITY") and "ssl_ca" not in files:
        raise _refused(f"has ssl_mode={mode.lower()}, which needs ssl_ca with the file of the CA")
    if mode == "DISABLED" and files:
        raise _refused("has files for TLS and ssl_mode=disabled; remove one of them")
    if mode:
        found["ssl_mode"] = mode
    if files:
        found["ssl"] = {name.removeprefix("ssl_"): value for name, value in files.items()}
    return found


def _sqlite(parts: SplitResult) -> Settings:
    path = unquote(parts.path.removeprefix("/"))
    if parts.netloc or not path.startswith("/"):
        raise _refused("must name a whole path; write sqlite:////var/lib/ctxadmin/ctxadmin.sqlite3")
    _options(parts, {})
    file = Path(path)
    if file.is_dir():
        raise _refused(f"names the folder {path}; add the name of the file")
    if not file.parent.is_dir():
        raise _refused(
            f"names a file in the folder {file.parent}, which does not exist; create the folder"
        )
    if not file.exists() and not os.access(file.parent, os.W_OK | os.X_OK):
        raise _refused(
            f"names a file that does not exist in the folder {file.parent}, which cannot be "
            "written; give the folder to the user that runs ctxadmin"
        )
    return sqlite(file)


def _options(parts: SplitResult, known: Mapping[str, Callable[[str, str], Any]]) -> Settings:
    found: Settings = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in known:
            names = ", ".join(known) or "none"
            raise _refused(f"has the unknown option {name[:40]!r}; known options are {names}")
        if name in found:
            raise _refused(f"has the option {name} twice")
        found[name] = known[name](name, value)
    return found


def _seconds(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and 1 <= int(value) <= _LONGEST):
        raise _refused(f"must have whole seconds from 1 to {_LONGEST} as {name}")
    return int(value)


def _socket(name: str, value: str) -> str:
    if not value.startswith("/"):
        raise _refused(f"must have a whole path as {name}")
    return value


def _file(name: str, value: str) -> str:
    if not Path(value).is_file():
        raise _refused(f"names a file as {name} that does not exist: {value}")
    return value


def _mode(name: str, value: str) -> str:
    if value not in _SSL_MODES:
        raise _refused(f"must have one of {', '.join(_SSL_MODES)} as {name}")
    return value.upper()


_MYSQL_OPTIONS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    **dict.fromkeys(_TIMEOUTS, _seconds),
    "unix_socket": _socket,
    "ssl_mode": _mode,
    **dict.fromkeys(_SSL_FILES, _file),
}


def _refused(what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"DATABASE_URL {what}.")
