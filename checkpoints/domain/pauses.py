"""Pauses for review: the rules that cause one, and the approvals that let a node run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.clock import iso
from ctxadmin.lib.sentence import Sentence, say
from workflows.domain.document.graph import NodeSettings


class When(StrEnum):
    """Whether the pause comes before its node runs, or after it and before its successors."""

    BEFORE = "before"
    AFTER = "after"


class TimeoutOutcome(StrEnum):
    """The outcome of a review that times out."""

    APPROVE = "approve"
    REJECT = "reject"
    CANCEL = "cancel"


# Why something happens by itself at the deadline of a review.
AUTOMATIC: Final[Mapping[TimeoutOutcome, Sentence]] = {
    TimeoutOutcome.APPROVE: say("Approved automatically: nobody answered by the deadline."),
    TimeoutOutcome.REJECT: say("Rejected automatically: nobody answered by the deadline."),
    TimeoutOutcome.CANCEL: say("Cancelled automatically: nobody answered by the deadline."),
}

_FORKED: Final = re.compile(r"forked from (\S+) at version (\d+)")


def fork_reason(source: str, version: int | str) -> Sentence:
    """Returns why a fork waits: it was forked from a version of the conversation ``source``."""
    return say("forked from {source} at version {n}", source=source, n=version)


def said_reason(reason: str) -> str:
    """Returns a stored reason as the sentence that ctxadmin wrote; another one unchanged."""
    if forked := _FORKED.fullmatch(reason):
        return fork_reason(*forked.groups())
    return next((each for each in AUTOMATIC.values() if str(each) == reason), reason)


@dataclass(frozen=True, slots=True)
class PauseRule:
    """The review rule of a node (semantics 3.8); without a ``timeout`` it waits indefinitely.

    ``timeout`` is in seconds and requires an ``outcome``.
    """

    when: When
    reason: str = ""
    timeout: float | None = None
    outcome: TimeoutOutcome | None = None


Rules = Mapping[str, PauseRule]  # by node id


@dataclass(frozen=True, slots=True)
class Pause:
    """Where and why a PAUSED execution waits.

    ``node_id`` is None only if the execution was restored to a version before any node. At
    ``deadline`` the ``outcome`` applies automatically; both are set or neither.
    """

    node_id: str | None
    when: When
    reason: str = ""
    since: datetime | None = None
    deadline: datetime | None = None
    outcome: TimeoutOutcome | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """Returns the pause as a snapshot shows it: reason, start and deadline."""
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
    """A requested pause, which takes effect with the next checkpoint."""

    reason: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """Lets the next occurrence of ``node_id`` run without another pause before it.

    The node's next completion uses it up: in a loop the node asks again, but a retry after a
    failure does not. ``version`` is the write that approved or resumed; ``approved`` tells an
    approval from a resume.
    """

    node_id: str
    version: int
    approved: bool


def pause_rule(settings: NodeSettings) -> PauseRule | None:
    """Returns the review rule in a node's settings, None without one."""
    if settings.pause is None:
        return None
    timeout = settings.timeout
    return PauseRule(
        When(settings.pause),
        settings.pause_reason or "",
        None if timeout is None else timeout.seconds,
        None if timeout is None else TimeoutOutcome(timeout.outcome),
    )


def nodes_to_review(
    ready: Iterable[str], rules: Rules, passed: Sequence[Approval]
) -> tuple[str, ...]:
    """Returns the ready nodes that wait for review before they run, in their order."""
    free = {approval.node_id for approval in passed}
    return tuple(node for node in ready if node not in free and _asks_before(node, rules))


def _asks_before(node: str, rules: Rules) -> bool:
    rule = rules.get(node)
    return rule is not None and rule.when is When.BEFORE


def pause_by_rule(node_id: str, rule: PauseRule, at: datetime) -> Pause:
    """Returns the pause that a node's rule causes at the moment ``at``."""
    deadline = None if rule.timeout is None else at + timedelta(seconds=rule.timeout)
    return Pause(node_id, rule.when, rule.reason, at, deadline, rule.outcome)
