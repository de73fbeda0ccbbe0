"""What people decide about an execution, rule by rule (semantics 3.1, 3.7, 3.8, 3.9)."""

from dataclasses import replace

import pytest

from checkpoints.domain.execution import (
    Execution,
    Failure,
    RestorePoint,
    advance,
    approve,
    ask_pause,
    cancel,
    fork,
    reject,
    restore,
    resume,
    update,
)
from checkpoints.domain.pauses import Approval, Pause, When
from checkpoints.domain.status import Status
from ctxadmin.lib.errors import InvalidState, ValidationFailed
from tests.unit.checkpoints.executions import (
    CANCELLED,
    COMPLETED,
    FAILED_AT_B,
    IDLE,
    MOVE,
    NOW,
    PAUSED_AFTER_A,
    PAUSED_BEFORE_B,
    PENDING,
    REVIEW_B,
    RUNNING,
    step,
)


class TestResume:
    def test_resume_continues_a_paused_execution(self) -> None:
        decision = resume(PAUSED_AFTER_A, MOVE)
        assert decision.execution == Execution(Status.RUNNING, 5, "a")
        assert decision.through == (Status.PAUSED, Status.RUNNING)
        assert decision.done.apply_to(["a"]) == ("a",)

    def test_resume_after_a_pause_before_runs_that_node(self) -> None:
        assert resume(PAUSED_BEFORE_B, MOVE).execution.resumed_at == "b"

    def test_resume_starts_a_pending_execution(self) -> None:
        decision = resume(PENDING, MOVE)
        assert decision.execution == Execution(Status.RUNNING, 1)

    def test_resume_tries_a_failed_node_again(self) -> None:
        execution = resume(FAILED_AT_B, MOVE).execution
        assert execution.status is Status.RUNNING
        assert execution.failure is None
        assert execution.resumed_at == "b"

    @pytest.mark.parametrize("execution", [IDLE, RUNNING, COMPLETED, CANCELLED])
    def test_what_runs_or_has_ended_for_good_cannot_be_resumed(self, execution: Execution) -> None:
        with pytest.raises(InvalidState):
            resume(execution, MOVE)

    def test_the_named_node_must_be_the_paused_one(self) -> None:
        assert resume(PAUSED_AFTER_A, replace(MOVE, node_id="a")).execution.version == 5
        with pytest.raises(InvalidState, match=r"'a', not at 'b'"):
            resume(PAUSED_AFTER_A, replace(MOVE, node_id="b"))

    def test_a_node_cannot_be_named_where_the_execution_stands_at_none(self) -> None:
        with pytest.raises(InvalidState):
            resume(PENDING, replace(MOVE, node_id="a"))

    def test_resume_elsewhere_runs_that_node_without_a_pause_before_it(self) -> None:
        move = replace(MOVE, from_node="b", ready=("b",))
        execution = resume(PAUSED_AFTER_A, move, REVIEW_B).execution
        assert execution.status is Status.RUNNING
        assert execution.resumed_at == "b"
        assert [each.node_id for each in execution.passed] == ["b"]

    def test_resume_elsewhere_does_not_let_the_paused_node_pass(self) -> None:
        execution = resume(PAUSED_BEFORE_B, replace(MOVE, from_node="x")).execution
        assert [each.node_id for each in execution.passed] == ["x"]

    def test_the_next_checkpoint_forgets_where_it_was_resumed(self) -> None:
        execution = resume(PAUSED_AFTER_A, replace(MOVE, from_node="x")).execution
        assert advance(execution, step("x")).execution.resumed_at is None


class TestApproveRejectCancel:
    def test_approve_lets_a_paused_execution_run(self) -> None:
        assert approve(PAUSED_AFTER_A, MOVE).execution == Execution(Status.RUNNING, 5, "a")

    def test_reject_fails_a_paused_execution_with_the_reason(self) -> None:
        decision = reject(PAUSED_BEFORE_B, replace(MOVE, reason="too expensive"))
        assert decision.execution.status is Status.FAILED
        assert decision.execution.failure == Failure("b", "too expensive")
        assert decision.execution.pause is None

    @pytest.mark.parametrize(
        "execution", [IDLE, PENDING, RUNNING, FAILED_AT_B, COMPLETED, CANCELLED]
    )
    def test_only_a_paused_execution_is_approved_or_rejected(self, execution: Execution) -> None:
        for decide in (approve, reject):
            with pytest.raises(InvalidState):
                decide(execution, MOVE)

    @pytest.mark.parametrize("execution", [PENDING, RUNNING, PAUSED_AFTER_A])
    def test_cancel_ends_what_has_not_ended(self, execution: Execution) -> None:
        decision = cancel(execution, MOVE)
        assert decision.execution.status is Status.CANCELLED
        assert decision.execution.version == execution.version + 1
        assert decision.execution.pause is None

    @pytest.mark.parametrize("execution", [IDLE, FAILED_AT_B, COMPLETED, CANCELLED])
    def test_what_has_ended_cannot_be_cancelled(self, execution: Execution) -> None:
        with pytest.raises(InvalidState):
            cancel(execution, MOVE)

    def test_cancel_drops_a_requested_pause(self) -> None:
        asked = ask_pause(RUNNING, NOW).execution
        assert not cancel(asked, MOVE).execution.pause_requested

    def test_only_a_resume_names_the_node_to_continue_from(self) -> None:
        for decide in (approve, reject, cancel):
            with pytest.raises(ValidationFailed) as refusal:
                decide(PAUSED_AFTER_A, replace(MOVE, from_node="b"))
            assert refusal.value.problems[0].pointer == "/from_node"


class TestUpdate:
    def test_a_paused_execution_can_be_updated_for_the_paused_node(self) -> None:
        decision = update(PAUSED_BEFORE_B, "b")
        assert decision.execution == replace(PAUSED_BEFORE_B, version=5)
        assert decision.through == (Status.PAUSED,)

    def test_an_update_for_another_node_is_invalid_state(self) -> None:
        with pytest.raises(InvalidState):
            update(PAUSED_BEFORE_B, "a")

    @pytest.mark.parametrize(
        "execution", [IDLE, PENDING, RUNNING, FAILED_AT_B, COMPLETED, CANCELLED]
    )
    def test_the_snapshot_can_be_updated_only_when_paused(self, execution: Execution) -> None:
        with pytest.raises(InvalidState):
            update(execution, "a")

    def test_an_execution_restored_to_its_start_takes_any_node(self) -> None:
        start = restore(PAUSED_AFTER_A, RestorePoint(0, None, When.BEFORE, ()), NOW).execution
        assert update(start, "whatever").execution.version == 6


class TestRestoreAndFork:
    STANDING = RestorePoint(2, "a", When.AFTER, ("a",))

    @pytest.mark.parametrize("execution", [PAUSED_BEFORE_B, FAILED_AT_B])
    def test_a_restore_is_a_new_version_and_then_paused_there(self, execution: Execution) -> None:
        decision = restore(execution, self.STANDING, NOW, "back")
        assert decision.execution == Execution(
            Status.PAUSED, execution.version + 1, "a", Pause("a", When.AFTER, "back", NOW)
        )
        assert decision.done.apply_to(["a", "b", "c"]) == ("a",)
        assert decision.through[-1] is Status.PAUSED

    @pytest.mark.parametrize("execution", [IDLE, PENDING, RUNNING, COMPLETED, CANCELLED])
    def test_what_runs_or_has_ended_for_good_cannot_be_restored(self, execution: Execution) -> None:
        with pytest.raises(InvalidState):
            restore(execution, self.STANDING, NOW)

    def test_a_completed_execution_is_told_to_be_forked(self) -> None:
        with pytest.raises(InvalidState, match="fork it"):
            restore(COMPLETED, self.STANDING, NOW)

    def test_a_restore_forgets_approvals(self) -> None:
        paused = replace(PAUSED_AFTER_A, passed=(Approval("b", 1, approved=True),))
        assert restore(paused, self.STANDING, NOW).execution.passed == ()

    def test_a_fork_is_paused_at_that_node_with_its_own_version_from_there_on(self) -> None:
        execution = fork(self.STANDING, NOW)
        assert execution == Execution(Status.PAUSED, 2, "a", Pause("a", When.AFTER, "", NOW))
        assert resume(execution, MOVE).execution.version == 3
