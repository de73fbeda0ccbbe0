"""A word that has a plainer one is found in texts of pages, strings of code and documents."""

import pytest

from scripts import catalogues, vocabulary


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Mend one error first.", "Mend"),
        ("Write it anew.", "anew"),
        ("You look after it.", "look after"),
        ("person:rita looks after it", "looks after"),
        ("Compare the ticked ones", "ticked"),
        ("Take it back", "Take it back"),
        ("Put together", "Put together"),
        ("Somebody else was faster", "Somebody"),
        ("the newest ones", "newest"),
        ("Waits for a person", "Waits for a person"),
        ("Holds until tomorrow", "Holds until"),
        ("Every filter lets it through.", "lets it through"),
    ],
)
def test_a_word_that_has_a_plainer_one_is_found(text: str, word: str) -> None:
    assert [found for _, found, _ in vocabulary.found(text)] == [word]


@pytest.mark.parametrize(
    "text",
    ["Amend the draft.", "How long a pause waits for a person, and what happens then.", "statics"],
)
def test_words_that_only_look_like_it_are_passed(text: str) -> None:
    assert not list(vocabulary.found(text))


def test_strings_of_code_are_read_and_docstrings_and_short_ones_are_not() -> None:
    source = '''"""Written anew for the test."""
mend = "anew"
raise ValueError("first\\n" "this is made anew")
'''
    assert [(line, word) for line, word, _ in vocabulary.in_code(source)] == [(3, "anew")]


def test_documents_are_read_without_their_code() -> None:
    text = "Fine.\n```\nanew\n```\nIts key is `mend`.\nMade anew.\n"
    assert [(line, word) for line, word, _ in vocabulary.in_document(text)] == [(6, "anew")]


def test_a_planted_word_is_named_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = catalogues.Text(None, "Start anew", "", "templates/planted.html")
    monkeypatch.setattr(catalogues, "texts", lambda domain: [planted])
    lines = {line for line in vocabulary.everywhere() if "planted" in line}
    assert lines == {"templates/planted.html: 'anew' in 'Start anew': write again, or new"}
