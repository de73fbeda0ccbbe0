"""The sessions of a person: their list on the account page, and signing out one or all others."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db.models import F
from django.test import Client

from conversations.services.use_cases import NewConversation, create
from ctxadmin.accounts import people
from ctxadmin.accounts.models import BrowserSession, User
from ctxadmin.accounts.services import system_actor
from ctxadmin.accounts.sessions import stored_key
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Role
from tests.factories import engine, member, workspace
from tests.integration.sockets.pages import do, of_person, play

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1"


def entered(name: str = "mila", address: str = "203.0.113.5", agent: str = FIREFOX) -> Client:
    """A browser that signed in by the page."""
    if not User.objects.filter(username=name).exists():
        member(name, Role.REVIEWER)
    client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=agent)
    fields = {"username": name, "password": "a long password"}
    assert client.post("/sign-in/", fields).status_code == 302
    return client


def digest(client: Client) -> str:
    return stored_key(client.cookies[settings.SESSION_COOKIE_NAME].value)


def text(client: Client) -> str:
    answer = client.get("/account/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def end(client: Client, session: str) -> Any:
    return client.post(f"/account/sessions/{session}/end/", follow=True)


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def on_record() -> list[tuple[str, str, str, Any]]:
    rows = AuditEntry.objects.filter(action="session.end").order_by("at")
    found = rows.values_list("actor_name", "object_id", "address", "detail")
    return [
        (name, what, address, json.loads(bytes(detail))) for name, what, address, detail in found
    ]


def test_the_list_names_every_browser_of_ones_own_and_no_one_elses() -> None:
    here = entered()
    entered(address="203.0.113.6", agent=SAFARI)
    entered("otto", "203.0.113.77")
    shown = text(here)
    assert "Firefox on Linux" in shown
    assert "Safari on iOS" in shown
    assert "203.0.113.6" in shown
    assert "203.0.113.77" not in shown
    assert shown.count("This browser") == 1
    assert digest(here) not in shown


def test_who_is_signed_in_once_has_nothing_to_end() -> None:
    shown = text(entered(agent=""))
    assert "Unknown browser" in shown
    assert "/account/sessions/" not in shown


def test_one_browser_is_signed_out_from_another() -> None:
    here, there, other = entered(), entered(address="203.0.113.6", agent=SAFARI), entered()
    assert "Browser signed out." in end(here, digest(there)).content.decode()
    assert [is_in(each) for each in (here, there, other)] == [True, False, True]
    what = {"sessions": 1, "address": "203.0.113.6", "browser": "Safari", "system": "iOS"}
    assert on_record() == [("mila", "mila", "203.0.113.5", what)]
    (stream,) = AuditEntry.objects.filter(action="session.end").values_list("stream", flat=True)
    assert not verify_stream(stream)


def test_what_is_signed_out_already_is_reported_and_not_on_record_twice() -> None:
    here, there = entered(), entered()
    session = digest(there)
    end(here, session)
    assert "already signed out" in end(here, session).content.decode()
    assert len(on_record()) == 1


@pytest.mark.parametrize("session", ["x", "登", "0" * 200])
def test_what_is_no_session_was_ended_already(session: str) -> None:
    assert "already signed out" in end(entered(), session).content.decode()


def test_everywhere_else_leaves_this_browser_alone() -> None:
    here, there, other, otto = entered(), entered(), entered(), entered("otto")
    answer = here.post("/account/sessions/others/end/", follow=True)
    assert "2 other browsers signed out." in answer.content.decode()
    assert [is_in(each) for each in (here, there, other, otto)] == [True, False, False, True]
    assert on_record() == [("mila", "mila", "203.0.113.5", {"sessions": 2})]


def test_no_one_ends_the_session_of_someone_else() -> None:
    here, otto = entered(), entered("otto")
    assert "already signed out" in end(here, digest(otto)).content.decode()
    assert is_in(otto)
    assert not on_record()


def test_the_list_leaves_out_what_opens_nothing_any_longer() -> None:
    entered(address="203.0.113.6")
    user = User.objects.get()
    user.set_password("a long password")  # as manage.py changepassword does it
    user.save()
    entered(address="203.0.113.7")
    idle = timedelta(hours=settings.SESSION_IDLE_HOURS)
    BrowserSession.objects.filter(address="203.0.113.7").update(
        last_used_at=F("last_used_at") - idle
    )
    shown = text(entered())
    assert "203.0.113.6" not in shown
    assert "203.0.113.7" not in shown


def test_a_long_list_says_that_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxadmin.ui.accounts.sessions.MOST_LISTED", 2)
    here, *_ = [entered() for _ in range(4)]
    shown = text(here)
    assert "and 2 more, used longer ago" in shown
    assert "This browser" in shown


@pytest.mark.parametrize("act", [people.lock, people.renew_password])
def test_who_is_locked_out_or_gets_a_password_has_no_session_left(act: Any) -> None:
    entered()
    admin = system_actor(workspace(), "tests")
    act(admin, "mila")
    assert not BrowserSession.objects.exists()
    people.unlock(admin, "mila")
    assert not BrowserSession.objects.exists()


def test_by_hand_the_addresses_of_the_buttons_lead_to_the_list() -> None:
    here, there = entered(), entered()
    for path in (f"/account/sessions/{digest(there)}/end/", "/account/sessions/others/end/"):
        assert here.get(path)["Location"] == "/account/"
        assert Client().post(path)["Location"].startswith("/sign-in/")
    assert is_in(there)


@pytest.mark.django_db(transaction=True)
def test_the_open_pages_of_a_browser_that_is_signed_out_end_at_once() -> None:
    create(engine(), NewConversation(public_id="one"))
    here, there = entered(), entered()

    async def scene() -> None:
        mine, theirs = (of_person(each, "/ws/conversations/one/") for each in (here, there))
        await mine.open()
        await theirs.open()
        await do(end, here, digest(there))
        assert await theirs.closed() == 4401
        again = of_person(here, "/ws/conversations/one/")
        await again.open()
        await again.leave()
        await mine.leave()

    play(scene)
