"""A person enters a mail address and confirms it by the code that was sent there."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from ctxadmin.accounts.models import User
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from tests.factories import signed_in

pytestmark = pytest.mark.django_db

PAGE = "/notifications/"


@pytest.fixture(autouse=True)
def _mail_server(settings: Any) -> None:
    settings.MAIL = True
    settings.DEFAULT_FROM_EMAIL = "ctxadmin@example.org"
    settings.PUBLIC_URL = "https://ctx.example.org"


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


def press(client: Client, do: str, **fields: str) -> Any:
    return client.post(PAGE, {"do": do, **fields}, follow=True)


def said(answer: Any) -> str:
    return str(answer.content.decode())


def sent_code() -> str:
    found = re.search(r"Your code: (\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def addresses() -> set[str]:
    return set(User.objects.values_list("email", flat=True))


def test_an_address_is_taken_when_its_code_is_typed_in(reviewer: Client) -> None:
    asked = press(reviewer, "ask", address="rita@example.org")
    assert "A code was sent to" in said(asked)
    assert mail.outbox[0].to == ["rita@example.org"]
    assert "https://ctx.example.org/notifications/" in mail.outbox[0].body
    assert addresses() == {""}
    assert "Email goes to" in said(press(reviewer, "confirm", code=sent_code().lower()))
    assert addresses() == {"rita@example.org"}


def test_it_is_on_record_without_the_address(reviewer: Client) -> None:
    press(reviewer, "ask", address="rita@example.org")
    press(reviewer, "confirm", code=sent_code())
    entries = AuditEntry.objects.filter(object_type="member")
    [entry] = [each for each in entries if b"address set" in bytes(each.detail)]
    assert entry.actor_kind == "person"
    assert b"rita@" not in bytes(entry.detail)


def test_a_code_is_of_use_once(reviewer: Client) -> None:
    press(reviewer, "ask", address="rita@example.org")
    code = sent_code()
    press(reviewer, "confirm", code=code)
    press(reviewer, "remove")
    assert "This code has expired" in said(press(reviewer, "confirm", code=code))
    assert addresses() == {""}


def test_a_code_holds_for_an_hour(reviewer: Client, later: Callable[[timedelta], None]) -> None:
    press(reviewer, "ask", address="rita@example.org")
    later(timedelta(hours=1, seconds=1))
    assert "This code has expired" in said(press(reviewer, "confirm", code=sent_code()))
    assert "Your email address" in said(reviewer.get(PAGE))


def test_a_wrong_code_is_told_and_after_five_none_is_right(reviewer: Client) -> None:
    press(reviewer, "ask", address="rita@example.org")
    for _each in range(5):
        assert "Incorrect code" in said(press(reviewer, "confirm", code="WRONG"))
    assert "Request a new one" in said(press(reviewer, "confirm", code=sent_code()))
    assert addresses() == {""}


def test_the_code_of_somebody_else_is_of_no_use(reviewer: Client) -> None:
    press(reviewer, "ask", address="rita@example.org")
    code = sent_code()
    other = signed_in(Role.DESIGNER)
    press(other, "ask", address="dora@example.org")
    assert "Incorrect code" in said(press(other, "confirm", code=code))


def test_a_new_code_ends_the_former_one(reviewer: Client) -> None:
    press(reviewer, "ask", address="one@example.org")
    former = sent_code()
    press(reviewer, "ask", address="two@example.org")
    assert "Incorrect code" in said(press(reviewer, "confirm", code=former))
    press(reviewer, "confirm", code=sent_code())
    assert addresses() == {"two@example.org"}


def test_five_codes_an_hour_are_sent_at_most(
    reviewer: Client, later: Callable[[timedelta], None]
) -> None:
    for _each in range(5):
        press(reviewer, "ask", address="somebody@example.org")
        press(reviewer, "cancel")
    assert "Too many codes" in said(press(reviewer, "ask", address="somebody@example.org"))
    assert len(mail.outbox) == 5
    later(timedelta(hours=1, seconds=1))
    press(reviewer, "ask", address="somebody@example.org")
    assert len(mail.outbox) == 6


@pytest.mark.parametrize("address", ["", "rita", "a@b\nBcc: c@example.org", f"{'a' * 260}@x.org"])
def test_what_is_no_address_is_told_and_stays_in_the_field(reviewer: Client, address: str) -> None:
    answer = press(reviewer, "ask", address=address)
    assert answer.status_code == 422
    assert "Enter an email address" in said(answer)
    assert not mail.outbox


def test_an_address_is_removed(reviewer: Client) -> None:
    User.objects.update(email="rita@example.org")
    assert "Email goes to" in said(reviewer.get(PAGE))
    assert "Email notifications are off" in said(press(reviewer, "remove"))
    assert addresses() == {""}


def test_without_a_mail_server_it_can_only_be_removed(reviewer: Client, settings: Any) -> None:
    settings.MAIL = False
    User.objects.update(email="rita@example.org")
    page = said(reviewer.get(PAGE))
    assert "This server does not send email" in page
    assert 'name="address"' not in page
    assert "This server does not send email" in said(
        press(reviewer, "ask", address="x@example.org")
    )
    press(reviewer, "remove")
    assert addresses() == {""}


def test_a_mail_server_that_does_not_take_it_is_told(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_mail: object) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    answer = press(reviewer, "ask", address="rita@example.org")
    assert answer.status_code == 503
    assert "The mail server refused the message" in said(answer)
    assert "A code was sent" not in said(reviewer.get(PAGE))
