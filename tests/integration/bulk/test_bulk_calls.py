"""Bulk actions over REST: tried, started, followed, cancelled, with the rights of a token."""

from typing import Any

import pytest

from bulk.models import BulkJob
from bulk.runner import RUNNER
from checkpoints.models import Label
from conversations.models import Conversation
from ctxadmin.accounts.models import EngineToken
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import Api, conversation, user
from tests.integration.checkpoints.flows import Run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def api() -> Api:
    return Api()


def talks(*names: str) -> None:
    for name in names:
        conversation(user("hi"), public_id=name)


def answered(answer: Any, status: int) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_selection_is_tried_then_done_and_each_item_says_what_came_of_it(api: Api) -> None:
    talks("one", "two")
    active = Run.start()
    names = ["one", "two", active.head.public_id, "unknown"]
    asked = {"action": "archive", "conversations": names}
    tried = answered(api.post("/bulk-actions/dry-run", asked), 200)
    assert (tried["total"], tried["changing"]) == (3, 2)
    assert tried["refused"] == [
        {"why": "An execution of this conversation has not ended yet.", "count": 1}
    ]
    assert not BulkJob.objects.exists()
    made = api.post("/bulk-actions", {**asked, "reason": "tidy", "expected_count": 2})
    started = answered(made, 201)
    assert made["Location"] == f"/api/v1/bulk-actions/{started['id']}"
    assert (started["status"], started["total"], started["done"]) == ("queued", 3, 0)
    RUNNER.run_next()
    path = f"/bulk-actions/{started['id']}"
    done = answered(api.get(path), 200)
    assert (done["status"], done["done"], done["refused"]) == ("done", 2, 1)
    assert done["author"] == "token:test token"
    entry = AuditEntry.objects.get(object_id="one", action="conversation.archive")
    assert (entry.actor_kind, entry.actor_name) == ("token", "test token")
    first = answered(api.get(f"{path}/items?limit=1"), 200)
    rest = answered(api.get(f"{path}/items?cursor={first['next']}"), 200)
    outcomes = {each["conversation_id"]: each for each in first["results"] + rest["results"]}
    assert outcomes["one"] == {
        "conversation_id": "one",
        "execution": None,
        "outcome": "done",
        "why": None,
    }
    refused = answered(api.get(f"{path}/items?outcome=refused"), 200)["results"]
    assert [each["why"] for each in refused] == [
        "An execution of this conversation has not ended yet."
    ]
    listed = answered(api.get("/bulk-actions"), 200)
    assert [each["id"] for each in listed["results"]] == [started["id"]]


def test_a_filter_selects_what_fits_it_now_and_a_label_goes_to_executions(api: Api) -> None:
    talks("no-execution")
    run = Run.start()
    asked = {"action": "label", "filter": {"status": "RUNNING"}, "label": "golden"}
    started = answered(api.post("/bulk-actions", asked), 201)
    RUNNER.run_next()
    assert answered(api.get(f"/bulk-actions/{started['id']}"), 200)["done"] == 1
    assert Label.objects.get().name == "golden"
    (item,) = answered(api.get(f"/bulk-actions/{started['id']}/items"), 200)["results"]
    assert item["conversation_id"] == run.head.public_id
    assert item["execution"].startswith("exec_")
    none = {"action": "label", "filter": {"q": "nobody"}, "label": "golden"}
    problem = answered(api.post("/bulk-actions", none), 422)
    assert problem["detail"] == "Nothing matches this filter."


def test_an_erasure_needs_the_number_of_a_dry_run_that_is_still_right(api: Api) -> None:
    talks("one", "two")
    asked = {"action": "erase", "filter": {}}
    problem = answered(api.post("/bulk-actions", asked), 422)
    assert "expected_count" in str(problem)
    problem = answered(api.post("/bulk-actions", {**asked, "expected_count": 1}), 409)
    assert problem["code"] == "invalid_state"
    assert not BulkJob.objects.exists()
    answered(api.post("/bulk-actions", {**asked, "expected_count": 2}), 201)
    RUNNER.run_next()
    assert not Conversation.objects.exclude(public_id="").exists()


@pytest.mark.parametrize(
    "body",
    [
        {"action": "archive"},
        {"action": "archive", "conversations": ["one"], "filter": {}},
        {"action": "export", "conversations": ["one"]},
        {"action": "label", "conversations": ["one"]},
        {"action": "archive", "conversations": ["one"], "label": "x"},
        {"action": "label", "conversations": ["one"], "label": "x", "reason": "y"},
        {"action": "archive", "conversations": []},
        {"action": "archive", "conversations": ["nobody"]},
    ],
)
def test_a_body_that_does_not_fit_is_refused(api: Api, body: dict[str, Any]) -> None:
    talks("one")
    assert answered(api.post("/bulk-actions", body), 422)["code"] == "validation"


def test_the_rights_of_the_token_are_asked_at_the_start_and_again_later() -> None:
    talks("one", "two")
    reader = Api([Scope.ENGINE])
    asked = {"action": "erase", "conversations": ["one"], "expected_count": 1}
    assert answered(reader.post("/bulk-actions", asked), 403)["code"] == "forbidden"
    admin = Api()
    started = answered(admin.post("/bulk-actions", asked), 201)
    EngineToken.objects.update(revoked_at=clock.now())
    RUNNER.run_next()
    job = BulkJob.objects.get(public_id=started["id"])
    assert (job.status, job.problem, job.done) == ("failed", "not_allowed", 0)


def test_it_is_cancelled_and_one_of_another_workspace_is_not_found(api: Api) -> None:
    talks("one")
    asked = {"action": "archive", "conversations": ["one"]}
    started = answered(api.post("/bulk-actions", asked), 201)
    path = f"/bulk-actions/{started['id']}"
    other = Api(slug="other")
    assert other.get(path).status_code == 404
    assert other.post(f"{path}/cancel").status_code == 404
    assert answered(api.post(f"{path}/cancel"), 200)["status"] == "cancelled"
    assert answered(api.get(f"{path}/items?outcome=nothing"), 422)["code"] == "validation"
    assert api.get(f"{path}/items?cursor=bad").status_code == 422


def test_a_label_is_for_conversations_with_an_execution(api: Api) -> None:
    talks("one")
    labelled = Run.start()
    names = ["one", labelled.head.public_id]
    tried = answered(
        api.post("/bulk-actions/dry-run", {"action": "label", "conversations": names}), 200
    )
    assert tried["changing"] == 1
    assert tried["refused"] == [{"why": "It has no execution.", "count": 1}]


def test_an_unknown_status_is_named_at_its_field(api: Api) -> None:
    asked = {"action": "archive", "filter": {"status": "OVER"}}
    refused = answered(api.post("/bulk-actions/dry-run", asked), 422)
    assert [each["pointer"] for each in refused["errors"]] == ["/filter/status"]
    assert "COMPLETED" in refused["errors"][0]["message"]
