"""Replaying parts of a backtest, which are small enough for a process."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.lib.work_budget import limit_work, spend
from workflows.domain.backtests.policies import PolicyConfig, policies_of
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.replay import CallOfAll, replay
from workflows.domain.backtests.sums import PolicySums, add_conversation
from workflows.domain.document.graph import Document
from workflows.domain.running.plan import Plan

# What a process gets at once, so that few messages are in memory and few are sent by themselves.
_MESSAGES_AT_ONCE: Final = 2_000
_BYTES_AT_ONCE: Final = 4_000_000
# What a policy takes at one call: 50 to 100 microseconds, measured at 2,019 calls.
_UNITS_OF_CALL: Final = 1_000


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """The policies, the workflow of their nodes, and the node whose calls count ("" for all).

    ``limit`` is the work in units of ``WorkBudget`` that one part may take, 0 for any.
    """

    policies: Sequence[PolicyConfig]
    document: Document | None = None
    node: str = ""
    limit: int = 0

    def sums(self) -> list[PolicySums]:
        """Returns empty sums; raises ValidationFailed for a policy that cannot run."""
        plan = None if self.document is None else Plan(self.document)
        rows = policies_of(self.policies, plan)
        return [PolicySums(row.key, row.title) for row in rows]


def replay_all(request: ReplayRequest, conversations: Iterable[Recorded]) -> list[PolicySums]:
    """The sums over some conversations, in this process; TooLarge for more than the limit."""
    if request.limit:
        with limit_work(request.limit):
            return _sums_over(request, conversations)
    return _sums_over(request, conversations)


def _sums_over(request: ReplayRequest, conversations: Iterable[Recorded]) -> list[PolicySums]:
    plan = None if request.document is None else Plan(request.document)
    rows = policies_of(request.policies, plan)
    sums = [PolicySums(row.key, row.title) for row in rows]
    for recorded in conversations:
        add_conversation(sums, counted(replay(recorded, rows, node=request.node), len(rows)))
    return sums


def counted(calls: Iterable[CallOfAll], rows: int) -> Iterator[CallOfAll]:
    """Yields the calls and counts their work."""
    for call in calls:
        spend(rows * _UNITS_OF_CALL, "comparing policies")
        yield call


def parts_of(conversations: Iterable[Recorded]) -> Iterator[list[Recorded]]:
    """Conversations in parts of some messages and bytes, at least one in each."""
    part: list[Recorded] = []
    messages = size = 0
    for recorded in conversations:
        part.append(recorded)
        messages += len(recorded.messages)
        size += sum(len(message.body) for message in recorded.messages)
        if messages >= _MESSAGES_AT_ONCE or size >= _BYTES_AT_ONCE:
            yield part
            part, messages, size = [], 0, 0
    if part:
        yield part
