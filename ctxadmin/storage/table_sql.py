"""The texts of SQL for the rows of one model, on the database that the process has."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model
from django.db.models.functions import Now


class TableSql:
    """Statements on the table of a model; fields are named by their attributes.

    The fields ``at_insert`` of new rows get the time by the clock of the database.
    """

    def __init__(self, model: type[Model], at_insert: Collection[str]) -> None:
        self.model = model
        self._at_insert = at_insert

    # Names come from models and from code; values never stand in a text.

    def select_of(
        self,
        where: Iterable[str],
        without: Collection[str],
        last_by: str | None,
        *,
        lock: bool,
        beside: str = "",
    ) -> str:
        columns = self._columns(name for name in self.fields if name not in without)
        if beside:
            columns += ", " + self._named(beside)
        text = f"SELECT {columns} FROM {self._name} WHERE {self._equal(where, ' AND ')}"  # noqa: S608
        if last_by:
            text += f" ORDER BY {self._column(last_by)} DESC"
        locks = lock and connection().features.has_select_for_update
        return text + " LIMIT 1" + (" FOR UPDATE" if locks else "")

    def select_last(self, where: Iterable[str], by: str, without: Collection[str]) -> str:
        columns = self._columns(name for name in self.fields if name not in without)
        given = f"{self._equal(where, ' AND ')} AND {self._column(by)} < %s"
        text = f"SELECT {columns} FROM {self._name} WHERE {given}"  # noqa: S608
        return f"{text} ORDER BY {self._column(by)} DESC LIMIT %s"

    def expressions_of(self, shown: str, given: str) -> str:
        return f"SELECT {self._named(shown)} FROM {self._name} WHERE {self._named(given)}"  # noqa: S608

    def _named(self, sql: str) -> str:
        """Returns SQL with the columns of the fields that it names in braces."""
        return sql.format_map({name: f"{self._name}.{self._column(name)}" for name in self.fields})

    def select_among(self, where: Iterable[str], name: str, count: int, by: str = "") -> str:
        columns, places = self._columns(self.fields), ", ".join(["%s"] * count)
        equal = [f"{self._column(each)} = %s" for each in where]
        given = " AND ".join([*equal, f"{self._column(name)} IN ({places})"])
        force = f" FORCE INDEX ({by})" if by and connection().vendor == "mysql" else ""
        return f"SELECT {columns} FROM {self._name}{force} WHERE {given}"  # noqa: S608

    @cached_property
    def locks(self) -> str:
        features = connection().features
        if not features.has_select_for_update:
            return ""
        skips = features.has_select_for_update_skip_locked
        return " FOR UPDATE SKIP LOCKED" if skips else " FOR UPDATE"

    def insert_of(self) -> str:
        return f"INSERT INTO {self._name} ({self._columns(self.fields)}) VALUES "  # noqa: S608

    def upsert_of(self, count: int) -> str:
        return self.insert_of() + ", ".join([self.places] * count) + self._instead()

    @cached_property
    def places(self) -> str:
        """Returns the placeholders of one row."""
        compiler = self.model._default_manager.all().query.get_compiler(DEFAULT_DB_ALIAS)
        now = compiler.compile(Now())[0] if self._at_insert else ""
        return f"({', '.join(now if name in self._at_insert else '%s' for name in self.fields)})"

    def _instead(self) -> str:
        """Returns the end of an INSERT that updates the row of a taken primary key."""
        keys = {field.attname for field in self.model._meta.pk_fields}
        others = [self._column(name) for name in self.fields if name not in keys]
        if connection().vendor == "mysql":
            changes = ", ".join(f"{column} = VALUES({column})" for column in others)
            return f" ON DUPLICATE KEY UPDATE {changes}"
        changes = ", ".join(f"{column} = excluded.{column}" for column in others)
        return f" ON CONFLICT ({self._columns(sorted(keys))}) DO UPDATE SET {changes}"

    def update_of(
        self,
        where: Iterable[str],
        values: Iterable[str],
        other: "TableSql | None" = None,
        row: Iterable[str] = (),
    ) -> str:
        given, changes = self._equal(where, " AND "), self._equal(values, ", ")
        if other is not None:  # without the row the first value is NULL, which its column refuses
            found = f"EXISTS (SELECT 1 FROM {other._name} WHERE {other._equal(row, ' AND ')})"  # noqa: S608
            changes = changes.replace("%s", f"CASE WHEN {found} THEN %s END", 1)
        return f"UPDATE {self._name} SET {changes} WHERE {given}"  # noqa: S608

    @cached_property
    def fields(self) -> dict[str, "Field[Any, Any]"]:
        return {field.attname: field for field in self.model._meta.concrete_fields}

    @cached_property
    def _name(self) -> str:
        return connection().ops.quote_name(self.model._meta.db_table)

    def _column(self, name: str) -> str:
        return connection().ops.quote_name(str(self.fields[name].column))

    def _columns(self, names: Iterable[str]) -> str:
        return ", ".join(map(self._column, names))

    def _equal(self, names: Iterable[str], between: str) -> str:
        return between.join(f"{self._column(name)} = %s" for name in names)


def connection() -> BaseDatabaseWrapper:
    """The connection of this thread to the one database."""
    return connections[DEFAULT_DB_ALIAS]
