"""Sessions of browsers: what the database holds of their keys, and when they end."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from ctxadmin.accounts.models import BrowserSession
from ctxadmin.accounts.sessions import SessionStore, stored_key
from ctxadmin.identity.roles import Role
from ctxadmin.realtime.callers import caller_of, with_current_rights
from tests.factories import member

pytestmark = pytest.mark.django_db

PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def _signed_in() -> tuple[Client, str]:
    """A browser that signed in by the page, and the key in its cookie."""
    member("mila", Role.REVIEWER)
    client = Client(REMOTE_ADDR="203.0.113.5", HTTP_USER_AGENT=FIREFOX)
    _sign_in(client)
    return client, client.cookies[settings.SESSION_COOKIE_NAME].value


def _sign_in(client: Client) -> None:
    fields = {"username": "mila", "password": "a long password"}
    assert client.post("/sign-in/", fields).status_code == 302


def _is_signed_in(key: str) -> bool:
    return "_auth_user_id" in SessionStore(key)


def _later(**by: float) -> None:
    """Let time pass: put everything that is kept so much into the past."""
    span = timedelta(**by)
    BrowserSession.objects.update(
        expire_date=F("expire_date") - span,
        last_used_at=F("last_used_at") - span,
        signed_in_at=F("signed_in_at") - span,
    )


def _idle() -> float:
    """For how many seconds nobody used the session."""
    return (timezone.now() - BrowserSession.objects.get().last_used_at).total_seconds()


def test_the_database_holds_nothing_that_opens_a_session() -> None:
    _, key = _signed_in()
    row = BrowserSession.objects.get()
    assert _is_signed_in(key)
    assert key not in (row.session_key, row.session_data)
    assert not _is_signed_in(row.session_key)
    assert not Session.objects.exists()


def test_a_row_under_the_key_itself_opens_nothing() -> None:
    _, key = _signed_in()
    BrowserSession.objects.update(session_key=key)
    assert not _is_signed_in(key)


def test_signing_out_removes_the_row() -> None:
    client, key = _signed_in()
    client.post("/sign-out/")
    assert not BrowserSession.objects.exists()
    assert not _is_signed_in(key)


def test_a_new_key_takes_the_place_of_the_former_and_ends_when_that_would() -> None:
    _, key = _signed_in()
    before = BrowserSession.objects.get()
    store = SessionStore(key)
    store.cycle_key()
    store.save()
    after = BrowserSession.objects.get()
    assert not _is_signed_in(key)
    assert _is_signed_in(str(store.session_key))
    assert (after.user, after.expire_date) == (before.user, before.expire_date)


def test_the_asynchronous_ways_are_the_same() -> None:
    _, key = _signed_in()
    store = SessionStore(key)
    assert async_to_sync(store.aexists)(key)
    assert "_auth_user_id" in async_to_sync(store.aload)()
    async_to_sync(store.adelete)()
    assert not BrowserSession.objects.exists()


def test_the_row_says_who_signed_in_when_and_where_from() -> None:
    _signed_in()
    row = BrowserSession.objects.get()
    assert row.user is not None
    assert (row.user.username, row.address) == ("mila", "203.0.113.5")
    assert (row.browser, row.system) == ("Firefox", "Linux")
    assert row.signed_in_at is not None
    age = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    assert row.expire_date - row.signed_in_at == age


def test_to_save_a_session_does_not_put_off_its_end() -> None:
    _, key = _signed_in()
    end = BrowserSession.objects.get().expire_date
    store = SessionStore(key)
    store["anything"] = 1
    store.save()
    assert BrowserSession.objects.get().expire_date == end


def test_a_new_password_does_not_put_off_the_end_either() -> None:
    client, _ = _signed_in()
    end = BrowserSession.objects.get().expire_date
    new = {"new_password1": "another long one", "new_password2": "another long one"}
    answer = client.post("/account/", {"old_password": "a long password", **new})
    assert answer.status_code == 302
    row = BrowserSession.objects.get()
    assert row.expire_date == end
    assert row.signed_in_at == end - timedelta(seconds=settings.SESSION_COOKIE_AGE)


def test_to_sign_in_again_begins_again() -> None:
    client, _ = _signed_in()
    end = BrowserSession.objects.get().expire_date
    _sign_in(client)
    assert BrowserSession.objects.get().expire_date > end


def test_a_session_that_no_one_used_for_long_ends() -> None:
    _, key = _signed_in()
    _later(hours=settings.SESSION_IDLE_HOURS, seconds=-60)
    assert _is_signed_in(key)
    _later(seconds=120)
    assert not _is_signed_in(key)


def test_without_the_limit_a_session_is_kept_to_its_end(settings: Settings) -> None:
    _, key = _signed_in()
    settings.SESSION_IDLE_HOURS = 0
    _later(hours=11.9)
    assert _is_signed_in(key)
    _later(hours=0.2)
    assert not _is_signed_in(key)


def test_maintenance_removes_what_ended_in_either_way() -> None:
    _signed_in()
    _later(hours=settings.SESSION_IDLE_HOURS)
    Client().post("/sign-in/", {"username": "mila", "password": "a long password"})
    call_command("maintain", "--only", "sessions")
    assert _idle() < 3600


@pytest.mark.parametrize(
    ("method", "headers"),
    [("get", {"Accept": PAGE}), ("post", {"Accept": "application/json"})],
)
def test_a_page_that_is_opened_or_something_sent_is_a_use(
    method: str, headers: dict[str, str]
) -> None:
    client, _ = _signed_in()
    _later(minutes=30)
    send: Any = getattr(client, method)
    send("/account/", headers=headers, REMOTE_ADDR="203.0.113.9")
    assert _idle() < 600
    assert BrowserSession.objects.get().address == "203.0.113.9"


@pytest.mark.parametrize("accept", ["*/*", "text/html", "application/json", "text/html, */*"])
def test_what_pages_fetch_by_themselves_is_none(accept: str) -> None:
    client, _ = _signed_in()
    _later(minutes=30)
    assert client.get("/account/", headers={"Accept": accept}).status_code == 200
    assert _idle() > 1700


@pytest.mark.parametrize("call", ["panel", "read", "preview", "words", "sides", "what-if"])
def test_what_an_open_editor_asks_by_itself_is_none(call: str) -> None:
    client, _ = _signed_in()
    _later(minutes=30)
    path = f"/workflows/flow/editor/{call}/"
    client.post(path, {}, content_type="application/json", headers={"Accept": "application/json"})
    assert _idle() > 1700


def test_saving_what_was_changed_on_the_canvas_is_a_use() -> None:
    client, _ = _signed_in()
    _later(minutes=30)
    client.post("/workflows/flow/editor/draft/", {}, content_type="application/json")
    assert _idle() < 600


def test_a_use_is_noted_about_once_a_minute() -> None:
    client, _ = _signed_in()
    before = BrowserSession.objects.get().last_used_at
    client.get("/account/", headers={"Accept": PAGE})
    assert BrowserSession.objects.get().last_used_at == before


def _cookie(key: str) -> list[tuple[bytes, bytes]]:
    return [(b"cookie", f"{settings.SESSION_COOKIE_NAME}={key}".encode())]


def test_an_open_page_neither_uses_a_session_nor_outlives_it() -> None:
    _, key = _signed_in()
    caller = caller_of(_cookie(key))
    assert caller is not None
    _later(minutes=90)
    assert with_current_rights(caller) is not None
    assert _idle() > 5000
    _later(minutes=30)
    assert with_current_rights(caller) is None


def test_an_open_page_does_not_take_the_key_from_its_browser(settings: Settings) -> None:
    _, key = _signed_in()
    caller = caller_of(_cookie(key))
    assert caller is not None
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-only-for-tests-" + "1" * 40
    assert with_current_rights(caller) is not None
    assert BrowserSession.objects.get().session_key == stored_key(key)
