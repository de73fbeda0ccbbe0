"""Judges settings of MySQL and MariaDB: which of them guarantee the promises."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.lib.finding import Finding

Variables = Mapping[str, str]

PACKET: Final = 64 * 1024**2  # a state of 10 MiB may double when it is quoted, and is not alone
_NEWEST_UNSUPPORTED: Final = {"MariaDB": (10, 5), "MySQL": (8, 0, 10)}
_ON: Final = ("ON", "1")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One requirement; ``holds`` is called with all variables by name."""

    check: str
    holds: Callable[[Variables], bool]
    well: str
    broken: str
    fix: str
    excusable: bool = False

    def finding_of(self, variables: Variables) -> Finding:
        if self.holds(variables):
            return Finding(self.check, "ok", self.well)
        return Finding(self.check, "error", self.broken, self.fix, excusable=self.excusable)


def _one_of(name: str, *values: str) -> Callable[[Variables], bool]:
    return lambda variables: variables.get(name, values[0]).lower() in map(str.lower, values)


def _is_off(*names: str) -> Callable[[Variables], bool]:
    return lambda variables: all(variables.get(name, "OFF") in ("OFF", "0") for name in names)


def _binlog_is_flushed(variables: Variables) -> bool:
    return variables.get("log_bin", "OFF") not in _ON or variables.get("sync_binlog") == "1"


def _isolates(variables: Variables) -> bool:
    level = variables.get("transaction_isolation") or variables.get("tx_isolation")
    return level == "READ-COMMITTED"


def _has_one_writer(variables: Variables) -> bool:
    galera = variables.get("wsrep_on") in _ON and variables.get("wsrep_cluster_address", "")
    group = variables.get("group_replication_group_name", "")
    many = group and variables.get("group_replication_single_primary_mode") not in _ON
    return not (galera or many)


_RULES: Final = (
    _Rule(
        "database.commit",
        _one_of("innodb_flush_log_at_trx_commit", "1", "3"),
        "Every commit is flushed to the disk.",
        "Commits are not flushed to the disk: a power failure loses acknowledged changes.",
        "Set innodb_flush_log_at_trx_commit=1 on the server.",
        excusable=True,
    ),
    _Rule(
        "database.binlog",
        _binlog_is_flushed,
        "The binary log is off, or flushed with every commit.",
        "The binary log is not flushed with every commit: after a power failure the server rolls "
        "back changes that are missing there, and replicas differ.",
        "Set sync_binlog=1 on the server.",
        excusable=True,
    ),
    _Rule(
        "database.pages",
        _one_of("innodb_doublewrite", "ON", "1", "FAST", "DETECT_AND_RECOVER"),
        "Pages that are torn by a power failure can be repaired.",
        "Pages are written only once: one that is torn by a power failure is lost.",
        "Set innodb_doublewrite=ON on the server, unless its file system writes pages as a whole.",
        excusable=True,
    ),
    _Rule(
        "database.flush",
        lambda found: (
            _is_off("debug_no_sync")(found)
            and found.get("innodb_flush_method", "").lower() not in ("nosync", "littlesync")
        ),
        "The server waits for the disk.",
        "The server does not wait for the disk: a power failure loses acknowledged changes.",
        "Remove debug_no_sync and innodb_flush_method=nosync from the server's settings.",
        excusable=True,
    ),
    _Rule(
        "database.packet",
        lambda variables: (
            int(variables.get("max_allowed_packet", "0")) >= PACKET
            and int(variables.get("global max_allowed_packet", PACKET)) >= PACKET
        ),
        "The server accepts values of every size that the contract allows.",
        "The server refuses large states: its packets are smaller than 64 MiB.",
        "Set max_allowed_packet=64M on the server.",
        excusable=True,
    ),
    _Rule(
        "database.writer",
        _has_one_writer,
        "One server accepts all writes.",
        "Several servers accept writes (Galera or a group with several primaries): updates "
        "can be lost and stale states read.",
        "Use one primary with replicas, or use the same node in every process.",
        excusable=True,
    ),
    _Rule(
        "database.writable",
        _is_off("read_only", "super_read_only", "innodb_read_only"),
        "The server accepts writes.",
        "The server is read-only: a replica, or a primary during a failover.",
        "Point DATABASE_URL to the primary, or set read_only=OFF on the new one.",
    ),
    _Rule(
        "database.isolation",
        _isolates,
        "Transactions read what is committed.",
        "Transactions do not run at READ COMMITTED.",
        "Remove the change of the isolation from the server's init_connect or the proxy.",
    ),
    _Rule(
        "database.strict",
        lambda variables: "STRICT_" in variables.get("sql_mode", ""),
        "The server refuses values that do not fit.",
        "The server cuts values that do not fit.",
        "Remove the change of sql_mode from the server's init_connect or the proxy.",
    ),
    _Rule(
        "database.charset",
        lambda variables: (
            variables.get("character_set_database") == "utf8mb4"
            and variables.get("character_set_connection") == "utf8mb4"
            and variables.get("schema character_set_database", "utf8mb4") == "utf8mb4"
        ),
        "Texts keep all their characters.",
        "The database cannot store all characters: it is not utf8mb4.",
        "Run ALTER DATABASE ... CHARACTER SET utf8mb4 before the first migrate, or move the data "
        "into a database that was created with it.",
    ),
    _Rule(
        "database.engine",
        lambda variables: (
            _one_of("default_storage_engine", "InnoDB")(variables)
            and _one_of("global default_storage_engine", "InnoDB")(variables)
        ),
        "New tables have transactions.",
        "New tables would have no transactions: the default engine is not InnoDB.",
        "Set default_storage_engine=InnoDB on the server.",
    ),
)
NAMES: Final = (
    "version",
    "innodb_flush_log_at_trx_commit",
    "log_bin",
    "sync_binlog",
    "innodb_doublewrite",
    "debug_no_sync",
    "innodb_flush_method",
    "max_allowed_packet",
    "wsrep_on",
    "wsrep_cluster_address",
    "group_replication_group_name",
    "group_replication_single_primary_mode",
    "read_only",
    "super_read_only",
    "innodb_read_only",
    "transaction_isolation",
    "tx_isolation",
    "sql_mode",
    "character_set_database",
    "character_set_connection",
    "default_storage_engine",
)
# Of these a connection keeps what it began with; the next one begins with what is global.
GLOBAL_NAMES: Final = ("max_allowed_packet", "default_storage_engine")


def findings_of(variables: Variables, other_engines: Sequence[str] = ()) -> Iterator[Finding]:
    """Returns the findings about a server, by its variables ``NAMES``.

    In addition to those of the connection there are ``global`` and a name of ``GLOBAL_NAMES``, for
    future connections, and ``schema character_set_database``, for new tables.

    ``other_engines`` lists tables of ours that are not InnoDB's.
    """
    yield _version(variables.get("version", ""))
    for rule in _RULES:
        yield rule.finding_of(variables)
    if other_engines:
        yield Finding(
            "database.tables",
            "error",
            f"Tables have no transactions: {', '.join(other_engines)}.",
            "Run ALTER TABLE ... ENGINE=InnoDB on each of them.",
        )
    else:
        yield Finding("database.tables", "ok", "All tables have transactions.")


def _version(text: str) -> Finding:
    product = "MariaDB" if "mariadb" in text.lower() else "MySQL"
    found = re.match(r"\d+(?:\.\d+)*", text)
    numbers = tuple(map(int, found[0].split("."))) if found else ()
    shown = f"{product} {found[0] if found else text or '?'}"
    newest = _NEWEST_UNSUPPORTED[product]
    if numbers[: len(newest)] > newest:
        return Finding("database.version", "ok", f"{shown} is supported.")
    return Finding(
        "database.version",
        "error",
        f"{shown} is too old.",
        "Use MariaDB 10.6 or newer, or MySQL 8.0.11 or newer.",
    )
