"""The full text table on MariaDB and MySQL: FULLTEXT for rare words, the latest texts for others.

InnoDB reads all texts with a word, one by one, before it sorts and cuts them: of 1,000,000 texts,
more than its memory holds, the 7,300 with a word took 0.8 s and the 113,000 with another 2.6 s.
Reading 50,000 texts in order takes 0.2 s. So the latest thousand are looked at first; they tell
which words are rare enough for the index. If none is, texts are read in order, a stretch at a time.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection

from search.domain.query import Phrase, term_beginning

COMPACT: Final = "OPTIMIZE TABLE search_words"
INSERT: Final = "INSERT INTO search_words (workspace, id, terms) VALUES (%s, %s, %s)"
SAMPLE: Final = 1_000
RARE: Final = SAMPLE // 100  # texts of the sample; 10,000 of 1,000,000 take a second
_MOST_RARE: Final = 3  # words that are given to the index
STRETCH: Final = 50_000  # texts that are looked at without it in one go: 0.2 s

# A range of the texts of a workspace, latest first.
_LATEST: Final = (
    "SELECT id, terms FROM search_words WHERE workspace = %s AND id < %s AND id >= %s"
    " ORDER BY id DESC LIMIT %s"
)
_LOWEST: Final = (
    "SELECT id FROM search_words WHERE workspace = %s AND id < %s AND id >= %s"
    " ORDER BY id DESC LIMIT 1 OFFSET %s"
)


def rows_of(workspace: int, texts: Iterable[tuple[int, Sequence[str]]]) -> list[tuple[Any, ...]]:
    """Returns the rows; spaces around all terms make every one comparable as `` term ``."""
    return [(workspace, name, f" {' '.join(terms)} ") for name, terms in texts]


def removal(workspace: int, ids: Sequence[int]) -> tuple[str, list[int]]:
    where = f"workspace = %s AND id IN ({_places(ids)})"
    return f"DELETE FROM search_words WHERE {where}", [workspace, *ids]  # noqa: S608


def lookup(workspace: int, ids: Sequence[int]) -> tuple[str, list[int]]:
    where = f"workspace = %s AND id IN ({_places(ids)})"
    return f"SELECT 1 FROM search_words WHERE {where} LIMIT 1", [workspace, *ids]  # noqa: S608


def find(
    workspace: int,
    phrases: Sequence[Phrase],
    facts: Sequence[str],
    below: int,
    since: int,
    limit: int,
) -> tuple[list[int], int | None]:
    sought = [f" {fact} " for fact in facts] + [_written(phrase) for phrase in phrases]
    sample = _rows(_LATEST, [workspace, below, since, SAMPLE])
    near = [int(name) for name, terms in sample if all(each in terms for each in sought)]
    if len(near) >= limit:
        return near[:limit], near[limit - 1]
    if len(sample) < SAMPLE:
        return near, None
    lowest, missing = int(sample[-1][0]), limit - len(near)
    rare = _rare_words(phrases, facts, [terms for _, terms in sample])
    if rare:
        return near + _by_index(rare, sought, [workspace, lowest, since], missing), None
    far, reached = _by_looking(sought, [workspace, lowest, since], missing)
    return near + far, reached


def _by_index(
    rare: Sequence[str], sought: Sequence[str], within: Sequence[int], limit: int
) -> list[int]:
    sql = (
        "SELECT id FROM search_words WHERE MATCH (terms) AGAINST (%s IN BOOLEAN MODE)"  # noqa: S608
        f" AND workspace = %s AND id < %s AND id >= %s{_likes(sought)} ORDER BY id DESC LIMIT %s"
    )
    asked = " ".join(f"+{word}" for word in rare)
    return [int(row[0]) for row in _rows(sql, [asked, *within, *_patterns(sought), limit])]


def _by_looking(
    sought: Sequence[str], within: Sequence[int], limit: int
) -> tuple[list[int], int | None]:
    """Looks at a stretch of texts for words that are all frequent, but rarely together."""
    workspace, below, since = within
    lowest = _rows(_LOWEST, [*within, STRETCH - 1])
    end = int(lowest[0][0]) if lowest else since
    sql = (
        "SELECT id FROM search_words WHERE workspace = %s AND id < %s AND id >= %s"  # noqa: S608
        f"{_likes(sought)} ORDER BY id DESC LIMIT %s"
    )
    rows = _rows(sql, [workspace, below, end, *_patterns(sought), limit])
    return [int(row[0]) for row in rows], end if lowest else None


def _rare_words(
    phrases: Sequence[Phrase], facts: Sequence[str], sample: Sequence[str]
) -> list[str]:
    """Returns the rarest words by a sample, as the index is asked for them; none if all are
    frequent.
    """
    words = {f" {fact} ": fact for fact in facts}
    for phrase in phrases:
        for term in phrase.terms[: len(phrase.terms) - phrase.open]:
            words[f" {term} "] = term
        if phrase.open:
            beginning = term_beginning(phrase)
            words[f" {beginning}"] = f"{beginning}*"
    counted = sorted((sum(each in terms for terms in sample), words[each]) for each in words)
    return [word for count, word in counted if count < RARE][:_MOST_RARE]


def _written(phrase: Phrase) -> str:
    """Returns a phrase as it stands in the terms of a text."""
    if not phrase.open:
        return f" {' '.join(phrase.terms)} "
    return f" {' '.join((*phrase.terms[:-1], term_beginning(phrase)))}"


def _likes(sought: Sequence[str]) -> str:
    return " AND terms LIKE %s" * len(sought)


def _patterns(sought: Sequence[str]) -> list[str]:
    return [f"%{each}%" for each in sought]  # letters, digits and spaces


def _rows(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _places(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values))
