"""Bodies are read only of known callers, and only as many as fit into memory."""

import asyncio
from typing import Any

import pytest

from ctxadmin.http.requests import bodies, body_memory
from ctxadmin.http.requests.bodies import Bodies, ClientGone
from ctxadmin.http.requests.body_memory import BodyMemory
from ctxadmin.http.requests.early_responses import RefusedEarly

KIB = 1024
PATH = "/api/v1/conversations"


def scope(*headers: tuple[bytes, bytes], path: str = PATH) -> dict[str, Any]:
    return {"type": "http", "method": "POST", "path": path, "headers": list(headers)}


class Client:
    """Sends parts of a body, and counts how many were asked for; ``None`` never comes."""

    def __init__(self, *parts: bytes | None) -> None:
        self.parts = list(parts)
        self.taken = 0

    async def receive(self) -> dict[str, Any]:
        part = self.parts[self.taken] if self.taken < len(self.parts) else None
        if part is None:
            await asyncio.get_running_loop().create_future()
        self.taken += 1
        more = self.taken < len(self.parts)
        return {"type": "http.request", "body": part, "more_body": more}


async def known(scope: object) -> None:
    return None


async def stranger(scope: object) -> None:
    raise RefusedEarly(401, "unauthenticated", "Nobody knows you.")


def taken(client: Client, *headers: tuple[bytes, bytes], who: Any = known) -> bytes:
    return asyncio.run(Bodies(who, 2**30).read(scope(*headers), client.receive))


def length(size: int) -> tuple[bytes, bytes]:
    return b"content-length", str(size).encode()


def of(name: str) -> tuple[bytes, bytes]:
    return b"authorization", name.encode()


CHUNKED = (b"transfer-encoding", b"chunked")


def test_a_declared_body_over_the_limit_is_refused_before_its_first_byte() -> None:
    client = Client(b"x")
    with pytest.raises(RefusedEarly) as refused:
        taken(client, length(16 * KIB**2 + 1))
    assert (refused.value.status, refused.value.limit) == (413, 16 * KIB**2)
    assert client.taken == 0


def test_a_large_body_of_a_stranger_is_refused_before_its_first_byte() -> None:
    client = Client(b"x")
    with pytest.raises(RefusedEarly, match="Nobody"):
        taken(client, length(64 * KIB + 1), who=stranger)
    assert client.taken == 0


def test_a_chunked_body_of_a_stranger_is_refused_when_it_becomes_large() -> None:
    client = Client(*[b"x" * 32 * KIB] * 9)
    with pytest.raises(RefusedEarly, match="Nobody"):
        taken(client, CHUNKED, who=stranger)
    assert client.taken == 3


def test_a_small_body_is_taken_of_anyone() -> None:
    assert taken(Client(b"x" * 64 * KIB), length(64 * KIB), who=stranger) == b"x" * 64 * KIB


@pytest.mark.parametrize("framing", [length(64 * KIB), CHUNKED], ids=["length", "chunked"])
def test_a_body_that_stalls_is_refused(
    framing: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "STALL_SECONDS", 0.01)
    with pytest.raises(RefusedEarly) as refused:
        taken(Client(b"x", None), framing)
    assert refused.value.status == 408


def test_a_body_that_drips_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 100_000, 9))  # each part takes nine seconds
    monkeypatch.setattr(bodies, "monotonic", lambda: next(clock))
    client = Client(*[b"x" * KIB] * 50)
    with pytest.raises(RefusedEarly) as refused:
        taken(client, CHUNKED)
    assert (refused.value.status, client.taken) == (408, 3)


def test_bodies_beyond_the_room_wait_and_are_refused_when_it_stays_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(body_memory, "WAIT_SECONDS", 0.01)
    size = 100 * KIB

    async def act() -> None:
        taker = Bodies(known, 2 * size)
        one, two, three = (scope(length(size), of(name)) for name in ("one", "two", "three"))
        held = await taker.read(one, Client(b"x" * size).receive)
        await taker.read(two, Client(b"x" * size).receive)
        third = Client(b"x" * size)
        with pytest.raises(RefusedEarly) as refused:
            await taker.read(three, third.receive)
        assert (refused.value.status, refused.value.retry_after, third.taken) == (503, 2, 0)
        taker.release(one, held)
        assert await taker.read(three, third.receive) == b"x" * size

    asyncio.run(act())


def test_one_caller_has_half_of_the_room() -> None:
    size = 2 * KIB**2

    async def act() -> None:
        taker = Bodies(known, 3 * size)
        one = scope(length(size), of("one"))
        held = await taker.read(one, Client(b"x" * size).receive)
        with pytest.raises(RefusedEarly) as refused:
            await taker.read(scope(length(size), of("one")), Client(b"x" * size).receive)
        assert (refused.value.status, refused.value.retry_after) == (429, 2)
        two = scope(length(size), of("two"))
        assert await taker.read(two, Client(b"x" * size).receive) == b"x" * size
        taker.release(one, held)
        assert await taker.read(one, Client(b"x" * size).receive) == b"x" * size

    asyncio.run(act())


def test_who_declares_much_and_sends_little_leaves_room_for_others() -> None:
    size = 10 * KIB**2

    async def act() -> None:
        taker = Bodies(known, size)
        slow = [
            asyncio.create_task(taker.read(scope(length(size), of(name)), Client(None).receive))
            for name in "123"
        ]
        await asyncio.sleep(0)
        quick = Client(b"x" * KIB**2)
        assert await taker.read(scope(length(KIB**2), of("quick")), quick.receive)
        for each in slow:
            each.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    asyncio.run(act())


def test_a_body_that_begins_fast_and_then_drips_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 100_000, 9))
    monkeypatch.setattr(bodies, "monotonic", lambda: next(clock))
    client = Client(*[b"x" * KIB**2] * 3, *[b"x" * KIB] * 50)
    with pytest.raises(RefusedEarly) as refused:
        taken(client, CHUNKED)
    assert (refused.value.status, client.taken) == (408, 6)


def test_a_body_that_breaks_off_leaves_its_room() -> None:
    size = 100 * KIB

    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def act() -> None:
        taker = Bodies(known, size)
        for framing in (length(size), length(size)):
            with pytest.raises(ClientGone):
                await taker.read(scope(framing), gone)
        assert await taker.read(scope(length(size)), Client(b"x" * size).receive)

    asyncio.run(act())


def test_who_waits_longest_for_room_gets_it_first() -> None:
    async def act() -> list[str]:
        room = BodyMemory(10)
        order: list[str] = []

        async def wants(name: str, size: int) -> None:
            await room.reserve(size)
            order.append(name)

        await room.reserve(8)
        waiting = [asyncio.create_task(wants("large", 9)), asyncio.create_task(wants("small", 1))]
        await asyncio.sleep(0)
        room.release(8)
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(act()) == ["large", "small"]
