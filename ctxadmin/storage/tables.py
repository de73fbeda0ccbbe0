"""Rows by SQL that is built once: for the writes that engines wait for.

The ORM builds and compiles a statement for every call, which is most of the cost of a small one. So
what every step of an engine needs goes through here; everything else stays with the ORM.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BinaryField, DateTimeField, Field, Model
from django.db.models.base import ModelState

from ctxadmin.storage import statement_batch
from ctxadmin.storage.table_sql import TableSql, connection

ModelT = TypeVar("ModelT", bound=Model)
Convert = Callable[[Any], Any]

_INSERT: Final = ("insert",)
_ROWS: Final = 50  # in one INSERT
_AMONG: Final = 400  # values of one IN
_AS_THEY_ARE: Final = frozenset(
    {
        *("SmallIntegerField", "IntegerField", "BigIntegerField", "BooleanField"),
        *("CharField", "TextField"),
    }
)


@dataclass(frozen=True, slots=True)
class Question(Generic[ModelT]):
    """A SELECT with its values, and the function that makes a row of the model of its result."""

    text: str
    values: Sequence[Any]
    row: Callable[[Sequence[Any]], ModelT]


def run_queries(*questions: Question[Any]) -> list[list[Any]]:
    """Returns the rows of each question, with one round trip on MySQL."""
    found = statement_batch.run_queries([(each.text, each.values) for each in questions])
    return [
        [question.row(row) for row in rows] for question, rows in zip(questions, found, strict=True)
    ]


class Table(Generic[ModelT]):
    """The rows of one model; fields are named by their attributes.

    Values have the types of the model's fields and are converted as these say. No signals are sent,
    and only texts of SQL are cached, of which there are as many as calls in the code. The fields
    ``at_insert`` of new rows get the time by the clock of the database.
    """

    def __init__(self, model: type[ModelT], at_insert: Collection[str] = ()) -> None:
        self.model = model
        self._at_insert = at_insert
        self._sql = TableSql(model, at_insert)
        self._texts: dict[tuple[object, ...], str] = {}

    def find(
        self,
        where: Mapping[str, object],
        *,
        without: Collection[str] = (),
        last_by: str | None = None,
        lock: bool = False,
    ) -> ModelT | None:
        """Returns the row with these values, or None.

        Of several the one with the largest ``last_by``.

        Fields in ``without`` are read on demand. ``lock`` makes other writers wait for the end of
        the transaction.
        """
        key = ("find", *where, "-", *without, "-", last_by, lock)
        text = self._texts.get(key) or self._new_text(
            key, self._sql.select_of(where, without, last_by, lock=lock)
        )
        with connection().cursor() as cursor:
            cursor.execute(text, self._prepared(where))
            found = cursor.fetchone()
        return None if found is None else self._row(found, without)

    def question(
        self,
        where: Mapping[str, object],
        name: str,
        among: Sequence[object],
        *,
        by: str = "",
        lock: bool = False,
    ) -> "Question[ModelT]":
        """Returns ``find_all`` as a question, to be sent with others in one round trip.

        For few values: ``among`` is not divided. ``by`` is the index to use. With ``lock`` other
        writers wait for the end of the transaction, and rows that others have locked are left out,
        if the database can do that.
        """
        key = ("question", *where, "-", name, len(among), by, lock)
        text = self._texts.get(key) or self._new_text(
            key,
            self._sql.select_among(where, name, len(among), by) + (self._sql.locks if lock else ""),
        )
        values = [*self._prepared(where), *(self._prepared({name: each})[0] for each in among)]
        return Question(text, values, self._taken)

    def _taken(self, found: Sequence[Any]) -> ModelT:
        return self._row(found, ())

    def find_with(
        self, where: Mapping[str, object], beside: str, *, last_by: str
    ) -> tuple[ModelT, tuple[Any, ...]] | None:
        """Returns ``find`` with further SQL expressions in the same statement, so that both fit.

        ``beside`` are expressions separated by commas, which name fields in braces.
        """
        key = ("find beside", *where, "-", beside, last_by)
        text = self._texts.get(key) or self._new_text(
            key, self._sql.select_of(where, (), last_by, lock=False, beside=beside)
        )
        with connection().cursor() as cursor:
            cursor.execute(text, self._prepared(where))
            found = cursor.fetchone()
        count = len(self._sql.fields)
        return None if found is None else (self._row(found[:count], ()), tuple(found[count:]))

    def find_all(
        self, where: Mapping[str, object], name: str, among: Collection[object]
    ) -> list[ModelT]:
        """Returns the rows with these values and one of ``among`` in the field ``name``."""
        found: list[ModelT] = []
        remaining = iter(among)
        while part := list(islice(remaining, _AMONG)):
            key = ("find all", *where, "-", name, len(part))
            text = self._texts.get(key) or self._new_text(
                key, self._sql.select_among(where, name, len(part))
            )
            values = [*self._prepared(where), *(self._prepared({name: each})[0] for each in part)]
            with connection().cursor() as cursor:
                cursor.execute(text, values)
                found += [self._row(row, ()) for row in cursor.fetchall()]
        return found

    def find_last(
        self,
        where: Mapping[str, object],
        by: str,
        *,
        below: int,
        limit: int,
        without: Collection[str] = (),
    ) -> list[ModelT]:
        """Returns the rows with these values whose field ``by`` is below a number, largest
        first.
        """
        key = ("find last", *where, "-", by, *without)
        text = self._texts.get(key) or self._new_text(
            key, self._sql.select_last(where, by, without)
        )
        with connection().cursor() as cursor:
            cursor.execute(text, [*self._prepared(where), below, limit])
            return [self._row(row, without) for row in cursor.fetchall()]

    def read(self, shown: str, given: str, values: Sequence[str | int]) -> list[tuple[Any, ...]]:
        """Returns SQL expressions of the rows that meet the condition ``given``.

        Both name fields in braces, ``{conversation} = %s``; the condition can continue with an
        order. Values are not converted: converting a moment costs more than the rest of a row,
        ``CAST({created_at} AS CHAR)`` next to nothing.
        """
        key = ("read", shown, given)
        text = self._texts.get(key) or self._new_text(key, self._sql.expressions_of(shown, given))
        with connection().cursor() as cursor:
            cursor.execute(text, values)
            return list(cursor.fetchall())

    def new(self, values: dict[str, object]) -> ModelT:
        """A row to insert, which has all of its fields; to call the model takes 20 us more."""
        row = self.model.__new__(self.model)
        row.__dict__ = values
        row._state = ModelState()
        return row

    def insert(self, rows: Iterable[ModelT]) -> None:
        """Stores new rows; raises IntegrityError if a key is taken.

        This and the writes below can be sent later, together (see ``statement_batch``).
        """
        text = self._texts.get(_INSERT) or self._new_text(_INSERT, self._sql.insert_of())
        remaining = iter(rows)
        while part := list(islice(remaining, _ROWS)):
            statement_batch.insert(text, self._sql.places, len(part), self._values_of(part))

    def upsert(self, rows: Iterable[ModelT]) -> None:
        """Stores rows, replacing those with their primary keys, if there are any."""
        remaining = iter(rows)
        while part := list(islice(remaining, _ROWS)):
            key = ("put", len(part))
            text = self._texts.get(key) or self._new_text(key, self._sql.upsert_of(len(part)))
            statement_batch.send(text, self._values_of(part))

    def change(self, where: Mapping[str, object], values: Mapping[str, object]) -> None:
        """Sets fields of the rows with the values ``where``."""
        statement_batch.send(
            self._update_text(where, values), [*self._prepared(values), *self._prepared(where)]
        )

    def change_with(
        self,
        where: Mapping[str, object],
        values: Mapping[str, object],
        other: "Table[Any]",
        row: Mapping[str, object],
    ) -> None:
        """Sets fields as ``change`` does.

        IntegrityError unless ``other`` has a row with these values.

        The server itself checks it, because a COMMIT can be in the same packet. The first of
        ``values`` is not null.
        """
        key = ("update with", *where, "-", *values, "-", other.model, *row)
        text = self._texts.get(key) or self._new_text(
            key, self._sql.update_of(where, values, other._sql, row)
        )
        prepared = [*other._prepared(row), *self._prepared(values), *self._prepared(where)]
        statement_batch.send(text, prepared)

    def update(self, where: Mapping[str, object], values: Mapping[str, object]) -> int:
        """Sets fields immediately; returns how many rows there are."""
        with connection().cursor() as cursor:
            cursor.execute(
                self._update_text(where, values), [*self._prepared(values), *self._prepared(where)]
            )
            count: int = cursor.rowcount
            return count

    def _row(self, found: Sequence[Any], without: Collection[str]) -> ModelT:
        names = (
            [name for name in self._sql.fields if name not in without]
            if without
            else self._sql.fields
        )
        values = _converted_row(found, self._converters_of(names))
        return self.model.from_db(DEFAULT_DB_ALIAS, names, values)

    def _converters_of(self, names: Iterable[str]) -> list[tuple[int, list[Convert]]]:
        known = self._converters
        return [(place, known[name]) for place, name in enumerate(names) if name in known]

    def _values_of(self, rows: Iterable[ModelT]) -> list[Any]:
        values: list[Any] = []
        for row in rows:
            given = row.__dict__
            values += [
                given[name] if prepare is None or given[name] is None else prepare(given[name])
                for name, prepare in self._inserted
            ]
            row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
        return values

    def _update_text(self, where: Iterable[str], values: Iterable[str]) -> str:
        key = ("update", *where, "-", *values)
        return self._texts.get(key) or self._new_text(key, self._sql.update_of(where, values))

    def _new_text(self, key: tuple[object, ...], text: str) -> str:
        self._texts[key] = text
        return text

    def _prepared(self, values: Mapping[str, object]) -> list[Any]:
        """Returns the values in the form of the driver."""
        return [
            value if prepare is None or value is None else prepare(value)
            for value, prepare in zip(
                values.values(), map(self._prepares.__getitem__, values), strict=True
            )
        ]

    @cached_property
    def _prepares(self) -> dict[str, Convert | None]:
        """Returns the converter of each field to the form of the driver.

        None where none is needed.
        """
        return {name: _prepare_of(field) for name, field in self._sql.fields.items()}

    @cached_property
    def _inserted(self) -> list[tuple[str, Convert | None]]:
        """Returns the converters of the fields that are inserted."""
        return [each for each in self._prepares.items() if each[0] not in self._at_insert]

    @cached_property
    def _converters(self) -> dict[str, list[Convert]]:
        """Returns the converters from values of the driver to those of the model, where needed."""
        found: dict[str, list[Convert]] = {}
        database = connection()
        for name, field in self._sql.fields.items():
            column = field.get_col(self.model._meta.db_table)
            converters = [
                *database.ops.get_db_converters(column),
                *column.get_db_converters(database),
            ]
            if converters:
                found[name] = [
                    partial(_converted, convert, column, database) for convert in converters
                ]
        return found


def _prepare_of(field: "Field[Any, Any]") -> Convert | None:
    if field.get_internal_type() in _AS_THEY_ARE:
        return None
    if isinstance(field, DateTimeField):
        return _moment
    if isinstance(field, BinaryField):
        return bytes
    return lambda value: field.get_db_prep_save(value, connection())


@lru_cache(maxsize=256)  # all rows of one write have the same
def _moment(value: datetime) -> str:
    """Returns an aware moment in the form of both databases: in UTC, without a time zone."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")


def _converted_row(
    row: Sequence[Any], converted: Sequence[tuple[int, list[Convert]]]
) -> tuple[Any, ...]:
    values = list(row)
    for place, converters in converted:
        for convert in converters:
            values[place] = convert(values[place])
    return tuple(values)


def _converted(
    convert: Callable[..., Any], column: object, connection: BaseDatabaseWrapper, value: object
) -> object:
    return convert(value, column, connection)
