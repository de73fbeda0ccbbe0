"""Messages that are requested by their index in the log."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.factories import Api, conversation, user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def text(answer: Any) -> str:
    return str(answer.content.decode())


@pytest.fixture
def long_one() -> str:
    conversation(*[user(f"number {n}") for n in range(120)], public_id="long")
    return "/conversations/long/"


def test_a_message_is_asked_for_by_its_index_in_the_log(reviewer: Client, long_one: str) -> None:
    html = text(reviewer.get(f"{long_one}?at=70"))
    assert 'id="m70"' in html
    assert 'id="m0"' not in html
    assert re.findall(r'id="(s\d+)"', html) == ["s0", "s50", "s100"]
    assert f'href="{long_one}?view=current&amp;at=70#m70"' in html


def test_a_message_that_is_hidden_there_is_shown_in_the_log(
    reviewer: Client, long_one: str
) -> None:
    Api().post(f"{long_one}operations", {"operation": "truncate", "truncate": {"keep_last": 3}})
    assert reviewer.get(f"{long_one}?at=7")["Location"] == f"{long_one}?view=all&at=7"
    assert 'id="m7"' in text(reviewer.get(f"{long_one}?view=all&at=7"))
    before = text(reviewer.get(f"{long_one}?view=0&at=70"))
    assert 'id="m70"' in before
    assert f'href="{long_one}?view=0&amp;at=70#m70"' in before


def test_a_message_that_came_later_is_not_in_the_view_of_then(
    reviewer: Client, long_one: str
) -> None:
    assert 'id="m99"' in text(reviewer.get(f"{long_one}?view=0&count=100&at=99"))
    answer = reviewer.get(f"{long_one}?view=0&count=100&at=100")
    assert answer["Location"] == f"{long_one}?view=all&at=100"


@pytest.mark.parametrize(("at", "status"), [("120", 404), ("-1", 422), ("x", 422), ("9" * 12, 422)])
def test_a_message_that_does_not_exist_is_reported(
    reviewer: Client, long_one: str, at: str, status: int
) -> None:
    assert reviewer.get(f"{long_one}?at={at}").status_code == status
