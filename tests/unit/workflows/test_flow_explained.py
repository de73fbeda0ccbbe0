"""Why a node sees what it sees: each item by the step that decided it."""

import pytest

from ctxadmin.lib.errors import IncompatibleContext
from tests.unit.workflows.plans import (
    THREE,
    Message,
    entry,
    include,
    node_input,
    plan,
    selective,
    user,
)
from workflows.domain.running.flow import Entered, enter


def told(entered: Entered) -> dict[str, tuple[str, str | int]]:
    return {
        str(each.name): (each.verdict, each.step)
        for each in entered.explanation
        if each.section == "variables"
    }


def test_every_name_is_explained_by_the_step_that_decided_it() -> None:
    workflow = plan(
        {"a": {"outgoing_filter": include("*.*")}, "b": {"context_filter": include("x.*")}},
        {"a-b": selective("x.*", "y.*")},
    )
    state = node_input({"x.a": 1, "y.a": 2, "z.a": 3, "w": 4})
    entered = enter(workflow, "b", state, ["a-b"], explain=True)
    assert told(entered) == {
        "x.a": ("kept", "filter"),
        "y.a": ("dropped", "filter"),
        "z.a": ("dropped", "edge:a-b"),
        "w": ("dropped", "outgoing:a"),
    }


def test_at_a_join_a_name_is_dropped_only_if_no_edge_brought_it() -> None:
    workflow = plan(THREE, {"a-J": selective("x"), "b-J": selective("y")})
    entered = enter(
        workflow, "J", node_input({"x": 1, "y": 2, "z": 3}), ["a-J", "b-J"], explain=True
    )
    assert {name: verdict for name, (verdict, _) in told(entered).items()} == {
        "x": "kept",
        "y": "kept",
        "z": "dropped",
    }
    assert told(entered)["z"] == ("dropped", "edge:b-J")


def test_a_history_entry_is_followed_through_a_join() -> None:
    workflow = plan(
        {
            "a": {},
            "b": {},
            "J": {
                "context_filter": {
                    "rules": [{"type": "exclude", "pattern": "n3", "target": "history"}]
                }
            },
        },
        {"a-J": selective("n3"), "b-J": selective("n2")},
    )
    state = node_input(history=[entry("n1"), entry("n2"), entry("n3")])
    entered = enter(workflow, "J", state, ["a-J", "b-J"], explain=True)
    assert [(each.index, each.name, each.verdict, each.step) for each in entered.explanation] == [
        (0, "n1", "dropped", "edge:b-J"),
        (1, "n2", "kept", "filter"),
        (2, "n3", "dropped", "filter"),
    ]


def test_nothing_is_explained_unasked() -> None:
    workflow = plan(THREE, {"a-J": {}, "b-J": {}})
    assert enter(workflow, "J", node_input({"x": 1}), ["a-J", "b-J"]).explanation == ()


def test_warnings_of_messages_name_their_step() -> None:
    call: Message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    cut = {"operation": "truncate", "truncate": {"remove_last": 1}}
    workflow = plan(
        {"a": {}, "b": {"type": "llm"}},
        {"a-b": {"context_filter": {"type": "pass_all", "messages": [cut]}}},
    )
    entered = enter(workflow, "b", node_input({}, user("hi"), call, result), ["a-b"])
    assert [(each.code, each.step) for each in entered.warnings] == [("split_pair", "edge:a-b")]
    with pytest.raises(IncompatibleContext) as caught:
        entered.require_compatible()
    assert caught.value.indices == (1,)
