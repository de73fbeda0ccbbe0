"""The names of a conversation that the forms of the editor suggest."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import conversation, engine, signed_in, user
from tests.integration.checkpoints.flows import Run, node, publish
from tests.integration.pages.workflows.unsaved import ask

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def names(client: Client, **body: Any) -> Any:
    answer = ask(client, "names", body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_names_of_the_state_are_reported_at_a_version_or_the_latest(designer: Client) -> None:
    publish("w", [node("a"), node("b")], [])
    run = Run.start("w", state={"plan": 1, "fact.order": 2})
    run.complete("a", state_data={"later": 3})
    name = run.head.public_id
    latest = names(designer, conversation=name)["variables"]
    assert {"fact.order", "later", "plan"} <= set(latest)
    assert latest == sorted(latest)
    before = names(designer, conversation=name, at=0)["variables"]
    assert "plan" in before
    assert "later" not in before


def test_a_conversation_without_an_execution_has_no_names(designer: Client) -> None:
    chat = conversation(user("hello"))
    assert names(designer, conversation=chat.public_id) == {"variables": [], "metadata": []}


@pytest.mark.parametrize(
    ("role", "status"), [(Role.VIEWER, 403), (Role.REVIEWER, 200), (Role.DESIGNER, 200)]
)
def test_the_right_to_preview_is_enough_to_get_names(role: Role, status: int) -> None:
    body = {"conversation": conversation(user("hello")).public_id}
    assert ask(signed_in(role), "names", body).status_code == status
    assert ask(Client(), "names", body).status_code == 401


def test_names_of_others_and_of_nothing_are_refused(designer: Client) -> None:
    theirs = conversation(user("secret"), actor=engine(slug="other")).public_id
    for body, status in (
        ({"conversation": theirs}, 404),
        ({"conversation": "nobody"}, 404),
        ({"conversation": conversation(user("a")).public_id, "at": 7}, 404),
        ({"conversation": 5}, 422),
        ({}, 422),
        ({"conversation": "x", "at": -1}, 422),
    ):
        assert ask(designer, "names", body).status_code == status, body
    assert ask(designer, "names", {"conversation": "x"}, "nowhere").status_code == 404


def test_the_editor_knows_which_conversations_run_its_workflow(designer: Client) -> None:
    publish("w", [node("a"), node("b")], [])
    own = Run.start("w", state={"plan": 1}).head.public_id
    other = conversation(user("hello")).public_id
    html = designer.get("/workflows/w/editor/").content.decode()
    found = re.search(r'id="editor-setup" type="application/json">(.*?)</script>', html)
    assert found
    offered = {each[0]: each[2] for each in json.loads(found[1])["conversations"]}
    assert offered == {own: True, other: False}
