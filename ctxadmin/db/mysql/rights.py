"""Which rights a user of MySQL or MariaDB lacks on our tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.utils import Error

from ctxadmin.db.errors import AWAY, BROKEN, DENIED, READ_ONLY, number_of
from ctxadmin.lib.finding import Finding

VERBS: Final = ("SELECT", "INSERT", "UPDATE", "DELETE")
_BUSY: Final = 1205  # a migration holds the table
_SHOWN: Final = 3  # tables that are named; the others are counted

Lacking = Mapping[str, Sequence[str]]  # of verbs: the tables on which they are refused


@dataclass(frozen=True, slots=True)
class Table:
    """One of our tables with the columns that are written."""

    name: str
    columns: Sequence[str]


def lacking(connection: Any, tables: Sequence[Table]) -> Lacking | None:
    """What the user of this connection may not do; tables that are not there lack nothing.

    The server is asked to explain a statement of each kind on each table. That needs the rights
    of the statement and executes nothing, so it tells of roles, patterns, partial revokes and
    rights on columns alike. All go in one packet, which took 10 to 30 ms for 41 tables; the server
    drops what stands behind a refusal, so that goes again. None: it cannot be asked now, as the
    server is read-only or a migration holds a table.
    """
    asked = [
        (verb, table.name, statement)
        for table in tables
        for verb, statement in zip(VERBS, _statements(connection, table), strict=True)
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


def _statements(connection: Any, table: Table) -> Iterator[str]:
    """One of each kind, in the order of VERBS; the names are those of our models."""
    quote = connection.ops.quote_name
    name, columns = quote(table.name), [quote(column) for column in table.columns]
    listed, nulls = ", ".join(columns), ", ".join("NULL" for _ in columns)
    pairs = ", ".join(f"{column} = NULL" for column in columns)
    yield f"EXPLAIN SELECT {listed} FROM {name} WHERE 1 = 0"  # noqa: S608
    yield f"EXPLAIN INSERT INTO {name} ({listed}) SELECT {nulls} FROM DUAL WHERE 1 = 0"  # noqa: S608
    yield f"EXPLAIN UPDATE {name} SET {pairs} WHERE 1 = 0"  # noqa: S608
    yield f"EXPLAIN DELETE FROM {name} WHERE 1 = 0"  # noqa: S608


def _explain(connection: Any, statements: Sequence[str]) -> tuple[int, int | None]:
    """How many of them were answered, and the number of the error that ended it, if one did."""
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


def judge(database: str, tables: Sequence[Table], lacking: Lacking) -> Finding:
    """What it means, and the GRANT that mends it."""
    if not lacking:
        return Finding("database.rights", "ok", "The user of DATABASE_URL has the rights it needs.")
    verbs_on: dict[tuple[str, ...], list[str]] = {}
    for verb in VERBS:
        if verb in lacking:
            verbs_on.setdefault(tuple(lacking[verb]), []).append(verb)
    parts = [
        f"{', '.join(verbs)} on {_named(names, len(tables))}" for names, verbs in verbs_on.items()
    ]
    missing = ", ".join(verb for verb in VERBS if verb in lacking)
    return Finding(
        "database.rights",
        "error",
        f"The user of DATABASE_URL lacks rights: {'; '.join(parts)}.",
        f"Run GRANT {missing} ON `{database}`.* TO this user, as an administrator of the "
        "database; SELECT CURRENT_USER() tells how the server names the user.",
    )


def _named(names: Sequence[str], of: int) -> str:
    if len(names) == of:
        return "all tables"
    others = f" and {len(names) - _SHOWN} others" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + others
