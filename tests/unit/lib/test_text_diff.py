"""The word by word difference of two texts."""

import pytest

from ctxadmin.lib.text_diff import LONGEST_TEXT, text_diff


def pieces(before: str, after: str) -> list[tuple[str, str]]:
    return [(str(each.kind), each.text) for each in text_diff(before, after)]


def test_a_changed_word_is_reported_as_removed_and_added() -> None:
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


def test_the_blanks_behind_a_word_do_not_make_it_another_word() -> None:
    assert pieces("Be kind.", "Be kind always.") == [
        ("same", "Be kind"),
        ("added", " always"),
        ("same", "."),
    ]


def test_texts_that_have_only_signs_in_common_stand_one_after_the_other() -> None:
    assert pieces("Answer (answer)", "Done (end)") == [
        ("removed", "Answer (answer)"),
        ("added", "Done (end)"),
    ]


def test_a_line_that_stayed_is_not_woven_into_a_new_one_with_the_same_words() -> None:
    assert pieces("Keep: one", "Keep: two\nKeep: one") == [
        ("added", "Keep: two\n"),
        ("same", "Keep: one"),
    ]


def test_lines_without_a_word_are_no_landmarks() -> None:
    assert pieces("A\n\nB", "X\n\nA changed\n\nB") == [
        ("added", "X\n\n"),
        ("same", "A"),
        ("added", " changed"),
        ("same", "\n\nB"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cafe\u0301", "cafe\u0302"),
        ("हिन्दी", "हिन्दू"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👦"),
        ("🇩🇪", "🇩🇰"),
        ("0.2", "0.7"),
        ("👍🏻", "👍🏿"),
        ("1\ufe0f\u20e3", "1"),
        ("می\u200cخواهم", "می\u200cخواهیم"),
    ],
)
def test_what_is_one_sign_or_word_to_a_reader_is_not_cut(before: str, after: str) -> None:
    assert pieces(before, after) == [("removed", before), ("added", after)]


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


def test_two_edits_of_a_long_line_are_all_that_is_marked() -> None:
    words = [f"word{n % 97}" for n in range(8_000)]
    edited = [*words[:3_000], "one", *words[3_000:7_900], "two", *words[7_900:]]
    found = pieces(" ".join(words), " ".join(edited))
    assert [(kind, text.strip()) for kind, text in found if kind != "same"] == [
        ("added", "one"),
        ("added", "two"),
    ]


def test_very_long_texts_are_compared_between_their_first_and_last_difference() -> None:
    same = "a " * LONGEST_TEXT
    found = pieces(f"{same}old words {same}", f"{same}new words {same}")
    changed = [(kind, text.strip()) for kind, text in found if kind != "same"]
    assert changed == [("removed", "old"), ("added", "new")]


def test_what_differs_over_too_long_a_stretch_is_shown_one_after_the_other() -> None:
    same, old, new = "same " * 1_000, "a " * LONGEST_TEXT, "b " * LONGEST_TEXT
    found = dict(pieces(same + old, same + new))
    assert list(found) == ["same", "removed", "added"]
    assert found["same"] + found["removed"] == same + old
    assert len(found["same"]) > len(same) - 100
