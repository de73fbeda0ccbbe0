"""A short conversation, and what the sheet of an action does to it."""

import re
from typing import Any

from django.test import Client

from tests.factories import (
    assistant,
    calls,
    conversation,
    result,
    system,
    user,
)


def text(answer: Any) -> str:
    return str(answer.content.decode())


def booking() -> None:
    conversation(
        system("You book seats."),
        user("Book 12A"),
        calls("a"),
        result("a"),
        assistant("Done"),
        public_id="t",
    )


def asked(do: str, positions: str, **more: str) -> dict[str, str]:
    return {"do": do, "positions": positions, "revision": "0", "count": "5"} | more


def sheet(client: Client, do: str, positions: str, **more: str) -> str:
    return text(client.get("/conversations/t/act/", asked(do, positions, **more)))


def apply(client: Client, do: str, positions: str, **more: str) -> Any:
    sent = asked(do, positions, apply="1", **more)
    return client.post("/conversations/t/act/", sent, follow=True)


def shown(page: str) -> list[int]:
    return [int(index) for index in re.findall(r'<article [^>]*id="m(\d+)"', page)]
