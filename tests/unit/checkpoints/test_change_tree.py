"""Differences of states as a tree: each key once, steps with one way shortened."""

from pydantic import JsonValue

from checkpoints.pages.state.change_tree import ChangeBranch, tree_of
from ctxadmin.lib.structural_diff import diff


def outline(branches: list[ChangeBranch]) -> list[object]:
    """Names with what is below them; a leaf is its name and the kinds of its rows."""
    return [
        [each.name, each.count, outline(each.branches)]
        if each.branches
        else (each.name, *(row.kind for row in each.rows))
        for each in branches
    ]


def tree(before: JsonValue, after: JsonValue) -> list[ChangeBranch]:
    return tree_of(diff(before, after), after)


def test_changes_of_one_key_stand_together() -> None:
    before: JsonValue = {"facts": {"a": 1, "b": {"c": 1, "d": 2}}, "n": 1}
    after: JsonValue = {"facts": {"a": 2, "b": {"c": 2, "d": 3}}, "n": 1}
    assert outline(tree(before, after)) == [
        ["facts", 3, [("a", "changed"), ["b", 2, [("c", "changed"), ("d", "changed")]]]]
    ]


def test_a_way_to_one_change_is_one_line() -> None:
    found = tree({"a": {"b": [{"id": 1, "x": 1}]}}, {"a": {"b": [{"id": 1, "x": 2}]}})
    assert outline(found) == [("a / b / item 1 / x", "changed")]


def test_names_with_slashes_are_read_back() -> None:
    assert outline(tree({"a/b": 1, "~": 1}, {"a/b": 2, "~": 1})) == [("a/b", "changed")]


def test_an_item_is_called_by_its_own_name() -> None:
    before: JsonValue = {"orders": [{"name": "Bell"}, {"id": "A-1042", "paid": False}, {"id": "B"}]}
    after: JsonValue = {"orders": [{"name": "Bell"}, {"id": "A-1042", "paid": True}]}
    found = tree(before, after)
    assert outline(found) == [["orders", 2, [("B", "removed"), ("A-1042 / paid", "changed")]]]
    assert [row.label for row in found[0].branches[1].rows] == ["orders / A-1042 / paid"]


def test_a_key_that_is_a_number_is_no_place_in_a_list() -> None:
    assert outline(tree({"years": {"2024": 1}}, {"years": {"2024": 2}})) == [
        ("years / 2024", "changed")
    ]


def test_another_type_is_marked() -> None:
    found = tree({"n": 1}, {"n": "one"})
    assert found[0].type_changed


def test_equal_states_have_no_tree() -> None:
    assert tree({"a": 1}, {"a": 1}) == []
