"""The state as a value in memory."""

import pytest

from checkpoints.domain.context import ExecutionContext
from checkpoints.domain.reducers import Reducer, ReducerTable
from ctxadmin.lib.errors import NotFound, TooLarge, TypeMismatch

LOGGING = ReducerTable({"log": Reducer.APPEND, "n": Reducer.INCREMENT})


def test_put_overwrites_past_the_reducer() -> None:
    context = ExecutionContext(reducers=LOGGING).put("log", [1]).put("log", [2])
    assert context.snapshot() == {"log": [2]}


def test_put_stores_what_looks_like_a_directive() -> None:
    context = ExecutionContext().put("a", {"$delete": True})
    assert context.snapshot() == {"a": {"$delete": True}}


def test_merge_reduces() -> None:
    context = ExecutionContext(reducers=LOGGING).merge({"log": [1], "n": 1, "x": 1})
    after = context.merge({"log": [2], "n": 2, "x": {"$delete": True}})
    assert after.snapshot() == {"log": [1, 2], "n": 3}


def test_a_change_leaves_the_former_context_as_it_was() -> None:
    context = ExecutionContext(reducers=LOGGING).put("log", [1])
    context.merge({"log": [2]})
    assert context.snapshot() == {"log": [1]}


def test_a_snapshot_is_a_deep_copy() -> None:
    context = ExecutionContext().put("a", {"b": [1]})
    snapshot = context.snapshot()
    snapshot["a"]["b"].append(2)  # type: ignore[index,call-overload,union-attr]
    context.get("a", dict)["b"] = None
    assert context.snapshot() == {"a": {"b": [1]}}


def test_restore_replaces_everything_and_keeps_the_reducers() -> None:
    context = ExecutionContext(reducers=LOGGING).merge({"log": [1], "gone": 1})
    restored = context.restore({"log": [9]})
    assert restored.snapshot() == {"log": [9]}
    assert restored.merge({"log": [10]}).snapshot() == {"log": [9, 10]}


def test_get_gives_the_value_in_the_type_that_was_asked_for() -> None:
    context = ExecutionContext().merge({"text": "a", "n": 2, "yes": True, "list": [1]})
    assert context.get("text", str) == "a"
    assert context.get("n", int) == 2
    assert context.get("n", float) == 2.0
    assert context.get("yes", bool) is True
    assert context.get("list", list) == [1]


@pytest.mark.parametrize(("key", "type_"), [("yes", int), ("yes", float), ("n", bool), ("n", str)])
def test_get_refuses_another_type(key: str, type_: type[int]) -> None:
    with pytest.raises(TypeMismatch) as refusal:
        ExecutionContext().merge({"n": 2, "yes": True}).get(key, type_)
    assert refusal.value.key == key


def test_get_of_an_unknown_key_is_not_found() -> None:
    with pytest.raises(NotFound):
        ExecutionContext().get("nothing", str)


def test_the_limit_holds() -> None:
    with pytest.raises(TooLarge):
        ExecutionContext(limit=20).put("a", "x" * 20)
