"""What is on record of a version, and the comparison of two (semantics 3.4, 3.5, 3.6, 3.9)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import orjson
import pytest
from pydantic import JsonValue

from checkpoints.domain.state import KeyHead, head_of
from checkpoints.domain.status import NodeStatus, Status
from checkpoints.domain.timeline import (
    HistoryEntry,
    KeysCompared,
    SavedCheckpoint,
    Snapshot,
    compare_keys,
    compare_states,
    repeated,
)
from ctxadmin.lib.errors import Duplicate
from ctxadmin.lib.json_bytes import dumps

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SAVED = SavedCheckpoint("c1", b"digest", b'{"version":3}')


class TestRepeats:
    def test_the_same_id_and_body_get_the_same_answer(self) -> None:
        assert repeated(SAVED, b"digest") == b'{"version":3}'

    def test_an_unknown_id_is_new(self) -> None:
        assert repeated(None, b"digest") is None

    def test_the_same_id_with_another_body_is_a_duplicate(self) -> None:
        with pytest.raises(Duplicate, match="'c1'"):
            repeated(SAVED, b"other")


class TestHistory:
    def test_an_entry_has_the_form_of_the_contract(self) -> None:
        entry = HistoryEntry(
            "a", NodeStatus.FAILED, "c1", 7, NOW, "ask", {"text": "中"}, {"tool_call": True}
        )
        assert orjson.loads(entry.as_bytes()) == {
            "node_id": "a",
            "status": "FAILED",
            "checkpoint_id": "c1",
            "version": 7,
            "timestamp": "2026-03-01T12:00:00.000000Z",
            "prompt": "ask",
            "response": {"text": "中"},
            "metadata": {"tool_call": True},
        }

    def test_what_was_not_given_stays_away(self) -> None:
        entry = HistoryEntry("a", NodeStatus.COMPLETED, "c1", 7, NOW)
        assert list(orjson.loads(entry.as_bytes())) == [
            "node_id",
            "status",
            "checkpoint_id",
            "version",
            "timestamp",
        ]


def test_a_snapshot_has_the_fields_of_the_contract_and_parses_no_state() -> None:
    snapshot = Snapshot(
        conversation_id="talk",
        execution="exec_1",
        workflow=None,
        current_node_id="a",
        current_node_name="Ask",
        status=Status.PAUSED,
        pause_requested=False,
        state_data=[b'{"b":1,', b'  "a":[]}'],
        execution_history=[b"[]"],
        executed_node_ids=[b'["a","a"', b"]"],
        ready_nodes=(),
        timestamp=NOW,
        version=4,
        revision=2,
    )
    whole = b"".join(snapshot.as_pieces())
    assert b'"state_data":{"b":1,  "a":[]},' in whole
    assert orjson.loads(whole) == {
        "conversation_id": "talk",
        "execution": "exec_1",
        "workflow": None,
        "current_node_id": "a",
        "current_node_name": "Ask",
        "status": "PAUSED",
        "pause_requested": False,
        "state_data": {"a": [], "b": 1},
        "execution_history": [],
        "executed_node_ids": ["a", "a"],
        "ready_nodes": [],
        "timestamp": "2026-03-01T12:00:00.000000Z",
        "version": 4,
        "revision": 2,
        "pause": None,
    }


class TestComparison:
    BEFORE: Mapping[str, JsonValue] = {"same": 1, "gone": [1], "b": {"x": 1}, "a/": 1}
    AFTER: Mapping[str, JsonValue] = {"same": 1, "new": None, "b": {"x": 2}, "a/": 2}

    def test_keys_are_compared_by_their_heads(self) -> None:
        assert compare_keys(heads(self.BEFORE), heads(self.AFTER)) == KeysCompared(
            added=("new",), removed=("gone",), changed=("a/", "b")
        )

    def test_states_are_compared_below_their_keys(self) -> None:
        differences = compare_states(
            heads(self.BEFORE), heads(self.AFTER), reader(self.BEFORE), reader(self.AFTER)
        )
        assert [(each.path, each.kind) for each in differences] == [
            ("/a~1", "changed"),
            ("/b/x", "changed"),
            ("/gone", "removed"),
            ("/new", "added"),
        ]

    def test_values_that_are_the_same_are_not_read(self) -> None:
        asked: list[str] = []
        compare_states(
            heads(self.BEFORE),
            heads(self.AFTER),
            reader(self.BEFORE, asked),
            reader(self.AFTER, asked),
        )
        assert "same" not in asked

    def test_two_equal_states_have_no_differences(self) -> None:
        same = heads(self.BEFORE)
        assert compare_states(same, same, reader({}), reader({})) == []


def heads(values: Mapping[str, JsonValue]) -> dict[str, KeyHead]:
    return {key: head_of(dumps(value)) for key, value in values.items()}


def reader(
    values: Mapping[str, JsonValue], asked: list[str] | None = None
) -> Callable[[Sequence[str]], dict[str, bytes]]:
    def read(keys: Sequence[str]) -> dict[str, bytes]:
        if asked is not None:
            asked.extend(keys)
        return {key: dumps(values[key]) for key in keys}

    return read
