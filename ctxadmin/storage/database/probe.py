"""Checks whether the database can be trusted, and reports the findings."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.utils import Error

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database import schema_probe, sqlite_rules
from ctxadmin.storage.database.errors import NO_TLS, meaning_of, number_of
from ctxadmin.storage.database.mysql import columns, rights
from ctxadmin.storage.database.mysql import rules as mysql_rules

_ASCII: Final = "CHARACTER SET ascii"  # in the type of a column
_MOUNTS: Final = Path("/proc/self/mountinfo")
_LASTS: Final = 60.0  # seconds for which rights and columns that were right are believed
# By server, database and user: when it was asked, and that nothing was lacking or could be told.
_rights_asked: Final[dict[tuple[str, ...], tuple[float, rights.Lacking | None]]] = {}
_columns_asked: Final[dict[tuple[str, ...], float]] = {}  # and the same of the columns
# What an operator can do about refusals of MySQL and MariaDB, by their numbers.
_FIXES: Final = {
    1044: "Grant the user of DATABASE_URL the rights on its database.",
    1045: "Check the name and the password in DATABASE_URL.",
    1049: "Create the database that DATABASE_URL names, or correct the name.",
    1142: "Grant the user of DATABASE_URL the rights on its database.",
    1143: "Grant the user of DATABASE_URL the rights on its database.",
    1130: "Allow the user of DATABASE_URL to come from this machine.",
    2005: "Correct the host in DATABASE_URL, or check the name service of this machine.",
    NO_TLS: "Turn on TLS on the server, or check ssl_mode and ssl_ca in DATABASE_URL.",
    1698: "Check the name and the password in DATABASE_URL.",
}


def findings() -> list[Finding]:
    """Returns all findings about the database: it answers, is durable, and is up to date."""
    return _while_it_answers(
        lambda: [
            *settings_found(),
            *_free_space(),
            *columns_found(),
            *_rights(),
            *schema_probe.check_schema(),
        ]
    )


def settings_only() -> list[Finding]:
    """Returns the findings without migrations, for a check before they run."""
    return _while_it_answers(lambda: [*settings_found(), *columns_found(), *_rights()])


def _while_it_answers(look: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        found = look()
    except Error as error:
        meaning = meaning_of(error)
        if meaning is None:
            raise
        if (full := full_disk()) is not None:
            return [full]
        number = number_of(error)  # of the text only this is reported: it may name hosts and users
        text = meaning.text if number is None else f"{meaning.text} (Error {number}.)"
        fix = _FIXES.get(number or 0, "Check it and DATABASE_URL.")
        return [Finding("database", "error", text, fix)]
    if settings.ALLOW_UNSAFE_DATABASE:
        found = [each.as_warning() if each.level == "error" else each for each in found]
    return [Finding("database", "ok", f"{connection.display_name} answers."), *found]


def full_disk() -> Finding | None:
    """Returns the error of a full disk of the embedded database, which even reads can need."""
    if connection.vendor != "sqlite":
        return None
    return sqlite_rules.full_disk(_free_bytes(_sqlite_path()))


def settings_found() -> Iterable[Finding]:
    if connection.vendor == "sqlite":
        return sqlite_rules.findings_of(_sqlite_file())
    names = ", ".join(["%s"] * len(mysql_rules.NAMES))
    global_names = ", ".join(["%s"] * len(mysql_rules.GLOBAL_NAMES))
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW VARIABLES WHERE Variable_name IN ({names})", mysql_rules.NAMES)
        variables = dict(cursor.fetchall())
        cursor.execute(
            f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({global_names})",
            mysql_rules.GLOBAL_NAMES,
        )
        variables |= {f"global {name}": value for name, value in cursor.fetchall()}
        cursor.execute(
            "SELECT 'schema character_set_database', default_character_set_name"
            " FROM information_schema.schemata WHERE schema_name = DATABASE()"
        )
        variables |= dict(cursor.fetchall())
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
            " AND table_type = 'BASE TABLE' AND engine <> 'InnoDB' ORDER BY table_name"
        )
        others = [name for (name,) in cursor.fetchall()]
    return mysql_rules.findings_of(variables, others)


def _sqlite_path() -> Path:
    return Path(settings.DATABASES["default"]["NAME"]).resolve()


def _free_bytes(path: Path) -> int:
    return shutil.disk_usage(path.parent).free


def _sqlite_file() -> sqlite_rules.SqliteFile:
    path = _sqlite_path()
    with connection.cursor() as cursor:
        (journal,) = cursor.execute("PRAGMA journal_mode").fetchone()
        (synchronous,) = cursor.execute("PRAGMA synchronous").fetchone()
    mounts = _MOUNTS.read_text().splitlines() if _MOUNTS.exists() else []
    return sqlite_rules.SqliteFile(
        journal=journal,
        synchronous=synchronous,
        kind=sqlite_rules.file_system_of(path, mounts),
        writable=os.access(path, os.W_OK) and os.access(path.parent, os.W_OK),
        free_bytes=_free_bytes(path),
    )


def _free_space() -> Iterator[Finding]:
    """Returns whether a write of this process found the server's disk full, which cannot be
    queried.
    """
    if monotonic() - getattr(connection, "full_at", -_LASTS) < _LASTS:
        yield Finding(
            "database.room",
            "error",
            "The database could not write in the last minute: its disk may be full.",
            "Free space on the disk of the database server.",
        )


def columns_found() -> Iterator[Finding]:
    """Checks that the columns store all characters; once a minute if they did."""
    if connection.vendor == "sqlite":
        return
    user = _user()
    narrow: list[str] = []
    if monotonic() - _columns_asked.get(user, -_LASTS) >= _LASTS:
        narrow = columns.find_narrow_columns(connection, charsets())
        if not narrow:
            _columns_asked[user] = monotonic()
    yield columns.finding_of(narrow)


@cache
def charsets() -> columns.Columns:
    """Returns the character sets of all columns of this program, as its migrations make them."""
    return {
        (model._meta.db_table.lower(), str(field.column).lower()): (
            "ascii" if _ASCII in (field.db_type(connection) or "") else columns.CHARSET
        )
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
    }


def _user() -> tuple[str, ...]:
    """Returns the server, the database and the user of the connection."""
    return tuple(str(connection.settings_dict[name]) for name in ("HOST", "PORT", "NAME", "USER"))


def _rights() -> Iterator[Finding]:
    """Checks the rights to write.

    Once a minute, and when a statement was denied in this process.
    """
    if connection.vendor == "sqlite":
        return
    user = _user()
    asked, lacking = _rights_asked.get(user, (-_LASTS, None))
    denied_at: float = getattr(connection, "denied_at", -_LASTS)
    if monotonic() - asked >= _LASTS or asked <= denied_at:
        lacking = rights.find_missing_rights(connection, granted_tables())
        if not lacking:
            _rights_asked[user] = monotonic(), lacking
    if lacking is not None:
        account = rights.account_of(connection) if lacking else ""
        yield rights.finding_of(
            connection.settings_dict["NAME"], granted_tables(), lacking, account
        )


@cache
def granted_tables() -> tuple[rights.CheckedTable, ...]:
    """Returns the tables of all models of this program; append-only ones need fewer rights."""
    return tuple(
        rights.CheckedTable(
            model._meta.db_table,
            [
                str(field.column)
                for field in model._meta.local_concrete_fields
                if not field.generated
            ],
            rights.APPEND_ONLY if getattr(model, "append_only", False) else rights.VERBS,
        )
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    )
