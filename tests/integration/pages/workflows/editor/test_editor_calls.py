"""Who may ask the server for the graphical editor, and what is refused; nothing is stored."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from tests.factories import browser, conversation, engine, person, signed_in, user
from tests.integration.pages.workflows.designing import made, theirs
from tests.integration.pages.workflows.unsaved import (
    ANSWER,
    CALLS,
    GO,
    START,
    about,
    ask,
    document,
    draft_field,
    panel,
    preview,
    read,
    typed,
)
from workflows.domain.document import graph
from workflows.services import use_cases

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def test_without_a_session_the_answer_is_401_and_no_page() -> None:
    for call in CALLS:
        answer = ask(Client(), call, about(document()))
        assert answer.status_code == 401
        assert answer.json()["code"] == "unauthenticated"


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (Role.VIEWER, {"words"}),
        (Role.REVIEWER, {"words", "costs", "preview"}),
        (Role.DESIGNER, set(CALLS)),
        (Role.ADMIN, set(CALLS)),
    ],
)
def test_each_role_may_what_the_table_says(role: Role, allowed: set[str]) -> None:
    client = signed_in(role)
    bodies = {
        "panel": {"kind": "node", "id": "answer", "document": document()},
        "words": {"document": document()},
        "costs": {"document": document()},
        "sides": {"conflicts": []},
        "preview": {"document": document(), "node": "answer"},
    }
    for call in CALLS:
        if call == "read":
            form = {"kind": "workflow", "draft": draft_field(), "workflow-name": "X"}
            status = client.post("/workflows/small/editor/read/", form).status_code
        else:
            status = ask(client, call, bodies[call]).status_code
        assert status == (200 if call in allowed else 403), call


def test_a_foreign_workflow_and_conversation_are_not_found(designer: Client) -> None:
    made("theirs", document(), "other")
    theirs = conversation(user("secret"), actor=engine(slug="other"))
    for call in CALLS:
        assert ask(designer, call, about(document()), "theirs").status_code == 404
    body = {"document": document(), "node": "answer", "conversation": theirs.public_id}
    answer = ask(designer, "preview", body)
    assert answer.status_code == 404
    assert "secret" not in answer.content.decode()


def test_a_call_without_the_csrf_token_is_refused() -> None:
    client = browser(Role.DESIGNER)
    for call in CALLS:
        assert ask(client, call, {"document": document()}).status_code == 403


def test_who_opens_the_address_of_a_call_is_led_to_the_editor(designer: Client) -> None:
    for call in CALLS:
        answer = designer.get(f"/workflows/small/editor/{call}/")
        assert answer["Location"] == "/workflows/small/editor/"
        assert designer.put(f"/workflows/small/editor/{call}/").status_code == 405


_HUGE = [{"at": n, "element": {"id": f"n{n}", "type": "x"}} for n in range(10_001)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b'{"draft_version": NaN}', 400),
        (b'{"draft_version": 1, "draft_version": 1}', 422),
        (b"[]", 422),
        ({}, 422),
        ({"draft_version": "1"}, 422),
        ({"version": 7}, 404),
        ({"draft_version": 1, "changes": []}, 422),
        ({"draft_version": 1, "changes": {"nodes": []}}, 422),
        ({"draft_version": 1, "changes": {"nodes": {"removed": ["nobody"]}}}, 422),
        ({"draft_version": 1, "changes": {"edges": {"changed": {"nobody": {}}}}}, 422),
        ({"draft_version": 1, "changes": {"nodes": {"added": _HUGE}}}, 422),
        ({"draft_version": 1, "changes": {"reducers": 5}}, 422),
        ({"draft_version": 1, "surprise": 1}, 422),
    ],
)
def test_bad_drafts_get_a_clear_word(designer: Client, body: Any, status: int) -> None:
    wanted = {"words": {}, "panel": {"kind": "reducers"}, "preview": {"node": "answer"}}
    for call, more in wanted.items():
        answer = ask(designer, call, body | more if isinstance(body, dict) else body)
        assert answer.status_code == status, call
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"]


def test_a_draft_that_was_saved_meanwhile_is_a_conflict(designer: Client) -> None:
    wanted = {"words": {}, "panel": {"kind": "reducers"}, "preview": {"node": "answer"}}
    for call, more in wanted.items():
        answer = ask(designer, call, {"draft_version": 2, **more})
        assert answer.status_code == 409
        found = answer.json()
        assert (found["code"], found["expected"], found["actual"]) == ("version_conflict", 2, 1)


def test_the_canvas_of_a_published_version_asks_about_that(designer: Client) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    theirs(graph.read(document(START, ANSWER, edges=())))
    told = ask(designer, "words", {"version": 1}).json()
    assert list(told["edges"]) == ["go"]
    told = ask(designer, "words", {"draft_version": 2}).json()
    assert told["edges"] == {}


def test_nothing_is_stored(designer: Client) -> None:
    before = AuditEntry.objects.count()
    sent = typed(designer, "node", "answer") | {"node-name": "Other"}
    read(designer, sent)
    ask(designer, "words", {"document": document()})
    preview(designer)
    assert AuditEntry.objects.count() == before


def test_no_call_asks_more_than_a_few_queries(designer: Client) -> None:
    chat = conversation(*(user(f"m{n}") for n in range(40)))
    many = about(document(*({"id": f"n{n}", "type": "llm"} for n in range(300)), edges=()))
    bodies: dict[str, Any] = {
        "panel": {"kind": "node", "id": "n7", **many},
        "words": many,
        "preview": {**many, "node": "n7", "conversation": chat.public_id},
        "costs": many,
    }
    most = {"panel": 4, "words": 4, "preview": 17, "costs": 11}
    for call, body in bodies.items():
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert ask(designer, call, body).status_code == 200
        assert len(asked) <= most[call], (call, [each["sql"] for each in asked])


def test_hostile_text_is_text_everywhere(designer: Client) -> None:
    script = "<script>alert(1)</script>"
    node = {**ANSWER, "name": script, "description": script, "config": {"template": script}}
    edge = {**GO, "condition": f"context.a === '{script}'"}
    given = document(START, node, edges=[edge], reducers={"a": script})
    for kind, name in (("node", "answer"), ("edge", "go"), ("reducers", ""), ("workflow", "")):
        assert script not in panel(designer, kind, name, given)
    context = {"variables": {"prompt.x": script, script: 1}, "metadata": {script: script}}
    told = preview(designer, document=given, context=context, messages=[user(script)])
    assert script not in told["html"]
    along = preview(designer, document=given, context=context, path=True)
    assert script not in along["html"]
