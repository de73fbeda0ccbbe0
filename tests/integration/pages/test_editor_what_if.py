"""What if from within the editor: a document that nobody saved, over recorded executions."""

from typing import Any

import orjson
import pytest
from django.test import Client

from ctxadmin.identity.roles import Role, Scope
from tests.factories import Api, signed_in, user
from tests.integration.checkpoints.flows import Run, edge, everything, node, ok, publish
from tests.integration.pages.workflows.unsaved import about

pytestmark = pytest.mark.django_db

PAGE = "/workflows/letter/editor/what-if/"
BEGIN, WRITE = node("begin", "start"), node("write", "llm", context_type="pass_through")
EDGES = [edge("begin", "write")]
NARROW = {"rules": [{"type": "exclude", "pattern": "secret"}], "default_behavior": "pass"}


@pytest.fixture
def runs() -> list[Run]:
    """Two executions that both wrote twice; the draft is as it was published."""
    publish("letter", [BEGIN, WRITE], EDGES)
    made = []
    for _ in range(2):
        run = Run.start("letter", state={"secret": 1})
        run.append(user("hello"))
        for name in ("begin", "write"):
            ok(run.complete(name))
        made.append(run)
    return made


def document(**fields: Any) -> dict[str, Any]:
    return {"name": "letter", "nodes": [BEGIN, {**WRITE, **fields}], "edges": EDGES}


def ask(client: Client, tried: Any, **more: Any) -> Any:
    body = orjson.dumps({**about(tried, "letter"), **more})
    return client.post(PAGE, body, content_type="application/json")


def run_all(client: Client, tried: Any, last: int = 20) -> list[Any]:
    answers = [ok(ask(client, tried, last=last))]
    while answers[-1]["run"]:
        answers.append(ok(ask(client, tried, run=answers[-1]["run"])))
    return answers


def test_each_call_looks_at_one_execution_and_the_sums_grow(
    designer: Client, runs: list[Run]
) -> None:
    first, *others = run_all(designer, document(context_filter=NARROW))
    assert (first["done"], first["whole"], first["results"]) == (0, 2, [])
    assert [answer["done"] for answer in others] == [1, 2]
    assert others[-1]["sums"] == [
        {"node": "write", "inputs": 2, "changed": 2},
        {"node": "begin", "inputs": 2, "changed": 0},
    ]
    found = [each for answer in others for each in answer["results"]]
    assert {each["execution"] for each in found} == {run.head.public_id for run in runs}
    line = found[0]["lines"][0]
    assert (line["kind"], line["what"]) == ("lost", "variables: secret")


def test_the_document_as_it_is_sent_counts_and_not_the_draft(
    designer: Client, runs: list[Run]
) -> None:
    assert run_all(designer, document())[-1]["results"] == []
    gone = {**document(), "nodes": [BEGIN], "edges": []}
    (found,) = run_all(designer, gone, last=1)[-1]["results"]
    assert "no such node" in found["problem"]


def test_nothing_is_stored(designer: Client, runs: list[Run]) -> None:
    before = everything()
    run_all(designer, document(context_filter=NARROW))
    assert everything() == before


def test_a_run_continues_with_no_other_document(designer: Client, runs: list[Run]) -> None:
    token = ok(ask(designer, document()))["run"]
    refused = ask(designer, document(context_filter=NARROW), run=token)
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    forged = ask(designer, document(), run=token[:-2] + "xx")
    assert (forged.status_code, forged.json()["code"]) == (422, "validation")


def test_what_cannot_be_read_is_not_tried(designer: Client, runs: list[Run]) -> None:
    refused = ask(designer, document(position="left"))
    assert refused.status_code == 422
    assert "write is invalid" in refused.json()["detail"]


def test_a_run_continues_though_the_document_was_saved_meanwhile(
    designer: Client, runs: list[Run]
) -> None:
    tried = document(context_filter=NARROW)
    token = ok(ask(designer, tried))["run"]
    put = {"document": tried, "expected_version": 1}
    ok(Api([Scope.DESIGN]).put("/workflows/letter/draft", put))
    assert ok(ask(designer, tried, run=token))["done"] == 1


@pytest.mark.parametrize("last", [0, 101, "many"])
def test_a_number_out_of_range_is_refused(designer: Client, runs: list[Run], last: Any) -> None:
    assert ask(designer, document(), last=last).status_code == 422


def test_a_workflow_that_never_ran_is_done_at_once(designer: Client) -> None:
    publish("letter", [BEGIN], [])
    answer = ok(ask(designer, document()))
    assert (answer["run"], answer["whole"]) == (None, 0)


def test_only_who_may_preview_may_ask(runs: list[Run]) -> None:
    for role in Role:
        client = signed_in(role)
        page = client.get("/workflows/letter/what-if/").status_code
        assert ask(client, document()).status_code == page
    assert ask(Client(), document()).status_code in (401, 403)
    assert ask(signed_in(Role.ADMIN, "elsewhere"), document()).status_code == 404
