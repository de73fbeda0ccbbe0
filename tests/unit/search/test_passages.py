"""The passage of a text that shows what was found."""

from datetime import UTC, datetime

import pytest

from search.domain.passages import has_tool, passage_of
from search.domain.query import read_query

NOW = datetime(2026, 11, 25, tzinfo=UTC)


def marked(text: str, words: str, *, typing: bool = False) -> list[str] | None:
    found = passage_of(text, read_query(words, {}, NOW, typing=typing))
    return None if found is None else [piece.text for piece in found.pieces if piece.marked]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("I want a Refund now", "refund", ["Refund"]),
        ("Café, cafe", "café", ["Café", "cafe"]),
        ("order A-1042 and A 1042", "a-1042", ["A-1042", "A 1042"]),
        ("客户要求退款，订单", "退款", ["退款"]),
        ("客户要求退款", "要求退款", ["要求退款"]),
        ("客户要求退款", "款", ["款"]),
        ("客户要求退款", "要", ["要"]),
        ("refunds refunded", "refund*", ["refunds", "refunded"]),
        ("one two", "two one", ["one", "two"]),
        ("one two", '"two one"', None),
        ("one two", "three", None),
        ("one", "one three", None),
    ],
)
def test_what_was_searched_for_is_marked(text: str, words: str, expected: object) -> None:
    assert marked(text, words) == expected


def test_a_passage_is_around_the_first_place() -> None:
    text = "word " * 100 + "needle" + " tail" * 100
    found = passage_of(text, read_query("needle", {}, NOW))
    assert found is not None
    assert found.cut_before
    assert found.cut_after
    assert len(found.plain()) < 300
    assert "needle" in found.plain()
    assert "".join(piece.text for piece in found.pieces) in text


def test_a_passage_has_as_many_of_the_words_as_are_near() -> None:
    text = "a needle " + "word " * 200 + "a thread, a needle and a thread" + " tail" * 100
    found = passage_of(text, read_query("needle thread", {}, NOW))
    assert found is not None
    assert [piece.text for piece in found.pieces if piece.marked] == ["thread", "needle", "thread"]


def test_a_passage_has_two_parts_where_one_would_lack_a_word() -> None:
    text = "A needle stands here. " + "word " * 200 + "and a thread is there." + " tail" * 100
    found = passage_of(text, read_query("thread needle", {}, NOW))
    assert found is not None
    plain = found.plain()
    assert plain.startswith("A needle stands here. word")
    assert " … " in plain
    assert len(plain) < 300
    assert [plain[start:stop] for start, stop in found.marks()] == ["needle", "thread"]
    assert [piece.gap for piece in found.pieces].count(True) == 1


@pytest.mark.parametrize("between", range(100, 260, 10))
def test_parts_that_meet_are_one(between: int) -> None:
    text = "tail " * 30 + "a needle " + "w" * between + " a thread" + " tail" * 100
    found = passage_of(text, read_query("thread needle", {}, NOW))
    assert found is not None
    assert [piece.text for piece in found.pieces if piece.marked] == ["needle", "thread"]
    assert len(found.plain()) < 300
    for part in found.plain().strip("… ").split(" … "):
        assert part in text


def test_marks_are_places_in_the_plain_text() -> None:
    found = passage_of("word " * 50 + "Needle, needle", read_query("needle", {}, NOW))
    assert found is not None
    plain = found.plain()
    assert [plain[start:stop] for start, stop in found.marks()] == ["Needle", "needle"]


def test_a_passage_is_read_without_the_marks_of_markdown() -> None:
    text = "# Details\n- **Needle ID:** `HAT` with " + "word " * 45 + "**ends later**"
    found = passage_of(text, read_query("needle", {}, NOW))
    assert found is not None
    assert found.plain().startswith("# Details\n- **Needle ID:** `HAT`")
    read = [piece.readable for piece in found.pieces]
    assert read[:2] == ["Details\n- ", "Needle"]
    assert read[2].startswith(" ID: HAT with word")
    assert "*" not in read[2]


def test_a_passage_begins_with_a_letter() -> None:
    found = passage_of("\n  call needle", read_query("needle", {}, NOW))
    assert found is not None
    assert found.plain() == "call needle"


def test_a_whole_short_text_is_its_passage() -> None:
    found = passage_of("a needle", read_query("needle", {}, NOW))
    assert found is not None
    assert found.plain() == "a needle"


def test_without_words_the_beginning_is_shown() -> None:
    found = passage_of("x" * 1000, read_query("role:user", {}, NOW))
    assert found is not None
    assert found.plain() == "x" * 240 + " …"


def test_a_hostile_text_costs_no_more_than_its_length() -> None:
    found = passage_of("ab " * 400_000, read_query("ab ab* ab", {}, NOW))
    assert found is not None
    assert len(found.plain()) < 400


def test_a_tool_is_named_as_a_whole() -> None:
    assert has_tool(["refund_order"], "refund-order")
    assert not has_tool(["refund_order"], "refund")
