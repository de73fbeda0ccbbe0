"""Executions in each status, and steps of theirs, in tests."""

from datetime import UTC, datetime
from typing import Any

from checkpoints.domain.execution import Execution, Failure, StatusMove, Step
from checkpoints.domain.pauses import Pause, PauseRule, When
from checkpoints.domain.status import Status

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MOVE = StatusMove(NOW)
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
