"""The queue before the threads that answer requests, shared fairly by the callers.

Callers take turns, and each has half of the threads at most: one that sends much waits for itself.
Large bodies cost processor time, of which all threads together have one core: they get half of the
threads, and those of one caller a quarter; with a database that computes in this process they get
one. They also cost memory, up to 25 times their size: together they have MOST_LARGE_BYTES.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

LONG: Final = 0.01  # seconds; several times what a call of an engine takes
SMALL: Final = 64 * 1024  # bytes of a body
# Of large bodies at once; one that has more begins alone. Four imports of 64 MB took 4 GB.
MOST_LARGE_BYTES: Final = 32 * 1024**2


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request that waits for its thread; ``begins`` is done when it has one."""

    caller: Hashable
    size: int  # of its body
    number: int  # in the order of arrival
    begins: asyncio.Future[None]
    has_turn: bool = False

    @property
    def is_large(self) -> bool:
        return self.size > SMALL


class FairQueue:
    """Assigns threads to requests: to the caller with the fewest, then to the longest waiting.

    With ``seconds`` requests begin one after the other: when the one before has ended, or took so
    long. Threads that compute hand the interpreter over at every query of an embedded database,
    which takes longer than the query. Used on one event loop only.
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
        self._large_bytes = 0
        self._arrived = 0
        self._has_turn = False  # one that others wait for to end, or to take long
        # Those of each caller who waits, small ones and large ones; the next caller first.
        self._waiting: dict[Hashable, tuple[deque[_Waiting], deque[_Waiting]]] = {}

    @asynccontextmanager
    async def thread(self, caller: Hashable, *, size: int = 0) -> AsyncIterator[None]:
        """Gives the request, whose body has ``size`` bytes, a thread of the pool within the
        block.
        """
        self._arrived += 1
        begins = asyncio.get_running_loop().create_future()
        request = _Waiting(caller, size, self._arrived, begins)
        self._waiting.setdefault(caller, (deque(), deque()))[request.is_large].append(request)
        self._serve()
        try:
            await request.begins
        except BaseException:
            if request.begins.done() and not request.begins.cancelled():
                self._end(request)
            else:
                self._forget(request)
                self._serve()  # it may have held up others
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
        """Starts all requests that can begin."""
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
                self._large_bytes += request.size
                self._held_large[request.caller] += 1
            request.has_turn = self._has_turn = self._seconds is not None
            request.begins.set_result(None)

    def _next(self) -> _Waiting | None:
        """Returns the first eligible request of the caller with the fewest threads."""
        first = self._first_large()
        large_may = first is not None and self._fits(first)
        found = (self._next_of(caller, large_may=large_may) for caller in self._waiting)
        able = (request for request in found if request is not None)
        return min(able, key=lambda request: self._held[request.caller], default=None)

    def _next_of(self, caller: Hashable, *, large_may: bool) -> _Waiting | None:
        if self._held[caller] >= self._most_of_caller:
            return None
        small, large = self._waiting[caller]
        if large and large_may and self._has_place(caller) and self._fits(large[0]):
            return large[0]
        return small[0] if small else None

    def _first_large(self) -> _Waiting | None:
        """Returns the first large request with room; none overtakes another.

        Otherwise one that has to begin alone would wait indefinitely.
        """
        able = (
            large[0]
            for caller, (_, large) in self._waiting.items()
            if large and self._has_place(caller) and self._held[caller] < self._most_of_caller
        )
        return min(able, key=lambda request: request.number, default=None)

    def _has_place(self, caller: Hashable) -> bool:
        of_caller = self._held_large[caller]
        return self._large < self._most_large and of_caller < self._most_large_of_caller

    def _fits(self, request: _Waiting) -> bool:
        return not self._large or self._large_bytes + request.size <= MOST_LARGE_BYTES

    def _forget(self, request: _Waiting) -> None:
        """Removes a request that no longer waits."""
        lists = self._waiting.get(request.caller)
        if lists is None or request not in lists[request.is_large]:
            return
        lists[request.is_large].remove(request)
        if not any(lists):
            del self._waiting[request.caller]

    def _end_turn(self, request: _Waiting) -> None:
        """Ends the turn of a long request, so that the next one begins beside it."""
        if request.has_turn:
            request.has_turn = self._has_turn = False
            self._serve()

    def _end(self, request: _Waiting) -> None:
        self._free += 1
        _decrement(self._held, request.caller)
        if request.is_large:
            self._large -= 1
            self._large_bytes -= request.size
            _decrement(self._held_large, request.caller)
        if request.has_turn:
            request.has_turn = self._has_turn = False
        self._serve()


def _decrement(held: Counter[Hashable], caller: Hashable) -> None:
    held[caller] -= 1
    if not held[caller]:
        del held[caller]
