"""Pages show names and words where programs have ids and codes."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.store.executions import find_current
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from ctxadmin.ui.components import author_label
from tests.factories import Api, conversation, signed_in, user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish
from tests.integration.pages.execution_scenes import hidden, move, page, text, url
from workflows.models import Workflow
from workflows.reading.node_names import node_names

pytestmark = pytest.mark.django_db
TIMEOUT = {"pause": "before", "timeout": {"seconds": 60, "outcome": "approve"}}


@pytest.fixture
def designer() -> Client:
    return signed_in(Role.DESIGNER)


def named(**config: object) -> Run:
    """An execution that waits before ``n2``, which is called "Ask a person"."""
    nodes = [
        node("n1", name="Draft the answer"),
        node("n2", name="Ask a person", config=config or {"pause": "before"}),
        node("n3", name="Send it"),
    ]
    publish("named", nodes, [edge("n1", "n2"), edge("n2", "n3")])
    run = Run.start("named")
    run.append(user("Where is my parcel?"))
    ok(run.complete("n1", state_data={"draft": "Dear customer"}))
    return run


@pytest.mark.parametrize("path", ["/reviews/", "/", "/executions/"])
def test_lists_name_the_node(designer: Client, path: str) -> None:
    named()
    html = text(designer.get(path))
    assert "Ask a person" in html
    assert ">n2<" not in html


def test_a_list_asks_once_for_all_names_and_keeps_them(
    designer: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    row = find_current(named().head.key)
    assert row is not None
    places = {(row.workflow_key, row.workflow_version, each) for each in ("n1", "n2", "none")}
    with django_assert_num_queries(1):
        names = node_names({*places, (None, None, "free")})
    assert sorted(names.values()) == ["Ask a person", "Draft the answer"]
    with django_assert_num_queries(0):
        assert node_names(places) == names


def test_a_decision_says_by_name_where_it_continues(designer: Client) -> None:
    run = named()
    answer = move(designer, run, "approve")
    assert answer.status_code == 302
    assert "The engine continues at Ask a person." in text(designer.get(url(run)))


def test_executed_nodes_are_listed_by_name(designer: Client) -> None:
    html = page(designer, named(), "versions/1/")
    executed = html.partition("Executed nodes")[2]
    assert ">Draft the answer</li>" in executed


def test_who_wrote_a_message_is_a_node_by_its_name(designer: Client) -> None:
    run = named()
    written = {"messages": [{"role": "assistant", "content": "Dear customer", "node_id": "n1"}]}
    assert run.api.post(f"{run.path}/messages", written).status_code == 201
    html = text(designer.get(f"/conversations/{run.head.public_id}/messages/1/"))
    assert "Written by node “Draft the answer”" in html


def test_messages_their_filter_and_the_list_name_the_node_that_wrote(designer: Client) -> None:
    run = named()
    written = [
        {"role": "assistant", "content": each, "node_id": node_id}
        for each, node_id in (("Dear customer", "n1"), ("Sent", "elsewhere"))
    ]
    assert run.api.post(f"{run.path}/messages", {"messages": written}).status_code == 201
    html = text(designer.get(f"/conversations/{run.head.public_id}/?node=n1"))
    head = html.partition('class="message-step"')[2].partition("</a>")[0]
    assert head.endswith(">Draft the answer")
    assert re.search(r'<option value="n1"[^>]*>Draft the answer', html)
    assert re.search(r'<option value="elsewhere"[^>]*>elsewhere', html)
    assert 'Node: <b translate="no">Draft the answer</b>' in html
    listed = text(designer.get("/conversations/"))
    assert '(<span translate="no">elsewhere</span>)' in listed
    assert run.api.post(f"{run.path}/messages", {"messages": written[:1]}).status_code == 201
    assert '(<span translate="no">Draft the answer</span>)' in text(designer.get("/conversations/"))


def test_the_filter_of_executions_has_the_names_of_workflows(designer: Client) -> None:
    run = named()
    Workflow.objects.filter(slug="named").update(name="Letters")
    html = text(designer.get("/executions/"))
    assert '<option value="named">Letters</option>' in html
    assert run.head.public_id in html


def test_what_a_node_saw_and_would_see_is_called_context(designer: Client) -> None:
    run = named()
    assert "Context seen: Draft the answer, version 1" in page(designer, run, "versions/1/saw/")
    html = text(designer.get("/workflows/named/preview/?node=n3&of=1"))
    assert "Context preview: Send it" in html
    assert "from Ask a person to Send it" in html
    assert "would see" not in html.partition("<title>")[2].partition("</title>")[0]


def test_the_form_of_a_state_says_when_the_answer_is_decided_without_the_edits(
    designer: Client,
) -> None:
    assert "approves automatically" in page(designer, named(**TIMEOUT), "state/")


def test_an_automatic_approval_says_so(designer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    run = named(**TIMEOUT)
    later = clock.now() + timedelta(hours=1)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: later)
        call_command("answer_overdue")
    html = page(designer, run, "timeline/")
    assert "Approved automatically: nobody answered by the deadline." in html
    assert "Nobody answered in time." not in html
    chinese = designer.get(url(run, "timeline/"), headers={"accept-language": "zh-CN"})
    assert "已自动批准" in text(chinese)


def restored(client: Client, run: Run, revision: int, **more: str) -> str:
    """The page after a restore of a revision that was asked for first."""
    path = f"/conversations/{run.head.public_id}/restore/{revision}/"
    asked = text(client.get(path)).partition('id="confirm"')[2]
    seen = {name: hidden(asked, name) for name in ("expected_revision", "expected_count")}
    return text(client.post(path, {**seen, **more}, follow=True))


def test_an_undo_says_that_it_is_undone(designer: Client) -> None:
    run = Run(Api(), conversation(user("one"), user("two")))
    ok(run.post("operations", {"operation": "truncate", "truncate": {"keep_last": 1}}))
    undone = restored(designer, run, 0, undo="1")
    assert "Undone. The messages are as before." in undone
    assert '<input type="hidden" name="undo" value="redo">' in undone
    assert "Redo</button>" in undone
    redone = restored(designer, run, 1, undo="redo")
    assert "Redone." in redone
    assert '<input type="hidden" name="undo" value="1">' in redone
    assert "Restored batch 0 “Start”." in restored(designer, run, 0)


def test_the_queue_is_for_anyone(designer: Client) -> None:
    named()
    assert '<option value="">Anyone</option>' in text(designer.get("/reviews/"))


def test_a_refused_import_is_explained_apart_from_the_form(designer: Client) -> None:
    admin = signed_in(Role.ADMIN)
    file = SimpleUploadedFile("one.json", b"5", "application/json")
    html = text(admin.post("/conversations/import/", {"file": file, "shape": "openai"}))
    said = html.partition("Nothing was imported.</strong>")[2].lstrip()
    assert said.startswith("This must be an object"), said[:80]
    assert '<div class="stack">' in html.partition("Nothing was imported.")[0][-400:]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("person:anna", "anna"),
        ("token:demo seed", "demo seed (token)"),
        ("system:answer_overdue", "answer_overdue (system)"),
        ("anna", "anna"),
        ("other:thing", "other:thing"),
    ],
)
def test_authors_are_called_as_people_call_them(label: str, words: str) -> None:
    assert author_label(label) == words
