"""The canvas saves what was changed on it; a refusal is in the language of its page."""

from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.pages.workflows.unsaved import ask
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def changes(**changed: Any) -> dict[str, Any]:
    return {
        "changes": changed,
        "expected_version": Workflow.objects.get(slug="small").draft_version,
    }


def test_changes_are_saved_as_the_next_version_of_the_draft(designer: Client) -> None:
    sent = changes(name="Smaller")
    answer = ask(designer, "draft", sent)
    row = Workflow.objects.get(slug="small")
    assert answer.json() == {"draft_version": row.draft_version}
    assert row.draft_version == sent["expected_version"] + 1
    assert b"Smaller" in bytes(row.draft)
    assert ask(designer, "draft", sent).status_code == 409


def test_a_refusal_is_in_the_language_of_the_page(designer: Client) -> None:
    sent = changes(nodes={"changed": {"nobody": {"id": "nobody", "type": "llm"}}})
    english = ask(designer, "draft", sent)
    designer.cookies["language"] = "zh-hans"
    chinese = ask(designer, "draft", sent)
    assert (english.status_code, chinese.status_code) == (422, 422)
    assert english.json()["errors"][0]["message"].isascii()
    assert not chinese.json()["errors"][0]["message"].isascii()
    assert not chinese.json()["detail"].isascii()


def test_who_may_not_change_workflows_saves_nothing() -> None:
    answer = ask(signed_in(Role.REVIEWER), "draft", changes(name="Mine"))
    assert answer.status_code == 403
    assert b"Mine" not in bytes(Workflow.objects.get(slug="small").draft)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"changes": {}}, "/expected_version"),
        ({"changes": {"nodes": 5}, "expected_version": 1}, "/changes/nodes"),
        ({"changes": {}, "expected_version": -1}, "/expected_version"),
    ],
)
def test_a_wrong_body_names_its_field(designer: Client, body: Any, pointer: str) -> None:
    answer = ask(designer, "draft", body)
    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json()["errors"]] == [pointer]
