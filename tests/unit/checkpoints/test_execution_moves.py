"""How an execution begins, advances, and is compared with what was seen (semantics 3.1, 3.4)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from checkpoints.domain.execution import (
    Execution,
    Failure,
    advance,
    ask_pause,
    new_execution,
    resume,
)
from checkpoints.domain.execution_json import dump, read
from checkpoints.domain.expected_version import require_version
from checkpoints.domain.pauses import Approval, Pause, TimeoutOutcome, When
from checkpoints.domain.status import ENDED, FINAL, MOVES, NodeStatus, Status
from ctxadmin.lib.errors import InvalidState, VersionConflict
from tests.unit.checkpoints.executions import (
    CANCELLED,
    COMPLETED,
    FAILED_AT_B,
    IDLE,
    MOVE,
    NOW,
    PAUSED_AFTER_A,
    PENDING,
    REVIEW_B,
    RUNNING,
    step,
)


def test_the_table_of_moves_is_that_of_the_semantics() -> None:
    assert {status: "".join(sorted(each[:2] for each in to)) for status, to in MOVES.items()} == {
        "IDLE": "PE",
        "PENDING": "CARU",
        "RUNNING": "CACOFAPA",
        "PAUSED": "CAFARU",
        "FAILED": "RU",
        "COMPLETED": "",
        "CANCELLED": "",
    }


def test_completed_and_cancelled_are_final() -> None:
    assert all(not MOVES[status] for status in FINAL)
    assert {Status.COMPLETED, Status.CANCELLED} == FINAL


def test_a_failed_execution_does_not_block_a_new_one() -> None:
    assert {Status.COMPLETED, Status.CANCELLED, Status.FAILED} == ENDED
    assert FAILED_AT_B.ended
    assert not any(each.ended for each in (PENDING, RUNNING, PAUSED_AFTER_A))


class TestBegin:
    def test_an_execution_starts_running_at_version_0(self) -> None:
        decision = new_execution(NOW)
        assert decision.execution == Execution(Status.RUNNING, 0)
        assert decision.through == (Status.IDLE, Status.PENDING, Status.RUNNING)

    def test_an_execution_that_is_not_started_yet_is_pending(self) -> None:
        assert new_execution(NOW, start=False).execution == PENDING

    def test_an_execution_whose_first_node_wants_review_starts_paused(self) -> None:
        decision = new_execution(NOW, ready=["b"], rules=REVIEW_B)
        assert decision.execution.status is Status.PAUSED
        assert decision.execution.pause == Pause("b", When.BEFORE, "look at it", NOW)
        assert decision.execution.version == 0

    def test_a_pending_execution_is_not_paused(self) -> None:
        assert new_execution(NOW, start=False, ready=["b"], rules=REVIEW_B).execution == PENDING


class TestAdvance:
    def test_a_checkpoint_raises_the_version_by_one_and_adds_its_node_to_the_done_ones(
        self,
    ) -> None:
        decision = advance(RUNNING, step("b"))
        assert decision.execution == Execution(Status.RUNNING, 4, "b")
        assert decision.done.apply_to(["a"]) == ("a", "b")
        assert decision.node_status is NodeStatus.COMPLETED
        assert decision.writes

    def test_the_first_checkpoint_starts_a_pending_execution(self) -> None:
        decision = advance(PENDING, step("a"))
        assert decision.execution == Execution(Status.RUNNING, 1, "a")
        assert decision.through == (Status.PENDING, Status.RUNNING)

    def test_a_first_checkpoint_may_be_the_last(self) -> None:
        decision = advance(PENDING, step("a", status=Status.COMPLETED))
        assert decision.through == (Status.PENDING, Status.RUNNING, Status.COMPLETED)

    @pytest.mark.parametrize("execution", [PAUSED_AFTER_A, FAILED_AT_B, COMPLETED, CANCELLED, IDLE])
    def test_a_checkpoint_while_not_running_or_pending_is_invalid_state(
        self, execution: Execution
    ) -> None:
        with pytest.raises(InvalidState) as refusal:
            advance(execution, step())
        assert refusal.value.extra() == {"status_now": execution.status}
        assert execution.status in refusal.value.detail

    @pytest.mark.parametrize("status", [Status.COMPLETED, Status.CANCELLED])
    def test_an_engine_ends_the_execution_with_the_status_that_it_sends(
        self, status: Status
    ) -> None:
        assert advance(RUNNING, step(status=status)).execution == Execution(status, 4, "b")

    def test_an_engine_that_sends_failed_says_that_the_node_failed(self) -> None:
        decision = advance(RUNNING, step(status=Status.FAILED, error_edges=True))
        assert decision.execution.status is Status.FAILED
        assert decision.execution.failure == Failure("b")
        assert decision.node_status is NodeStatus.FAILED
        assert decision.done.apply_to(["a"]) == ("a",)

    def test_an_engine_that_sends_paused_pauses_after_the_node(self) -> None:
        execution = advance(RUNNING, step(status=Status.PAUSED)).execution
        assert execution.status is Status.PAUSED
        assert execution.pause == Pause("b", When.AFTER, "", NOW)

    def test_no_execution_goes_back_to_pending(self) -> None:
        with pytest.raises(InvalidState):
            advance(RUNNING, step(status=Status.PENDING))

    def test_a_requested_pause_comes_with_the_next_checkpoint_at_its_node(self) -> None:
        asked = ask_pause(RUNNING, NOW, "have a look").execution
        decision = advance(asked, step("b"))
        assert decision.execution.status is Status.PAUSED
        assert decision.execution.node_id == "b"
        assert decision.execution.pause == Pause("b", When.AFTER, "have a look", NOW)
        assert not decision.execution.pause_requested

    def test_an_end_goes_before_a_requested_pause(self) -> None:
        asked = ask_pause(RUNNING, NOW).execution
        decision = advance(asked, step(status=Status.COMPLETED))
        assert decision.execution == Execution(Status.COMPLETED, 4, "b")

    def test_a_failure_without_error_edges_fails_the_execution(self) -> None:
        decision = advance(RUNNING, step(failure="no such tool"))
        assert decision.execution.status is Status.FAILED
        assert decision.execution.failure == Failure("b", "no such tool")
        assert decision.done.apply_to(["a"]) == ("a",)

    def test_a_failure_with_error_edges_continues_along_them(self) -> None:
        decision = advance(RUNNING, step(failure="no such tool", error_edges=True))
        assert decision.execution == Execution(Status.RUNNING, 4, "b")
        assert decision.node_status is NodeStatus.FAILED
        assert decision.done.apply_to(["a"]) == ("a", "b")

    def test_a_failed_node_cannot_complete_the_execution(self) -> None:
        decision = advance(RUNNING, step(failure="broken", status=Status.COMPLETED))
        assert decision.execution.status is Status.FAILED

    def test_an_engine_may_cancel_with_a_failed_node(self) -> None:
        decision = advance(RUNNING, step(failure="broken", status=Status.CANCELLED))
        assert decision.execution == Execution(Status.CANCELLED, 4, "b")

    def test_done_nodes_are_exactly_the_executed_node_ids_that_were_sent(self) -> None:
        decision = advance(RUNNING, step("b", executed=("a", "a", "c")))
        assert decision.done.apply_to(["x", "y"]) == ("a", "a", "c")

    def test_a_workflow_with_nothing_left_completes_by_itself(self) -> None:
        decision = advance(RUNNING, step(nothing_left=True))
        assert decision.execution == Execution(Status.COMPLETED, 4, "b")

    def test_an_engine_that_says_running_keeps_a_finished_workflow_open(self) -> None:
        decision = advance(RUNNING, step(nothing_left=True, status=Status.RUNNING))
        assert decision.execution.status is Status.RUNNING

    def test_a_pause_goes_before_the_end_of_the_workflow(self) -> None:
        asked = ask_pause(RUNNING, NOW).execution
        assert advance(asked, step(nothing_left=True)).execution.status is Status.PAUSED


class TestExpect:
    def test_no_expectation_and_a_right_one_pass(self) -> None:
        require_version(RUNNING, None, lambda _: pytest.fail("nobody asked"))
        require_version(RUNNING, 3, lambda _: pytest.fail("nobody asked"))

    def test_a_stale_one_names_expected_actual_and_the_keys_changed_since(self) -> None:
        with pytest.raises(VersionConflict) as refusal:
            require_version(RUNNING, 1, lambda version: [f"changed since {version}"])
        assert refusal.value.extra() == {
            "expected": 1,
            "actual": 3,
            "changed_keys": ["changed since 1"],
        }

    def test_one_from_the_future_is_a_conflict_too(self) -> None:
        with pytest.raises(VersionConflict) as refusal:
            require_version(RUNNING, 9, lambda _: pytest.fail("nothing changed since the future"))
        assert refusal.value.changed_keys == ()


def test_a_refusal_says_what_is_needed_and_what_to_do() -> None:
    with pytest.raises(InvalidState) as refusal:
        resume(COMPLETED, MOVE)
    assert refusal.value.detail == (
        "A resume needs an execution that is PENDING, PAUSED or FAILED; this one is COMPLETED. "
        "It has ended; fork it to continue from one of its checkpoints."
    )


@pytest.mark.parametrize(
    "execution",
    [
        IDLE,
        PENDING,
        FAILED_AT_B,
        ask_pause(RUNNING, NOW, "原因").execution,
        replace(RUNNING, passed=(Approval("b", 1, approved=True),), resumed_at="b"),
        Execution(
            Status.PAUSED,
            9,
            "b",
            Pause("b", When.BEFORE, "r", NOW, NOW + timedelta(hours=1), TimeoutOutcome.CANCEL),
        ),
    ],
)
def test_a_stored_execution_reads_back_the_same(execution: Execution) -> None:
    assert read(dump(execution)) == execution
