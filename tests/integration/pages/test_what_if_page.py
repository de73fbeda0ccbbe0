"""The page that tries the draft on recorded executions."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from ctxadmin.identity.roles import Role, Scope
from tests.factories import Api, engine, signed_in, user
from tests.integration.checkpoints.flows import Run, edge, everything, node, ok, publish
from tests.integration.pages.execution_scenes import hidden, text
from workflows.domain.document import graph
from workflows.services import use_cases

pytestmark = pytest.mark.django_db

PAGE = "/workflows/letter/what-if/"
NODES = [node("begin", "start"), node("write", "llm")]
EDGES = [edge("begin", "write")]


@pytest.fixture
def runs() -> list[Run]:
    """Three executions, and a draft in which a node sees less than it saw."""
    publish("letter", NODES, EDGES)
    made = []
    for _ in range(3):
        run = Run.start("letter", Api(), state={"llm.model": "small", "prompt.x": 1})
        run.append(user("hello"))
        for name in ("begin", "write"):
            ok(run.complete(name))
        made.append(run)
    save([NODES[0], node("write", "llm", name="Write it", context_filter=narrow("prompt.x"))], 1)
    return made


def narrow(pattern: str) -> dict[str, Any]:
    return {"rules": [{"type": "exclude", "pattern": pattern}], "default_behavior": "pass"}


def save(nodes: list[Any], seen: int) -> None:
    document = graph.read({"name": "letter", "nodes": nodes, "edges": EDGES})
    use_cases.save_draft(engine(Scope.DESIGN), "letter", document, seen)


def step(client: Client, token: str, *, by_script: bool = True) -> Any:
    headers = {"HX-Request": "true"} if by_script else {}
    return client.post(PAGE, {"run": token}, headers=headers)


def test_without_scripts_a_page_has_all_that_there_is_time_for(
    designer: Client, runs: list[Run]
) -> None:
    page = text(designer.post(PAGE, {"last": "20"}))
    assert "Done: 3 executions replayed" in page
    assert all(f'href="/executions/{run.head.public_id}/"' in page for run in runs)
    assert page.count("what-if-lost") == 3
    assert "variables: prompt.x" in page
    assert page.count('<th scope="row"><span translate="no">Write it</span>') == 4
    assert re.search(r"Write it</span></th><td[^>]*>3</td><td[^>]*><span[^>]*>3</span>", page)
    assert "Continue" not in page


def test_with_scripts_each_request_looks_at_one_execution(
    designer: Client, runs: list[Run]
) -> None:
    shell = text(designer.post(PAGE, {"last": "2"}, headers={"HX-Request": "true"}))
    assert "0 of 2 executions replayed" in shell
    assert "what-if-lost" not in shell
    first = text(step(designer, hidden(shell, "run")))
    assert "1 of 2 executions replayed" in first
    assert first.count("what-if-lost") == 1
    assert runs[2].head.public_id in first
    second = text(step(designer, hidden(first, "run")))
    assert "Done: 2 executions replayed" in second
    assert runs[1].head.public_id in second
    assert 'name="run"' not in second
    assert re.search(r"Write it</span></th><td[^>]*>2</td><td[^>]*><span[^>]*>2</span>", second)


def test_too_much_work_is_reported_at_its_input(
    designer: Client, runs: list[Run], settings: Settings
) -> None:
    settings.MAX_PREVIEW_WORK = 10_000
    rules = [{"type": "exclude", "pattern": "*a" * 100 + f"*{n}*"} for n in range(100)]
    save([NODES[0], node("write", "llm", context_filter={"rules": rules})], 2)
    page = text(designer.post(PAGE, {"last": "1"}))
    assert "Comparing the names of variables with rules takes more work than" in page


def test_a_run_can_continue_without_scripts_where_it_was_left(
    designer: Client, runs: list[Run]
) -> None:
    shell = text(designer.post(PAGE, {"last": "3"}, headers={"HX-Request": "true"}))
    first = text(step(designer, hidden(shell, "run")))
    rest = text(step(designer, hidden(first, "run"), by_script=False))
    assert "Done: 3 executions replayed" in rest
    assert runs[2].head.public_id not in rest
    assert "<html" in rest


def test_a_run_knows_how_many_executions_there_are(designer: Client, runs: list[Run]) -> None:
    shell = text(designer.post(PAGE, {"last": "50"}, headers={"HX-Request": "true"}))
    assert "0 of 3 executions replayed" in shell


def test_executions_that_are_erased_meanwhile_are_not_waited_for(
    designer: Client, runs: list[Run]
) -> None:
    shell = text(designer.post(PAGE, {"last": "3"}, headers={"HX-Request": "true"}))
    for run in runs[:2]:
        assert Api().delete(f"/conversations/{run.head.public_id}").status_code == 204
    first = text(step(designer, hidden(shell, "run")))
    second = text(step(designer, hidden(first, "run")))
    assert "Done: 1 execution replayed" in second
    assert 'name="run"' not in second


def test_a_workflow_that_never_ran_says_so(designer: Client) -> None:
    publish("letter", NODES, EDGES)
    assert "This workflow has no executions yet" in text(designer.post(PAGE, {"last": "5"}))


def test_a_draft_that_changed_meanwhile_is_not_mixed_with_the_former(
    designer: Client, runs: list[Run]
) -> None:
    shell = text(designer.post(PAGE, {"last": "3"}, headers={"HX-Request": "true"}))
    save(NODES, 2)
    for by_script, status in ((True, 422), (False, 409)):
        answer = step(designer, hidden(shell, "run"), by_script=by_script)
        assert answer.status_code == status
        assert "has changed since" in text(answer)
        assert 'name="run"' not in text(answer)


@pytest.mark.parametrize("last", ["", "0", "101", "-1", "x", "9" * 30])
def test_a_number_that_cannot_be_is_named_at_its_field(
    designer: Client, runs: list[Run], last: str
) -> None:
    answer = designer.post(PAGE, {"last": last})
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)


def test_a_forged_run_is_refused(designer: Client, runs: list[Run]) -> None:
    assert step(designer, "forged").status_code == 422


def test_those_who_may_preview_may_ask_and_others_not(runs: list[Run]) -> None:
    expected = {Role.VIEWER: 403, Role.REVIEWER: 200, Role.DESIGNER: 200, Role.ADMIN: 200}
    for role, status in expected.items():
        client = signed_in(role)
        assert client.get(PAGE).status_code == status
        assert client.post(PAGE, {"last": "1"}).status_code == status
    assert signed_in(Role.ADMIN, "far").get(PAGE).status_code == 404


def test_nothing_is_stored(designer: Client, runs: list[Run]) -> None:
    before = everything()
    designer.post(PAGE, {"last": "3"})
    assert everything() == before


def test_hostile_names_are_text(designer: Client, runs: list[Run]) -> None:
    script = "<script>alert(1)</script>"
    run = Run.start("letter", Api(), state={script: 1})
    ok(run.complete("begin"))
    ok(run.complete("write"))
    page = text(designer.post(PAGE, {"last": "1"}))
    assert script not in page
