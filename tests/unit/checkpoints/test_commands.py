"""The request bodies of executions and checkpoints (rest.md)."""

from typing import Any

import pytest

from checkpoints.domain.commands import (
    CompleteNode,
    NodeResult,
    SaveCheckpoint,
    StartExecution,
    UpdateSnapshot,
    output_key,
)
from checkpoints.domain.move_commands import ForkCheckpoint, MoveExecution, RestoreCheckpoint
from checkpoints.domain.status import Status
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import ValidationFailed

SAVE: dict[str, Any] = {"node_id": "a", "state_data": {"x": 1}}
COMPLETE: dict[str, Any] = {"checkpoint_id": "c1", "result": {"output": {"y": 1}}}


def pointers(model: type[Contract], data: object) -> list[str]:
    with pytest.raises(ValidationFailed) as refusal:
        parse(model, data)
    return [problem.pointer for problem in refusal.value.problems]


def test_the_seeds_spelling_is_accepted() -> None:
    data = {"nodeId": "a", "stateData": {"someKey": {"nodeId": 1}}, "executedNodeIds": ["a"]}
    save = parse(SaveCheckpoint, data)
    assert save.executed_node_ids == ["a"]
    assert save.state_data == {"someKey": {"nodeId": 1}}


@pytest.mark.parametrize(
    ("model", "data", "wrong"),
    [
        (SaveCheckpoint, {"node_id": "a"}, ["/state_data"]),
        (SaveCheckpoint, {"state_data": {}}, ["/node_id"]),
        (SaveCheckpoint, SAVE | {"node_id": ""}, ["/node_id"]),
        (SaveCheckpoint, SAVE | {"state_data": [1]}, ["/state_data"]),
        (SaveCheckpoint, SAVE | {"status": "DONE"}, ["/status"]),
        (SaveCheckpoint, SAVE | {"status": "IDLE"}, ["/status"]),
        (SaveCheckpoint, SAVE | {"expected_version": -1}, ["/expected_version"]),
        (SaveCheckpoint, SAVE | {"expected_version": "1"}, ["/expected_version"]),
        (SaveCheckpoint, SAVE | {"expected_version": True}, ["/expected_version"]),
        (SaveCheckpoint, SAVE | {"messages": {"role": "user"}}, ["/messages"]),
        (SaveCheckpoint, SAVE | {"messages": ["text"]}, ["/messages/0"]),
        (SaveCheckpoint, SAVE | {"executed_node_ids": "a"}, ["/executed_node_ids"]),
        (SaveCheckpoint, SAVE | {"executed_node_ids": ["a", 1]}, ["/executed_node_ids/1"]),
        (SaveCheckpoint, SAVE | {"versoin": 1}, ["/versoin"]),
        (CompleteNode, {"result": {}}, ["/checkpoint_id"]),
        (CompleteNode, COMPLETE | {"checkpoint_id": "a b"}, ["/checkpoint_id"]),
        (CompleteNode, COMPLETE | {"checkpoint_id": "diff"}, ["/checkpoint_id"]),
        (CompleteNode, COMPLETE | {"result": {"outptu": 1}}, ["/result/outptu"]),
        (CompleteNode, COMPLETE | {"enter_next": "yes"}, ["/enter_next"]),
        (StartExecution, {"version": 0}, ["/version"]),
        (StartExecution, {"state": []}, ["/state"]),
        (StartExecution, {"reducers": {"a": 1}}, ["/reducers/a"]),
        (UpdateSnapshot, {"state_data": {}}, ["/node_id"]),
        (UpdateSnapshot, {"node_id": "a", "operations": {}}, ["/operations"]),
        (MoveExecution, {"from_node": ""}, ["/from_node"]),
        (MoveExecution, {"reason": "x" * 10_001}, ["/reason"]),
        (RestoreCheckpoint, {"version": 1}, ["/version"]),
        (ForkCheckpoint, {"id": "import"}, ["/id"]),
    ],
)
def test_a_wrong_body_names_its_field(
    model: type[Contract], data: object, wrong: list[str]
) -> None:
    assert pointers(model, data) == wrong


@pytest.mark.parametrize("error", [1, [], "", False])
def test_an_error_is_a_text_or_an_object(error: object) -> None:
    assert "/result/error" in pointers(CompleteNode, COMPLETE | {"result": {"error": error}})


def test_the_statuses_are_read_as_statuses() -> None:
    assert parse(SaveCheckpoint, SAVE | {"status": "PAUSED"}).status is Status.PAUSED
    assert parse(SaveCheckpoint, SAVE | {"status": None}).status is None


class TestStart:
    def test_an_empty_body_starts_a_free_execution(self) -> None:
        start = parse(StartExecution, {})
        assert start.start
        assert start.initial_state() == {}

    def test_the_input_becomes_user_input(self) -> None:
        start = parse(StartExecution, {"input": "中", "state": {"a": {"b": 1}}})
        assert start.initial_state() == {"user_input": '"中"'.encode(), "a": b'{"b":1}'}

    def test_the_input_is_not_given_twice(self) -> None:
        start = parse(StartExecution, {"input": 1, "state": {"user_input": 2}})
        with pytest.raises(ValidationFailed) as refusal:
            start.initial_state()
        assert refusal.value.problems[0].pointer == "/state/user_input"


class TestComplete:
    def test_the_output_is_written_under_the_key_of_its_node(self) -> None:
        complete = parse(CompleteNode, COMPLETE | {"state_data": {"x": None}})
        assert complete.update("llm/1") == {"llm/1_output": b'{"y":1}', "x": b"null"}
        assert output_key("llm/1") == "llm/1_output"

    def test_no_output_writes_no_key(self) -> None:
        assert parse(CompleteNode, {"checkpoint_id": "c"}).update("a") == {}
        assert (
            parse(CompleteNode, {"checkpoint_id": "c", "result": {"output": None}}).update("a")
            == {}
        )

    def test_the_output_is_not_given_twice(self) -> None:
        complete = parse(CompleteNode, COMPLETE | {"state_data": {"a/_output": 1}})
        with pytest.raises(ValidationFailed) as refusal:
            complete.update("a/")
        assert refusal.value.problems[0].pointer == "/state_data/a~1_output"

    @pytest.mark.parametrize(
        ("error", "sentence"),
        [
            (None, None),
            ("no such tool", "no such tool"),
            ({"message": "it broke", "code": 5}, "it broke"),
            ({"code": 5}, '{"code":5}'),
            ({"message": ""}, '{"message":""}'),
            ({}, "{}"),
        ],
    )
    def test_an_error_is_reported_in_a_sentence(self, error: object, sentence: str | None) -> None:
        assert parse(NodeResult, {"error": error}).failure() == sentence


class TestBodyDigest:
    def test_expectations_do_not_belong_to_the_body(self) -> None:
        digest = parse(SaveCheckpoint, SAVE).body_digest()
        assert len(digest) == 16
        assert parse(SaveCheckpoint, SAVE | {"expected_version": 3}).body_digest() == digest
        complete = parse(CompleteNode, COMPLETE).body_digest("a")
        other = {"enter_next": True, "expected_version": 1, "force": True}
        again = parse(CompleteNode, COMPLETE | other)
        assert again.body_digest("a") == complete

    def test_spelling_order_and_nulls_do_not_matter(self) -> None:
        digest = parse(SaveCheckpoint, SAVE | {"status": "RUNNING"}).body_digest()
        other = {"status": "RUNNING", "stateData": {"x": 1}, "nodeId": "a", "messages": None}
        assert parse(SaveCheckpoint, other).body_digest() == digest

    @pytest.mark.parametrize(
        "change",
        [
            {"node_id": "b"},
            {"state_data": {"x": True}},
            {"state_data": {"x": 1, "y": None}},
            {"messages": [{"role": "user", "content": "x"}]},
            {"executed_node_ids": []},
            {"status": "RUNNING"},
        ],
    )
    def test_everything_else_does(self, change: dict[str, object]) -> None:
        digest = parse(SaveCheckpoint, SAVE).body_digest()
        assert parse(SaveCheckpoint, SAVE | change).body_digest() != digest

    def test_the_node_and_the_result_of_a_completion_do(self) -> None:
        digest = parse(CompleteNode, COMPLETE).body_digest("a")
        assert parse(CompleteNode, COMPLETE).body_digest("b") != digest
        for result in ({}, {"output": {"y": 2}}, {"output": {"y": 1}, "prompt": ""}):
            assert parse(CompleteNode, COMPLETE | {"result": result}).body_digest("a") != digest

    def test_a_checkpoint_and_a_completion_are_never_the_same(self) -> None:
        save = parse(SaveCheckpoint, {"node_id": "a", "state_data": {}})
        complete = parse(CompleteNode, {"checkpoint_id": "c"})
        assert save.body_digest() != complete.body_digest("a")
