"""Which messages *Find* in a conversation finds, and what it shows of them."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.factories import calls, conversation, result, user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_words_are_found_in_texts_and_in_calls_whatever_their_case(reviewer: Client) -> None:
    conversation(
        user("Ich GRÜSSE dich"), calls("a"), result("a", "grüsse"), user("x"), public_id="t"
    )
    page = text(reviewer.get("/conversations/t/find/?q=grüsse"))
    assert re.findall(r"at=(\d+)#m", page) == ["0", "2"]
    assert "<mark>GRÜSSE</mark>" in page
    assert re.findall(r"at=(\d+)#m", text(reviewer.get("/conversations/t/find/?q=LOOK_up"))) == [
        "1"
    ]
    assert "No messages match" in text(reviewer.get("/conversations/t/find/?q=zebra"))


def test_texts_in_quotes_are_found_wherever_they_stand_in_a_message(reviewer: Client) -> None:
    conversation(user("The fee is waived"), user("The fee"), user("Waived: a fee"), public_id="t")
    page = text(reviewer.get('/conversations/t/find/?q="fee"+"waived"'))
    assert re.findall(r"at=(\d+)#m", page) == ["0", "2"]
    assert "<mark>Waived</mark>" in page
    phrase = text(reviewer.get("/conversations/t/find/?q=fee+waived"))
    assert "put quotes around each" in phrase


@pytest.mark.parametrize("words", ["second+charger", "second%0Acharger", '"Sécond+charger"'])
def test_a_phrase_is_found_across_the_end_of_a_line(reviewer: Client, words: str) -> None:
    conversation(user("A second\ncharger"), user("second, charger"), public_id="t")
    page = text(reviewer.get(f"/conversations/t/find/?q={words}&whole=1"))
    assert re.findall(r"at=(\d+)#m", page) == ["0"]
    assert re.findall(r'name="q" value="(.*?)"', page)[0].count(" ") == 1
