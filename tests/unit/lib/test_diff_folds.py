"""What a drawn difference folds: long text that is the same, removed or added."""

from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.lib.diff_folds import DiffPart, fold_new, fold_parts, shortened
from ctxadmin.lib.text_diff import DiffSide, TextPiece, text_diff

LINES = "".join(f"line {each} of what nobody changed\n" for each in range(60))
WORDS = "word " * 400


def folds(parts: list[DiffPart]) -> list[tuple[str, int]]:
    return [(str(each.kind), each.lines) for each in parts if each.folded]


def test_lines_before_and_after_a_change_are_folded_but_the_nearest() -> None:
    parts = fold_parts(text_diff(f"{LINES}old\n{LINES}", f"{LINES}new\n{LINES}"))
    assert folds(parts) == [("same", 58), ("same", 58)]
    assert [each.text for each in parts if each.kind is not DiffSide.SAME] == ["old\n", "new\n"]
    assert parts[1].text == LINES[LINES.index("line 58") :]


def test_a_change_in_one_long_line_keeps_whole_words_beside_it() -> None:
    pieces = [TextPiece(DiffSide.ADDED, "New. "), TextPiece(DiffSide.SAME, WORDS)]
    added, near, fold = fold_parts(pieces)
    assert added.text == "New. "
    assert near.text.endswith("word ")
    assert not near.folded
    assert fold.folded
    assert fold.lines == 1
    assert fold.characters == len(WORDS) - len(near.text)


def test_long_removed_text_keeps_both_ends() -> None:
    parts = fold_parts([TextPiece(DiffSide.REMOVED, LINES), TextPiece(DiffSide.ADDED, "short")])
    assert [each.folded for each in parts] == [False, True, False, False]
    assert parts[0].text.startswith("line 0 ")
    assert parts[2].text.endswith("changed\n")


def test_long_added_text_keeps_its_first_lines_and_its_end() -> None:
    head, fold, tail = fold_parts([TextPiece(DiffSide.ADDED, LINES)])
    assert (head.text.count("\n"), fold.lines, tail.text.count("\n")) == (12, 46, 2)
    assert fold.folded


def test_added_text_of_an_answer_is_whole() -> None:
    answer = "A sentence of an answer. " * 50
    assert fold_parts([TextPiece(DiffSide.ADDED, answer)]) == [DiffPart(DiffSide.ADDED, answer)]


def test_a_text_that_is_new_shows_its_first_lines_and_the_rest_on_demand() -> None:
    head, rest = fold_new(LINES)
    assert (head.text.count("\n"), rest.lines, rest.rest) == (12, 48, True)
    assert fold_new("short") == [DiffPart(DiffSide.SAME, "short")]


def test_empty_lines_around_a_removed_text_are_not_all_that_stays_in_sight() -> None:
    paragraph = f"\n\n{WORDS}\n\n"
    pieces = [TextPiece(DiffSide.SAME, "a"), TextPiece(DiffSide.REMOVED, paragraph)]
    _same, head, fold, tail = fold_parts([*pieces, TextPiece(DiffSide.SAME, "b")])[:4]
    assert fold.folded
    assert head.text.strip()
    assert tail.text.strip()


def test_a_text_without_its_other_side_shows_its_beginning_and_the_rest_on_demand() -> None:
    head, rest = fold_parts([TextPiece(DiffSide.SAME, LINES)])
    assert head.text.startswith("line 0 ")
    assert rest.rest
    assert rest.lines == 58


def test_short_texts_are_whole() -> None:
    pieces = text_diff("one two three", "one 2 three")
    assert [each.text for each in fold_parts(pieces)] == [each.text for each in pieces]


def test_a_fold_of_megabytes_brings_only_its_beginning_to_the_page() -> None:
    (*_, fold) = fold_parts([TextPiece(DiffSide.SAME, "x" * 1_000_000)])
    assert fold.is_cut
    assert len(fold.text) == 20_000
    assert fold.characters > 900_000


def test_a_shortened_difference_has_an_ellipsis_for_each_fold() -> None:
    texts = [each.text for each in shortened(text_diff(f"{LINES}old", f"{LINES}new"))]
    assert texts[0] == " … "
    assert texts[-2:] == ["old", "new"]


@given(st.lists(st.tuples(st.sampled_from(DiffSide), st.text("ab \n", max_size=600)), max_size=5))
def test_parts_joined_are_the_pieces_in_their_order(found: list[tuple[DiffSide, str]]) -> None:
    pieces = [TextPiece(kind, text) for kind, text in found if text]
    parts = fold_parts(pieces)
    for kind in DiffSide:
        joined = "".join(each.text for each in parts if each.kind is kind)
        assert joined == "".join(each.text for each in pieces if each.kind is kind)
