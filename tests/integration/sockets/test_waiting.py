"""Calls that wait: woken by what is committed, without a thread, and gone with their client."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from conversations.erasure import erase
from conversations.services import NewConversation, create
from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import revoke_token, system_actor
from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.handler import ThreadedHandler
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.realtime import admission
from ctxadmin.realtime.hubs import hub_here
from ctxadmin.realtime.routing import with_sockets
from tests import factories
from tests.factories import Api, engine, user
from tests.integration.sockets.pages import PATIENCE, do, play
from tests.openapi import checked_event

pytestmark = pytest.mark.django_db(transaction=True)


class Call:
    """One GET on the application, whose answer may come later."""

    def __init__(self, app: Any, secret: str, path: str, **headers: str) -> None:
        path, _, query = path.partition("?")
        given = {"host": "testserver", **headers}
        if secret:
            given["authorization"] = f"Bearer {secret}"
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": f"/api/v1{path}",
            "raw_path": f"/api/v1{path}".encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
        }
        self.asked: Any = ApplicationCommunicator(app, scope)  # type: ignore[no-untyped-call]
        self.path: str = scope["path"]
        self.status = 0
        self._text = ""

    async def begin(self) -> "Call":
        await self.asked.send_input({"type": "http.request", "body": b""})
        return self

    async def waits(self) -> "Call":
        """Begin, and go on when the hub has it as a listener."""
        before = len(hub_here().listeners())
        await self.begin()
        async with asyncio.timeout(PATIENCE):
            while len(hub_here().listeners()) == before:
                await asyncio.sleep(0)
        return self

    async def answer(self) -> Any:
        await self._head()
        body = await self.asked.receive_output(timeout=PATIENCE)
        return json.loads(body["body"])

    async def event(self) -> dict[str, Any]:
        """The next event: its id, kind and data."""
        event = await self.part()
        while event.startswith(":"):
            event = await self.part()
        lines = dict(line.split(": ", 1) for line in event.splitlines())
        data = json.loads(lines["data"])
        checked_event(self.path, data)
        return {"id": int(lines["id"]), "kind": lines["event"], **data}

    async def part(self) -> str:
        """The next event or comment as its text."""
        if not self.status:
            await self._head()
        while "\n\n" not in self._text:
            part = await self.asked.receive_output(timeout=PATIENCE)
            self._text += part["body"].decode()
            if not part.get("more_body"):
                raise EOFError
        text, _, self._text = self._text.partition("\n\n")
        return text

    async def is_admitted(self) -> bool:
        """False if it is told to come again later."""
        head = await self.asked.receive_output(timeout=PATIENCE)
        self.status = head["status"]
        if self.status == 200:
            return True
        assert self.status == 429
        headers = {name.lower(): value for name, value in head["headers"]}
        assert int(headers[b"retry-after"]) >= 1
        return False

    async def leave(self) -> None:
        await self.asked.send_input({"type": "http.disconnect"})
        await self.asked.wait(timeout=PATIENCE)

    async def _head(self) -> None:
        head = await self.asked.receive_output(timeout=PATIENCE)
        self.status = head["status"]


@pytest.fixture
def app() -> Any:
    """With one thread only: whoever would hold it holds up everybody."""
    return with_sockets(ThreadedHandler(1))


@pytest.fixture
def api() -> Api:
    create(engine(), NewConversation(public_id="one"))
    return Api()


def save(api: Api, number: int, **more: object) -> None:
    body = {"node_id": "plan", "state_data": {"plan": number}, **more}
    answer = api.put(f"/conversations/one/checkpoints/save-{number}", body)
    assert answer.status_code == 201, answer.content


def test_many_wait_for_a_status_on_one_thread_and_hear_of_it_at_once(app: Any, api: Api) -> None:
    async def scene() -> None:
        path = "/conversations/one/wait?status=PAUSED,FAILED&timeout=60"
        calls = [await Call(app, api.secret, path).waits() for _ in range(12)]
        await do(save, api, 1)
        await do(save, api, 2, status="PAUSED")
        for call in calls:
            answer = await call.answer()
            assert answer == {"status": "PAUSED", "version": 2, "revision": 0, "changed": True}
        assert not hub_here().listeners()

    play(scene)
    assert not admission._open


def test_a_version_is_waited_for_and_any_change_if_nothing_is_named(app: Any, api: Api) -> None:
    save(api, 1)

    async def scene() -> None:
        later = await Call(app, api.secret, "/conversations/one/wait?after_version=2").waits()
        anything = await Call(app, api.secret, "/conversations/one/wait").waits()
        await do(api.post, "/conversations/one/messages", {"messages": [user("hello")]})
        assert (await anything.answer())["version"] == 1
        await do(save, api, 2)
        await do(save, api, 3)
        assert (await later.answer())["version"] == 3

    play(scene)


def test_what_holds_already_is_answered_at_once_and_so_is_a_timeout_of_zero(api: Api) -> None:
    save(api, 1, status="PAUSED")
    held = api.get("/conversations/one/wait?status=PAUSED").json()
    assert held == {"status": "PAUSED", "version": 1, "revision": 0, "changed": True}
    assert api.get("/conversations/one/wait?timeout=0&after_version=1").json()["changed"] is False


def begin(api: Api) -> str:
    """The id of a new execution."""
    started = api.post("/conversations/one/executions", {})
    assert started.status_code == 201, started.content
    execution: str = started.json()["execution"]
    return execution


def test_an_execution_that_is_named_is_meant_also_when_another_one_has_begun(api: Api) -> None:
    first = begin(api)
    save(api, 1)
    path = f"/conversations/one/wait?execution={first}&status=PAUSED&timeout=0"
    held = {"status": "RUNNING", "version": 1, "revision": 0, "changed": False}
    assert api.get(path).json() == held
    api.post("/conversations/one/cancel", {})
    begin(api)
    save(api, 2, status="PAUSED")
    ended = {"status": "CANCELLED", "version": 2, "revision": 0, "changed": True}
    assert api.get(path).json() == ended


def test_who_waits_for_an_execution_hears_when_another_one_begins(app: Any, api: Api) -> None:
    first = begin(api)

    async def scene() -> None:
        path = f"/conversations/one/wait?execution={first}&status=PAUSED&timeout=60"
        call = await Call(app, api.secret, path).waits()
        await do(api.post, "/conversations/one/cancel", {})
        await do(begin, api)
        answer = await call.answer()
        assert (answer["status"], answer["changed"]) == ("CANCELLED", True)

    play(scene)


@pytest.mark.parametrize("name", ["exec_unknown", "", "ü", "x" * 65])
def test_an_execution_that_the_conversation_never_had_is_not_found(api: Api, name: str) -> None:
    begin(api)
    answer = api.get(f"/conversations/one/wait?execution={name}&timeout=0")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_when_the_time_is_over_it_says_that_nothing_changed(app: Any, api: Api) -> None:
    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?timeout=1").begin()
        answer = await call.answer()
        assert answer == {"status": "IDLE", "version": 0, "revision": 0, "changed": False}

    play(scene)


@pytest.mark.parametrize(
    "query",
    ["timeout=61", "timeout=-1", "timeout=soon", "status=paused", "after_version=x"],
)
def test_a_wrong_wish_is_refused(api: Api, query: str) -> None:
    answer = api.get(f"/conversations/one/wait?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "validation")


def test_nobody_waits_for_what_is_of_others(api: Api) -> None:
    factories.workspace("other")
    stranger = Api(slug="other")
    for path in ("wait", "events"):
        assert stranger.get(f"/conversations/one/{path}").status_code == 404


def test_a_client_that_goes_leaves_nothing_behind(app: Any, api: Api) -> None:
    async def scene() -> None:
        waiting = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        stream = await Call(app, api.secret, "/conversations/one/events").waits()
        await stream.event()
        await waiting.leave()
        await stream.leave()
        assert not hub_here().listeners()

    play(scene)
    assert not admission._open


def test_what_nobody_announced_is_found_by_looking(app: Any, api: Api) -> None:
    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?status=PAUSED").waits()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.realtime.hub.Hub.carry", lambda hub, messages: None)
            await do(save, api, 1, status="PAUSED")
        assert (await call.answer())["changed"] is True  # within seconds

    play(scene)


def test_a_revoked_token_ends_what_waits(app: Any, api: Api) -> None:
    token = EngineToken.objects.get().public_id
    admin = system_actor(factories.workspace(), "tests")

    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        stream = await Call(app, api.secret, "/conversations/one/events").waits()
        await stream.event()
        await do(revoke_token, admin, token)
        assert (await call.answer())["code"] == "unauthenticated"
        with pytest.raises(EOFError):
            await stream.event()
        assert call.status == 401

    play(scene)


def test_an_erased_conversation_is_not_found_by_who_waits_for_it(app: Any, api: Api) -> None:
    eraser = factories.person(Role.ADMIN)

    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        await do(erase, eraser, "one")
        assert (await call.answer())["code"] == "not_found"

    play(scene)


def test_a_server_that_ends_answers_what_waits(app: Any, api: Api) -> None:
    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        stream = await Call(app, api.secret, "/conversations/one/events").waits()
        await stream.event()
        await hub_here().close()
        assert (await call.answer())["changed"] is False
        with pytest.raises(EOFError):
            await stream.event()

    play(scene)


def test_a_server_that_ends_answers_at_once_what_comes_then(app: Any, api: Api) -> None:
    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        await hub_here().close()
        assert (await call.answer())["changed"] is False
        late = await Call(app, api.secret, "/conversations/one/wait?timeout=60").begin()
        assert (await late.answer())["changed"] is False

    play(scene)


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


def test_a_stream_goes_on_exactly_behind_what_was_heard_last(
    app: Any, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checkpoints.events.MOST", 2)
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


def test_changes_that_nobody_announced_are_told_one_by_one(app: Any, api: Api) -> None:
    async def scene() -> None:
        stream = await Call(app, api.secret, "/conversations/one/events").waits()
        await stream.event()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.realtime.hub.Hub.carry", lambda hub, messages: None)
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
def test_what_cannot_be_gone_on_behind_is_told_by_one_reset(app: Any, api: Api, lost: bool) -> None:
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


def test_one_caller_has_a_bounded_number_of_waiting_calls(
    app: Any, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "MOST_OF_A_TOKEN", 1)
    other = Api([Scope.ENGINE])

    async def scene() -> None:
        first = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        for path in ("wait", "events"):
            second = await Call(app, api.secret, f"/conversations/one/{path}").begin()
            assert (await second.answer())["code"] == "rate_limited"
        third = await Call(app, other.secret, "/conversations/one/wait?timeout=60").waits()
        await do(save, api, 1)
        assert (await first.answer())["changed"] is True
        assert (await third.answer())["changed"] is True

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
            while len(hub_here().listeners()) < most:
                await asyncio.sleep(0)
        assert not await (await Call(app, api.secret, path).begin()).is_admitted()
        await do(say, api)
        assert {(await stream.event())["id"] for stream in streams} == {5}
        await asyncio.gather(*(stream.leave() for stream in streams))
        assert not hub_here().listeners()

    play(scene)
    assert not admission._open


def test_a_browser_session_may_wait_too(app: Any, api: Api) -> None:
    client = factories.browser()
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = f"{settings.SESSION_COOKIE_NAME}={key}"

    async def scene() -> None:
        call = await Call(app, "", "/conversations/one/wait?timeout=60", cookie=cookie).waits()
        await do(save, api, 1)
        assert (await call.answer())["changed"] is True

    play(scene)


def test_a_stream_answers_at_once_also_if_nothing_was_missed(app: Any, api: Api) -> None:
    async def scene() -> None:
        heard = {"last-event-id": "1"}
        stream = await Call(app, api.secret, "/conversations/one/events", **heard).waits()
        assert await stream.part() == ": alive"
        await stream.leave()

    play(scene)
