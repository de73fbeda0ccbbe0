"""The names of the places in which two states differ."""

from pydantic import JsonValue

from checkpoints.domain.merge import merge_values
from checkpoints.pages.editing.conflicts import decided_differences
from checkpoints.pages.state.change_tree import tree_of
from checkpoints.pages.state.place_names import PlaceNames
from checkpoints.pages.state.state_rows import state_rows
from ctxadmin.lib.structural_diff import diff


def rows(before: JsonValue, after: JsonValue) -> list[tuple[str, str]]:
    return [(each.kind, str(each.label)) for each in state_rows(diff(before, after), after)]


def branches(before: JsonValue, after: JsonValue) -> list[tuple[str, int]]:
    (facts,) = tree_of(diff({"facts": before}, {"facts": after}), {"facts": after})
    return [(each.name, each.count) for each in facts.branches]


def test_a_part_that_is_removed_is_named_after_the_item_that_lost_it() -> None:
    before: JsonValue = {"facts": [{"id": "A", "note": "x"}, {"id": "B"}]}
    after: JsonValue = {"facts": [{"id": "N"}, {"id": "A"}, {"id": "B"}]}
    assert rows(before, after) == [
        ("added", "facts / N"),
        ("removed", "facts / A / note"),
    ]


def test_a_removed_item_has_its_own_name_in_a_list_that_moved() -> None:
    shorter: JsonValue = {"id": "A", "facts": ["x"]}
    before: JsonValue = {"lists": [{"id": "A", "facts": ["x", {"name": "old"}]}, {"id": "B"}]}
    after: JsonValue = {"lists": [{"id": "N", "facts": [1, {"name": "other"}]}, shorter]}
    assert ("removed", "lists / A / facts / old") in rows(before, after)


def test_a_removed_item_without_a_name_has_its_place_before() -> None:
    before: JsonValue = {"facts": ["a", "b", "c"]}
    assert rows(before, {"facts": ["a", "b"]}) == [("removed", "facts / item 3")]


def test_a_removed_key_has_its_name() -> None:
    assert rows({"a": 1, "b": 2}, {"a": 1}) == [("removed", "b")]


def test_items_with_the_same_name_are_called_by_their_ids() -> None:
    before: JsonValue = [{"id": each, "name": "Bell", "x": 1} for each in "ab"]
    after: JsonValue = [{"id": each, "name": "Bell", "x": 2} for each in "ab"]
    assert branches(before, after) == [("a / x", 1), ("b / x", 1)]


def test_items_with_the_same_name_and_no_id_are_called_by_their_places() -> None:
    before: JsonValue = [{"id": n, "name": "Bell", "x": 1, "y": 1} for n in (1, 2)]
    after: JsonValue = [{"id": n, "name": "Bell", "x": 2, "y": 2} for n in (1, 2)]
    assert branches(before, after) == [("item 1", 2), ("item 2", 2)]


def test_a_name_that_is_the_id_of_another_item_is_not_taken() -> None:
    state: JsonValue = [{"id": "a", "name": "b"}, {"id": "b"}, {"id": "c", "name": "Bell"}]
    names = PlaceNames(state)
    assert [names.name(f"/{n}") for n in range(3)] == ["a", "item 2", "Bell"]


def test_a_removed_item_and_one_with_its_name_that_stays_are_told_apart() -> None:
    before: JsonValue = {"facts": [{"id": each, "name": "Bell", "x": 1} for each in "ab"]}
    after: JsonValue = {"facts": [{"id": "b", "name": "Bell", "x": 2}]}
    assert rows(before, after) == [("removed", "facts / a"), ("changed", "facts / Bell / x")]


def test_a_removed_item_and_one_that_took_its_name_are_two_branches() -> None:
    before: JsonValue = [{"id": "a", "name": "Bell"}]
    after: JsonValue = [{"id": "b", "name": "Bell"}]
    assert branches(before, after) == [("Bell", 1), ("Bell", 1)]


def test_a_removed_item_and_another_in_its_place_are_two_branches() -> None:
    before: JsonValue = [{"id": 1}, {"id": 2, "x": 1, "y": 1}]
    after: JsonValue = [{"id": 2, "x": 2, "y": 2}]
    assert branches(before, after) == [("item 1", 1), ("item 1", 2)]


def test_the_names_of_a_long_list_are_counted_once() -> None:
    before: JsonValue = [{"id": f"{n}", "x": 1} for n in range(20_000)]
    after: JsonValue = [{"id": f"{n}", "x": 2} for n in range(20_000)]
    found = rows({"facts": before}, {"facts": after})
    assert len(found) == 20_000
    assert found[-1] == ("changed", "facts / 19999 / x")


def test_a_removed_item_is_not_hidden_by_a_conflict_in_its_former_place() -> None:
    theirs: JsonValue = [{"id": "a"}]
    merged = merge_values(
        [{"id": "c", "x": 0}, {"id": "a"}], [{"id": "c", "x": 2}], theirs, path="/facts"
    )
    assert [each.path for each in merged.conflicts] == ["/facts/0"]
    before: JsonValue = {"facts": theirs}
    after: JsonValue = {"facts": merged.value}  # type: ignore[dict-item]
    found = diff(before, after)
    shown = decided_differences(found, merged.conflicts, PlaceNames(after, found))
    assert [(each.path, each.before) for each in shown] == [("/facts/0", {"id": "a"})]
