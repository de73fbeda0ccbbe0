"""The structural diff of two JSON values."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.structural_diff import (
    ABSENT,
    Difference,
    DifferenceKind,
    Looks,
    Value,
    diff,
    equal,
)


def found(before: JsonValue, after: JsonValue) -> list[tuple[str, str, Value, Value]]:
    return [(each.path, str(each.kind), each.before, each.after) for each in diff(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, ("/b", "added", ABSENT, 2)),
        ({"a": 1, "b": None}, {"a": 1}, ("/b", "removed", None, ABSENT)),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ("/a/b", "changed", 1, 2)),
        (1, 2.5, ("", "changed", 1, 2.5)),
        (1, 1.0, ("", "changed", 1, 1.0)),
        (1, True, ("", "type_changed", 1, True)),
        (0, None, ("", "type_changed", 0, None)),
        ({"a": [1]}, {"a": {"0": 1}}, ("/a", "type_changed", [1], {"0": 1})),
        ({"a/b~": 1}, {"a/b~": 2}, ("/a~1b~0", "changed", 1, 2)),
        ({"": 1}, {"": 2}, ("/", "changed", 1, 2)),
    ],
)
def test_one_difference_is_reported_by_its_kind_and_its_two_sides(
    before: JsonValue, after: JsonValue, difference: tuple[str, str, Value, Value]
) -> None:
    assert found(before, after) == [difference]


def test_items_with_ids_are_aligned_by_them() -> None:
    before: JsonValue = [{"id": "a", "v": 1}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]
    after: JsonValue = [{"id": "n"}, {"id": "a", "v": 1}, {"id": "c", "v": 2}]
    assert found(before, after) == [
        ("/1", "removed", {"id": "b", "v": 1}, ABSENT),
        ("/0", "added", ABSENT, {"id": "n"}),
        ("/2/v", "changed", 1, 2),
    ]


def test_an_item_that_moved_is_reported_once_with_both_places() -> None:
    before: JsonValue = [{"id": each} for each in "abcd"]
    after: JsonValue = [{"id": each} for each in "dabc"]
    assert found(before, after) == [("/0", "moved", 3, 0)]


def test_an_item_that_moved_and_changed_is_reported_by_both() -> None:
    before: JsonValue = [{"id": 1, "v": 1}, {"id": 2}, {"id": 3}]
    after: JsonValue = [{"id": 2}, {"id": 3}, {"id": 1, "v": 2}]
    assert found(before, after) == [("/2", "moved", 0, 2), ("/2/v", "changed", 1, 2)]


def test_items_with_keys_are_aligned_by_them() -> None:
    before: JsonValue = [{"key": "a"}, {"key": "b"}]
    assert found(before, [{"key": "b"}, {"key": "a"}]) == [("/0", "moved", 1, 0)]


@pytest.mark.parametrize("extra", [{"id": "a"}, {"id": None}, {"id": True}, {}, 1])
def test_items_without_ids_of_their_own_are_aligned_as_they_are(extra: JsonValue) -> None:
    before: JsonValue = [{"id": "a"}, {"id": "b"}, extra]
    after: JsonValue = [{"id": "new"}, {"id": "a"}, {"id": "b"}, extra]
    assert found(before, after) == [("/0", "added", ABSENT, {"id": "new"})]


def test_plain_lists_are_aligned_by_what_they_have_in_common() -> None:
    assert found([1, 2, 3, 4], [0, 1, 3, 4]) == [
        ("/1", "removed", 2, ABSENT),
        ("/0", "added", ABSENT, 0),
    ]


def test_what_stands_between_common_items_is_compared_in_pairs() -> None:
    before: JsonValue = ["x", {"a": 1, "b": 2}, "y"]
    after: JsonValue = ["x", {"a": 1, "b": 3}, "y"]
    assert found(before, after) == [("/1/b", "changed", 2, 3)]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([{"a": {"x": 1, "y": 2}}], [{"a": {"y": 2, "x": 1}}], True),
        (1, True, False),
        (0, False, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        ([1, [True]], [1, [1]], False),
        ({"a": 1}, {"a": True}, False),
        ("", None, False),
        (2**64 - 1, 2**64 - 1, True),
    ],
)
def test_equal_is_exact_but_for_the_order_of_keys(
    left: JsonValue, right: JsonValue, same: bool
) -> None:
    assert equal(left, right) is same
    assert (diff(left, right) == []) is same


def test_a_difference_is_written_without_the_side_that_has_no_value() -> None:
    assert Difference("/a", DifferenceKind.ADDED, ABSENT, None).as_json() == {
        "path": "/a",
        "kind": "added",
        "after": None,
    }
    assert Difference("/a", DifferenceKind.CHANGED, 1, 2).as_json() == {
        "path": "/a",
        "kind": "changed",
        "before": 1,
        "after": 2,
    }


def test_differences_stand_below_the_path_that_is_given() -> None:
    assert [each.path for each in diff({"a": 1}, {"a": 2}, "/state")] == ["/state/a"]


def test_what_there_is_no_room_to_look_at_is_reported_as_one_change_of_the_whole() -> None:
    before: JsonValue = {"few": {"a": 1}, "many": [[0]] * 50, "text": "x"}
    after: JsonValue = {"few": {"a": 2}, "many": [[1]] * 50, "text": "y"}
    assert [(each.path, each.kind) for each in diff(before, after, looks=Looks(100))] == [
        ("/few/a", DifferenceKind.CHANGED),
        ("/many", DifferenceKind.CHANGED),
        ("/text", DifferenceKind.CHANGED),
    ]


def test_comparisons_share_the_looks_that_they_are_given() -> None:
    looks = Looks(2 * (5 + 4))
    lists: tuple[JsonValue, JsonValue] = ([1, 2], [1, 3])
    paths = [each.path for _ in range(3) for each in diff(*lists, "/at", looks)]
    assert paths == ["/at/1", "/at/1", "/at"]


def test_lists_of_a_hundred_and_fifty_thousand_items_are_reported_item_by_item() -> None:
    before: JsonValue = list(range(150_000))
    after: JsonValue = [*range(150_000), 1]
    assert found(before, after) == [("/150000", "added", ABSENT, 1)]
