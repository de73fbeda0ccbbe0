"""Streams of events: each change once, in order, and on from the last that was heard."""

import asyncio
from typing import Any

import pytest
from django.conf import settings

from checkpoints.events import conversation
from conversations.lifecycle.erasure import erase
from conversations.services.use_cases import NewConversation, create
from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.requests.handler import ThreadedHandler
from ctxadmin.identity.roles import Role
from ctxadmin.realtime import admission
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.routing import with_sockets
from tests import factories
from tests.factories import Api, engine, user
from tests.integration.sockets.pages import PATIENCE, do, play
from tests.integration.sockets.waiting_calls import Call

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def app() -> Any:
    """With one thread only: a call that kept it would stop all others."""
    return with_sockets(ThreadedHandler(1))


@pytest.fixture
def api() -> Api:
    create(engine(), NewConversation(public_id="one"))
    return Api()


def save(api: Api, number: int, **more: object) -> None:
    body = {"node_id": "plan", "state_data": {"plan": number}, **more}
    answer = api.put(f"/conversations/one/checkpoints/save-{number}", body)
    assert answer.status_code == 201, answer.content


def started(api: Api) -> None:
    answer = api.post("/conversations/one/executions", {})
    assert answer.status_code == 201, answer.content


def say(api: Api) -> None:
    answer = api.post("/conversations/one/messages", {"messages": [user("hello")]})
    assert answer.status_code == 201, answer.content


def change_everything(api: Api) -> int:
    """Changes of all kinds, over two executions; how many."""
    started(api)
    save(api, 1)
    say(api)
    assert api.patch("/conversations/one", {"title": "Other"}).status_code == 200
    clear = {"operation": "clear"}
    assert api.post("/conversations/one/operations", clear).status_code == 200
    save(api, 2, status="PAUSED")
    assert api.post("/conversations/one/claim").status_code == 200
    said = {"text": "Look.", "message": 0}
    assert api.post("/conversations/one/comments", said).status_code == 201
    edit = {"node_id": "plan", "state_data": {"plan": 7}}
    assert api.patch("/conversations/one/snapshot", edit).status_code == 200
    assert api.post("/conversations/one/cancel").status_code == 200
    started(api)
    save(api, 3)
    return 12


def test_events_tell_each_change_under_the_next_number_over_executions(app: Any, api: Api) -> None:
    async def scene() -> None:
        path = "/conversations/one/events"
        stream = await Call(app, api.secret, path).waits()
        first = await stream.event()
        assert (first["kind"], first["id"], first["status"]) == ("state", 1, "IDLE")
        count = await do(change_everything, api)
        live = [await stream.event() for _ in range(count)]
        assert [each["id"] for each in live] == list(range(2, count + 2))
        assert {each["kind"] for each in live} == {"changed"}
        assert [each["what"] for each in live][:3] == [
            "execution.start",
            "checkpoint.save",
            "messages.append",
        ]
        assert [(each["status"], each["version"]) for each in live][-3:] == [
            ("CANCELLED", 4),
            ("RUNNING", 0),
            ("RUNNING", 1),
        ]
        assert (live[1]["keys"], live[1]["who"]["name"]) == (["plan"], "test token")
        await stream.leave()
        again = await Call(app, api.secret, path, **{"last-event-id": "1"}).waits()
        assert [await again.event() for _ in range(count)] == live
        await again.leave()

    play(scene)


def test_a_stream_continues_exactly_behind_what_was_heard_last(
    app: Any, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checkpoints.events.conversation.MOST", 2)
    for number in (1, 2, 3, 4, 5):
        save(api, number)
    path = "/conversations/one/events"

    async def scene() -> None:
        for last in (1, 3, 6):
            stream = await Call(app, api.secret, path, **{"last-event-id": str(last)}).waits()
            for seq in range(last + 1, 7):
                event = await stream.event()
                assert (event["id"], event["version"]) == (seq, seq - 1)
            await stream.leave()
        stream = await Call(app, api.secret, path, **{"last-event-id": "6"}).waits()
        await do(say, api)
        event = await stream.event()
        assert (event["id"], event["what"], event["version"]) == (7, "messages.append", 5)
        await stream.leave()

    play(scene)


def test_streams_that_connect_again_together_read_what_they_missed_once(
    app: Any, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart thousands do, while engines write."""
    for number in (1, 2, 3):
        save(api, number)
    reads: list[str] = []

    def counted(call: Any) -> Any:
        def read(*given: Any) -> Any:
            reads.append(call.__name__)
            return call(*given)

        return read

    for call in (conversation.read_events_after, conversation.read_events):
        where = f"checkpoints.api.change_waits.{call.__name__}"
        monkeypatch.setattr(where, counted(call))

    async def scene() -> None:
        calls = [
            Call(app, api.secret, "/conversations/one/events", **{"last-event-id": "2"})
            for _ in range(12)
        ]
        async with current_hub().reads.turn:  # another read is under way
            for call in calls:
                await call.begin()
            async with asyncio.timeout(PATIENCE):
                while len(current_hub().listeners()) < len(calls):
                    await asyncio.sleep(0.01)
        for call in calls:
            assert [(await call.event())["id"] for _ in range(2)] == [3, 4]
        assert reads == ["read_events_after"]
        await do(save, api, 4)
        for call in calls:
            assert (await call.event())["id"] == 5
            await call.leave()
        assert reads == ["read_events_after"]

    play(scene)


def test_changes_that_no_one_announced_are_reported_one_by_one(app: Any, api: Api) -> None:
    async def scene() -> None:
        stream = await Call(app, api.secret, "/conversations/one/events").waits()
        await stream.event()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.realtime.hub.Hub.deliver", lambda hub, messages: None)
            await do(save, api, 1)
            await do(say, api)
        told = [await stream.event() for _ in range(2)]
        assert [(each["id"], each["what"]) for each in told] == [
            (2, "checkpoint.save"),
            (3, "messages.append"),
        ]
        await stream.leave()

    play(scene)


@pytest.mark.parametrize("lost", [False, True])
def test_what_cannot_be_continued_behind_is_reported_by_one_reset(
    app: Any, api: Api, lost: bool
) -> None:
    save(api, 1)
    save(api, 2)
    if lost:
        AuditEntry.objects.filter(seq=2, action="checkpoint.save").delete()
    heard = {"last-event-id": "1" if lost else "99"}

    async def scene() -> None:
        stream = await Call(app, api.secret, "/conversations/one/events", **heard).waits()
        event = await stream.event()
        assert (event["kind"], event["id"], event["version"]) == ("reset", 3, 2)
        await do(say, api)
        event = await stream.event()
        assert (event["kind"], event["id"]) == ("changed", 4)
        await stream.leave()

    play(scene)


def test_the_last_event_is_the_erasure(app: Any, api: Api) -> None:
    eraser = factories.person(Role.ADMIN)

    async def scene() -> None:
        stream = await Call(app, api.secret, "/conversations/one/events").waits()
        await stream.event()
        await do(erase, eraser, "one")
        event = await stream.event()
        assert (event["kind"], event["id"], event["what"]) == ("erased", 2, "conversation.erase")
        with pytest.raises(EOFError):
            await stream.event()

    play(scene)


def test_a_wrong_last_event_is_refused(api: Api) -> None:
    answer = api.client.get(
        "/api/v1/conversations/one/events", headers={"Last-Event-ID": "yesterday"}
    )
    assert answer.status_code == 422


def test_a_stream_answers_at_once_also_if_nothing_was_missed(app: Any, api: Api) -> None:
    async def scene() -> None:
        heard = {"last-event-id": "1"}
        stream = await Call(app, api.secret, "/conversations/one/events", **heard).waits()
        assert await stream.part() == ": alive"
        await stream.leave()

    play(scene)


def test_listeners_that_all_reconnect_at_once_miss_nothing_and_hear_nothing_twice(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restart of a proxy: as many as a token may have, on one thread, and one more.

    Those beyond the requests that may be under way are told to come again, and do.
    """
    for number in (1, 2, 3):
        save(api, number)
    for limit in ("MAX_TOKEN_REQUESTS", "MAX_ADDRESS_REQUESTS"):
        monkeypatch.setattr(settings, limit, 20)
    path, most = "/conversations/one/events", 60
    monkeypatch.setattr(admission, "MOST_OF_A_TOKEN", most)
    app = with_sockets(ThreadedHandler(1))

    async def scene() -> None:
        async def connect(last: int) -> Call | None:
            call = await Call(app, api.secret, path, **{"last-event-id": str(last)}).begin()
            if not await call.is_admitted():
                return None
            for seq in range(last + 1, 5):
                assert (await call.event())["id"] == seq
            return call

        streams: list[Call] = []
        refused: list[int] = []
        while missing := most - len(streams):
            wave = await asyncio.gather(*(connect(1 + number % 4) for number in range(missing)))
            streams += [call for call in wave if call is not None]
            refused.append(wave.count(None))
        assert refused[0] > 0
        async with asyncio.timeout(PATIENCE):
            while len(current_hub().listeners()) < most:
                await asyncio.sleep(0)
        assert not await (await Call(app, api.secret, path).begin()).is_admitted()
        await do(say, api)
        assert {(await stream.event())["id"] for stream in streams} == {5}
        await asyncio.gather(*(stream.leave() for stream in streams))
        assert not current_hub().listeners()

    play(scene)
    assert not admission._open
