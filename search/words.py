"""The full text table ``search_words``, by the means of each database.

SQLite has FTS5, MariaDB and MySQL have FULLTEXT of InnoDB. Both get nothing but terms, so that
neither's own rules for words matter (see ``domain.terms``). A query never stands in a text of SQL.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from django.db import connection

from search import words_mysql, words_sqlite
from search.domain.query import Phrase

_ROWS: Final = 200  # of one statement


@dataclass(frozen=True, slots=True)
class Words:
    """The terms of one indexed text: those of the text in order, and those of its facts."""

    id: int
    terms: Sequence[str]
    facts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class WordQuery:
    """What is looked for in a workspace: texts with all phrases and facts, in a range of ids.

    ``below`` is behind the range, ``since`` its first id.
    """

    workspace: int
    phrases: Sequence[Phrase]
    facts: Sequence[str]
    below: int
    since: int


@dataclass(frozen=True, slots=True)
class FoundIds:
    """Ids, latest first, and the lowest id that was looked at: below it there may be more.

    ``reached`` is None if there are no others.
    """

    ids: Sequence[int]
    reached: int | None


def insert(workspace: int, words: Iterable[Words]) -> None:
    """Adds the terms of some texts."""
    rows = [(each.id, (*each.terms, *each.facts)) for each in words]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_vendor().INSERT, _vendor().rows_of(workspace, rows))


def remove(workspace: int, ids: Iterable[int]) -> None:
    """Removes the terms of some texts."""
    for part in _parts(ids):
        sql, values = _vendor().removal(workspace, part)
        with connection.cursor() as cursor:
            cursor.execute(sql, values)


def find_taken(workspace: int, ids: Sequence[int]) -> bool:
    """Returns whether a text has one of some ids already."""
    for part in _parts(ids):
        sql, values = _vendor().lookup(workspace, part)
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            if cursor.fetchone() is not None:
                return True
    return False


def find(asked: WordQuery, limit: int) -> FoundIds:
    """Returns the latest texts that have what is asked for, at most ``limit``."""
    ids, reached = _vendor().find(
        asked.workspace, asked.phrases, asked.facts, asked.below, asked.since, limit
    )
    return FoundIds(ids, ids[-1] if len(ids) == limit else reached)


def compact() -> None:
    """Rewrites the table without what was removed; other searches and writes can wait for it."""
    with connection.cursor() as cursor:
        cursor.execute(_vendor().COMPACT)
        cursor.fetchall()


def forget_removed(stopped: Callable[[], bool] = lambda: False) -> None:
    """Removes from the index the words of removed texts, which SQLite only marks as removed.

    In short steps, so that writes go on between them; after each ``stopped`` can wait, and end it.
    MySQL has ``compact`` alone.
    """
    if connection.vendor != "sqlite":
        return
    step = words_sqlite.FIRST_STEP
    while words_sqlite.has_merged(step) and not stopped():
        step = words_sqlite.NEXT_STEP


def keeps_removed() -> bool:
    """Returns whether the table keeps the words of removed texts until someone rebuilds it.

    On MariaDB and MySQL it does; SQLite loses them within an hour, see ``forget_removed``.
    """
    return connection.vendor == "mysql"


def _vendor() -> Any:
    return words_sqlite if connection.vendor == "sqlite" else words_mysql


def _parts(ids: Iterable[int]) -> Iterator[list[int]]:
    remaining = iter(ids)
    while part := list(islice(remaining, _ROWS)):
        yield part
