"""Comparisons of policies on the conversations of a workflow, as tests start and read them."""

import csv
from io import StringIO
from typing import Any

from django.test import Client

from conversations.models import Conversation
from tests.factories import (
    assistant,
    calls,
    conversation,
    result,
    system,
    user,
)
from tests.integration.pages.workflows.designing import text
from workflows.backtests.runner import RUNNER

PAGE = "/workflows/small/compare/"
LONG = "word " * 300
DEEP: dict[str, Any] = {"max_tokens": "4000", "target_tokens": "500"}
# Each call but the first has a result before it: "last 5" splits pairs, a budget does not.
TALK = [
    system("Be kind."),
    *(
        each
        for turn in range(20)
        for each in (user(LONG), calls(f"c{turn}"), result(f"c{turn}", LONG), assistant("ok"))
    ),
]


def talk(name: str, *messages: Any, slug: str = "small") -> Conversation:
    return conversation(*(messages or TALK), public_id=name, workflow=slug)


def start(client: Client, **query: Any) -> str:
    """Where a comparison is that was started."""
    answer = client.post(PAGE, {"last": "50", **query})
    assert answer.status_code == 302, text(answer)
    return str(answer.headers["Location"])


def compared(client: Client, **query: Any) -> str:
    """The same, done."""
    url = start(client, **query)
    assert RUNNER.run_next()
    return url


def rows(client: Client, **query: Any) -> dict[str, dict[str, str]]:
    answer = client.get(compared(client, **query), {"csv": "1"})
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8", text(answer)
    assert "small-policies.csv" in answer.headers["Content-Disposition"]
    return {row["policy"]: row for row in csv.DictReader(StringIO(text(answer)))}


def table_of(shown: str) -> str:
    start_of = shown.index('id="compared"')
    return shown[start_of : shown.index("</table>", start_of)]
