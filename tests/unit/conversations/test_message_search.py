"""The text around a match reads without the marks of Markdown."""

import pytest
from pydantic import JsonValue

from conversations.reading.message_search import passage_in, searched_text, texts_in


def test_a_match_is_shown_without_marks_around_it() -> None:
    hit = passage_in("# Order\n**Your `A-1042` order** is *late*, 2 * 3", "a-1042")
    assert hit is not None
    assert (hit.before, hit.words, hit.after) == ("Order\nYour ", "A-1042", " order is late, 2 * 3")


def test_words_are_shown_as_they_are_written() -> None:
    hit = passage_in("a **bold** word", "**bold**")
    assert hit is not None
    assert hit.words == "**bold**"


def test_words_are_found_as_they_are_read_whatever_is_marked_within_them() -> None:
    found = passage_in("Item **2345** is `ready`.", "item 2345 is ready")
    assert found is not None
    assert found.words == "Item 2345 is ready"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"one\*two", "one*two"),
        (r"a one\_two b", "one_two"),
        ("| cell one | cell two |", "cell one cell two"),
        ("|one|two|", "one two"),
    ],
)
def test_words_are_found_as_the_page_shows_them(text: str, words: str) -> None:
    assert passage_in(text, words) is not None
    assert passage_in(text, words, whole=True) is not None


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ("fee difference", ["fee difference"]),
        ('"second charger"', ["second charger"]),
        ('"fee', ['"fee']),
        ('" " "fee"', ['" " "fee"']),
        ('"fee" paid "late"', ['"fee" paid "late"']),
        ('"fee paid"  "late"', ["fee paid", "late"]),
        ("“退款” “延误”", ["退款", "延误"]),
    ],
)
def test_texts_in_quotes_are_looked_for_each(words: str, texts: list[str]) -> None:
    assert texts_in(words) == texts


@pytest.mark.parametrize(
    ("text", "words", "before"),
    [
        ("The total goes to you", "to", "The total goes "),
        ("reorder, order_id", "order", "reorder, "),
        ("Ändere, größer, groß", "groß", "Ändere, größer, "),
        ("用Python写", "python", "用"),
        ("要求退款吗", "退款", "要求"),
        ("at 10 %, 1 %", "1 %", "at 10 %, "),
        ("#12 and #1", "#1", "#12 and "),
    ],
)
def test_whole_words_neither_begin_nor_end_within_others(
    text: str, words: str, before: str
) -> None:
    found = passage_in(text, words, whole=True)
    assert found is not None
    assert (found.before, found.words.lower()) == (before, words)
    assert passage_in(before, words, whole=True) is None


@pytest.mark.parametrize("said", ["second charger", "second  charger", "Second\r\n\u3000charger"])
@pytest.mark.parametrize("words", ["second charger", "second\ncharger", '"second charger"'])
def test_white_space_matches_any_white_space(said: str, words: str) -> None:
    found = passage_in(f"the {said}s", words)
    assert found is not None
    assert (found.before, found.words, found.after) == ("the ", said, "s")
    assert passage_in("secondcharger", words) is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Cafe\u0301", "caf\u00e9"),
        ("Caf\u00e9", "cafe\u0301"),
        ("C**a**fé", "cafe"),
        ("ＣＡＦＥ", "Café"),
        ("Straße", "STRASSE"),
        ("strasse", "Straße"),
        ("o\ufb03ce", "office"),
        ("\u304b\u3099", "が"),
        ("\u1112\u1161\u11ab", "한"),
        ("𝐞𐐀", "𝐞𐐨"),
        ("don´t", "don´t"),
        ("x + \u0301", "\u0301"),
    ],
)
def test_case_accents_and_widths_make_no_difference(said: str, words: str) -> None:
    assert passage_in(said, words) is not None


def test_an_accent_belongs_to_the_word_that_it_ends() -> None:
    said = "cafe\u0301s cafe\u0301, x\u0301y"
    found = passage_in(said, "cafe", whole=True)
    assert found is not None
    assert (found.before, found.words) == ("cafe\u0301s ", "cafe\u0301")
    assert passage_in(said, "y", whole=True) is None


def test_several_texts_are_shown_where_they_are_nearest_to_each_other() -> None:
    said = "A fee. " + "And so on. " * 30 + "The fee is waived. " + "A fee. " * 30
    found = passage_in(said, '"waived" "fee"')
    assert found is not None
    assert (found.words, found.after[:11]) == ("fee", " is waived.")


def test_json_of_tools_is_searched_as_people_read_it() -> None:
    result = '{"note": "first line\\nbar", "reason": "\\u9000\\u6b3e \\ud83d\\ude00"}'
    call: JsonValue = {
        "function": {"name": "note", "arguments": '{"text": "say \\"hi\\"", "n": 1}'}
    }
    assert searched_text({"content": result}) == '{"note": "first line\nbar", "reason": "退款 😀"}'
    assert searched_text({"content": None, "tool_calls": [call]}).endswith(
        'note {"text": "say "hi"", "n": 1}'
    )


@pytest.mark.parametrize("text", [r"C:\new\table", r"{not json \n", r'["\ud83d"]', r'"\n"'])
def test_text_that_is_no_json_stays_as_it_is(text: str) -> None:
    assert searched_text({"content": text}) == text
