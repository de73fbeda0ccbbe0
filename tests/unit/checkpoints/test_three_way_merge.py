"""The three-way merge of two edits."""

import pytest
from pydantic import JsonValue

from checkpoints.domain.merge import Conflict, Merged, merge_states, merge_values, resolve
from checkpoints.domain.reducers import Reducer, ReducerTable
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.structural_diff import ABSENT, Value


def conflicts(merged: Merged) -> list[tuple[str, Value, Value, Value]]:
    return [(each.path, each.base, each.mine, each.theirs) for each in merged.conflicts]


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "result"),
    [
        (1, 1, 2, 2),
        (1, 2, 1, 2),
        (1, 2, 2, 2),
        (1, ABSENT, 1, ABSENT),
        (ABSENT, 1, ABSENT, 1),
        ({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 2}),
        ({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 1, "c": 1}, {"b": 1, "c": 1}),
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, {"a": {"x": 3}}, {"a": {"x": 3, "y": 2}}),
        (ABSENT, {"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ([1, 2], [1, 2, 3], [1, 2], [1, 2, 3]),
    ],
)
def test_edits_of_different_places_go_together(
    base: Value, mine: Value, theirs: Value, result: Value
) -> None:
    assert merge_values(base, mine, theirs) == Merged(result)


@pytest.mark.parametrize(
    ("base", "mine", "theirs"),
    [
        (1, 2, 3),
        (ABSENT, 1, 2),
        (1, ABSENT, 2),
        ({"a": 1}, [1], {"a": 2}),
        ([1], [1, 2], [1, 3]),
        (1, {"a": 1}, {"b": 1}),
        (1, True, 1.0),
        ("text", None, "other"),
    ],
)
def test_edits_of_one_place_are_a_conflict_that_keeps_the_base(
    base: Value, mine: Value, theirs: Value
) -> None:
    merged = merge_values(base, mine, theirs, path="/key")
    assert merged.value is base
    assert conflicts(merged) == [("/key", base, mine, theirs)]


def person(name: str, **fields: int) -> dict[str, JsonValue]:
    return {"name": name, "age": 40, **fields}


ADA, BEN, CEM = (person(name) for name in ("Ada", "Ben", "Cem"))


@pytest.mark.parametrize(
    ("mine", "theirs", "result"),
    [
        ([person("Ada", age=4), BEN], [ADA, person("Ben", age=5)],
         [person("Ada", age=4), person("Ben", age=5)]),
        ([person("Ada", age=4), BEN], [person("Ada", seat=3), BEN],
         [person("Ada", age=4, seat=3), BEN]),
    ],
)  # fmt: skip
def test_objects_of_a_list_without_ids_merge_where_they_stand(
    mine: JsonValue, theirs: JsonValue, result: JsonValue
) -> None:
    assert merge_values([ADA, BEN], mine, theirs) == Merged(result)


@pytest.mark.parametrize("theirs", [[BEN, CEM], [BEN, ADA], [ADA, BEN, CEM], [ADA], [ADA, 1]])
def test_objects_without_ids_that_moved_are_a_conflict(theirs: JsonValue) -> None:
    merged = merge_values([ADA, BEN], [person("Ada", age=41), BEN], theirs)
    assert [each.path for each in merged.conflicts] == [""]


def test_one_field_of_one_object_without_id_is_a_conflict_there() -> None:
    merged = merge_values([ADA, BEN], [ADA, person("Ben", age=1)], [ADA, person("Ben", age=2)])
    assert conflicts(merged) == [("/1/age", 40, 1, 2)]


def test_a_conflict_is_reported_at_its_own_path() -> None:
    merged = merge_values(
        {"a/b": [{"id": 1, "v": 1}], "c": 1},
        {"a/b": [{"id": 1, "v": 2}], "c": 2},
        {"a/b": [{"id": 1, "v": 3}], "c": 1},
        path="/key",
    )
    assert merged.value == {"a/b": [{"id": 1, "v": 1}], "c": 2}
    assert conflicts(merged) == [("/key/a~1b/0/v", 1, 2, 3)]


class TestLists:
    BASE: JsonValue = [{"id": "a", "v": 1}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]

    def test_items_with_ids_merge_one_by_one(self) -> None:
        mine: JsonValue = [{"id": "a", "v": 2}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]
        theirs: JsonValue = [{"id": "a", "v": 1, "w": 1}, {"id": "c", "v": 3}]
        assert merge_values(self.BASE, mine, theirs) == Merged(
            [{"id": "a", "v": 2, "w": 1}, {"id": "c", "v": 3}]
        )

    def test_items_that_both_added_stay_where_each_put_them(self) -> None:
        mine: JsonValue = [{"id": "m"}, *self.items("abc")]
        theirs: JsonValue = [*self.items("ab"), {"id": "t"}, *self.items("c")]
        assert self.order(mine, theirs) == "mabtc"

    def test_items_added_in_the_same_place_come_in_the_same_order_for_both(self) -> None:
        mine: JsonValue = [*self.items("abc"), {"id": "m1"}, {"id": "m2"}]
        theirs: JsonValue = [*self.items("abc"), {"id": "t1"}]
        assert self.order(mine, theirs) == self.order(theirs, mine) == "abcm1m2t1"

    def test_one_side_may_sort_while_the_other_edits_and_adds(self) -> None:
        mine: JsonValue = [{"id": "a", "v": 2}, *self.items("bc"), {"id": "n"}]
        theirs = self.items("cab")
        merged = merge_values(self.BASE, mine, theirs)
        changed: JsonValue = {"id": "a", "v": 2}
        assert merged.value == [*self.items("c"), {"id": "n"}, changed, *self.items("b")]
        assert merged.conflicts == ()

    def test_both_sorting_in_their_own_way_is_a_conflict(self) -> None:
        mine, theirs = self.items("cab"), self.items("bac")
        assert conflicts(merge_values(self.BASE, mine, theirs)) == [("", self.BASE, mine, theirs)]

    def test_both_sorting_in_the_same_way_is_none(self) -> None:
        mine: JsonValue = [{"id": "c", "v": 2}, *self.items("ab")]
        assert merge_values(self.BASE, mine, self.items("cab")).value == mine

    def test_what_one_removed_and_the_other_changed_is_a_conflict(self) -> None:
        mine = self.items("ac")
        theirs: JsonValue = [*self.items("a"), {"id": "b", "v": 2}, *self.items("c")]
        merged = merge_values(self.BASE, mine, theirs)
        assert merged.value == self.BASE
        assert conflicts(merged) == [("/1", {"id": "b", "v": 1}, ABSENT, {"id": "b", "v": 2})]

    def test_items_that_both_added_under_one_id_merge_inside(self) -> None:
        mine: JsonValue = [*self.items("abc"), {"id": "n", "x": 1, "z": 1}]
        theirs: JsonValue = [*self.items("abc"), {"id": "n", "y": 1, "z": 2}]
        merged = merge_values(self.BASE, mine, theirs)
        both: JsonValue = {"id": "n", "x": 1, "y": 1}
        assert merged.value == [*self.items("abc"), both]
        assert conflicts(merged) == [("/3/z", ABSENT, 1, 2)]

    def test_a_list_with_an_item_without_id_conflicts_as_a_whole(self) -> None:
        assert conflicts(merge_values([1], [1, 2], [0, 1])) == [("", [1], [1, 2], [0, 1])]

    def items(self, ids: str) -> list[JsonValue]:
        return [{"id": each, "v": 1} for each in ids]

    def order(self, mine: JsonValue, theirs: JsonValue) -> str:
        merged = merge_values(self.BASE, mine, theirs)
        assert merged.conflicts == ()
        assert isinstance(merged.value, list)
        return "".join(str(each["id"]) for each in merged.value if isinstance(each, dict))


@pytest.mark.parametrize(
    ("reducer", "base", "mine", "theirs", "offer"),
    [
        (Reducer.APPEND, [1], [1, 2], [1, 3], [1, 3, 2]),
        (Reducer.APPEND, ABSENT, [2], [3], [3, 2]),
        (Reducer.APPEND, [1], [1, 2], [9], [9, 2]),
        (Reducer.APPEND, [1], [9], [1, 3], [9, 3]),
        (Reducer.APPEND, [1], [8], [9], ABSENT),
        (Reducer.APPEND, [1], "text", [1, 3], ABSENT),
        (Reducer.INCREMENT, 10, 12, 15, 17),
        (Reducer.INCREMENT, ABSENT, 2, 5, 7),
        (Reducer.INCREMENT, 0, 2**64 - 1, 5, ABSENT),
        (Reducer.INCREMENT, "text", 2, 5, ABSENT),
        (Reducer.INCREMENT, 1, True, 5, ABSENT),
        (Reducer.MAX, 1, 2, 5, 5),
        (Reducer.MAX, 1, 7, 5, 7),
        (Reducer.MAX, 1, None, 5, ABSENT),
        (Reducer.OVERWRITE, 1, 2, 5, ABSENT),
        (Reducer.APPEND, [1], ABSENT, [1, 2], ABSENT),
    ],
)
def test_the_reducer_offers_its_own_merge(
    reducer: Reducer, base: Value, mine: Value, theirs: Value, offer: Value
) -> None:
    merged = merge_values(base, mine, theirs, reducer=reducer)
    assert merged.conflicts == (Conflict("", base, mine, theirs, offer),)
    assert merged.value is base


def test_a_state_merges_key_by_key_with_its_reducers() -> None:
    merged = merge_states(
        {"n": 1, "same": 1, "gone": 1, "a": 1},
        {"n": 2, "same": 1, "gone": 1, "a": 5, "mine": 1},
        {"n": 3, "same": 1, "a": 1, "theirs": 1},
        ReducerTable.of({"n": "increment"}),
    )
    assert merged.state == {"n": 1, "same": 1, "a": 5, "mine": 1, "theirs": 1}
    assert merged.conflicts == (Conflict("/n", 1, 2, 3, 4),)


class TestResolve:
    def test_what_was_decided_takes_the_place_of_the_base(self) -> None:
        merged: JsonValue = {"a": [{"id": 1, "v": 1}, {"id": 2}], "b": 1}
        decided = resolve(merged, {"/a/0/v": 2, "/a/1": {"id": 2, "w": 1}, "/b": None})
        assert decided == {"a": [{"id": 1, "v": 2}, {"id": 2, "w": 1}], "b": None}
        assert merged == {"a": [{"id": 1, "v": 1}, {"id": 2}], "b": 1}

    def test_absent_removes(self) -> None:
        merged: JsonValue = {"a": list(range(12)), "b": 1}
        removed: dict[str, Value] = dict.fromkeys(["/a/2", "/a/10", "/b"], ABSENT)
        assert resolve(merged, removed) == {"a": [0, 1, 3, 4, 5, 6, 7, 8, 9, 11]}

    def test_what_the_base_did_not_have_can_be_added(self) -> None:
        assert resolve({}, {"/a~1b": 1}) == {"a/b": 1}

    def test_the_whole_can_be_decided(self) -> None:
        assert resolve(ABSENT, {"": 5}) == 5

    @pytest.mark.parametrize("path", ["/x/y", "/a/3", "/a/-1", "/a/b", "/n/x"])
    def test_a_path_that_leads_nowhere_is_not_found(self, path: str) -> None:
        with pytest.raises(NotFound):
            resolve({"a": [1], "n": 1}, {path: 1})
