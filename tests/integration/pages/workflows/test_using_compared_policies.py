"""A compared policy is used in a node of the draft."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from tests.factories import (
    signed_in,
)
from tests.integration.pages.workflows.comparing import (
    DEEP,
    compared,
    table_of,
)
from tests.integration.pages.workflows.designing import text
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def draft() -> dict[str, Any]:
    row = Workflow.objects.get(slug="small")
    found: dict[str, Any] = json.loads(bytes(row.draft))
    return {each["id"]: each.get("context_filter") for each in found["nodes"]}


def uses(shown: str) -> list[dict[str, str]]:
    forms = re.findall(r'<form method="post" action="([^"]+/use/)">(.*?)</form>', table_of(shown))
    return [
        {"url": url, **dict(re.findall(r'name="(policy|version|node)" value="([^"]+)"', fields))}
        for url, fields in forms
    ]


def test_a_policy_is_used_in_a_node_by_one_click_and_undone_by_another(
    designer: Client, talks: list[Conversation]
) -> None:
    before = draft()
    url = compared(designer, preset="last_6", node="answer", **DEEP)
    last, own = uses(text(designer.get(url)))
    assert designer.post(own.pop("url"), own).status_code == 302
    budget = {"max_tokens": 4000, "target_tokens": 500}
    used = draft()["answer"]
    assert used["messages"] == [{"operation": "budget", "budget": budget, "pairing": "keep"}]
    rest = {name: value for name, value in used.items() if name != "messages"}
    assert rest == {k: v for k, v in (before["answer"] or {}).items() if k != "messages"}
    told = unescape(text(designer.get(url)))
    assert "“Budget 4,000 to 500” is in the draft of “Answer” now." in told
    undo = re.search(r'action="([^"]+/undo/[^"]+)"', told)
    assert undo is not None
    assert designer.post(undo[1], {"undo": "1"}).status_code == 302
    assert draft() == before
    assert designer.post(last.pop("url"), last).status_code == 302
    assert draft() == before
    assert "Not saved: the draft has changed since then." in text(designer.get(url))


def test_only_who_may_change_the_workflow_may_use_a_policy(talks: list[Conversation]) -> None:
    reviewer = signed_in(Role.REVIEWER)
    url = compared(reviewer, **DEEP)
    assert uses(text(reviewer.get(url))) == []
    sent = {"policy": "2", "version": "1", "node": "answer"}
    assert reviewer.post(f"{url}use/", sent).status_code == 403
    assert reviewer.post(f"{url}undo/?used=x").status_code == 403


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"policy": "0"}, 422),
        ({"policy": "9"}, 422),
        ({"version": "x"}, 422),
        ({"node": "no"}, 404),
    ],
)
def test_a_policy_or_node_that_is_not_there_changes_nothing(
    designer: Client, talks: list[Conversation], change: dict[str, str], status: int
) -> None:
    before = draft()
    url = compared(designer, **DEEP)
    (own,) = uses(text(designer.get(url)))
    assert designer.post(own.pop("url"), {**own, **change}).status_code == status
    assert draft() == before
