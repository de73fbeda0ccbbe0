"""Sessions of browsers: what the database holds of their keys."""

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

from ctxadmin.accounts.models import User
from ctxadmin.accounts.sessions import SessionStore

pytestmark = pytest.mark.django_db


def _signed_in() -> tuple[Client, str]:
    client = Client()
    client.force_login(User.objects.create_user("mila"))
    return client, client.cookies[settings.SESSION_COOKIE_NAME].value


def _is_signed_in(key: str) -> bool:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    return "_auth_user_id" in client.session


def test_the_database_holds_nothing_that_opens_a_session() -> None:
    _, key = _signed_in()
    row = Session.objects.get()
    assert _is_signed_in(key)
    assert key not in (row.session_key, row.session_data)
    assert not _is_signed_in(row.session_key)


def test_a_row_under_the_key_itself_opens_nothing() -> None:
    _, key = _signed_in()
    row = Session.objects.get()
    Session.objects.create(
        session_key=key, session_data=row.session_data, expire_date=row.expire_date
    )
    row.delete()
    assert not _is_signed_in(key)


def test_signing_out_removes_the_row() -> None:
    client, key = _signed_in()
    client.logout()
    assert not Session.objects.exists()
    assert not _is_signed_in(key)


def test_a_new_key_takes_the_place_of_the_former() -> None:
    _, key = _signed_in()
    store = SessionStore(key)
    store.cycle_key()
    assert Session.objects.count() == 1
    assert not _is_signed_in(key)
    assert _is_signed_in(str(store.session_key))


def test_the_asynchronous_ways_are_the_same() -> None:
    _, key = _signed_in()
    store = SessionStore(key)
    assert async_to_sync(store.aexists)(key)
    assert "_auth_user_id" in async_to_sync(store.aload)()
    async_to_sync(store.adelete)()
    assert not Session.objects.exists()
