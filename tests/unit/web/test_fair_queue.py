"""Requests take turns, and none waits long for another."""

import asyncio
from collections.abc import Awaitable, Callable

from ctxadmin.http.fair_queue import FairQueue


class _StillLoop(asyncio.SelectorEventLoop):
    """A loop whose clock goes on only when it is told to."""

    now = 0.0

    def time(self) -> float:
        return self.now


class _Request:
    """A request that begins when it has its turn and ends when it is told to."""

    def __init__(self, queue: FairQueue) -> None:
        self.has_begun = False
        self._may_end = asyncio.Event()
        self.task = asyncio.ensure_future(self._run(queue))

    async def _run(self, queue: FairQueue) -> None:
        async with queue.one():
            self.has_begun = True
            await self._may_end.wait()

    async def end(self) -> None:
        self._may_end.set()
        await self.task


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def _run(scene: Callable[[_StillLoop], Awaitable[None]]) -> None:
    loop = _StillLoop()
    try:
        loop.run_until_complete(scene(loop))
    finally:
        loop.close()


def test_a_request_waits_until_the_one_before_it_ends() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(seconds=1)
        first, second = _Request(queue), _Request(queue)
        await _settle()
        assert first.has_begun
        assert not second.has_begun
        await first.end()
        await _settle()
        assert second.has_begun
        await second.end()

    _run(scene)


def test_those_that_wait_begin_in_the_order_in_which_they_came() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(seconds=1)
        requests = [_Request(queue) for _ in range(4)]
        for number, request in enumerate(requests):
            await _settle()
            assert [each.has_begun for each in requests].count(True) == number + 1
            await request.end()

    _run(scene)


def test_a_request_that_takes_long_lets_the_next_one_begin_beside_it() -> None:
    async def scene(loop: _StillLoop) -> None:
        queue = FairQueue(seconds=1)
        first, second, third = (_Request(queue) for _ in range(3))
        await _settle()
        loop.now += 2
        await _settle()
        assert second.has_begun
        assert not third.has_begun
        loop.now += 2
        await _settle()
        assert third.has_begun
        for each in (first, second, third):
            await each.end()

    _run(scene)


def test_the_end_of_a_long_request_gives_no_second_turn() -> None:
    async def scene(loop: _StillLoop) -> None:
        queue = FairQueue(seconds=1)
        long = _Request(queue)
        await _settle()
        loop.now += 2
        await _settle()
        await long.end()
        first, second = _Request(queue), _Request(queue)
        await _settle()
        assert first.has_begun
        assert not second.has_begun
        for each in (first, second):
            await each.end()

    _run(scene)


def test_one_that_is_gone_before_its_turn_holds_up_nobody() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(seconds=1)
        first, gone, last = (_Request(queue) for _ in range(3))
        await _settle()
        gone.task.cancel()
        await first.end()
        await _settle()
        assert not gone.has_begun
        assert last.has_begun
        await last.end()

    _run(scene)
