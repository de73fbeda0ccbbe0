"""The alignment of two sequences, and its bound on cost."""

from ctxadmin.lib.alignment import MOST_PAIRS, align, longest_increasing


class Item:
    """An item that counts how often items are compared."""

    comparisons = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __hash__(self) -> int:
        return self.value

    def __eq__(self, other: object) -> bool:
        Item.comparisons += 1
        return isinstance(other, Item) and self.value == other.value


def test_the_longest_common_subsequence_is_found() -> None:
    assert align("xaybzc", "aqbc") == [(1, 0), (3, 2), (5, 3)]


def test_nothing_in_common_gives_nothing() -> None:
    assert align("abc", "xyz") == align("", "a") == align("", "") == []


def test_equal_sequences_are_compared_once_from_the_front() -> None:
    Item.comparisons = 0
    items = [Item(n) for n in range(1000)]
    assert align(items, [Item(n) for n in range(1000)]) == [(n, n) for n in range(1000)]
    assert Item.comparisons == 1000


def test_beyond_the_bound_the_rarest_items_are_the_landmarks() -> None:
    before = "aaaaaXaaaaaYaaaaa"
    after = "baaaXaaaaaaaYaaac"
    assert align(before, after, most_pairs=2, levels=0) == [(5, 4), (11, 12)]


def test_between_landmarks_the_common_ends_are_found_at_any_bound() -> None:
    before = "aaaaaXaaaaaYaaaaa"
    after = "baaaXaaaaaaaYaaac"
    found = align(before, after, most_pairs=2)
    assert found == sorted(found)
    assert len(found) == 3 + 1 + 5 + 1 + 3
    assert all(before[left] == after[right] for left, right in found)


def test_a_hostile_pair_of_lists_stays_within_the_bound() -> None:
    many = MOST_PAIRS // 10
    before, after = [0, *[1] * many, 2], [3, *[1] * many, 4]
    assert align(before, after) == []


def test_a_rise_needs_no_move() -> None:
    assert longest_increasing([0, 5, 9]) == {0, 1, 2}
    assert longest_increasing([]) == set()


def test_one_item_out_of_place_is_the_one_that_moves() -> None:
    assert longest_increasing([3, 0, 1, 2]) == {1, 2, 3}
