"""Pauses of an execution: asked for, set by its nodes, timed out (semantics 3.1, 3.8)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from checkpoints.domain.execution import (
    Execution,
    advance,
    approve,
    ask_pause,
    reject,
    resume,
    time_out,
)
from checkpoints.domain.pauses import Approval, Pause, PauseRule, TimeoutOutcome, When, pause_rule
from checkpoints.domain.status import Status
from ctxadmin.lib.errors import InvalidState
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
from workflows.domain.document.graph import NodeSettings, Timeout


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
        assert pause_rule(timed) == PauseRule(When.AFTER, "", 60, TimeoutOutcome.CANCEL)


class TestTimeOut:
    @pytest.mark.parametrize(
        ("outcome", "status"),
        [
            (TimeoutOutcome.APPROVE, Status.RUNNING),
            (TimeoutOutcome.REJECT, Status.FAILED),
            (TimeoutOutcome.CANCEL, Status.CANCELLED),
        ],
    )
    def test_a_pause_that_no_one_answers_gets_its_outcome(
        self, outcome: TimeoutOutcome, status: Status
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
