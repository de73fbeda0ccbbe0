"""The full text table on SQLite: FTS5, which gives the latest texts first without sorting."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection
from django.db.backends.utils import CursorWrapper

from search.domain.query import Phrase, term_beginning

COMPACT: Final = "INSERT INTO search_words (search_words) VALUES ('optimize')"
# Steps of some milliseconds that do the same together: the first begins with all of the index.
FIRST_STEP: Final = "INSERT INTO search_words (search_words, rank) VALUES ('merge', -64)"
NEXT_STEP: Final = "INSERT INTO search_words (search_words, rank) VALUES ('merge', 64)"
_CHANGES: Final = "SELECT total_changes()"
INSERT: Final = "INSERT INTO search_words (rowid, terms) VALUES (%s, %s)"
_FIND: Final = (
    "SELECT rowid FROM search_words WHERE search_words MATCH %s AND rowid < %s AND rowid >= %s"
    " ORDER BY rowid DESC LIMIT %s"
)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def rows_of(workspace: int, texts: Iterable[tuple[int, Sequence[str]]]) -> list[tuple[Any, ...]]:
    own = workspace_term(workspace)
    return [(name, f"{' '.join(terms)} {own}") for name, terms in texts]


def removal(workspace: int, ids: Sequence[int]) -> tuple[str, list[int]]:
    return f"DELETE FROM search_words WHERE rowid IN ({_places(ids)})", list(ids)  # noqa: S608


def lookup(workspace: int, ids: Sequence[int]) -> tuple[str, list[int]]:
    sql = f"SELECT 1 FROM search_words WHERE rowid IN ({_places(ids)}) LIMIT 1"  # noqa: S608
    return sql, list(ids)


def find(
    workspace: int,
    phrases: Sequence[Phrase],
    facts: Sequence[str],
    below: int,
    since: int,
    limit: int,
) -> tuple[list[int], int | None]:
    asked = " AND ".join(
        [
            *(f'"{fact}"' for fact in facts),
            *map(_phrase, phrases),
            f'"{workspace_term(workspace)}"',
        ]
    )
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [asked, below, since, limit])
        return [int(row[0]) for row in cursor.fetchall()], None


def workspace_term(workspace: int) -> str:
    """Returns the term of all texts of a workspace, which each query has."""
    digits, number = "", workspace
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return f"w{digits or '0'}"


def has_merged(step: str) -> bool:
    """Makes one step; returns False if there was nothing to do, which counts as one change."""
    with connection.cursor() as cursor:
        before = _changes(cursor)
        cursor.execute(step)
        return _changes(cursor) - before > 1


def _changes(cursor: CursorWrapper) -> int:
    """Returns how many rows the connection has changed so far."""
    cursor.execute(_CHANGES)
    return int(cursor.fetchone()[0])


def _phrase(phrase: Phrase) -> str:
    """Returns a phrase in the language of FTS5: terms are letters and digits, so none escapes."""
    if not phrase.open:
        return f'"{" ".join(phrase.terms)}"'
    return f'"{" ".join((*phrase.terms[:-1], term_beginning(phrase)))}" *'


def _places(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values))
