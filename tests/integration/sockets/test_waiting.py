"""Calls that wait: woken by what is committed, without a thread, and gone with their client."""

from typing import Any

import pytest
from django.conf import settings

from conversations.lifecycle.erasure import erase
from conversations.services.use_cases import NewConversation, create
from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import revoke_token, system_actor
from ctxadmin.http.requests.handler import ThreadedHandler
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.realtime import admission
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.routing import with_sockets
from tests import factories
from tests.factories import Api, engine, user
from tests.integration.sockets.pages import do, play
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


def test_many_wait_for_a_status_on_one_thread_and_are_notified_of_it_at_once(
    app: Any, api: Api
) -> None:
    async def scene() -> None:
        path = "/conversations/one/wait?status=PAUSED,FAILED&timeout=60"
        calls = [await Call(app, api.secret, path).waits() for _ in range(12)]
        await do(save, api, 1)
        await do(save, api, 2, status="PAUSED")
        for call in calls:
            answer = await call.answer()
            assert answer == {"status": "PAUSED", "version": 2, "revision": 0, "changed": True}
        assert not current_hub().listeners()

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


def test_a_wait_for_an_execution_ends_when_another_one_begins(app: Any, api: Api) -> None:
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


def test_no_one_waits_for_what_is_of_others(api: Api) -> None:
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
        assert not current_hub().listeners()

    play(scene)
    assert not admission._open


def test_what_no_one_announced_is_found_by_looking(app: Any, api: Api) -> None:
    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?status=PAUSED").waits()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.realtime.hub.Hub.deliver", lambda hub, messages: None)
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
        await current_hub().close()
        assert (await call.answer())["changed"] is False
        with pytest.raises(EOFError):
            await stream.event()

    play(scene)


def test_a_server_that_ends_answers_at_once_what_comes_then(app: Any, api: Api) -> None:
    async def scene() -> None:
        call = await Call(app, api.secret, "/conversations/one/wait?timeout=60").waits()
        await current_hub().close()
        assert (await call.answer())["changed"] is False
        late = await Call(app, api.secret, "/conversations/one/wait?timeout=60").begin()
        assert (await late.answer())["changed"] is False

    play(scene)


def started(api: Api) -> None:
    answer = api.post("/conversations/one/executions", {})
    assert answer.status_code == 201, answer.content


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


def test_a_browser_session_may_wait_too(app: Any, api: Api) -> None:
    client = factories.browser()
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = f"{settings.SESSION_COOKIE_NAME}={key}"

    async def scene() -> None:
        call = await Call(app, "", "/conversations/one/wait?timeout=60", cookie=cookie).waits()
        await do(save, api, 1)
        assert (await call.answer())["changed"] is True

    play(scene)
