"""What makes an execution wait for people, and what they let pass."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.clock import iso
from ctxadmin.lib.sentence import Sentence, say
from workflows.domain.graph import NodeSettings


class When(StrEnum):
    """Whether an execution is before or after its node: the node runs next, or its successors."""

    BEFORE = "before"
    AFTER = "after"


class Outcome(StrEnum):
    """What happens when a review times out."""

    APPROVE = "approve"
    REJECT = "reject"
    CANCEL = "cancel"


# Why something happens by itself at the deadline of a review.
AUTOMATIC: Final[Mapping[Outcome, Sentence]] = {
    Outcome.APPROVE: say("Approved automatically: nobody answered by the deadline."),
    Outcome.REJECT: say("Rejected automatically: nobody answered by the deadline."),
    Outcome.CANCEL: say("Cancelled automatically: nobody answered by the deadline."),
}


@dataclass(frozen=True, slots=True)
class PauseRule:
    """A node's wish for review (semantics 3.8); without a ``timeout`` it waits for ever.

    ``timeout`` is in seconds and comes with its ``outcome``.
    """

    when: When
    reason: str = ""
    timeout: float | None = None
    outcome: Outcome | None = None


Rules = Mapping[str, PauseRule]  # by node id


@dataclass(frozen=True, slots=True)
class Pause:
    """Where and why a PAUSED execution waits.

    ``node_id`` is None only if it went back to a version before any node. At ``deadline`` the
    ``outcome`` happens by itself; both are set or none.
    """

    node_id: str | None
    when: When
    reason: str = ""
    since: datetime | None = None
    deadline: datetime | None = None
    outcome: Outcome | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """The pause as a snapshot shows it: why it waits, since when, and until when."""
        return {
            "node_id": self.node_id,
            "when": self.when.value,
            "reason": self.reason or None,
            "since": None if self.since is None else iso(self.since),
            "deadline": None if self.deadline is None else iso(self.deadline),
            "outcome": None if self.outcome is None else self.outcome.value,
        }


@dataclass(frozen=True, slots=True)
class PauseRequest:
    """A pause that was asked for and comes with the next checkpoint."""

    reason: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """The next occurrence of ``node_id`` runs without another pause before it.

    The node's next completion uses it up, so that the node asks again in a loop but not when
    it failed and is tried again.
    ``version`` is the write that let it pass; ``approved`` tells an approval from a resume.
    """

    node_id: str
    version: int
    approved: bool


def pause_rule(settings: NodeSettings) -> PauseRule | None:
    """The rule in a node's settings, or None if it does not ask for review."""
    if settings.pause is None:
        return None
    timeout = settings.timeout
    return PauseRule(
        When(settings.pause),
        settings.pause_reason or "",
        None if timeout is None else timeout.seconds,
        None if timeout is None else Outcome(timeout.outcome),
    )


def held(ready: Iterable[str], rules: Rules, passed: Sequence[Approval]) -> tuple[str, ...]:
    """Those of the ready nodes that wait for review before they run, in their order."""
    free = {approval.node_id for approval in passed}
    return tuple(node for node in ready if node not in free and _asks_before(node, rules))


def _asks_before(node: str, rules: Rules) -> bool:
    rule = rules.get(node)
    return rule is not None and rule.when is When.BEFORE


def pause_by_rule(node_id: str, rule: PauseRule, at: datetime) -> Pause:
    """The pause that a node's rule causes at the moment ``at``."""
    deadline = None if rule.timeout is None else at + timedelta(seconds=rule.timeout)
    return Pause(node_id, rule.when, rule.reason, at, deadline, rule.outcome)
