"""The canvas of an execution: its position, what nodes saw and wrote, what edges decided."""

import re
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkpoints.contexts.trace import trace_of
from checkpoints.models import Checkpoint
from checkpoints.store.executions import find_current
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from tests.factories import Api, signed_in, user
from tests.integration.checkpoints.flows import REVIEW, Run, edge, node, ok, publish, when
from tests.integration.pages.execution_scenes import page, running, text, url

pytestmark = pytest.mark.django_db

SEES = {"rules": [{"type": "exclude", "pattern": "secret"}], "default_behavior": "pass"}


@pytest.fixture
def reader() -> Client:
    return signed_in(Role.VIEWER)


@pytest.fixture
def loop() -> Run:
    """Twice round a loop, then paused before ``review``, at version 4."""
    publish(
        "loop",
        [
            node("plan", "start"),
            node("look", "llm", name="Look up", context_filter=SEES, context_type="pass_through"),
            node("review", config=REVIEW),
            node("sorry"),
        ],
        [
            edge("plan", "look"),
            when("look", "plan", "context.missing > 0"),
            when("look", "review", "context.missing === 0"),
            edge("look", "sorry", "error"),
        ],
    )
    run = Run.start("loop", state={"secret": "x", "missing": 1})
    run.append(user("hello"))
    for number, missing in ((1, 1), (2, 0)):
        assert run.complete("plan", f"plan-{number}").status_code == 201
        done = run.complete("look", f"look-{number}", state_data={"missing": missing})
        assert done.status_code == 201
    assert run.snapshot()["status"] == "PAUSED"
    return run


def marks(client: Client, run: Run) -> Any:
    answer = client.get(url(run, "canvas/marks/"))
    assert answer.status_code == 200
    return orjson.loads(answer.content)["marks"]


def test_marks_show_the_position_and_the_decisions_of_edges(reader: Client, loop: Run) -> None:
    found = marks(reader, loop)
    assert found["said"] == "Paused before review, version 4"
    assert found["nodes"] == {
        "plan": ["done", "completed ×2"],
        "look": ["done", "completed ×2"],
        "review": ["paused", "paused before"],
        "sorry": ["open", "not run"],
    }
    assert found["edges"] == {
        "plan-look": ["taken", "taken ×2"],
        "look-plan": ["taken", "taken"],
        "look-review": ["taken", "taken · waiting"],
        "look-sorry": ["refused", "not taken"],
    }


def test_steps_that_a_restore_undid_are_listed_but_not_counted(reader: Client, loop: Run) -> None:
    ok(loop.post("checkpoints/2/restore", {"reason": "again"}))
    found = marks(reader, loop)
    assert found["nodes"]["look"] == ["paused", "paused after · done"]
    assert found["edges"]["look-plan"] == ["taken", "taken · waiting"]
    assert found["edges"]["look-review"] == ["refused", "not taken"]
    panel = page(reader, loop, "canvas/panel/?edge=look-review")
    assert "undone by a restore" in panel
    assert panel.count("happened-version") == 2


def test_the_panel_of_a_node_lists_its_versions_with_what_it_saw_and_wrote(
    reader: Client, loop: Run
) -> None:
    panel = page(reader, loop, "canvas/panel/?node=look")
    assert re.findall(r'id="v(\d+)"', panel) == ["4", "2"]
    assert url(loop, "versions/4/saw/") in panel
    assert "Dear" not in panel
    saw = page(reader, loop, "versions/4/saw/")
    row = re.search(r"<code[^>]*>secret</code>.*?</tr>", saw, re.DOTALL)
    assert row is not None
    assert "dropped" in row[0]
    assert "hello" in saw


def test_the_panel_of_an_edge_gives_the_reason_of_each_decision(reader: Client, loop: Run) -> None:
    panel = page(reader, loop, "canvas/panel/?edge=look-plan")
    assert "the condition is true: context.missing &gt; 0" in panel
    assert "the condition is false: context.missing &gt; 0" in panel


def test_the_canvas_is_that_of_the_version_that_runs_and_not_of_the_draft(
    reader: Client, loop: Run
) -> None:
    api = Api((Scope.DESIGN,))
    document = {"name": "loop", "nodes": [node("other")], "edges": []}
    ok(api.put("/workflows/loop/draft", {"document": document, "expected_version": 1}))
    ok(api.post("/workflows/loop/publish", {"expected_version": 2}))
    html = page(reader, loop, "canvas/")
    setup = re.search(r'<script id="editor-setup"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert setup is not None
    found = orjson.loads(setup[1])
    assert [each["id"] for each in found["document"]["nodes"]] == [
        "plan",
        "look",
        "review",
        "sorry",
    ]
    assert found["may_change"] is False
    assert api.delete("/workflows/loop").status_code == 204
    assert page(reader, loop, "canvas/")


def test_without_javascript_the_page_leads_to_each_node(reader: Client, loop: Run) -> None:
    assert f'href="{url(loop, "canvas/")}?node=look"' in page(reader, loop, "canvas/")
    assert "Context seen" in page(reader, loop, "canvas/?node=look")
    assert f'href="{url(loop, "canvas/")}?node=look"' in page(reader, loop)


@pytest.mark.parametrize(
    "path", ["canvas/", "canvas/marks/", "canvas/panel/", "versions/0/saw/", "versions/9/saw/"]
)
def test_a_free_execution_has_no_canvas(reader: Client, path: str) -> None:
    assert reader.get(url(running(), path)).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["canvas/panel/?node=none", "canvas/panel/?edge=none", "versions/0/saw/", "versions/77/saw/"],
)
def test_what_is_not_there_is_not_found(reader: Client, loop: Run, path: str) -> None:
    assert reader.get(url(loop, path)).status_code == 404


def test_another_workspace_sees_nothing(loop: Run) -> None:
    stranger = signed_in(Role.ADMIN, "elsewhere")
    for path in ("canvas/", "canvas/marks/", "canvas/panel/?node=look", "versions/4/saw/"):
        assert stranger.get(url(loop, path)).status_code == 404


def test_a_step_whose_state_was_thinned_is_listed_without_what_it_saw(
    reader: Client, loop: Run
) -> None:
    row = find_current(loop.head.key)
    assert row is not None
    Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version__in=[1, 2]
    ).update(thinned_at=clock.now())
    panel = page(reader, loop, "canvas/panel/?node=look")
    assert url(loop, "versions/4/saw/") in panel
    assert url(loop, "versions/2/saw/") not in panel
    assert reader.get(url(loop, "versions/2/saw/")).status_code == 404


def test_of_a_long_course_the_latest_turns_are_reported(loop: Run) -> None:
    row = find_current(loop.head.key)
    assert row is not None
    course = trace_of(row, most=2)
    assert [turn.version for turn in course.turns] == [4, 3]
    assert not course.whole
    assert trace_of(row).whole


def test_the_marks_take_as_many_queries_for_a_long_execution(reader: Client, loop: Run) -> None:
    counts = []
    for rounds in (0, 6):
        for number in range(rounds):
            loop.post("resume", {"from_node": "plan"})
            loop.complete("plan", f"more-plan-{number}")
            loop.complete("look", f"more-look-{number}", state_data={"missing": 0})
        marks(reader, loop)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            marks(reader, loop)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_page_of_another_kind_of_execution_has_no_tab_of_a_canvas(reader: Client) -> None:
    assert "canvas/" not in text(reader.get(url(running())))
