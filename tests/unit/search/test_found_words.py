"""What a conversation looks for when somebody opens a hit of the search."""

import pytest

from search.domain.passages import PassagePiece
from search.pages.hit_views import found_words


def pieces(*texts: str) -> list[PassagePiece]:
    """Pieces of a passage; those in brackets are matches."""
    return [PassagePiece(text.strip("[]"), marked=text.startswith("[")) for text in texts]


@pytest.mark.parametrize(
    ("passage", "words"),
    [
        (
            ["the ", "[fee]", " ", "[difference]", " is ", "[waived]", "."],
            "fee difference is waived",
        ),
        (["a ", "[refund]", " or another ", "[Refund]"], "refund"),
        (["[fee]", "\n", "[difference]"], "difference"),
        (["[fee]", " " + "x" * 80 + " ", "[waived]"], "waived"),
        (["nothing"], ""),
    ],
)
def test_words_near_each_other_are_looked_for_together(passage: list[str], words: str) -> None:
    assert found_words(pieces(*passage)) == words
