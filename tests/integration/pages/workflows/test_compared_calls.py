"""The page of one call of a comparison: what each policy would have sent."""

import csv
import re
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from tests.factories import (
    assistant,
    signed_in,
    user,
)
from tests.integration.pages.workflows.comparing import (
    PAGE,
    compared,
    talk,
)
from tests.integration.pages.workflows.designing import SMALL, made, text
from workflows.models import Backtest

pytestmark = pytest.mark.django_db


def opened(client: Client, **query: str) -> Any:
    """A call of a comparison with a budget and a naive policy."""
    if not Backtest.objects.exists():
        compared(client, preset=["last_5_naive", "budget"])
    row = Backtest.objects.get()
    asked = {"conversation": "talk-0", **query}
    return client.get(f"{PAGE}{row.public_id}/call/", asked)


def seen_labels(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><code translate="no">(#\d+)</code>', page)


def test_a_call_is_shown_as_the_policy_would_see_it(
    designer: Client, talks: list[Conversation]
) -> None:
    full, recorded, naive = (text(opened(designer, policy=str(place))) for place in range(3))
    assert seen_labels(full) == seen_labels(recorded) == [f"#{index}" for index in range(80)]
    assert seen_labels(naive) == ["#75", "#76", "#77", "#78", "#79"]
    assert re.search(r"Unseen messages</dt><dd>75<", naive)


def test_any_call_of_any_conversation_can_be_chosen_and_the_next_is_one_click_away(
    designer: Client, talks: list[Conversation]
) -> None:
    shown = text(opened(designer, policy="0", call="2"))
    assert seen_labels(shown) == ["#0", "#1", "#2", "#3"]
    assert '<option value="talk-1">' in shown
    assert re.search(r'href="\?[^"]*call=1"[^>]*>.*Previous call', shown)
    assert re.search(r'href="\?[^"]*call=3"[^>]*>.*Next call', shown)


def test_the_figures_of_a_call_are_those_of_the_comparison(
    designer: Client, talks: list[Conversation]
) -> None:
    sums = 0
    for number in range(1, 41):
        shown = text(opened(designer, policy="3", call=str(number)))
        found = re.search(r"<dt>Tokens</dt><dd>([\d,]+)<", shown)
        assert found is not None
        sums += int(found[1].replace(",", ""))
    url = f"{PAGE}{Backtest.objects.get().public_id}/"
    table = {
        row["policy"]: row
        for row in csv.DictReader(StringIO(text(designer.get(url, {"csv": "1"}))))
    }
    assert 2 * sums == int(table["Budget 2,500 to 1,900"]["sent_tokens"])


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"policy": "4"}, "There is no such policy."),
        ({"policy": "x"}, "Choose a policy and enter the number of a call."),
        ({"call": "0"}, "Choose a policy and enter the number of a call."),
        ({"call": "41"}, "There is no such call."),
        ({"conversation": "unheard"}, "There is no conversation"),
        ({"conversation": "other"}, "This comparison has no conversation"),
    ],
)
def test_a_call_that_does_not_exist_is_reported(
    designer: Client, talks: list[Conversation], query: dict[str, str], said: str
) -> None:
    made("other", SMALL)
    talk("other", user("hi"), assistant("ok"), slug="other")
    answer = opened(designer, **query)
    assert answer.status_code == 422
    assert said in unescape(text(answer))


def test_calls_are_shown_to_those_who_may_preview(talks: list[Conversation]) -> None:
    assert opened(signed_in(Role.REVIEWER)).status_code == 200
    assert opened(signed_in(Role.VIEWER)).status_code == 403
    assert opened(signed_in(Role.ADMIN, "far")).status_code == 404
