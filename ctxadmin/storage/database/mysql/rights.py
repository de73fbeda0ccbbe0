"""Finds rights that a user of MySQL or MariaDB lacks on our tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.utils import Error

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database.errors import AWAY, BROKEN, DENIED, READ_ONLY, number_of

VERBS: Final = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPEND_ONLY: Final = ("SELECT", "INSERT")
_BUSY: Final = 1205  # a migration holds the table
_SHOWN: Final = 3  # tables that are named; the others are counted

Lacking = Mapping[str, Sequence[str]]  # of verbs: the tables on which they are refused


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """One of our tables with the columns that are written, and the rights that it needs."""

    name: str
    columns: Sequence[str]
    verbs: Sequence[str] = VERBS


def find_missing_rights(connection: Any, tables: Sequence[CheckedTable]) -> Lacking | None:
    """Returns the rights that the user of this connection lacks; missing tables lack nothing.

    The server is asked to explain a statement of each kind on each table. That needs the rights of
    the statement and executes nothing, so it covers roles, patterns, partial revokes and rights on
    columns alike. All go in one packet, which took 10 to 30 ms for 41 tables; the server drops what
    follows a refusal, so that is sent again. None: it cannot be asked now, because the server is
    read-only or a migration holds a table.
    """
    asked = [
        (verb, table.name, statement)
        for table in tables
        for verb, statement in zip(VERBS, _statements(connection, table), strict=True)
        if verb in table.verbs
    ]
    found: dict[str, list[str]] = {}
    at = 0
    while at < len(asked):
        answered, number = _explain(connection, [statement for _, _, statement in asked[at:]])
        at += answered
        if number == _BUSY or number in READ_ONLY:
            return None
        if number in DENIED:
            verb, name, _ = asked[at]
            found.setdefault(verb, []).append(name)
        at += 1
    return found


def _statements(connection: Any, table: CheckedTable) -> Iterator[str]:
    """Returns one statement of each kind, in the order of VERBS.

    The names are those of our models.
    """
    quote = connection.ops.quote_name
    name, columns = quote(table.name), [quote(column) for column in table.columns]
    listed, nulls = ", ".join(columns), ", ".join("NULL" for _ in columns)
    pairs = ", ".join(f"{column} = NULL" for column in columns)
    yield f"EXPLAIN SELECT {listed} FROM {name} WHERE 1 = 0"  # noqa: S608
    yield f"EXPLAIN INSERT INTO {name} ({listed}) SELECT {nulls} FROM DUAL WHERE 1 = 0"  # noqa: S608
    yield f"EXPLAIN UPDATE {name} SET {pairs} WHERE 1 = 0"  # noqa: S608
    yield f"EXPLAIN DELETE FROM {name} WHERE 1 = 0"  # noqa: S608


def _explain(connection: Any, statements: Sequence[str]) -> tuple[int, int | None]:
    """Returns how many statements were answered, and the number of the error after them, if any."""
    answered = 0
    with connection.cursor() as cursor:
        try:
            cursor.execute("; ".join(statements))
            answered += 1
            while cursor.nextset():
                answered += 1
        except Error as error:
            number = number_of(error)
            if number is None or number in AWAY | BROKEN:
                raise
            return answered, number
    return answered, None


def account_of(connection: Any) -> str:
    """Returns the account of the connection, as a GRANT names it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_USER()")
        (account,) = cursor.fetchone()
    name, _, host = str(account).rpartition("@")
    return "@".join("`{}`".format(part.replace("`", "``")) for part in (name, host))


def finding_of(
    database: str, tables: Sequence[CheckedTable], lacking: Lacking, account: str = ""
) -> Finding:
    """Returns the finding, and the GRANT to ``account`` that fixes it."""
    if not lacking:
        return Finding("database.rights", "ok", "The user of DATABASE_URL has the rights it needs.")
    verbs_on: dict[str, list[str]] = {}
    verbs_at: dict[tuple[str, ...], list[str]] = {}
    for verb in VERBS:
        if verb in lacking:
            takers = sum(verb in table.verbs for table in tables)
            named = _named(lacking[verb], takers)
            verbs_on.setdefault(named, []).append(verb)
            names = _granted_on(tables, lacking[verb], verb)
            verbs_at.setdefault(names, []).append(verb)
    parts = [f"{', '.join(verbs)} on {named}" for named, verbs in verbs_on.items()]
    grants = [
        grant
        for names, verbs in verbs_at.items()
        for grant in _grants(database, tables, names, verbs, account)
    ]
    return Finding(
        "database.rights",
        "error",
        f"The user of DATABASE_URL lacks rights: {'; '.join(parts)}.",
        f"As an administrator of the database, run {'; '.join(grants)};",
        public_fix="manage.py check --database default prints the GRANT to run.",
    )


def _granted_on(tables: Sequence[CheckedTable], names: Sequence[str], verb: str) -> tuple[str, ...]:
    """Returns the tables that are granted one by one; none if the whole database is.

    A right that append-only tables must not have is never granted on the database, which would open
    those to changes.
    """
    if len(names) > _SHOWN and all(verb in table.verbs for table in tables):
        return ()
    return tuple(names)


def _grants(
    database: str,
    tables: Sequence[CheckedTable],
    names: Sequence[str],
    verbs: Sequence[str],
    account: str,
) -> Iterator[str]:
    """Returns the statements, or for many tables the query that prints them."""
    right = f"GRANT {', '.join(verbs)} ON `{database}`"
    if not names:
        yield f"{right}.* TO {account}"
    elif len(names) <= _SHOWN:
        yield from (f"{right}.`{name}` TO {account}" for name in names)
    else:
        printed = account.replace("'", "''")
        kept = [table.name for table in tables if not set(verbs) <= set(table.verbs)]
        listed = ", ".join(f"'{name}'" for name in (*kept, "django_migrations"))
        yield (
            f"what this prints: SELECT CONCAT('{right}.`', table_name, '` TO {printed};') "  # noqa: S608
            f"FROM information_schema.tables WHERE table_schema = '{database}' "
            f"AND table_name NOT IN ({listed})"
        )


def _named(names: Sequence[str], of: int) -> str:
    if len(names) == of:
        return "all tables"
    others = f" and {len(names) - _SHOWN} others" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + others
