"""What the page of an execution says of its workflow, above all when the workflow is gone."""

import re

import pytest
from django.test import Client

from conversations.lifecycle import erasure
from ctxadmin.identity.roles import Scope
from tests.factories import Api, engine
from tests.integration.checkpoints.flows import Run, chain, ok
from tests.integration.pages.execution_scenes import page, paused, running, text, url

pytestmark = pytest.mark.django_db


def delete(run: Run, slug: str = "letter") -> None:
    assert run.api.delete(f"/workflows/{slug}").status_code == 204


def links(html: str) -> set[str]:
    return set(re.findall(r'href="(/workflows/[^"]+|/executions/[^"]+/workflow/)"', html))


def test_an_execution_leads_to_the_version_that_it_runs(reviewer: Client) -> None:
    run = paused()
    assert links(page(reviewer, run)) == {url(run, "workflow/")}
    shown = page(reviewer, run, "workflow/")
    assert links(shown) == {"/workflows/letter/versions/1/"}
    assert 'id="node-review"' in shown
    assert "deleted" not in shown


def test_a_deleted_workflow_is_named_so_and_its_version_can_be_read(reviewer: Client) -> None:
    run = paused()
    delete(run)
    assert "letter</a> version 1 (deleted)" in page(reviewer, run)
    shown = page(reviewer, run, "workflow/")
    assert 'id="node-review"' in shown
    assert "was deleted" in shown
    canvas = url(run, "workflow/drawn/")
    assert f'data-drawn="{canvas}"' in shown
    drawn = reviewer.get(canvas).json()["drawn"]
    assert drawn["links"]["nodes"]["review"] == "#node-review"
    assert links(shown) == set()


def test_nothing_leads_to_another_workflow_that_took_the_slug(reviewer: Client) -> None:
    run = paused()
    delete(run)
    chain("letter", "other")
    assert "(deleted)" in page(reviewer, run)
    shown = page(reviewer, run, "workflow/")
    assert links(shown) == set()
    assert 'id="node-other"' not in shown


def test_a_conversation_of_the_slug_is_listed_under_what_took_it(reviewer: Client) -> None:
    chain("letter", "a")
    api = Api()
    made = ok(api.post("/conversations", {"workflow": "letter"}))
    assert api.delete("/workflows/letter").status_code == 204
    shown = text(reviewer.get(f"/executions/{made['id']}/"))
    assert links(shown) == set()
    assert "letter" in shown
    chain("letter", "b")
    found = ok(api.get("/conversations?workflow=letter"))["results"]
    assert [each["id"] for each in found] == [made["id"]]
    assert links(text(reviewer.get(f"/executions/{made['id']}/"))) == {"/workflows/letter/"}
    started = ok(api.post(f"/conversations/{made['id']}/executions"))
    assert started["ready_nodes"] == ["b"]


def test_a_free_execution_has_no_page_of_a_workflow(reviewer: Client) -> None:
    run = running()
    assert "free execution" in page(reviewer, run)
    assert reviewer.get(url(run, "workflow/")).status_code == 404


def test_a_fork_leads_back_only_to_the_execution_that_it_came_from(reviewer: Client) -> None:
    run = paused()
    fork = ok(run.post("checkpoints/1/fork"))["id"]
    back = f'href="{url(run, "versions/1/")}"'
    assert back in text(reviewer.get(f"/executions/{fork}/"))
    ok(run.post("cancel"))
    ok(run.post("executions", {"workflow": "letter"}))
    html = text(reviewer.get(f"/executions/{fork}/"))
    assert back not in html
    assert "forked from" in html
    erasure.erase(engine(Scope.ADMIN), run.head.public_id)
    assert reviewer.get(f"/executions/{fork}/").status_code == 200
