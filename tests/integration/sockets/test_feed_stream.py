"""The stream of a workspace's changes: it continues behind a cursor, and ends with its token."""

import asyncio
from typing import Any

import pytest

from checkpoints.events import feed
from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import revoke_token, system_actor
from ctxadmin.http.requests.handler import ThreadedHandler
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.routing import with_sockets
from tests import factories
from tests.factories import Api, conversation, user
from tests.integration.sockets.pages import do, play
from tests.integration.sockets.waiting_calls import Call

pytestmark = pytest.mark.django_db(transaction=True)

STREAM = {"accept": "text/event-stream"}


@pytest.fixture
def app() -> Any:
    return with_sockets(ThreadedHandler(1))


@pytest.fixture
def api() -> Api:
    conversation(public_id="one")
    conversation(public_id="two")
    return Api()


def say(api: Api, name: str) -> None:
    answer = api.post(f"/conversations/{name}/messages", {"messages": [user("hello")]})
    assert answer.status_code == 201, answer.content


def test_a_stream_begins_now_and_tells_what_happens_in_every_conversation(
    app: Any, api: Api
) -> None:
    async def scene() -> None:
        stream = await Call(app, api.secret, "/events", **STREAM).waits()
        state = await stream.event()
        assert state["kind"] == "state"
        await do(say, api, "one")
        await do(say, api, "two")
        told = [await stream.event() for _ in range(2)]
        assert [(each["id"] - state["id"], each["conversation"]) for each in told] == [
            (1, "one"),
            (2, "two"),
        ]
        assert {each["what"] for each in told} == {"messages.append"}
        await stream.leave()
        later = {**STREAM, "last-event-id": str(told[0]["id"])}
        again = await Call(app, api.secret, "/events", **later).waits()
        assert await again.event() == told[1]
        await again.leave()
        assert not current_hub().listeners()

    play(scene)


def test_a_filtered_stream_tells_only_what_is_wanted(app: Any, api: Api) -> None:
    async def scene() -> None:
        path = "/events?after=0&kinds=messages"
        stream = await Call(app, api.secret, path, **STREAM).waits()
        await do(say, api, "two")
        event = await stream.event()
        assert (event["what"], event["conversation"]) == ("messages.append", "two")
        await stream.leave()

    play(scene)


def test_streams_that_ask_for_the_same_read_a_change_once(
    app: Any, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = feed.read

    def counted(workspace: int, after: int, wanted: feed.FeedQuery, most: int) -> feed.FeedPart:
        reads.append(after)
        return read(workspace, after, wanted, most)

    monkeypatch.setattr("checkpoints.events.feed.read", counted)

    async def scene() -> None:
        paths = ["/events", "/events", "/events", "/events?kinds=messages"]
        streams: list[Call] = []
        first: list[int] = []
        for number, path in enumerate(paths, start=1):
            streams.append(await Call(app, api.secret, path, **STREAM).waits())
            first.append((await streams[-1].event())["id"])
            while len(reads) < number:  # each looks once for what it missed while it began
                await asyncio.sleep(0.01)
        reads.clear()
        async with current_hub().reads.turn:  # another read is under way
            await do(say, api, "one")
            await asyncio.sleep(0.05)
        for stream, cursor in zip(streams, first, strict=True):
            assert (await stream.event())["id"] == cursor + 1
        assert reads == first[:2]  # one for the three, one for the other kind
        for stream in streams:
            await stream.leave()

    play(scene)


def test_a_stream_ends_with_its_token(app: Any, api: Api) -> None:
    token = EngineToken.objects.get().public_id
    admin = system_actor(factories.workspace(), "tests")

    async def scene() -> None:
        stream = await Call(app, api.secret, "/events", **STREAM).waits()
        assert (await stream.event())["kind"] == "state"
        await do(revoke_token, admin, token)
        with pytest.raises(EOFError):
            await stream.event()

    play(scene)
