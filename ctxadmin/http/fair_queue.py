"""The queue in front of the threads that answer requests, shared fairly by the callers.

Callers take turns, and each holds half of the threads at most: one that sends much waits for
itself. Large bodies cost processor time, of which all threads together have one core: they get
half of the threads, and those of one caller a quarter; beside a database that computes in this
process one.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

LONG: Final = 0.01  # seconds; several times what a call of an engine takes


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request that waits for its thread; ``begins`` is done when it has one."""

    caller: Hashable
    is_large: bool
    begins: asyncio.Future[None]
    has_turn: bool = False


class FairQueue:
    """Gives requests their threads; next is the caller who holds fewest, then who waits longest.

    With ``seconds`` requests begin one after the other: when the one before has ended, or took so
    long. Threads that compute hand the interpreter to each other at every query of an embedded
    database, and to hand it over takes longer than the query. Used on one event loop only.
    """

    def __init__(self, threads: int, seconds: float | None = None) -> None:
        self._free = threads
        self._most_of_caller = self._most_large = max(threads // 2, 1)
        # Of 16 requests of 1 s each on SQLite: a small read of another caller took 60 ms beside two
        # (the longest 740), and 20 ms beside one (150).
        self._most_large_of_caller = 1 if seconds is not None else max(threads // 4, 1)
        self._seconds = seconds
        self._held: Counter[Hashable] = Counter()
        self._held_large: Counter[Hashable] = Counter()
        self._large = 0
        self._has_turn = False  # one that others wait for to end, or to take long
        # Those of each caller who waits, small ones and large ones; the next caller first.
        self._waiting: dict[Hashable, tuple[deque[_Waiting], deque[_Waiting]]] = {}

    @asynccontextmanager
    async def thread(self, caller: Hashable, *, is_large: bool = False) -> AsyncIterator[None]:
        """Within the block the request has a thread of the pool."""
        request = _Waiting(caller, is_large, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(caller, (deque(), deque()))[is_large].append(request)
        self._serve()
        try:
            await request.begins
        except BaseException:
            if request.begins.done() and not request.begins.cancelled():
                self._end(request)
            else:
                self._forget(request)
            raise
        timer = None
        if request.has_turn and self._seconds is not None:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self._seconds, self._end_turn, request)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            self._end(request)

    def _serve(self) -> None:
        """Let all begin that can."""
        while self._free and not self._has_turn and (request := self._next()) is not None:
            self._forget(request)
            if request.begins.done():  # cancelled a moment ago
                continue
            if request.caller in self._waiting:  # it goes behind the others
                self._waiting[request.caller] = self._waiting.pop(request.caller)
            self._free -= 1
            self._held[request.caller] += 1
            if request.is_large:
                self._large += 1
                self._held_large[request.caller] += 1
            request.has_turn = self._has_turn = self._seconds is not None
            request.begins.set_result(None)

    def _next(self) -> _Waiting | None:
        """The first request of the caller who holds fewest threads, of those that may have one."""
        found = (self._next_of(caller) for caller in self._waiting)
        able = (request for request in found if request is not None)
        return min(able, key=lambda request: self._held[request.caller], default=None)

    def _next_of(self, caller: Hashable) -> _Waiting | None:
        if self._held[caller] >= self._most_of_caller:
            return None
        small, large = self._waiting[caller]
        has_place = (
            self._large < self._most_large and self._held_large[caller] < self._most_large_of_caller
        )
        if large and has_place:
            return large[0]
        return small[0] if small else None

    def _forget(self, request: _Waiting) -> None:
        """It waits no more."""
        lists = self._waiting.get(request.caller)
        if lists is None or request not in lists[request.is_large]:
            return
        lists[request.is_large].remove(request)
        if not any(lists):
            del self._waiting[request.caller]

    def _end_turn(self, request: _Waiting) -> None:
        """The request takes long: the next one begins beside it."""
        if request.has_turn:
            request.has_turn = self._has_turn = False
            self._serve()

    def _end(self, request: _Waiting) -> None:
        self._free += 1
        _take_one(self._held, request.caller)
        if request.is_large:
            self._large -= 1
            _take_one(self._held_large, request.caller)
        if request.has_turn:
            request.has_turn = self._has_turn = False
        self._serve()


def _take_one(held: Counter[Hashable], caller: Hashable) -> None:
    held[caller] -= 1
    if not held[caller]:
        del held[caller]
