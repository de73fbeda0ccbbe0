"""The word by word difference of two texts."""

import pytest

from ctxadmin.lib.text_diff import LONGEST_TEXT, text_diff


def pieces(before: str, after: str) -> list[tuple[str, str]]:
    return [(str(each.kind), each.text) for each in text_diff(before, after)]


def test_a_changed_word_is_told_as_removed_and_added() -> None:
    assert pieces("a red house", "a blue house") == [
        ("same", "a "),
        ("removed", "red "),
        ("added", "blue "),
        ("same", "house"),
    ]


def test_chinese_characters_are_words_of_their_own() -> None:
    assert pieces("我要红房子", "我要蓝房子") == [
        ("same", "我要"),
        ("removed", "红"),
        ("added", "蓝"),
        ("same", "房子"),
    ]


def test_punctuation_is_apart_from_the_word_before_it() -> None:
    assert pieces("stop.", "stop!") == [("same", "stop"), ("removed", "."), ("added", "!")]


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ("", "", []),
        ("same", "same", [("same", "same")]),
        ("", "new", [("added", "new")]),
        ("old", "", [("removed", "old")]),
    ],
)
def test_empty_texts_have_no_empty_pieces(
    before: str, after: str, result: list[tuple[str, str]]
) -> None:
    assert pieces(before, after) == result


def test_too_long_texts_are_shown_one_after_the_other() -> None:
    before = "a " * (LONGEST_TEXT // 2 + 1)
    assert pieces(before, before + "b") == [("removed", before), ("added", before + "b")]
