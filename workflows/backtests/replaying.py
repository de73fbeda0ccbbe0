"""Runs a backtest over many conversations, in several processes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from workflows.backtests.parts import ReplayRequest, parts_of, replay_all
from workflows.backtests.processes import ProcessDied, ReplayProcesses
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.sums import PolicySums

__all__ = [
    "Cancelled",
    "ProcessDied",
    "Progress",
    "ReplayRequest",
    "replay_all",
    "run_backtest",
]

_TICK_SECONDS: Final = 0.5

# Is told how many conversations are done, once for each part and now and then while nothing comes
# back; False cancels the backtest.
Progress = Callable[[int], bool]


class Cancelled(Exception):
    """The backtest was cancelled."""


def run_backtest(
    request: ReplayRequest,
    conversations: Iterable[Recorded],
    *,
    processes: int = 2,
    nice: int = 0,
    progress: Progress = lambda done: True,
) -> list[PolicySums]:
    """The sums over all conversations, which are read while others are replayed.

    The sums are the same for any number of ``processes``; 0 replays in this one. ``nice`` is added
    to their niceness. Raises Cancelled, ProcessDied, and TooLarge for a part that takes more than
    the limit of ``request``.
    """
    total = _Total(request.sums(), progress)
    if not processes:
        for number, part in enumerate(parts_of(conversations)):
            total.sent(number, part)
            total.add([(number, replay_all(request, part))])
        return total.sums
    with ReplayProcesses(request, processes, nice=nice) as replaying:
        for number, part in enumerate(parts_of(conversations)):
            while not replaying.is_idle:
                total.add(replaying.take(_TICK_SECONDS))
            replaying.send(number, part)
            total.sent(number, part)
        while replaying.is_busy:
            total.add(replaying.take(_TICK_SECONDS))
    return total.sums


class _Total:
    """The sums so far, in the order of the parts whoever was first."""

    def __init__(self, sums: list[PolicySums], progress: Progress) -> None:
        self.sums = sums
        self._progress = progress
        self._sizes: dict[int, int] = {}
        self._early: dict[int, Sequence[PolicySums]] = {}
        self._next = self._done = 0

    def sent(self, number: int, part: Sequence[Recorded]) -> None:
        self._sizes[number] = len(part)

    def add(self, answers: Sequence[tuple[int, Sequence[PolicySums]]]) -> None:
        """Adds returned parts, if any, and reports progress; raises Cancelled if requested."""
        for number, sums in answers:
            self._done += self._sizes.pop(number)
            self._early[number] = sums
        while (ready := self._early.pop(self._next, None)) is not None:
            for mine, theirs in zip(self.sums, ready, strict=True):
                mine.merge(theirs)
            self._next += 1
        if not self._progress(self._done):
            raise Cancelled
