"""Everyone's own account: the password is changed by who knows it, and others are signed out."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from ctxadmin.accounts.models import User
from ctxadmin.accounts.services import create_admin
from ctxadmin.audit.models import AuditEntry

pytestmark = pytest.mark.django_db

OWN = "a sentence that nobody knows"


def text(answer: Any) -> str:
    return str(answer.content.decode())


@pytest.fixture
def first(tmp_path: Path, settings: Settings) -> str:
    """The password of the first administrator, whose name is ``admin``."""
    settings.DATA_DIR = tmp_path
    password = create_admin("admin")
    assert password is not None
    (tmp_path / "first_password").write_text(f"admin {password}\n")
    return password


def entered(password: str) -> Client:
    client = Client()
    sent = client.post("/sign-in/", {"username": "admin", "password": password})
    assert sent.status_code == 302
    return client


def change(client: Client, old: str, new: str = OWN, again: str = "") -> Any:
    fields = {"old_password": old, "new_password1": new, "new_password2": again or new}
    return client.post("/account/", fields)


def test_a_password_is_changed_and_other_browsers_are_signed_out(first: str) -> None:
    here, there = entered(first), entered(first)
    assert change(here, first).status_code == 302
    assert here.get("/account/").status_code == 200
    assert there.get("/account/")["Location"].startswith("/sign-in/")
    entered(OWN)


@pytest.mark.django_db(transaction=True)
def test_the_file_with_the_first_password_goes_with_it(first: str, settings: Settings) -> None:
    change(entered(first), first)
    assert not (settings.DATA_DIR / "first_password").exists()


@pytest.mark.parametrize(
    ("new", "again", "why"),
    [
        ("short", "short", "at least 12 characters"),
        (OWN, OWN + "!", "didn’t match"),
        ("password1234", "password1234", "too common"),
    ],
)
def test_a_bad_password_is_refused_and_the_old_one_holds(
    first: str, new: str, again: str, why: str
) -> None:
    answer = change(entered(first), first, new, again)
    assert answer.status_code == 422
    assert why in text(answer)
    entered(first)


def test_who_does_not_know_the_old_one_changes_nothing_and_is_stopped(first: str) -> None:
    client = entered(first)
    assert "entered incorrectly" in text(change(client, "a guess"))
    for _ in range(10):
        change(client, "a guess")
    assert change(client, first).status_code != 302
    assert User.objects.get().check_password(first)


def test_it_is_on_record_without_the_password(first: str) -> None:
    change(entered(first), first)
    row = AuditEntry.objects.filter(action="member.manage").order_by("-seq").values()[0]
    assert b"password changed" in bytes(row["detail"])
    assert OWN not in repr(row)


def test_the_page_is_for_who_is_signed_in() -> None:
    assert Client().get("/account/")["Location"].startswith("/sign-in/")


def test_someone_without_a_workspace_has_no_account_here() -> None:
    client = Client()
    client.force_login(
        User.objects.create_user("nobody"), "django.contrib.auth.backends.ModelBackend"
    )
    assert client.get("/account/").status_code == 403
