"""Who guesses names and passwords is stopped by name and by address."""

import pytest
from django.test import Client
from pytest_django import Settings

from ctxadmin.identity.roles import Role
from tests.factories import member

pytestmark = pytest.mark.django_db

LOCKED = 429


def tried(name: str, address: str = "203.0.113.5", password: str = "a guess") -> int:
    fields = {"username": name, "password": password}
    return int(Client(REMOTE_ADDR=address).post("/sign-in/", fields).status_code)


@pytest.fixture(autouse=True)
def _limit(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 4


def test_an_address_that_tries_many_names_is_stopped_and_others_are_not() -> None:
    member("anna", Role.REVIEWER)
    assert [tried(f"name-{n}") for n in range(4)] == [200] * 3 + [LOCKED]
    assert tried("anna", password="a long password") == LOCKED
    assert tried("anna", "203.0.113.6", "a long password") == 302


def test_signing_in_takes_back_only_the_failures_of_that_name() -> None:
    member("mallory", Role.VIEWER)
    for n in range(2):
        tried(f"name-{n}")
    assert tried("mallory", password="a long password") == 302
    assert [tried("name-8"), tried("name-9")] == [200, LOCKED]


def test_of_ipv6_the_network_counts() -> None:
    for n in range(4):
        tried(f"name-{n}", f"2001:db8::{n}")
    assert tried("anna", "2001:db8::99") == LOCKED
    assert tried("anna", "2001:db8:0:1::99") == 200


def test_the_limit_of_an_address_can_be_left_out(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 0
    assert {tried(f"name-{n}") for n in range(6)} == {200}


def test_a_wrong_password_reads_like_an_unknown_name() -> None:
    member("anna", Role.REVIEWER)
    for name in ("anna", "nobody"):
        answer = Client().post("/sign-in/", {"username": name, "password": "a guess"})
        assert "Incorrect username or password." in answer.text


def test_who_is_locked_out_is_reported_when_to_try_again() -> None:
    for n in range(4):
        tried(f"name-{n}")
    fields = {"username": "anna", "password": "a guess"}
    answer = Client(REMOTE_ADDR="203.0.113.5").post("/sign-in/", fields)
    assert (answer.status_code, answer["Retry-After"]) == (LOCKED, "900")
    assert "Too many attempts" in answer.text
