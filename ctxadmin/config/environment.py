"""The environment: every variable that ctxadmin reads, parsed strictly."""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from ctxadmin.config import mail_url
from ctxadmin.storage.database import url
from ctxadmin.storage.redis.address import RedisAddress, read_address
from ctxadmin.telemetry import otel

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off", ""})
_SHORTEST_TOKEN: Final = 16
_SHORTEST_KEY: Final = 32
_LARGEST: Final = 10**11
_DIGITS: Final = re.compile("[0-9]{1,12}")
_ORIGIN: Final = re.compile(r"https?://[^/\s]+")
_read: Final[set[str]] = set()  # the names of all variables that were asked for


def text(name: str, default: str = "") -> str:
    """Returns the variable, or the content of the file that ``NAME_FILE`` names."""
    _read.update((name, f"{name}_FILE"))
    path = os.environ.get(f"{name}_FILE")
    if path:
        with _reading(f"{name}_FILE names a file that cannot be read"):
            return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def unknown() -> list[str]:
    """Yields a sentence for each unknown ``CTXADMIN_`` variable: misspelled, or a former one."""
    found = []
    for name in sorted(os.environ):
        if name.startswith("CTXADMIN_") and name not in _read:
            near = get_close_matches(name, sorted(_read), n=1, cutoff=0.8)
            meant = f" Did you mean {near[0]}?" if near else ""
            found.append(f"{name} is set, but there is no such setting.{meant}")
    return found


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Converts failures of the file system to a sentence that begins with ``what``."""
    try:
        yield
    except OSError as error:
        raise ImproperlyConfigured(f"{what}: {error.filename}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ImproperlyConfigured(f"{what}: it is not text.") from None


def flag(name: str, *, default: bool = False) -> bool:
    value = text(name, "1" if default else "0").strip().lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(
        f"{name} must be 1, true, yes or on, or 0, false, no or off, not {value!r}."
    )


def number(name: str, default: int, *, least: int = 0, most: int = _LARGEST) -> int:
    """Returns a whole number in digits; refuses one above ``most`` here, before its user does."""
    value = text(name, str(default)).strip()
    if not (_DIGITS.fullmatch(value) and least <= int(value) <= most):
        span = f"from {least} on" if most == _LARGEST else f"from {least} to {most}"
        raise ImproperlyConfigured(f"{name} must be a whole number {span}, not {value[:40]!r}.")
    return int(value)


def number_or_none(name: str, *, least: int, most: int) -> int | None:
    """Returns a number as ``number`` does; None if it is not set."""
    return number(name, 0, least=least, most=most) if text(name).strip() else None


def choice(name: str, *allowed: str) -> str:
    """Returns one of the allowed words; the first is the default."""
    value = text(name) or allowed[0]
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(allowed)}, not {value!r}.")
    return value


def word_list(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def data_dir() -> Path:
    """Returns the folder of database, secret key and first password; creates it if missing."""
    chosen = text("CTXADMIN_DATA_DIR")
    if chosen:
        folder = Path(chosen).expanduser()
    else:
        home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        folder = Path(home) / "ctxadmin"
    with _reading("The folder of CTXADMIN_DATA_DIR cannot be created"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder.resolve()


def make_private(folder: Path, database: Path | None) -> None:
    """Makes the data folder and the files of the embedded database private.

    SQLite gives its other files the mode of the database, which is therefore created here. A folder
    that is shared, like /tmp, or owned by another user stays as it is.
    """
    found = folder.stat()
    if found.st_uid == os.getuid() and not found.st_mode & stat.S_ISVTX:
        _close(folder, 0o700)
    names = ("secret_key", "first_password")
    files = [folder / name for name in names]
    if database is not None:
        with suppress(OSError):
            os.close(os.open(database, os.O_WRONLY | os.O_CREAT, 0o600))
        files += [database, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))]
    for file in files:
        _close(file, 0o600)


def _close(path: Path, mode: int) -> None:
    with suppress(OSError):  # not there, or of another user: what needs it says so
        if path.stat().st_mode & 0o077:
            path.chmod(mode)


def secret_key(folder: Path) -> str:
    """Returns ``CTXADMIN_SECRET_KEY``, else a random key, created once in the data folder."""
    given = text("CTXADMIN_SECRET_KEY")
    if 0 < len(given) < _SHORTEST_KEY:
        raise ImproperlyConfigured(
            f"CTXADMIN_SECRET_KEY must have at least {_SHORTEST_KEY} characters, "
            "for example those of: openssl rand -hex 32"
        )
    if given:
        return given
    path = folder / "secret_key"
    with _reading("The secret key in CTXADMIN_DATA_DIR cannot be read or created"):
        if not path.exists():
            _make_key(path)
        key = path.read_text(encoding="utf-8").strip()
    if len(key) < _SHORTEST_KEY:
        raise ImproperlyConfigured(
            f"{path} is empty or cut off. Put the secret key back from a backup; "
            "on a new data folder, delete the file."
        )
    return key


def _make_key(path: Path) -> None:
    """Writes a new key into a file atomically; another process may win."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def audit_key() -> str:
    """Returns ``CTXADMIN_AUDIT_KEY``; "" means that the secret key is used."""
    given = text("CTXADMIN_AUDIT_KEY")
    if 0 < len(given) < _SHORTEST_KEY:
        raise ImproperlyConfigured(
            f"CTXADMIN_AUDIT_KEY must have at least {_SHORTEST_KEY} characters, "
            "for example those of: openssl rand -hex 32"
        )
    return given


def metrics_token() -> str:
    """Returns ``CTXADMIN_METRICS_TOKEN``, which opens ``/metrics``; none if it is empty."""
    token = text("CTXADMIN_METRICS_TOKEN")
    if token and len(token) < _SHORTEST_TOKEN:
        least = f"at least {_SHORTEST_TOKEN} characters"
        raise ImproperlyConfigured(f"CTXADMIN_METRICS_TOKEN must have {least}.")
    return token


def metrics_folder() -> Path | None:
    """Returns ``PROMETHEUS_MULTIPROC_DIR``, which prometheus-client itself reads; creates it.

    It must exist before that is imported.
    """
    given = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not given:
        os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)  # which takes an empty one for a name
        return None
    folder = Path(given)
    with _reading("The folder of PROMETHEUS_MULTIPROC_DIR cannot be created"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def traces() -> bool:
    """Returns whether OpenTelemetry's own variables name a collector of traces."""
    return otel.names_collector(os.environ)


def database(folder: Path) -> dict[str, Any]:
    """Returns Django's settings of the database: ``DATABASE_URL``, else SQLite in the data
    folder.
    """
    given = text("DATABASE_URL")
    return url.parse(given) if given else url.sqlite(folder / "ctxadmin.sqlite3")


def mail() -> dict[str, Any]:
    """Returns Django's settings of mail in ``EMAIL_URL``; nothing if it is not set."""
    given = text("EMAIL_URL")
    return mail_url.parse(given) if given else {}


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Returns networks such as ``10.0.0.0/8``, separated by commas."""
    try:
        return [ip_network(word) for word in word_list(name)]
    except ValueError as error:
        example = "write them as 10.1.0.0/16,fd00::/8"
        raise ImproperlyConfigured(f"{name} cannot be read: {error}; {example}.") from None


def addresses(name: str) -> list[str]:
    """Returns addresses and networks as written, separated by commas."""
    networks(name)
    return word_list(name)


def origins(name: str) -> list[str]:
    """Returns origins such as ``https://ctx.example.org``, separated by commas."""
    found = word_list(name)
    for origin in found:
        if not _ORIGIN.fullmatch(origin):
            raise ImproperlyConfigured(
                f"{name} must be like https://ctx.example.org, without a path, not {origin!r}."
            )
    return found


def public_url() -> str:
    """Returns the public address of the server, without a final slash, "" if not set."""
    given = text("CTXADMIN_PUBLIC_URL")
    origins = [origin for origin in word_list("CTXADMIN_TRUSTED_ORIGINS") if "*" not in origin]
    found = (given or (origins[0] if origins else "")).rstrip("/")
    parts = urlsplit(found)
    if given and (parts.scheme not in ("http", "https") or not parts.netloc or parts.path):
        raise ImproperlyConfigured(
            "CTXADMIN_PUBLIC_URL must be like https://ctx.example.org, without a path."
        )
    return found


def redis(name: str) -> RedisAddress | None:
    """Returns the Redis that a variable names, None if it names none."""
    url = text(name)
    if not url:
        return None
    try:
        address = read_address(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} cannot be read: {error}") from None
    for option, path in address.tls_files.items():
        if not Path(path).is_file():
            raise ImproperlyConfigured(
                f"{name} names a file as {option} that does not exist: {path}."
            )
    if not all(map(find_spec, ("redis", "channels_redis", "django_redis"))):
        raise ImproperlyConfigured(
            f"{name} needs redis, channels_redis and django_redis, which are not installed: "
            "pip install -r requirements.txt"
        )
    return address
