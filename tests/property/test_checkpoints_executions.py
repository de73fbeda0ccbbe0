"""Laws of executions: whatever is asked in whatever order, only legal moves are made."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from checkpoints.domain.execution import (
    Execution,
    RestorePoint,
    StatusMove,
    Step,
    Transition,
    advance,
    approve,
    ask_pause,
    cancel,
    new_execution,
    reject,
    restore,
    resume,
    time_out,
    update,
)
from checkpoints.domain.execution_json import dump, read
from checkpoints.domain.pauses import PauseRule, TimeoutOutcome, When, nodes_to_review
from checkpoints.domain.status import FINAL, MOVES, Status
from ctxadmin.lib.errors import InvalidState
from tests.examples import examples

START = datetime(2026, 1, 1, tzinfo=UTC)
NODES = st.sampled_from("abcd")
READY = st.lists(NODES, unique=True, max_size=3).map(tuple)
SENT = st.none() | st.sampled_from([each for each in Status if each is not Status.IDLE])
RULES = st.dictionaries(
    NODES,
    st.builds(
        PauseRule,
        st.sampled_from(When),
        st.just("why"),
        st.none() | st.just(60.0),
        st.sampled_from(TimeoutOutcome),
    ),
)


class Executions(RuleBasedStateMachine):
    """One execution, asked for everything at any time."""

    @initialize(start=st.booleans(), rules=RULES, ready=READY)
    def begin(self, start: bool, rules: dict[str, PauseRule], ready: tuple[str, ...]) -> None:
        self.now, self.reviews, self.ready = START, rules, ready
        self.executed: tuple[str, ...] = ()
        self.standings = [RestorePoint(0, None, When.BEFORE, ())]
        self.execution = Execution(Status.IDLE)
        self.follow(new_execution(self.now, start=start, ready=ready, rules=rules), raises=0)

    def follow(self, decision: Transition, raises: int = 1) -> None:
        """Take a decision, checking that the way there is legal."""
        before, after = self.execution, decision.execution
        assert before.status not in FINAL
        assert decision.through[0] is before.status
        assert decision.through[-1] is after.status
        for left, right in pairwise(decision.through):
            restored = (left, right) == (Status.FAILED, Status.PAUSED)
            assert right in MOVES[left] or restored
        assert after.version == before.version + (raises if decision.writes else 0)
        self.execution, self.executed = after, decision.done.apply_to(self.executed)
        if decision.writes and raises:
            self.standings.append(
                RestorePoint(after.version, after.node_id, When.AFTER, self.executed)
            )

    def attempt(self, decide: Callable[..., Transition], *arguments: object) -> bool:
        """Ask for a decision and follow it; a refusal changes nothing."""
        before = dump(self.execution)
        try:
            decision = decide(self.execution, *arguments)
        except InvalidState:
            assert dump(self.execution) == before
            return False
        self.follow(decision)
        return True

    @rule(
        node=NODES,
        sent=SENT,
        ready=READY,
        failure=st.none() | st.just("broken"),
        error_edges=st.booleans(),
        nothing_left=st.booleans(),
    )
    def advance(
        self,
        node: str,
        sent: Status | None,
        ready: tuple[str, ...],
        failure: str | None,
        error_edges: bool,
        nothing_left: bool,
    ) -> None:
        step = Step(node, self.now, failure, error_edges, sent, None, ready, nothing_left)
        if self.attempt(advance, step, self.reviews):
            self.ready = ready

    @rule()
    def ask_pause(self) -> None:
        self.attempt(ask_pause, self.now)

    @rule(node=st.none() | NODES, elsewhere=st.none() | NODES)
    def resume(self, node: str | None, elsewhere: str | None) -> None:
        self.attempt(resume, StatusMove(self.now, node, elsewhere, ready=self.ready), self.reviews)

    @rule()
    def approve(self) -> None:
        self.attempt(approve, StatusMove(self.now, ready=self.ready), self.reviews)

    @rule()
    def reject(self) -> None:
        self.attempt(reject, StatusMove(self.now))

    @rule()
    def update(self) -> None:
        self.attempt(update, self.execution.node_id or "a")

    @rule(place=st.integers(0))
    def restore(self, place: int) -> None:
        self.attempt(restore, self.standings[place % len(self.standings)], self.now)

    @rule()
    @precondition(lambda self: len(self.standings) > 6)
    def cancel(self) -> None:
        self.attempt(cancel, StatusMove(self.now))

    @rule(seconds=st.integers(1, 90))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        decision = time_out(self.execution, self.now, ready=self.ready, rules=self.reviews)
        if decision is not None:
            self.follow(decision)

    @invariant()
    def each_status_has_exactly_what_belongs_to_it(self) -> None:
        execution = self.execution
        assert (execution.pause is not None) == (execution.status is Status.PAUSED)
        assert (execution.failure is not None) == (execution.status is Status.FAILED)
        assert not execution.pause_requested or execution.status is Status.RUNNING

    @invariant()
    def no_ready_node_that_wants_review_runs_without_it(self) -> None:
        if self.execution.status is Status.RUNNING:
            assert not nodes_to_review(self.ready, self.reviews, self.execution.passed)

    @invariant()
    def it_reads_back_the_same(self) -> None:
        assert read(dump(self.execution)) == self.execution

    @invariant()
    def a_paused_execution_stands_at_its_paused_node(self) -> None:
        if self.execution.pause is not None:
            assert self.execution.node_id == self.execution.pause.node_id


TestExecutions = Executions.TestCase
TestExecutions.settings = settings(max_examples=examples(100), stateful_step_count=30)
