"""The reducers and their lookup (semantics 3.2)."""

import pytest
from pydantic import JsonValue

from checkpoints.domain.reducers import Reducer, ReducerTable, reduce
from ctxadmin.lib.errors import OutOfRange, TypeMismatch, ValidationFailed
from workflows.domain.checks import problems
from workflows.reading.reducers import REDUCERS


@pytest.mark.parametrize(
    ("reducer", "old", "new", "result"),
    [
        (Reducer.APPEND, None, [1], [1]),
        (Reducer.APPEND, [1], [2, 3], [1, 2, 3]),
        (Reducer.APPEND, [1], [], [1]),
        (Reducer.OVERWRITE, {"a": 1}, "text", "text"),
        (Reducer.MERGE, None, {"a": 1}, {"a": 1}),
        (Reducer.MERGE, {"a": {"x": 1}, "b": 2}, {"a": {"y": 2}}, {"a": {"y": 2}, "b": 2}),
        (Reducer.MERGE, {"a": 1}, {"a": None}, {"a": None}),
        (Reducer.INCREMENT, None, 5, 5),
        (Reducer.INCREMENT, 2, -3, -1),
        (Reducer.INCREMENT, 2, 0.5, 2.5),
        (Reducer.MAX, None, -1, -1),
        (Reducer.MAX, 3, 2, 3),
        (Reducer.MAX, 3, 4.5, 4.5),
        (Reducer.ADD_BY_ID, None, [{"id": 1}], [{"id": 1}]),
        (
            Reducer.ADD_BY_ID,
            [{"id": "a", "v": 1}, {"id": "b", "v": 1}],
            [{"id": "a", "v": 2}, {"id": "c"}],
            [{"id": "a", "v": 2}, {"id": "b", "v": 1}, {"id": "c"}],
        ),
        (Reducer.ADD_BY_ID, [{"id": "a"}], {"id": "b"}, [{"id": "a"}, {"id": "b"}]),
        (Reducer.ADD_BY_ID, [{"id": 1}], [{"id": "1"}], [{"id": 1}, {"id": "1"}]),
    ],
)
def test_each_reducer_reduces(
    reducer: Reducer, old: JsonValue, new: JsonValue, result: JsonValue
) -> None:
    assert reduce(reducer, "key", old, new) == result


@pytest.mark.parametrize("reducer", [each for each in Reducer if each is not Reducer.OVERWRITE])
def test_null_is_ignored_by_all_but_overwrite(reducer: Reducer) -> None:
    assert reduce(reducer, "key", [1], None) == [1]
    assert reduce(reducer, "key", None, None) is None


def test_overwrite_stores_null() -> None:
    assert reduce(Reducer.OVERWRITE, "key", 1, None) is None


def test_a_stored_null_counts_as_no_value() -> None:
    assert reduce(Reducer.APPEND, "key", None, [1]) == [1]


@pytest.mark.parametrize(
    ("reducer", "old", "new"),
    [
        (Reducer.APPEND, "text", [1]),
        (Reducer.APPEND, [1], "text"),
        (Reducer.APPEND, [1], {"a": 1}),
        (Reducer.MERGE, {"a": 1}, [1]),
        (Reducer.MERGE, [1], {"a": 1}),
        (Reducer.INCREMENT, "1", 1),
        (Reducer.INCREMENT, 1, "1"),
        (Reducer.INCREMENT, 1, True),
        (Reducer.INCREMENT, False, 1),
        (Reducer.MAX, 1, True),
        (Reducer.MAX, 1, "2"),
        (Reducer.ADD_BY_ID, [], [{"name": "no id"}]),
        (Reducer.ADD_BY_ID, [], [{"id": None}]),
        (Reducer.ADD_BY_ID, [], [{"id": True}]),
        (Reducer.ADD_BY_ID, [], ["text"]),
        (Reducer.ADD_BY_ID, {"id": 1}, [{"id": 1}]),
    ],
)
def test_types_that_do_not_fit_are_a_type_mismatch_that_names_the_key(
    reducer: Reducer, old: JsonValue, new: JsonValue
) -> None:
    with pytest.raises(TypeMismatch) as refusal:
        reduce(reducer, "score", old, new)
    assert refusal.value.key == "score"
    assert "'score'" in refusal.value.detail
    assert str(reducer) in refusal.value.detail


def test_a_bool_is_not_a_number() -> None:
    with pytest.raises(TypeMismatch) as refusal:
        reduce(Reducer.INCREMENT, "n", 1, True)
    assert refusal.value.detail == (
        "The key 'n' is reduced by increment, which needs a number; the update has a boolean."
    )


@pytest.mark.parametrize(("old", "new"), [(2**64 - 1, 1), (-(2**63), -1), (1.5e308, 1.5e308)])
def test_a_sum_that_no_json_number_holds_is_out_of_range(old: JsonValue, new: JsonValue) -> None:
    with pytest.raises(OutOfRange):
        reduce(Reducer.INCREMENT, "n", old, new)


def test_the_largest_integer_can_be_reached() -> None:
    assert reduce(Reducer.INCREMENT, "n", 2**64 - 2, 1) == 2**64 - 1


def test_reducing_changes_neither_argument() -> None:
    old: JsonValue = [{"id": 1}]
    new: JsonValue = [{"id": 1, "v": 2}, {"id": 2}]
    for reducer in (Reducer.APPEND, Reducer.ADD_BY_ID):
        reduce(reducer, "key", old, new)
    assert old == [{"id": 1}]
    assert new == [{"id": 1, "v": 2}, {"id": 2}]


class TestTable:
    @pytest.mark.parametrize(
        ("key", "reducer"),
        [
            ("messages", Reducer.APPEND),
            ("execution_history", Reducer.APPEND),
            ("llm_output", Reducer.OVERWRITE),
            ("anything", Reducer.OVERWRITE),
        ],
    )
    def test_the_default_rules_are_those_of_the_seed(self, key: str, reducer: Reducer) -> None:
        assert ReducerTable().for_key(key) is reducer

    def test_an_exact_name_goes_before_every_pattern(self) -> None:
        table = ReducerTable.of({"a_log": "merge", "a_lo*": "append"})
        assert table.for_key("a_log") is Reducer.MERGE
        assert table.for_key("a_lot") is Reducer.APPEND

    def test_the_pattern_with_the_longest_literal_part_wins(self) -> None:
        table = ReducerTable.of({"*": "max", "tool.*": "merge", "tool.*.count": "increment"})
        assert table.for_key("tool.x.count") is Reducer.INCREMENT
        assert table.for_key("tool.x") is Reducer.MERGE
        assert table.for_key("else") is Reducer.MAX

    def test_the_order_of_writing_decides_nothing(self) -> None:
        lines = {"ab*": "append", "*ab": "merge", "a*b": "max"}
        turned = dict(reversed(lines.items()))
        keys = ["abab", "aab", "abb", "ab"]
        answers = [ReducerTable.of(each).for_key(key) for each in (lines, turned) for key in keys]
        assert answers[:4] == answers[4:]

    def test_only_the_star_is_special(self) -> None:
        table = ReducerTable.of({"a.?[b]*": "append"})
        assert table.for_key("a.?[b]c") is Reducer.APPEND
        assert table.for_key("axxb") is Reducer.OVERWRITE

    def test_a_pattern_takes_the_default_of_outputs_away(self) -> None:
        assert ReducerTable.of({"*_output": "append"}).for_key("a_output") is Reducer.APPEND

    def test_messages_and_history_always_append(self) -> None:
        assert ReducerTable.of({"*": "max"}).for_key("messages") is Reducer.APPEND
        with pytest.raises(ValidationFailed) as refusal:
            ReducerTable.of({"messages": "overwrite", "execution_history": "append"})
        assert [each.pointer for each in refusal.value.problems] == ["/reducers/messages"]

    def test_every_wrong_line_is_named(self) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            ReducerTable.of({"a/b": "apend", "* ": "append", "fine": "max"}, "/document/reducers")
        assert [(each.pointer, each.message) for each in refusal.value.problems] == [
            ("/document/reducers/a~1b", "unknown reducer 'apend'; did you mean 'append'?"),
            ("/document/reducers/* ", "a pattern has no white space at its ends; use * for it"),
        ]

    def test_a_table_comes_back_from_its_json(self) -> None:
        lines = {"a": "max", "b*": "append", "*": "merge"}
        assert ReducerTable.of(lines).as_json() == lines


def test_a_reducer_is_in_all_three_lists() -> None:
    names = {each.value for each in Reducer}
    assert names == set(problems.REDUCERS) == {each.name for each in REDUCERS}
