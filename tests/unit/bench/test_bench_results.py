"""What the bench keeps of a run, and what it says of two."""

from bench.compare import changes
from bench.table import Row, table, times_of


def test_a_goal_is_for_the_ratio_or_without_an_anchor_for_the_value() -> None:
    assert Row("a", 3.0, "ms", anchor=2.0, goal=1.5).met
    assert not Row("a", 3.0, "ms", anchor=1.0, goal=2.9).met
    assert Row("a", 3.0, "ms", goal=3.0).met
    assert Row("a", 3.0, "ms", anchor=1.0).met is None


def test_a_row_of_the_results_has_the_ratio_and_says_if_the_goal_is_met() -> None:
    assert Row("a", 3.0, "ms", anchor=2.0, goal=1.0).as_json() == {
        "name": "a",
        "value": 3.0,
        "unit": "ms",
        "anchor": 2.0,
        "ratio": 1.5,
        "goal": 1.0,
        "met": False,
    }


def test_the_table_marks_what_is_missed() -> None:
    lines = list(table([Row("slow", 3.0, "ms", goal=1.0), Row("quick", 0.5, "ms", goal=1.0)]))
    assert [line.split()[-1] for line in lines[1:]] == ["MISSED", "met"]


def test_calls_are_measured_by_turns_in_both_orders() -> None:
    order: list[str] = []
    times = times_of({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert [len(each) for each in times.values()] == [3, 3]


def test_a_comparison_tells_of_turned_goals_notable_changes_and_rows_that_came_or_went() -> None:
    before = [
        Row("kept", 1.0, "ms").as_json(),
        Row("slower", 1.0, "ms", goal=1.2).as_json(),
        Row("by ratio", 9.0, "ms", anchor=9.0).as_json(),
        Row("gone", 1.0, "ms").as_json(),
    ]
    after = [
        Row("kept", 1.1, "ms").as_json(),
        Row("slower", 2.0, "ms", goal=1.2).as_json(),
        Row("by ratio", 1.0, "ms", anchor=1.0).as_json(),
        Row("new", 1.0, "ms").as_json(),
    ]
    assert [" ".join(line.split()) for line in changes(before, after)] == [
        "met -> missed: slower",
        "+100% 1.000 -> 2.000 slower",
        "new: new",
        "gone: gone",
    ]
