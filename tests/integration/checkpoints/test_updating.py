"""Updates of the snapshot by people while an execution is paused."""

from typing import Any

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import user
from tests.integration.checkpoints.flows import Run, everything, ok, refused

pytestmark = pytest.mark.django_db


def test_an_update_reduces_operates_and_appends_in_one_version() -> None:
    run = Run.start(
        reducers={"log": "append"}, state={"log": [1], "k": 1, "messages": [user("x"), user("y")]}
    )
    run.pause_now()
    answer = ok(
        run.update(
            "a",
            state_data={
                "log": [2],
                "k": {"$replace": {"$delete": True}},
                "gone": {"$delete": True},
                "messages": [user("z")],
            },
            operations=[
                {"operation": "truncate", "truncate": {"keep_last": 1}},
                {"operation": "replace", "replace": {"index": 0, "message": user("Y")}},
            ],
            reason="as agreed",
        )
    )
    assert answer == {"version": 2, "changed_keys": ["log", "k", "messages"], "revision": 2}
    assert run.state() == {"log": [1, 2], "k": {"$delete": True}}
    assert run.contents() == ["Y", "z"]
    row = run.versions()[0]
    assert (row["kind"], row["reason"], row["status"]) == ("update", "as agreed", "PAUSED")


@pytest.mark.parametrize("status", ["RUNNING", "PENDING", "COMPLETED", "FAILED", "CANCELLED"])
def test_an_update_needs_a_paused_execution(status: str) -> None:
    run = Run.start(start=status != "PENDING")
    if status not in ("RUNNING", "PENDING"):
        ok(run.save("c1", status=status))
    before = everything()
    refused(run.update("a", state_data={"k": 1}), 409, "invalid_state")
    assert everything() == before


def test_an_update_is_for_the_paused_node_only() -> None:
    run = Run.start()
    run.pause_now()
    before = everything()
    refused(run.update("b", state_data={"k": 1}), 409, "invalid_state")
    assert everything() == before


@pytest.mark.parametrize(
    ("body", "status", "code", "pointer"),
    [
        ({"state_data": {"sum": "x"}}, 422, "type_mismatch", "/state_data/sum"),
        ({"operations": [{"operation": "fly"}]}, 422, "validation", "/operations/0/operation"),
        (
            {
                "operations": [
                    {"operation": "clear"},
                    {"operation": "replace", "replace": {"index": 9, "message": user("x")}},
                ]
            },
            422,
            "out_of_range",
            "/operations/1/replace/index",
        ),
        ({"state_data": {"messages": [{"role": "x"}]}}, 422, "validation", None),
        ({"expected_version": 0}, 409, "version_conflict", None),
    ],
)
def test_an_update_that_is_refused_changes_nothing(
    body: dict[str, Any], status: int, code: str, pointer: str | None
) -> None:
    run = Run.start(reducers={"sum": "increment"}, state={"messages": [user("x")]})
    run.pause_now()
    before = everything()
    refused(run.update("a", **body), status, code, pointer)
    assert everything() == before


def test_operations_of_an_update_are_for_the_view_that_the_etag_names() -> None:
    run = Run.start(state={"messages": [user("x"), user("y")]})
    run.pause_now()
    etag = run.get("snapshot").headers["ETag"]
    ok(run.append(user("z")))
    body = {"node_id": "a", "operations": [{"operation": "clear"}]}
    stale = run.api.patch(f"{run.path}/snapshot", body, **{"If-Match": etag})
    refused(stale, 409, "version_conflict")
    plain = {"node_id": "a", "state_data": {"k": 1}}
    ok(run.api.patch(f"{run.path}/snapshot", plain, **{"If-Match": etag}))


def test_an_engine_cannot_update_the_snapshot() -> None:
    run = Run.start()
    run.pause_now()
    refused(run.by(Scope.ENGINE).update("a", state_data={"k": 1}), 403, "forbidden")
