"""Edited texts of the review card, formatted with the words that changed."""

from checkpoints.pages.decisions.formatted_text import formatted_diff

LINES = [f"Line {n} of the policy that the agent wrote about refunds." for n in range(200)]


def test_a_short_edited_text_is_formatted() -> None:
    [block] = formatted_diff("It **left** on Friday.", "It **left** on Monday.", "assistant")
    assert "<strong>left</strong>" in block.html
    assert "<del>Friday</del><ins>Monday</ins>" in block.html


def test_a_long_block_with_few_changes_is_compared_in_its_source_which_folds_the_rest() -> None:
    edited = [*LINES[:20], *LINES[120:]]
    edited[60] = "A changed line"
    assert formatted_diff("\n".join(LINES), "\n".join(edited), "assistant") == ()
    as_list = [f"- {line}" for line in LINES]
    changed = [*as_list[:150], "- A changed item", *as_list[151:]]
    assert formatted_diff("\n".join(as_list), "\n".join(changed), "assistant") == ()


def test_a_long_text_of_short_blocks_folds_them_and_stays_formatted() -> None:
    changed = [*LINES[:150], "A **changed** line", *LINES[151:]]
    blocks = formatted_diff("\n\n".join(LINES), "\n\n".join(changed), "assistant")
    assert blocks[0].folded
    assert any("<strong>" in block.html for block in blocks)
