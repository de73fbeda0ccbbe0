"""The decisions on an execution, rule by rule (semantics 3.1, 3.7, 3.8, 3.9)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from checkpoints.domain.execution import (
    Execution,
    Failure,
    Move,
    Standing,
    Step,
    advance,
    approve,
    ask_pause,
    begin,
    cancel,
    dump,
    expect,
    fork,
    read,
    reject,
    restore,
    resume,
    time_out,
    update,
)
from checkpoints.domain.pauses import Approval, Outcome, Pause, PauseRule, When, pause_rule
from checkpoints.domain.status import ENDED, FINAL, MOVES, NodeStatus, Status
from ctxadmin.lib.errors import InvalidState, ValidationFailed, VersionConflict
from workflows.domain.graph import NodeSettings, Timeout

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MOVE = Move(NOW)
RUNNING = Execution(Status.RUNNING, 3, "a")
PENDING = Execution(Status.PENDING)
PAUSED_AFTER_A = Execution(Status.PAUSED, 4, "a", Pause("a", When.AFTER))
PAUSED_BEFORE_B = Execution(Status.PAUSED, 4, "b", Pause("b", When.BEFORE))
FAILED_AT_B = Execution(Status.FAILED, 5, "b", failure=Failure("b", "it broke"))
COMPLETED = Execution(Status.COMPLETED, 6, "z")
CANCELLED = Execution(Status.CANCELLED, 6, "z")
IDLE = Execution(Status.IDLE)
REVIEW_B = {"b": PauseRule(When.BEFORE, "look at it")}


def step(node: str = "b", **more: Any) -> Step:
    return Step(node, NOW, **more)


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
        decision = begin(NOW)
        assert decision.execution == Execution(Status.RUNNING, 0)
        assert decision.through == (Status.IDLE, Status.PENDING, Status.RUNNING)

    def test_an_execution_that_is_not_started_yet_is_pending(self) -> None:
        assert begin(NOW, start=False).execution == PENDING

    def test_an_execution_whose_first_node_wants_review_starts_paused(self) -> None:
        decision = begin(NOW, ready=["b"], rules=REVIEW_B)
        assert decision.execution.status is Status.PAUSED
        assert decision.execution.pause == Pause("b", When.BEFORE, "look at it", NOW)
        assert decision.execution.version == 0

    def test_a_pending_execution_is_not_paused(self) -> None:
        assert begin(NOW, start=False, ready=["b"], rules=REVIEW_B).execution == PENDING


class TestAdvance:
    def test_a_checkpoint_raises_the_version_by_one_and_adds_its_node_to_the_done_ones(
        self,
    ) -> None:
        decision = advance(RUNNING, step("b"))
        assert decision.execution == Execution(Status.RUNNING, 4, "b")
        assert decision.done.applied(["a"]) == ("a", "b")
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
        assert decision.done.applied(["a"]) == ("a",)

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
        assert decision.done.applied(["a"]) == ("a",)

    def test_a_failure_with_error_edges_goes_on_along_them(self) -> None:
        decision = advance(RUNNING, step(failure="no such tool", error_edges=True))
        assert decision.execution == Execution(Status.RUNNING, 4, "b")
        assert decision.node_status is NodeStatus.FAILED
        assert decision.done.applied(["a"]) == ("a", "b")

    def test_a_failed_node_cannot_complete_the_execution(self) -> None:
        decision = advance(RUNNING, step(failure="broken", status=Status.COMPLETED))
        assert decision.execution.status is Status.FAILED

    def test_an_engine_may_cancel_with_a_failed_node(self) -> None:
        decision = advance(RUNNING, step(failure="broken", status=Status.CANCELLED))
        assert decision.execution == Execution(Status.CANCELLED, 4, "b")

    def test_done_nodes_are_exactly_the_executed_node_ids_that_were_sent(self) -> None:
        decision = advance(RUNNING, step("b", executed=("a", "a", "c")))
        assert decision.done.applied(["x", "y"]) == ("a", "a", "c")

    def test_a_workflow_with_nothing_left_completes_by_itself(self) -> None:
        decision = advance(RUNNING, step(nothing_left=True))
        assert decision.execution == Execution(Status.COMPLETED, 4, "b")

    def test_an_engine_that_says_running_keeps_a_finished_workflow_open(self) -> None:
        decision = advance(RUNNING, step(nothing_left=True, status=Status.RUNNING))
        assert decision.execution.status is Status.RUNNING

    def test_a_pause_goes_before_the_end_of_the_workflow(self) -> None:
        asked = ask_pause(RUNNING, NOW).execution
        assert advance(asked, step(nothing_left=True)).execution.status is Status.PAUSED


class TestReview:
    def test_config_pause_before_pauses_when_the_node_becomes_ready(self) -> None:
        decision = advance(RUNNING, step("a", ready=("b",)), REVIEW_B)
        assert decision.execution.status is Status.PAUSED
        assert decision.execution.node_id == "b"
        assert decision.execution.pause == Pause("b", When.BEFORE, "look at it", NOW)
        assert decision.through == (Status.RUNNING, Status.PAUSED)

    def test_config_pause_after_pauses_with_the_completion(self) -> None:
        rules = {"a": PauseRule(When.AFTER)}
        decision = advance(RUNNING, step("a", ready=("b",)), rules)
        assert decision.execution.pause == Pause("a", When.AFTER, "", NOW)

    def test_a_node_that_failed_is_not_reviewed_after(self) -> None:
        rules = {"a": PauseRule(When.AFTER)}
        decision = advance(RUNNING, step("a", failure="broken", error_edges=True), rules)
        assert decision.execution.status is Status.RUNNING

    def test_running_sent_by_an_engine_does_not_skip_a_review(self) -> None:
        decision = advance(RUNNING, step("a", ready=("b",), status=Status.RUNNING), REVIEW_B)
        assert decision.execution.status is Status.PAUSED

    @pytest.mark.parametrize("approved", [True, False])
    def test_what_was_let_pass_is_remembered(self, approved: bool) -> None:
        go_on = approve if approved else resume
        going = go_on(PAUSED_BEFORE_B, replace(MOVE, ready=("b",)), REVIEW_B).execution
        assert going.status is Status.RUNNING
        assert going.passed == (Approval("b", 5, approved),)
        other = advance(going, step("c", ready=("b",)), REVIEW_B).execution
        assert other.status is Status.RUNNING

    def test_the_node_is_paused_again_at_its_next_occurrence_in_a_loop(self) -> None:
        going = approve(PAUSED_BEFORE_B, replace(MOVE, ready=("b",)), REVIEW_B).execution
        done = advance(going, step("b", ready=("a",)), REVIEW_B).execution
        assert done.passed == ()
        again = advance(done, step("a", ready=("b",)), REVIEW_B).execution
        assert again.status is Status.PAUSED
        assert again.node_id == "b"

    def test_a_node_that_failed_after_its_approval_is_tried_again_without_another(self) -> None:
        going = approve(PAUSED_BEFORE_B, replace(MOVE, ready=("b",)), REVIEW_B).execution
        failed = advance(going, step("b", failure="broken", ready=("b",)), REVIEW_B).execution
        assert failed.status is Status.FAILED
        retried = resume(failed, replace(MOVE, ready=("b",)), REVIEW_B).execution
        assert retried.status is Status.RUNNING

    def test_the_retry_of_a_rejected_node_asks_for_review_again(self) -> None:
        rejected = reject(PAUSED_BEFORE_B, MOVE).execution
        retried = resume(rejected, replace(MOVE, ready=("b",)), REVIEW_B)
        assert retried.execution.status is Status.PAUSED
        assert retried.through == (Status.FAILED, Status.RUNNING, Status.PAUSED)

    def test_two_ready_nodes_that_want_review_are_reviewed_one_after_the_other(self) -> None:
        rules = {"b": PauseRule(When.BEFORE), "c": PauseRule(When.BEFORE)}
        first = advance(RUNNING, step("a", ready=("b", "c")), rules).execution
        assert first.node_id == "b"
        second = approve(first, replace(MOVE, ready=("b", "c")), rules).execution
        assert (second.status, second.node_id) == (Status.PAUSED, "c")
        third = approve(second, replace(MOVE, ready=("b", "c")), rules).execution
        assert third.status is Status.RUNNING
        assert {each.node_id for each in third.passed} == {"b", "c"}

    def test_a_requested_pause_does_not_take_the_place_of_a_review(self) -> None:
        asked = ask_pause(RUNNING, NOW).execution
        paused = advance(asked, step("a", ready=("b",)), REVIEW_B).execution
        assert paused.node_id == "a"
        reviewed = resume(paused, replace(MOVE, ready=("b",)), REVIEW_B).execution
        assert (reviewed.status, reviewed.node_id) == (Status.PAUSED, "b")

    def test_the_rule_comes_from_the_settings_of_the_node(self) -> None:
        assert pause_rule(NodeSettings()) is None
        settings = NodeSettings(pause="before", pause_reason="money")
        assert pause_rule(settings) == PauseRule(When.BEFORE, "money")
        timed = NodeSettings(pause="after", timeout=Timeout(seconds=60, outcome="cancel"))
        assert pause_rule(timed) == PauseRule(When.AFTER, "", 60, Outcome.CANCEL)


class TestTimeOut:
    @pytest.mark.parametrize(
        ("outcome", "status"),
        [
            (Outcome.APPROVE, Status.RUNNING),
            (Outcome.REJECT, Status.FAILED),
            (Outcome.CANCEL, Status.CANCELLED),
        ],
    )
    def test_a_pause_that_nobody_answers_gets_its_outcome(
        self, outcome: Outcome, status: Status
    ) -> None:
        rules = {"b": PauseRule(When.BEFORE, "", 60, outcome)}
        paused = advance(RUNNING, step("a", ready=("b",)), rules).execution
        assert time_out(paused, NOW + timedelta(seconds=59)) is None
        decision = time_out(paused, NOW + timedelta(seconds=60), ready=("b",), rules=rules)
        assert decision is not None
        assert decision.execution.status is status
        assert decision.execution.version == paused.version + 1

    def test_a_pause_without_a_timeout_waits_for_ever(self) -> None:
        assert time_out(PAUSED_BEFORE_B, NOW + timedelta(days=9_999)) is None

    def test_what_is_not_paused_has_no_timeout(self) -> None:
        assert time_out(RUNNING, NOW) is None


class TestAskPause:
    def test_a_pause_of_a_running_execution_is_only_requested(self) -> None:
        decision = ask_pause(RUNNING, NOW, "why not")
        assert decision.execution.status is Status.RUNNING
        assert decision.execution.pause_requested
        assert decision.execution.version == RUNNING.version
        assert not decision.writes

    def test_asking_twice_changes_nothing(self) -> None:
        once = ask_pause(RUNNING, NOW, "first").execution
        assert ask_pause(once, NOW + timedelta(hours=1), "second").execution == once

    @pytest.mark.parametrize(
        "execution", [IDLE, PENDING, PAUSED_AFTER_A, FAILED_AT_B, COMPLETED, CANCELLED]
    )
    def test_only_a_running_execution_can_be_asked(self, execution: Execution) -> None:
        with pytest.raises(InvalidState):
            ask_pause(execution, NOW)


class TestResume:
    def test_resume_continues_a_paused_execution(self) -> None:
        decision = resume(PAUSED_AFTER_A, MOVE)
        assert decision.execution == Execution(Status.RUNNING, 5, "a")
        assert decision.through == (Status.PAUSED, Status.RUNNING)
        assert decision.done.applied(["a"]) == ("a",)

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

    def test_only_a_resume_names_the_node_to_go_on_from(self) -> None:
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
        start = restore(PAUSED_AFTER_A, Standing(0, None, When.BEFORE, ()), NOW).execution
        assert update(start, "whatever").execution.version == 6


class TestRestoreAndFork:
    STANDING = Standing(2, "a", When.AFTER, ("a",))

    @pytest.mark.parametrize("execution", [PAUSED_BEFORE_B, FAILED_AT_B])
    def test_a_restore_is_a_new_version_and_then_paused_there(self, execution: Execution) -> None:
        decision = restore(execution, self.STANDING, NOW, "back")
        assert decision.execution == Execution(
            Status.PAUSED, execution.version + 1, "a", Pause("a", When.AFTER, "back", NOW)
        )
        assert decision.done.applied(["a", "b", "c"]) == ("a",)
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


class TestExpect:
    def test_no_expectation_and_a_right_one_pass(self) -> None:
        expect(RUNNING, None, lambda _: pytest.fail("nobody asked"))
        expect(RUNNING, 3, lambda _: pytest.fail("nobody asked"))

    def test_a_stale_one_names_expected_actual_and_the_keys_changed_since(self) -> None:
        with pytest.raises(VersionConflict) as refusal:
            expect(RUNNING, 1, lambda version: [f"changed since {version}"])
        assert refusal.value.extra() == {
            "expected": 1,
            "actual": 3,
            "changed_keys": ["changed since 1"],
        }

    def test_one_from_the_future_is_a_conflict_too(self) -> None:
        with pytest.raises(VersionConflict) as refusal:
            expect(RUNNING, 9, lambda _: pytest.fail("nothing changed since the future"))
        assert refusal.value.changed_keys == ()


def test_a_refusal_says_what_is_needed_and_what_to_do() -> None:
    with pytest.raises(InvalidState) as refusal:
        resume(COMPLETED, MOVE)
    assert refusal.value.detail == (
        "A resume needs an execution that is PENDING, PAUSED or FAILED; this one is COMPLETED. "
        "It has ended; fork it to go on from one of its checkpoints."
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
            Pause("b", When.BEFORE, "r", NOW, NOW + timedelta(hours=1), Outcome.CANCEL),
        ),
    ],
)
def test_a_stored_execution_reads_back_the_same(execution: Execution) -> None:
    assert read(dump(execution)) == execution
