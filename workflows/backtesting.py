"""Running a backtest over many conversations, in processes of its own."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

from workflows.domain.backtests.policies import PolicyConfig, policies_of
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.replay import replay
from workflows.domain.backtests.sums import PolicySums, add_conversation
from workflows.domain.graph import Document
from workflows.domain.plan import Plan

# What a process gets at once, so that few messages are in memory and few are sent by themselves.
_MESSAGES_AT_ONCE: Final = 2_000
_BYTES_AT_ONCE: Final = 4_000_000

# Is told how many conversations are done; False cancels the backtest.
Progress = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """The policies, the workflow of their nodes, and the node whose calls count ("" for all)."""

    policies: Sequence[PolicyConfig]
    document: Document | None = None
    node: str = ""

    def sums(self) -> list[PolicySums]:
        """Empty sums; ValidationFailed for a policy that cannot run."""
        plan = None if self.document is None else Plan(self.document)
        rows = policies_of(self.policies, plan)
        return [PolicySums(row.key, row.title) for row in rows]


class Cancelled(Exception):
    """Somebody cancelled the backtest."""


def replay_all(asked: Asked, conversations: Iterable[Recorded]) -> list[PolicySums]:
    """The sums over some conversations, in this process."""
    plan = None if asked.document is None else Plan(asked.document)
    rows = policies_of(asked.policies, plan)
    sums = [PolicySums(row.key, row.title) for row in rows]
    for recorded in conversations:
        add_conversation(sums, replay(recorded, rows, node=asked.node))
    return sums


def run_backtest(
    asked: Asked,
    conversations: Iterable[Recorded],
    *,
    processes: int = 2,
    progress: Progress = lambda done: True,
) -> list[PolicySums]:
    """The sums over all conversations, which are read while others are replayed.

    The sums are the same for any number of processes. Raises Cancelled, and BrokenProcessPool if a
    process dies.
    """
    sums = asked.sums()
    done = 0
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[tuple[int, Future[list[PolicySums]]]] = deque()

        def take() -> None:
            nonlocal done
            count, future = waiting.popleft()
            for mine, theirs in zip(sums, future.result(), strict=True):
                mine.merge(theirs)
            done += count
            if not progress(done):
                raise Cancelled

        try:
            for part in _parts(conversations):
                waiting.append((len(part), pool.submit(replay_all, asked, part)))
                if len(waiting) > 2 * processes:
                    take()
            while waiting:
                take()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return sums


def _parts(conversations: Iterable[Recorded]) -> Iterator[list[Recorded]]:
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
