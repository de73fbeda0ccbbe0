"""Compares the tables of the database with what the models of this program expect."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.apps.registry import Apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.state import StateApps

_SHOWN: Final = 3  # differences that are named; the others are counted
# How MySQL and MariaDB spell types that Django names otherwise.
_SPELLINGS: Final = {
    "bool": "tinyint",
    "integer": "int",
    "numeric": "decimal",
    "double precision": "double",
    "json": "longtext",
}
_SPELLED: Final = re.compile(rf"^(?:{'|'.join(_SPELLINGS)})\b")
# What stands behind a type and is reported elsewhere, or has no meaning: "int(11)".
_IGNORED: Final = re.compile(r" (?:character set|collate|auto_increment).*|(?<=int)\(\d+\)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the database describes it; ``filled`` if a row can omit it.

    An expected ``kind`` can be "": then any is right.
    """

    kind: str
    nullable: bool
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Index:
    """The columns of an index in order."""

    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True)
class ExpectedTable:
    """A table: its columns by name, and its indexes without the primary key."""

    columns: Mapping[str, Column]
    indexes: frozenset[Index] = frozenset()


Schema = Mapping[str, ExpectedTable]


@dataclass(frozen=True, slots=True)
class TableDifference:
    """One difference from the expected tables, in plain words; ``slow`` if it only costs time."""

    text: str
    slow: bool = False


def differences(expected: Schema, found: Schema) -> list[TableDifference]:
    """Returns what the database lacks of the expected tables, or has differently.

    Unexpected tables, columns that rows can omit and further indexes do no harm.
    """
    return [text for name in sorted(expected) for text in _of_table(name, expected, found)]


def summary(found: Sequence[TableDifference]) -> str:
    """Returns the first differences, and the number of others."""
    rest = len(found) - _SHOWN
    named = "; ".join(each.text for each in found[:_SHOWN])
    return f"{named}; and {rest} more" if rest > 0 else named


def _of_table(name: str, expected: Schema, found: Schema) -> Iterator[TableDifference]:
    if name not in found:
        yield TableDifference(f"the table {name} is missing")
        return
    wanted, there = expected[name], found[name]
    for column, each in wanted.columns.items():
        actual = there.columns.get(column)
        if actual is None:
            yield TableDifference(f"the column {name}.{column} is missing")
        elif each.kind not in ("", actual.kind):
            yield TableDifference(
                f"the column {name}.{column} is {actual.kind} instead of {each.kind}"
            )
        elif actual.nullable != each.nullable:
            yield TableDifference(
                f"the column {name}.{column} {'takes' if actual.nullable else 'refuses'} null"
            )
    for column, actual in there.columns.items():
        if column not in wanted.columns and not actual.filled:
            yield TableDifference(f"the column {name}.{column} is unknown and has to be given")
    for index in sorted(wanted.indexes, key=lambda each: each.columns):
        if not _serves(index, there.indexes):
            kind = "unique index" if index.unique else "index"
            text = f"the {kind} of {name} on {', '.join(index.columns)} is missing"
            yield TableDifference(text, slow=not index.unique)


def _serves(wanted: Index, there: Iterable[Index]) -> bool:
    """Returns whether one index replaces another: unique over the same columns, or a prefix."""
    size = len(wanted.columns)
    return any(
        each.unique and each.columns == wanted.columns
        if wanted.unique
        else each.columns[:size] == wanted.columns
        for each in there
    )


def expected_schema(connection: BaseDatabaseWrapper, apps: Apps | StateApps) -> Schema:
    """Returns the tables that the models of some apps make on a database."""
    return {
        meta.db_table.lower(): ExpectedTable(
            columns={
                str(field.column).lower(): Column(_kind_of(connection, field), field.null)
                for field in meta.local_concrete_fields
                if field.db_parameters(connection)["type"] is not None
            },
            indexes=frozenset(_indexes_of(meta)),
        )
        for meta in (model._meta for model in apps.get_models(include_auto_created=True))
        if meta.managed and not meta.proxy
    }


def _kind_of(connection: BaseDatabaseWrapper, field: Any) -> str:
    if isinstance(field, models.AutoField):
        return ""  # the settings may have made it larger
    return _spelled(connection, field.db_parameters(connection)["type"])


def _indexes_of(meta: Any) -> Iterator[Index]:
    def columns(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(str(meta.get_field(name.lstrip("-")).column).lower() for name in names)

    for field in meta.local_concrete_fields:
        if field.primary_key:
            continue
        if field.unique:
            yield Index((str(field.column).lower(),), unique=True)
        elif field.db_index:
            yield Index((str(field.column).lower(),))
    for index in meta.indexes:
        if index.fields:
            yield Index(columns(index.fields))
    for constraint in meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and constraint.fields:
            yield Index(columns(constraint.fields), unique=True)
    for names in meta.unique_together:
        yield Index(columns(names), unique=True)


def _spelled(connection: BaseDatabaseWrapper, kind: str) -> str:
    """Returns a type in a form in which two descriptions can be compared."""
    kind = kind.lower()
    if connection.vendor != "mysql":
        return kind
    return _SPELLED.sub(lambda found: _SPELLINGS[found[0]], _IGNORED.sub("", kind))


def read_schema(connection: BaseDatabaseWrapper) -> Schema:
    """Returns the tables of a database."""
    read = _read_mysql if connection.vendor == "mysql" else _read_sqlite
    columns, indexes = read(connection)
    return {
        name: ExpectedTable(each, frozenset(indexes.get(name, {}).values()))
        for name, each in columns.items()
    }


_Columns = dict[str, dict[str, Column]]
_Indexes = dict[str, dict[str, Index]]


def _read_mysql(connection: BaseDatabaseWrapper) -> tuple[_Columns, _Indexes]:
    columns: _Columns = {}
    indexes: _Indexes = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT LOWER(table_name), LOWER(column_name), column_type, is_nullable,"
            " column_default IS NOT NULL OR extra LIKE '%%auto_increment%%'"
            " FROM information_schema.columns WHERE table_schema = DATABASE()"
        )
        for table, column, kind, nullable, filled in cursor.fetchall():
            takes_null = nullable == "YES"
            columns.setdefault(table, {})[column] = Column(
                _spelled(connection, kind), takes_null, bool(filled) or takes_null
            )
        cursor.execute(
            "SELECT LOWER(table_name), index_name, non_unique, LOWER(column_name)"
            " FROM information_schema.statistics WHERE table_schema = DATABASE()"
            " AND index_name <> 'PRIMARY' AND column_name IS NOT NULL ORDER BY 1, 2, seq_in_index"
        )
        for table, name, non_unique, column in cursor.fetchall():
            _grow(indexes.setdefault(table, {}), name, column, unique=not non_unique)
    return columns, indexes


def _read_sqlite(connection: BaseDatabaseWrapper) -> tuple[_Columns, _Indexes]:
    columns: _Columns = {}
    indexes: _Indexes = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT LOWER(t.name), LOWER(c.name), c.type, c.[notnull], c.dflt_value IS NOT NULL"
            " FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"
        )
        for table, column, kind, notnull, filled in cursor.fetchall():
            columns.setdefault(table, {})[column] = Column(
                kind.lower(), not notnull, bool(filled) or not notnull
            )
        cursor.execute(
            "SELECT LOWER(t.name), i.name, i.[unique], LOWER(c.name)"
            " FROM sqlite_master t JOIN pragma_index_list(t.name) i"
            " JOIN pragma_index_info(i.name) c"
            " WHERE t.type = 'table' AND i.origin <> 'pk' AND i.partial = 0"
            " ORDER BY 1, 2, c.seqno"
        )
        for table, name, unique, column in cursor.fetchall():
            _grow(indexes.setdefault(table, {}), name, column, unique=bool(unique))
    return columns, indexes


def _grow(indexes: dict[str, Index], name: str, column: str, *, unique: bool) -> None:
    before = indexes.get(name, Index(()))
    indexes[name] = Index((*before.columns, column), unique)
