"""Checks that the tables of the database are those that this program needs."""

from collections.abc import Iterator
from functools import cache
from time import monotonic
from typing import Final

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.utils import Error

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database.errors import OUTDATED, meaning_of
from ctxadmin.storage.database.migration_progress import Progress, interrupted
from ctxadmin.storage.database.schema import (
    Schema,
    differences,
    expected_schema,
    read_schema,
    summary,
)

TABLES: Final = "database.schema"
_LASTS: Final = 60.0  # seconds for which tables that were right are believed
_asked: Final[dict[tuple[str, ...], float]] = {}  # by server and database: when they were right
_OTHER: Final = (
    "Start with a new data folder (CTXADMIN_DATA_DIR) or an empty database. To keep the data,"
    " export the conversations with the ctxadmin that created it, and import them. If someone"
    " changed tables manually, restore a backup."
)


def check_schema() -> Iterator[Finding]:
    """Returns the finding: all migrations are applied, and the tables are as the models need
    them.
    """
    applied, known = applied_migrations(), known_migrations()
    missing = sorted(f"{app}.{name}" for app, name in known - applied)
    if missing:
        yield _lacking(missing)
        return
    names = {app for app, _ in known}
    newer = sorted(f"{app}.{name}" for app, name in applied - known if app in names)
    if newer:
        yield Finding(
            "database.migrations",
            "warning",
            f"The database is newer than this program; it has {', '.join(newer[:5])}.",
            "Run the latest release on all machines.",
        )
        return
    yield Finding("database.migrations", "ok", "The database is up to date.")
    yield from table_findings()


def is_pending() -> bool:
    """Returns whether any migration of this program is not applied."""
    return bool(known_migrations() - applied_migrations())


def check_before_migration() -> Iterator[Finding]:
    """Checks that the tables are as the applied migrations made them, as the next ones require.

    Not for an empty database, nor while a migration is half done.
    """
    applied, known = applied_migrations(), known_migrations()
    if not applied or known <= applied or applied - known or interrupted(connection):
        return
    loader = MigrationLoader(None)
    state = loader.project_state([key for key in loader.graph.nodes if key in applied])
    yield from _compared(expected_schema(connection, state.apps))


def _lacking(missing: list[str]) -> Finding:
    begun = interrupted(connection)
    if begun is not None:
        return Finding("database.migrations", "error", _half_done(begun), "Run manage.py migrate.")
    return Finding(
        "database.migrations",
        "error",
        f"The database is not up to date; these are missing: {', '.join(missing[:5])}"
        f"{' and others' if missing[5:] else ''}.",
        "Run manage.py migrate.",
    )


def _half_done(begun: Progress) -> str:
    return (
        f"The migration {begun.app}.{begun.name} was interrupted after {begun.done} of its steps;"
        " it continues from there."
    )


def table_findings() -> Iterator[Finding]:
    """Compares the tables; once a minute if they were right, because it takes 10 to 50 ms."""
    database = tuple(str(connection.settings_dict[name]) for name in ("HOST", "PORT", "NAME"))
    if monotonic() - _asked.get(database, -_LASTS) < _LASTS:
        yield Finding(TABLES, "ok", "The tables are as this program needs them.")
        return
    found = list(_compared(_expected()))
    if all(each.level == "ok" for each in found):
        _asked[database] = monotonic()
    yield from found


def _compared(expected: Schema) -> Iterator[Finding]:
    found = differences(expected, read_schema(connection))
    harmful = [each for each in found if not each.slow]
    if harmful:
        yield Finding(
            TABLES,
            "error",
            "The tables do not match the applied migrations: the database was created by a"
            f" ctxadmin before release 0.1.0, or changed manually ({summary(harmful)}).",
            _OTHER,
        )
    elif found:
        yield Finding(
            TABLES,
            "warning",
            f"Some lists are slow: {summary(found)}.",
            "Create what is missing, or restore a backup.",
        )
    else:
        yield Finding(TABLES, "ok", "The tables are as this program needs them.")


@cache
def _expected() -> Schema:
    return expected_schema(connection, apps)


def applied_migrations() -> set[tuple[str, str]]:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app, name FROM django_migrations")
            return set(cursor.fetchall())
    except Error as error:
        if meaning_of(error) is OUTDATED:
            return set()  # there are no tables at all
        raise


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """Returns the migrations of this program; they do not change while it runs."""
    return frozenset(MigrationLoader(None).disk_migrations or ())
