"""What the environment says: every variable that ctxadmin reads, parsed strictly."""

import os
import secrets
from pathlib import Path
from typing import Final

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off", ""})
_SHORTEST_TOKEN: Final = 16

# Pages and pins: a cut of power keeps what was acknowledged (FULL), readers do not wait for
# the writer (WAL), a writer takes the lock at once instead of failing half way (IMMEDIATE).
_SQLITE_OPTIONS: Final = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 10,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
        "PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON"
    ),
}
_MYSQL_OPTIONS: Final = {
    "charset": "utf8mb4",
    "isolation_level": "read committed",
    "connect_timeout": 2,
    "read_timeout": 5,
    "write_timeout": 5,
    "init_command": (
        "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',"
        " SESSION innodb_lock_wait_timeout=3"
    ),
}


def text(name: str, default: str = "") -> str:
    """The variable, or the content of the file that ``NAME_FILE`` points to."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def flag(name: str, *, default: bool = False) -> bool:
    value = text(name, "1" if default else "0").strip().lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def number(name: str, default: int, *, least: int = 0) -> int:
    value = text(name, str(default))
    if not value.isdigit() or int(value) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} on, not {value!r}.")
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def data_dir() -> Path:
    """The folder of database, secret key and first password; made if it is not there."""
    chosen = text("CTXADMIN_DATA_DIR")
    if chosen:
        folder = Path(chosen).expanduser()
    else:
        home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        folder = Path(home) / "ctxadmin"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder.resolve()


def secret_key(folder: Path) -> str:
    """``CTXADMIN_SECRET_KEY``, else a random key made once and kept in the data folder."""
    given = text("CTXADMIN_SECRET_KEY")
    if given:
        return given
    path = folder / "secret_key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="utf-8").strip()
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text(encoding="utf-8").strip()


def metrics_token() -> str:
    """``CTXADMIN_METRICS_TOKEN``, which opens ``/metrics``; none if it is empty."""
    token = text("CTXADMIN_METRICS_TOKEN")
    if token and len(token) < _SHORTEST_TOKEN:
        least = f"at least {_SHORTEST_TOKEN} characters"
        raise ImproperlyConfigured(f"CTXADMIN_METRICS_TOKEN must have {least}.")
    return token


def metrics_folder() -> Path | None:
    """``PROMETHEUS_MULTIPROC_DIR``, the name that prometheus-client itself reads; made if missing.

    It must be there before that is imported.
    """
    given = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not given:
        os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)  # which takes an empty one for a name
        return None
    folder = Path(given)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def database(folder: Path) -> dict[str, object]:
    """Django's settings of the one database: ``DATABASE_URL``, else SQLite in the data folder."""
    url = text("DATABASE_URL")
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": folder / "ctxadmin.sqlite3",
            "OPTIONS": dict(_SQLITE_OPTIONS),
        }
    try:
        parsed = dict(dj_database_url.parse(url, conn_max_age=600, conn_health_checks=True))
    except (ValueError, dj_database_url.UnknownSchemeError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}") from None
    options = parsed.get("OPTIONS")
    given = dict(options) if isinstance(options, dict) else {}
    engine = parsed["ENGINE"]
    if engine == "django.db.backends.sqlite3":
        parsed["OPTIONS"] = _SQLITE_OPTIONS | given
    elif engine == "django.db.backends.mysql":
        parsed["OPTIONS"] = _MYSQL_OPTIONS | given
    else:
        raise ImproperlyConfigured("DATABASE_URL must start with mysql:// or sqlite://.")
    return parsed
