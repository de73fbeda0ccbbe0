"""If-Match on every write: it holds, it conflicts, or it is refused; it is never dropped."""

from typing import Any

import pytest

from tests.factories import Api, conversation, user
from tests.integration.checkpoints.flows import Run, everything, ok, refused

pytestmark = pytest.mark.django_db
STALE = {"If-Match": '"0.0"'}


@pytest.fixture
def run() -> Run:
    """A conversation with two messages, without an execution."""
    return Run(Api(), conversation(user("one"), user("two"), public_id="chat"))


def writes(run: Run, headers: dict[str, str]) -> dict[str, Any]:
    """Each write that looks at the view, in an order in which all of them can succeed."""
    messages = {"messages": [user("three")]}
    return {
        "change": lambda: run.api.patch(run.path, {"title": "t"}, **headers),
        "append": lambda: run.post("messages", messages, **headers),
        "start": lambda: run.post("executions", {}, **headers),
        "erase": lambda: run.api.delete(run.path, **headers),
    }


@pytest.mark.parametrize("name", ["change", "append", "start", "erase"])
def test_a_stale_one_is_a_conflict_and_changes_nothing(run: Run, name: str) -> None:
    before = everything()
    problem = refused(writes(run, STALE)[name](), 409, "version_conflict")
    assert (problem["expected"], problem["actual"]) == (0, 2)
    assert everything() == before


@pytest.mark.parametrize("name", ["change", "append", "start", "erase"])
def test_the_one_of_now_holds(run: Run, name: str) -> None:
    etag = run.api.get(run.path)["ETag"]
    assert writes(run, {"If-Match": etag})[name]().status_code < 300


@pytest.mark.parametrize("digits", [19, 5_000])
@pytest.mark.parametrize("name", ["change", "append", "start", "erase"])
def test_a_number_that_no_answer_has_is_refused(run: Run, name: str, digits: int) -> None:
    """Python itself refuses to read one of more than 4,300 digits."""
    before = everything()
    etag = {"If-Match": f'"0.{"1" * digits}"'}
    refused(writes(run, etag)[name](), 422, "validation", "If-Match")
    assert everything() == before


@pytest.mark.parametrize("name", ["change", "append", "start", "erase"])
def test_a_star_asks_for_nothing_but_that_it_is_there(run: Run, name: str) -> None:
    assert writes(run, {"If-Match": "*"})[name]().status_code < 300


@pytest.mark.parametrize("name", ["change", "append", "start", "erase"])
def test_what_was_never_answered_is_refused(run: Run, name: str) -> None:
    refused(writes(run, {"If-Match": "seven"})[name](), 422, "validation", "If-Match")


def test_an_append_without_one_never_conflicts(run: Run) -> None:
    ok(run.append(user("three")))
    assert ok(run.append(user("four")))["first_index"] == 3


def test_a_start_looks_at_the_version_of_a_snapshot_too(run: Run) -> None:
    ok(run.post("executions", {}))
    seen = run.get("snapshot")["ETag"]
    ok(run.post("cancel"))
    refused(run.post("executions", {}, **{"If-Match": seen}), 409, "version_conflict")
    ok(run.post("executions", {}, **{"If-Match": run.get("snapshot")["ETag"]}))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/conversations", {"title": "t"}),
        ("/conversations/import", {"messages": []}),
        ("/workflows", {"name": "t"}),
        ("/conversations/chat/nodes/a/enter", {}),
        ("/processor-configs/validate", {"operation": "clear"}),
        ("/conditions/check", {"text": "true"}),
    ],
)
def test_a_call_that_has_nothing_to_compare_refuses_it(
    run: Run, path: str, body: dict[str, Any]
) -> None:
    before = everything()
    refused(run.api.post(path, body, **STALE), 422, "validation", "If-Match")
    assert everything() == before


def test_a_fork_refuses_it_as_a_version_never_changes(run: Run) -> None:
    ok(run.post("executions", {}))
    answer = run.post("checkpoints/0/fork", {}, **STALE)
    refused(answer, 422, "validation", "If-Match")


def test_what_is_expected_of_an_import_needs_a_workflow_to_look_at(run: Run) -> None:
    body = {"yaml": "name: letter\nnodes: []\nedges: []\n"}
    refused(run.api.post("/workflows/import", body, **{"If-Match": '"1"'}), 422, "validation")
