"""The addresses of Redis in settings, parsed without Redis' own packages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qsl, unquote

from ctxadmin.lib.whole_number import whole_number

FORMS: Final = (
    "redis://[user:password@]host[:6379][/database]",
    "unix:///path/of/the.sock[?db=0]",
    "redis+cluster://[user:password@]host:port,host:port,...",
    "redis+sentinel://[user:password@]host:26379,host:26379,.../service[/database]",
)
_URL: Final = re.compile(
    r"(?P<scheme>[a-z+]+)://(?:(?P<login>[^@/]*)@)?(?P<hosts>[^/?]*)(?P<path>/[^?]*)?(?:\?(?P<query>.*))?"
)
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::([0-9]{1,5}))?")
_TLS_FILES: Final = frozenset({"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"})


class ServerKind(StrEnum):
    """How many servers there are, and which of them to ask."""

    SINGLE = "single"
    CLUSTER = "cluster"
    SENTINEL = "sentinel"


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """One Redis, a Redis Cluster, or the Sentinels that know the primary of a service.

    ``path`` is that of a unix socket, with no ``hosts``. ``tls_files`` are the paths of the
    authority's certificate, and of the client's certificate and key, by redis-py's names.
    """

    kind: ServerKind
    hosts: tuple[tuple[str, int], ...] = ()
    path: str = ""
    service: str = ""
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    tls_files: Mapping[str, str] = field(default_factory=dict)


def read_address(url: str) -> RedisAddress:
    """Parses a URL; raises ValueError with a sentence that never contains a password."""
    match = _URL.fullmatch(url)
    if match is None:
        raise _wrong("it is not a URL")
    scheme, tls = match["scheme"], match["scheme"].startswith("rediss")
    base, _, kind = scheme.replace("rediss", "redis").partition("+")
    options = dict(parse_qsl(match["query"] or "", keep_blank_values=True))
    path = unquote(match["path"] or "").strip("/")
    username, password = _login(match["login"])
    if base == "unix" and not kind:
        database = _number(options.pop("db", "0"))
        _no_more(options)
        if match["hosts"] or not path:
            raise _wrong("a unix socket is named by its whole path")
        return RedisAddress(
            ServerKind.SINGLE,
            path=f"/{path}",
            database=database,
            username=username,
            password=password,
        )
    if base != "redis" or kind not in ("", "cluster", "sentinel"):
        raise _wrong(f"{scheme!r} is not known")
    hosts = _hosts(match["hosts"], 26379 if kind == "sentinel" else 6379)
    service, database = _service_and_database(ServerKind(kind or "single"), path)
    if not kind and len(hosts) > 1:
        raise _wrong("several hosts need +cluster or +sentinel after the scheme")
    files = {name: options.pop(name) for name in _TLS_FILES & options.keys()} if tls else {}
    _no_more(options)
    return RedisAddress(
        kind=ServerKind(kind or "single"),
        hosts=hosts,
        service=service,
        database=database,
        username=username,
        password=password,
        tls=tls,
        tls_files=files,
    )


def _login(text: str | None) -> tuple[str | None, str | None]:
    username, _, password = (text or "").partition(":")
    return unquote(username) or None, unquote(password) or None


def _hosts(text: str, default_port: int) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for each in text.split(","):
        match = _HOST.fullmatch(each)
        if match is None or int(match[2] or default_port) > 65535:
            raise _wrong("its hosts are not host:port, separated by commas")
        found.append((match[1].strip("[]"), int(match[2] or default_port)))
    return tuple(found)


def _service_and_database(kind: ServerKind, path: str) -> tuple[str, int]:
    """Returns the service and the database of a path."""
    service, _, database = path.partition("/") if kind is ServerKind.SENTINEL else ("", "", path)
    if kind is ServerKind.SENTINEL and not service:
        raise _wrong("Sentinels are asked for a service, whose name is missing in the path")
    if kind is ServerKind.CLUSTER and database not in ("", "0"):
        raise _wrong("a cluster has no databases but 0")
    return service, _number(database or "0")


def _number(text: str) -> int:
    number = whole_number(text, digits=5)
    if number is None:
        raise _wrong("its database is not a number")
    return number


def _no_more(options: Mapping[str, str]) -> None:
    if options:
        raise _wrong(f"the option {min(options)!r} is not known")


def _wrong(why: str) -> ValueError:
    return ValueError(f"{why}. It may be {', '.join(FORMS)}; rediss for TLS.")
