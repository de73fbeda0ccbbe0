"""Reads for many listeners: one after the other, equal ones once, never from before the call."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import wraps
from typing import Any

import pytest

from checkpoints.events.frames import ConversationChanged, ConversationState
from ctxadmin.realtime.protocol import State
from ctxadmin.realtime.shared_reads import SharedReads
from ctxadmin.realtime.topics import TopicSource


def on_a_loop(scene: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test whose scene runs on an event loop of its own."""

    @wraps(scene)
    def test(**given: Any) -> None:
        asyncio.run(scene(**given))

    return test


class Database:
    """Answers reads one by one, when a test lets it."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.most_at_once = 0
        self.value = 0
        self.error: Exception | None = None
        self._under_way = 0
        self._go_on = asyncio.Event()
        self._go_on.set()

    async def ask(self, call: Callable[..., Any], /, *args: Any) -> Any:
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        self.asked.append(args)
        answer, error = call(*args), self.error  # as of the moment at which it begins
        await self._go_on.wait()
        await asyncio.sleep(0)
        self._under_way -= 1
        if error is not None:
            raise error
        return answer

    def hold(self) -> None:
        self._go_on.clear()

    def let_go(self) -> None:
        self._go_on.set()

    def read(self, *_: object) -> int:
        return self.value

    def states(self, keys: Sequence[int]) -> Mapping[int, State]:
        return {key: state_of(key, self.value) for key in keys if key < 1_000}

    @property
    def source(self) -> TopicSource:
        def find(*_: object) -> Any:
            raise NotImplementedError

        return TopicSource("conversations", find, self.states, ConversationChanged)


def state_of(key: int, seq: int) -> State:
    return ConversationState(
        id=f"c{key}", seq=seq, execution=None, version=0, status="IDLE", revision=0, count=0
    )


async def a_moment() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@on_a_loop
async def test_equal_reads_that_wait_are_made_as_one() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    found = await asyncio.gather(*(reads.once(name, database.read, name) for name in "aabab"))
    assert found == [0] * 5
    assert database.asked == [("a",), ("b",)]


@on_a_loop
async def test_reads_are_made_one_after_the_other() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    source = database.source
    mixed = [reads.once(number, database.read, number) for number in range(5)]
    await asyncio.gather(*mixed, reads.state(source, 1), reads.state(source, 2))
    assert database.most_at_once == 1


@on_a_loop
async def test_who_asks_while_a_read_is_under_way_gets_a_later_one() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    database.hold()
    first = asyncio.create_task(reads.once("a", database.read))
    state = asyncio.create_task(reads.state(database.source, 1))
    await a_moment()
    database.value = 1
    second = asyncio.create_task(reads.once("a", database.read))
    await a_moment()
    database.let_go()
    assert (await first, await second) == (0, 1)
    found = await state
    assert found is not None
    assert found.seq == 1


@on_a_loop
async def test_states_that_are_wanted_meanwhile_are_read_together() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    database.hold()
    first = asyncio.create_task(reads.state(database.source, 7))
    await a_moment()
    rest = [asyncio.create_task(reads.state(database.source, key)) for key in (7, 3, 3, 2_000)]
    await a_moment()
    database.let_go()
    found = await asyncio.gather(first, *rest)
    assert [each and each.id for each in found] == ["c7", "c7", "c3", "c3", None]
    assert database.asked == [([7],), ([3, 7, 2_000],)]


@on_a_loop
async def test_many_states_are_read_in_parts_between_which_others_have_their_turn() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    states = [reads.state(database.source, key) for key in range(450)]
    found, _ = await asyncio.gather(asyncio.gather(*states), reads.once("a", database.read))
    assert [each and each.id for each in found] == [f"c{key}" for key in range(450)]
    assert [len(args[0]) if args else 0 for args in database.asked] == [200, 0, 200, 50]


@on_a_loop
async def test_those_that_wait_longest_are_read_first() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    database.hold()
    first = asyncio.create_task(reads.once("a", database.read))
    await a_moment()
    old = [asyncio.create_task(reads.state(database.source, 900 - key)) for key in range(200)]
    await a_moment()
    new = asyncio.create_task(reads.state(database.source, 1))
    await a_moment()
    database.let_go()
    await asyncio.gather(first, *old, new)
    assert [args[0] for args in database.asked[1:]] == [[*range(701, 901)], [1]]


@on_a_loop
async def test_a_failure_is_that_of_all_who_wait_and_the_next_read_is_made() -> None:
    database = Database()
    reads = SharedReads(database.ask)
    database.error = OSError("away")
    for failed in await asyncio.gather(
        *(reads.once("a", database.read) for _ in range(2)),
        *(reads.state(database.source, 1) for _ in range(2)),
        return_exceptions=True,
    ):
        assert isinstance(failed, OSError)
    database.error = None
    assert await reads.once("a", database.read) == 0
    assert await reads.state(database.source, 1) == state_of(1, 0)


@pytest.mark.parametrize("leaves", [0, 1])
@on_a_loop
async def test_who_leaves_takes_the_read_from_no_one(leaves: int) -> None:
    database = Database()
    reads = SharedReads(database.ask)
    database.hold()
    first = [asyncio.create_task(reads.once("a", database.read)) for _ in range(2)]
    wanted = [asyncio.create_task(reads.state(database.source, 1)) for _ in range(2)]
    await a_moment()
    first[leaves].cancel()
    wanted[leaves].cancel()
    await a_moment()
    database.let_go()
    assert await first[1 - leaves] == 0
    assert await wanted[1 - leaves] == state_of(1, 0)
