"""What a conversation looks for when somebody opens a hit of the search."""

import pytest

from search.domain.passages import Passage, PassagePiece, passage_of
from search.domain.query import Phrase, Query
from search.pages.hit_views import found_words

LONG = ("a" * 30, "b" * 30, "c" * 40)


def passage(text: str, *words: str) -> Passage:
    """The passage of a text that is searched for words."""
    found = passage_of(text, Query(tuple(Phrase((f"x{word}",)) for word in words)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "sought", "words"),
    [
        ("the fee difference is waived.", "fee waived", '"fee" "waived"'),
        ("a refund or another Refund", "refund", "refund"),
        ('{"fee": 5, "state": "waived"}', "fee waived", '"fee" "waived"'),
        ("Fee " + "and so on " * 12 + "waived", "waived fee", '"waived" "Fee"'),
        ("fee " + "and so on " * 30 + "late", "fee late", '"fee" "late"'),
        ("late " + "and so on " * 90 + "refund", "late refund", '"late" "refund"'),
        # There is room for 100 characters.
        (" ".join(LONG), " ".join(LONG), f'"{LONG[0]}" "{LONG[1]}"'),
    ],
)
def test_a_conversation_looks_for_all_words(text: str, sought: str, words: str) -> None:
    assert found_words(passage(text, *sought.split())) == words


def test_white_space_within_a_phrase_is_one_space() -> None:
    found = passage_of("Alpha\n  beta", Query((Phrase(("xalpha", "xbeta")),)))
    assert found is not None
    assert found_words(found) == "Alpha beta"


def test_a_passage_without_words_looks_for_nothing() -> None:
    assert not found_words(Passage((PassagePiece("nothing"),)))
