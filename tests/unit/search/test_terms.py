"""Terms of texts in any script, and where they are."""

import random
import sys

import pytest

from search.domain.terms import MOST_CHARACTERS, fold, placed_terms, terms_of


def test_words_are_found_whatever_their_case() -> None:
    assert terms_of("Refund order A-1042!") == ["xrefund", "xorder", "vav", "x1042"]
    assert terms_of("REFUND") == terms_of("refund")


def test_accents_and_widths_make_no_difference() -> None:
    assert terms_of("Café crème ＡＢＣ１２") == ["xcafe", "xcreme", "xabc12"]
    assert terms_of("Straße") == terms_of("STRASSE")
    assert terms_of("cafe\u0301") == ["xcafe"]


def test_chinese_becomes_pairs_and_its_last_character() -> None:
    one, two, last = terms_of("客户款")
    assert one[5:] == two[1:5]
    assert two[5:] == last[1:]
    assert all(term.isascii() and term.isalnum() for term in (one, two, last))


def test_every_character_of_a_run_begins_a_term() -> None:
    starts = {term[:5] for term in terms_of("客户要求退款")}
    assert starts == {terms_of(character)[0] for character in "客户要求退款"}


def test_words_and_chinese_follow_each_other() -> None:
    assert [term[:1] for term in terms_of("refund退款A1")] == ["x", "z", "z", "x"]


def test_other_scripts_are_words_of_code_points() -> None:
    (word,) = terms_of("Возврат")
    assert word.startswith("u")
    assert terms_of("ВОЗВРАТ") == [word]
    assert len(terms_of("ж" * 300)[0]) <= 84


def test_hangul_is_looked_for_by_syllables() -> None:
    assert len(terms_of("환불요청")) == 4


@pytest.mark.parametrize("text", ["", " ", "!?…—“”", "\u200b\u202e\x00\n", "🎉🎉", "\u0301"])
def test_what_is_no_letter_and_no_digit_has_no_terms(text: str) -> None:
    assert terms_of(text) == []


def test_terms_never_have_more_than_letters_and_digits() -> None:
    rng = random.Random(20261125)
    for _ in range(300):
        text = "".join(chr(rng.choice(_RANGES(rng))) for _ in range(40))
        for term in terms_of(text):
            assert term.isascii()
            assert term.isalnum()
            assert term == term.lower()
            assert 3 <= len(term) <= 84 or term[0] == "x"


def _RANGES(rng: random.Random) -> list[int]:  # noqa: N802
    return [
        rng.randrange(32, 127),
        rng.randrange(0x80, 0x3000),
        rng.randrange(0x3000, 0xD800),
        rng.randrange(0xE000, sys.maxunicode),
    ]


def test_a_long_text_is_bounded() -> None:
    assert len(terms_of("ab " * 400_000)) <= MOST_CHARACTERS // 3 + 1
    assert len(terms_of("客" * 1_000_000)) == MOST_CHARACTERS
    assert max(map(len, terms_of("a" * 1_000_000))) <= 84


def test_places_are_those_in_the_text_as_it_is_written() -> None:
    text = "Die Straße in Saint-Étienne: 客户退款 ＯＫ"
    written = [text[start:stop] for _, start, stop in placed_terms(text)]
    assert written == [
        "Die",
        "Straße",
        "in",
        "Saint",
        "Étienne",
        "客户",
        "户退",
        "退款",
        "款",
        "ＯＫ",
    ]


def test_placed_terms_are_those_that_are_indexed() -> None:
    rng = random.Random(7)
    for _ in range(100):
        text = "".join(chr(rng.choice(_RANGES(rng))) for _ in range(60))
        assert [term for term, *_ in placed_terms(text)] == terms_of(text)


def test_folding_keeps_words_apart() -> None:
    assert fold("ÀÉ") == "ae"
    assert terms_of("re-fund re_fund") == ["xre", "xfund", "xre", "xfund"]
