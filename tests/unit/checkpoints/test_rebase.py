"""An edit moves to a newer state: what others applied stays, real conflicts are reported."""

import pytest
from pydantic import JsonValue

from checkpoints.domain.rebase import rebase
from checkpoints.domain.reducers import ReducerTable
from ctxadmin.lib.structural_diff import ABSENT, Value

BASE: dict[str, JsonValue] = {"draft": "Dear", "facts": {"a": 1, "b": 2}, "count": 3}


@pytest.mark.parametrize(
    ("mine", "theirs", "left"),
    [
        ({"draft": "Hi"}, {}, {"draft": "Hi"}),
        ({"draft": "Hi"}, {"count": 9}, {"draft": "Hi"}),
        ({"draft": "Hi"}, {"draft": "Hi"}, {}),
        ({"facts": {"a": 5, "b": 2}}, {"facts": {"a": 1, "b": 7}}, {"facts": {"a": 5, "b": 7}}),
        ({"draft": ABSENT}, {}, {"draft": ABSENT}),
        ({"draft": ABSENT}, {"draft": ABSENT}, {}),
        ({"tone": "warm"}, {"tone": "warm"}, {}),
        ({"tone": "warm"}, {"mood": "calm"}, {"tone": "warm"}),
    ],
)
def test_what_goes_together_is_a_change_of_the_newer_state(
    mine: dict[str, Value], theirs: dict[str, Value], left: dict[str, Value]
) -> None:
    rebased = rebase(BASE, mine, after(theirs), ReducerTable())
    assert not rebased.conflicts
    assert dict(rebased.changes) == left


@pytest.mark.parametrize(
    ("mine", "theirs", "path"),
    [
        ({"draft": "Hi"}, {"draft": "Hello"}, "/draft"),
        ({"draft": "Hi"}, {"draft": ABSENT}, "/draft"),
        ({"draft": ABSENT}, {"draft": "Hello"}, "/draft"),
        ({"facts": {"a": 5, "b": 2}}, {"facts": {"a": 6, "b": 2}}, "/facts/a"),
        ({"tone": "warm"}, {"tone": "cold"}, "/tone"),
    ],
)
def test_what_both_changed_otherwise_is_in_conflict(
    mine: dict[str, Value], theirs: dict[str, Value], path: str
) -> None:
    rebased = rebase(BASE, mine, after(theirs), ReducerTable())
    assert [conflict.path for conflict in rebased.conflicts] == [path]


def after(changes: dict[str, Value]) -> dict[str, JsonValue]:
    both = {**BASE, **changes}
    return {name: value for name, value in both.items() if value is not ABSENT}
