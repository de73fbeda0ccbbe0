"""Ids that are the same after a crash, and what a worker does next with an execution."""

import re

import pytest
from ctxadmin_client.answers import Snapshot
from ctxadmin_client.steps import Next, checkpoint_id, next_action
from hypothesis import given
from hypothesis import strategies as st

IDS = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)


@given(IDS, IDS, st.integers(0, 10**9))
def test_every_id_is_one_of_the_contract(execution: str, node: str, version: int) -> None:
    made = checkpoint_id(execution, node, version)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", made)
    assert made == checkpoint_id(execution, node, version)


def test_other_nodes_versions_and_executions_have_other_ids() -> None:
    long = "n" * 63
    asked = [
        (execution, node, version)
        for execution in ("exec_aaaaaaaa", "exec_bbbbbbbb")
        for node in ("a", "b", long + "a", long + "b")
        for version in (1, 11)
    ]
    assert len({checkpoint_id(*each) for each in asked}) == len(asked)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("RUNNING", Next(nodes=["a"])),
        ("PAUSED", Next()),
        ("PENDING", Next()),
        ("COMPLETED", Next(ended=True)),
        ("FAILED", Next(ended=True)),
        ("CANCELLED", Next(ended=True)),
    ],
)
def test_only_a_running_execution_has_something_to_do(status: str, expected: Next) -> None:
    data = {"status": status, "version": 3, "ready_nodes": ["a"], "execution": "e"}
    assert next_action(Snapshot.of(data)) == expected
