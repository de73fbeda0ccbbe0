"""Requests and their callers take turns, and none waits long for another."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ctxadmin.http.requests.fair_queue import MOST_LARGE_BYTES, SMALL, FairQueue

LARGE = SMALL + 1


class _StillLoop(asyncio.SelectorEventLoop):
    """A loop whose clock moves only when the test moves it."""

    now = 0.0

    def time(self) -> float:
        return self.now


class _Request:
    """A request that starts in its turn and ends when the test ends it."""

    def __init__(self, queue: FairQueue, caller: str = "", *, size: int = 0) -> None:
        self.has_begun = False
        self._may_end = asyncio.Event()
        self.task = asyncio.ensure_future(self._run(queue, caller, size))

    async def _run(self, queue: FairQueue, caller: str, size: int) -> None:
        async with queue.thread(caller, size=size):
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
        queue = FairQueue(8, seconds=1)
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
        queue = FairQueue(8, seconds=1)
        requests = [_Request(queue) for _ in range(4)]
        for number, request in enumerate(requests):
            await _settle()
            assert [each.has_begun for each in requests].count(True) == number + 1
            await request.end()

    _run(scene)


def test_a_request_that_takes_long_lets_the_next_one_begin_beside_it() -> None:
    async def scene(loop: _StillLoop) -> None:
        queue = FairQueue(8, seconds=1)
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
        queue = FairQueue(8, seconds=1)
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


def test_one_that_is_gone_before_its_turn_holds_up_no_one() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(8, seconds=1)
        first, gone, last = (_Request(queue) for _ in range(3))
        await _settle()
        gone.task.cancel()
        await first.end()
        await _settle()
        assert not gone.has_begun
        assert last.has_begun
        await last.end()

    _run(scene)


def begun(requests: Sequence[_Request]) -> list[int]:
    return [number for number, request in enumerate(requests) if request.has_begun]


def test_one_caller_holds_half_of_the_threads_and_others_have_the_rest() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(8)
        greedy = [_Request(queue, "greedy") for _ in range(16)]
        await _settle()
        assert begun(greedy) == [0, 1, 2, 3]
        others = [_Request(queue, f"other {number}") for number in range(5)]
        await _settle()
        assert begun(others) == [0, 1, 2, 3]
        await greedy[0].end()  # the fifth waits for the next that ends, not for all before it
        await _settle()
        assert begun(others) == [0, 1, 2, 3, 4]
        assert begun(greedy) == [0, 1, 2, 3]
        for each in (*greedy[1:], *others):
            await each.end()

    _run(scene)


def test_callers_take_turns_whoever_came_first() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(1)
        running = _Request(queue, "first")
        await _settle()
        waiting = [_Request(queue, caller) for caller in ("a", "a", "a", "b", "c", "b")]
        order: list[int] = []
        while len(order) < len(waiting):
            await running.end()
            await _settle()
            (new,) = [each for each in begun(waiting) if each not in order]
            order.append(new)
            running = waiting[new]
        await running.end()
        assert order == [0, 3, 4, 1, 5, 2]

    _run(scene)


def test_large_bodies_of_a_caller_get_a_quarter_and_small_requests_pass_them() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(8)
        large = [_Request(queue, "greedy", size=LARGE) for _ in range(4)]
        small = [_Request(queue, "greedy") for _ in range(3)]
        other = [_Request(queue, each, size=LARGE) for each in ("other", "other", "third")]
        await _settle()
        assert begun(large) == [0, 1]
        assert begun(small) == [0, 1]  # with two large ones it has half of the threads
        assert begun(other) == [0, 1]  # with the others' half of the threads has large bodies
        for each in (*large, *small, *other):
            await each.end()

    _run(scene)


def test_beside_an_embedded_database_a_caller_has_one_large_body_at_a_time() -> None:
    async def scene(loop: _StillLoop) -> None:
        queue = FairQueue(8, seconds=1)
        large = [_Request(queue, "greedy", size=LARGE) for _ in range(3)]
        other = _Request(queue, "other")
        await _settle()
        assert begun(large) == [0]
        loop.now += 2
        await _settle()
        assert other.has_begun
        loop.now += 2
        await _settle()
        assert begun(large) == [0]
        for each in (*large, other):
            await each.end()

    _run(scene)


def test_those_that_go_while_they_wait_or_begin_leave_their_threads() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(2)
        first, second, third = (_Request(queue, "a", size=LARGE) for _ in range(3))
        await _settle()
        first.task.cancel()
        second.task.cancel()
        await _settle()
        assert third.has_begun
        await third.end()
        last = [_Request(queue, each) for each in ("a", "b")]
        await _settle()
        assert begun(last) == [0, 1]
        for each in last:
            await each.end()

    _run(scene)


def test_large_bodies_begin_as_long_as_their_bytes_have_room_and_none_passes_the_first() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(16)
        half = MOST_LARGE_BYTES // 2
        first = _Request(queue, "a", size=half)
        whole = _Request(queue, "b", size=2 * MOST_LARGE_BYTES)  # begins alone
        later, small = _Request(queue, "c", size=half), _Request(queue, "c")
        await _settle()
        began = [each.has_begun for each in (first, whole, later, small)]
        assert began == [True, False, False, True]
        await first.end()
        await _settle()
        assert [each.has_begun for each in (whole, later)] == [True, False]
        await whole.end()
        await _settle()
        assert later.has_begun
        for each in (later, small):
            await each.end()

    _run(scene)


def test_a_large_body_that_waits_in_vain_holds_up_no_one() -> None:
    async def scene(_: _StillLoop) -> None:
        queue = FairQueue(16)
        first = _Request(queue, "a", size=LARGE)
        gone = _Request(queue, "b", size=MOST_LARGE_BYTES)
        later = _Request(queue, "c", size=LARGE)
        await _settle()
        assert not later.has_begun
        gone.task.cancel()
        await _settle()
        assert later.has_begun
        for each in (first, later):
            await each.end()

    _run(scene)
