"""What a line of text asks for: words, phrases, filters."""

from datetime import UTC, datetime, timedelta

import pytest

from ctxadmin.lib.errors import ValidationFailed
from search.domain.query import HitKind, Phrase, Query, read_query, without_filters
from search.domain.terms import terms_of

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def read(text: str, *, typing: bool = False, **given: str) -> Query:
    return read_query(text, given, NOW, typing=typing)


def test_words_are_phrases_of_one_term() -> None:
    assert read("refund order").phrases == (Phrase(("xrefund",)), Phrase(("xorder",)))


def test_an_id_is_a_phrase_of_its_parts() -> None:
    assert read("A-1042").phrases == (Phrase(("vav", "x1042")),)


def test_quotes_make_a_phrase() -> None:
    assert read('"second charger" lost').phrases == (
        Phrase(("xsecond", "xcharger")),
        Phrase(("xlost",)),
    )
    assert read('"not closed').phrases == (Phrase(("xnot", "xclosed")),)


def test_chinese_is_a_phrase_of_its_pairs() -> None:
    assert read("要求退款").phrases == (Phrase(tuple(terms_of("要求退款")[:-1])),)


def test_a_single_chinese_character_begins_a_pair() -> None:
    assert read("退").phrases == (Phrase(tuple(terms_of("退")), open=True),)


def test_a_star_leaves_a_word_open() -> None:
    assert read("refu*").phrases == (Phrase(("xrefu",), open=True),)
    assert read("refund").phrases[0].open is False


def test_only_the_word_that_is_being_typed_is_open() -> None:
    assert [phrase.open for phrase in read("late refu", typing=True).phrases] == [False, True]
    assert [phrase.open for phrase in read("late refu ", typing=True).phrases] == [False, False]


def test_filters_stand_among_the_words() -> None:
    query = read("late tool:refund status:paused role:USER since:7d in:messages workflow:support")
    assert query.phrases == (Phrase(("xlate",)),)
    assert query.tool == "refund"
    assert query.status == "PAUSED"
    assert query.role == "user"
    assert query.since == NOW - timedelta(days=7)
    assert query.kinds == {HitKind.MESSAGE}
    assert query.workflow == "support"


def test_filters_are_understood_as_chinese_keyboards_type_them() -> None:
    assert read("退款 status：paused").status == "PAUSED"


def test_a_given_filter_comes_before_that_in_the_text() -> None:
    assert read("role:user x1", role="tool").role == "tool"
    assert read("role:user", role="").role == "user"


def test_what_is_no_filter_is_a_word() -> None:
    assert read("http://example.org:80").phrases == (Phrase(("xhttp", "xexample", "xorg", "x80")),)
    assert read("order:1042").phrases == (Phrase(("xorder", "x1042")),)
    assert read("tool:").phrases == (Phrase(("xtool",)),)


def test_words_are_left_without_their_filters() -> None:
    assert without_filters('late "a b" role：user tool:x http://a.b ') == 'late "a b" http://a.b'


def test_days_and_moments_are_read() -> None:
    assert read("since:2026-11-24").since == datetime(2026, 11, 24, tzinfo=UTC)
    assert read("since:2w").since == NOW - timedelta(weeks=2)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("status:sleeping", "?status"),
        ("role:boss", "?role"),
        ("since:yesterday", "?since"),
        ("since:999999w", "?since"),
        ("in:attic", "?in"),
        ("workflow:a/b", "?workflow"),
        ("tool:!!", "?tool"),
        ("a" * 401, "?q"),
        ("a1 " * 21, "?q"),
    ],
)
def test_a_wrong_filter_is_refused_by_name(text: str, pointer: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        read(text)
    assert refused.value.problems[0].pointer == pointer


@pytest.mark.parametrize("text", ["", "   ", '""', "!!", "*", ":", '"'])
def test_nothing_asks_for_nothing(text: str) -> None:
    assert not read(text)


@pytest.mark.parametrize(
    "text", ['a" OR b', "NEAR(a b)", "a* + - ~ > < @4 ( )", "x1' ; DROP TABLE t; --", "{a} : ^b"]
)
def test_operators_of_databases_are_only_words(text: str) -> None:
    for phrase in read(text).phrases:
        assert all(term.isascii() and term.isalnum() for term in phrase.terms)
