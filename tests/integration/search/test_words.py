"""The full text table, by what each database does with many texts."""

from collections.abc import Iterator
from threading import Event
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import QueryDict

from ctxadmin.http.endpoints.pagination import PageRequest
from search import words, words_mysql
from search.domain.query import Phrase, Query
from search.domain.terms import terms_of
from search.management.commands import search_index
from search.queries import search
from search.words import FoundIds, WordQuery, Words
from tests.factories import person

WORKSPACE = 7


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[None]:
    """Makes 60 texts many for MySQL: 10 are looked at first, a word in one of them is rare."""
    monkeypatch.setattr(words_mysql, "SAMPLE", 10)
    monkeypatch.setattr(words_mysql, "RARE", 2)
    monkeypatch.setattr(words_mysql, "STRETCH", 20)
    texts = [
        f"common text number {number} {'odd' if number % 2 else 'even'}" for number in range(60)
    ]
    texts[5] += " needle found"
    texts[30] += " found needle"
    words.insert(WORKSPACE, [Words(n, terms_of(text)) for n, text in enumerate(texts, start=1)])
    words.insert(WORKSPACE + 1, [Words(1_000, terms_of("needle common"))])
    yield
    words.remove(WORKSPACE, range(1, 61))
    words.remove(WORKSPACE + 1, [1_000])


def found(
    *phrases: str, opened: bool = False, below: int = 1 << 40, since: int = 0, limit: int = 5
) -> list[int]:
    """All ids of a search, which continues where each stretch ends."""
    wanted = tuple(Phrase(tuple(terms_of(each))) for each in phrases)
    if opened:
        wanted = (*wanted[:-1], Phrase(wanted[-1].terms, open=True))
    ids: list[int] = []
    at: int | None = below
    while at is not None and len(ids) < limit:
        part = words.find(WordQuery(WORKSPACE, wanted, (), at, since), limit - len(ids))
        ids += part.ids
        at = part.reached
    return ids


# Committed, since MariaDB finds nothing else by its index.
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("few")
def test_rare_and_common_words_are_found_alike() -> None:
    assert found("common") == [60, 59, 58, 57, 56]
    assert found("needle") == [31, 6]
    assert found("needle", "common") == [31, 6]
    assert found("found needle") == [31]
    assert found("common even", limit=60) == []
    assert found("need", opened=True) == [31, 6]
    assert found("text number 3") == [4]
    assert found("odd", "common", below=20, since=12) == [18, 16, 14, 12]
    assert found("odd", "even") == []
    assert found("nothing") == []


@pytest.mark.django_db
def test_a_page_ends_where_frequent_words_are_never_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def find_none(query: WordQuery, _limit: int) -> FoundIds:
        asked.append(query.below)
        return FoundIds((), query.below - 100)

    monkeypatch.setattr(words, "find", find_none)
    query = Query(phrases=(Phrase(("xodd", "xeven")),))
    page = search(person(), query, PageRequest(limit=25))
    assert (page.hits, len(asked)) == ([], 5)
    assert page.next
    search(person(), query, PageRequest.of(QueryDict(urlencode({"cursor": page.next}))))
    assert asked[5] == asked[4] - 100


@pytest.mark.django_db
def test_an_indexer_with_nothing_to_do_lets_the_index_forget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stop = Event()
    monkeypatch.setattr(words, "forget_removed", lambda _: stop.set())
    search_index.follow(stop)
    assert stop.is_set()


def blocks_with(term: bytes) -> int:
    """How many blocks of the index of SQLite have the beginning of a word."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT block FROM search_words_data")
        return sum(term in block for (block,) in cursor.fetchall())


@pytest.mark.only("sqlite")
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("few")
def test_sqlite_forgets_removed_words() -> None:
    """FTS5 keeps them, with their places in the text, until it has rewritten what has them."""
    words.forget_removed()
    words.remove(WORKSPACE, [6, 31])
    assert blocks_with(b"needle")
    words.forget_removed()
    assert blocks_with(b"needle") == blocks_with(b"eedle") == 1  # of the other workspace
    words.remove(WORKSPACE + 1, [1_000])
    words.forget_removed()
    assert blocks_with(b"needle") == blocks_with(b"eedle") == 0
    assert found("common", limit=100) == [n for n in range(60, 0, -1) if n not in (6, 31)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("few")
def test_removed_words_are_not_found() -> None:
    words.remove(WORKSPACE, [31])
    assert found("needle") == [6]
    assert words.find_taken(WORKSPACE, [6, 31])
    assert not words.find_taken(WORKSPACE, [31])
