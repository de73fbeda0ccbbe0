"""Deleting versions of former executions: the latest of them too, whose bytes are freed."""

import base64
import os
from itertools import permutations
from typing import Any

import pytest
from django.db.models import Sum
from django.db.models.functions import Length

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance import thinning
from checkpoints.models import Execution, StateKey, StateValue
from checkpoints.verification.conversation import verify_conversation
from conversations.models import Conversation
from conversations.store.verification import Unsummed
from ctxadmin.accounts.services import system_actor
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role, Scope
from tests.factories import Api, conversation, signed_in, workspace
from tests.integration.checkpoints.flows import Run, chain, ok, refused

pytestmark = pytest.mark.django_db
BIG = "x" * 5_000


def delete(run: Run, version: int, execution: str) -> Any:
    return run.api.delete(f"{run.path}/checkpoints/{version}?execution={execution}")


def stored(run: Run, number: int) -> int:
    """The bytes of the values of one execution; those of all are what the head knows."""
    rows = StateValue.objects.filter(conversation=run.head.key)
    everything = rows.aggregate(n=Sum(Length("value")))["n"] or 0
    assert Conversation.objects.get(key=run.head.key).checkpoint_bytes == everything
    own = rows.filter(execution=number).aggregate(n=Sum(Length("value")))["n"]
    return int(own or 0)


def whole(run: Run) -> None:
    head = Conversation.objects.get(key=run.head.key)
    assert [*verify_conversation(head, Unsummed())] == []


def states(run: Run, execution: str) -> dict[int, Any]:
    rows = ok(run.get(f"checkpoints?execution={execution}&include=state"))["results"]
    return {row["version"]: row["state_data"] for row in rows}


def turns() -> tuple[Run, str, str]:
    """A conversation with two executions: the former, of 4 versions, has ended."""
    run = Run.start(state={"kept": "k"}, reducers={"log": "append"})
    former = ok(run.get("snapshot"))["execution"]
    ok(run.save("c1", state_data={"plan": "one" + BIG, "log": [1]}))
    ok(run.save("c2", state_data={"plan": "two" + BIG, "log": [2], "old": 1}))
    ok(run.save("c3", state_data={"log": [3], "old": {"$delete": True}}))
    ok(run.save("c4", state_data={"plan": "four", "new": BIG}, status="COMPLETED"))
    started = ok(run.post("executions", {"state": {"kept": "k", "plan": BIG}}))
    ok(run.save("d1", state_data={"plan": "next"}))
    return run, former, started["execution"]


def test_every_order_frees_all_but_what_an_execution_started_with() -> None:
    for order in permutations((1, 2, 3, 4)):
        run, former, current = turns()
        left, others = states(run, former), states(run, current)
        for version in order:
            assert delete(run, version, former).status_code == 204
            del left[version]
            assert states(run, former) == left
            whole(run)
        assert states(run, current) == others
        assert stored(run, 1) == len('"k"')
        keys = StateKey.objects.filter(conversation=run.head.key, execution=1)
        assert [key.name for key in keys] == ["kept"]


def test_the_current_execution_is_meant_without_a_name_and_keeps_its_latest() -> None:
    run, former, current = turns()
    assert "latest" in refused(delete(run, 1, current), 409, "invalid_state")["detail"]
    path = f"{run.path}/checkpoints/1"
    assert "latest" in refused(run.api.delete(path), 409, "invalid_state")["detail"]
    assert "started with it" in refused(delete(run, 0, former), 409, "invalid_state")["detail"]
    refused(delete(run, 5, former), 404, "not_found")
    for unknown in ("exec_unknown", "", "any"):
        refused(delete(run, 1, unknown), 404, "not_found")
    other, *_ = turns()
    refused(delete(other, 1, former), 404, "not_found")
    assert len(states(run, former)) == 5


def test_a_label_protects_a_version_of_a_former_execution() -> None:
    run = Run.start()
    former = ok(run.get("snapshot"))["execution"]
    ok(run.save("c1", state_data={"plan": BIG}, status="COMPLETED"))
    ok(run.api.put(f"{run.path}/checkpoints/1/label", {"label": "good"}))
    ok(run.post("executions", {}))
    assert "label" in refused(delete(run, 1, former), 409, "invalid_state")["detail"]


def test_deleting_again_changes_nothing_and_the_audit_names_the_execution() -> None:
    run, former, _ = turns()
    assert delete(run, 4, former).status_code == 204
    assert delete(run, 4, former).status_code == 204
    [entry] = AuditEntry.objects.filter(action="checkpoint.delete")
    assert entry.object_id == former
    listed = ok(run.get(f"checkpoints?execution={former}&include=deleted"))["results"]
    assert [each["deleted_at"] is not None for each in listed] == [True, *[False] * 4]


def test_a_workflow_that_ended_can_lose_its_last_step() -> None:
    chain("line", "a", "b")
    run = Run.start("line")
    former = ok(run.get("snapshot"))["execution"]
    for name in ("a", "b"):
        ok(run.complete(name, result={"output": BIG}))
    ok(run.post("executions", {"workflow": "line"}))
    for version in (2, 1):
        assert delete(run, version, former).status_code == 204
        whole(run)
    assert stored(run, 1) < 100
    assert signed_in(Role.ADMIN).get(f"/executions/{run.head.public_id}/").status_code == 200


def test_retention_thins_the_remaining_versions_of_a_former_execution() -> None:
    run, former, _ = turns()
    assert delete(run, 4, former).status_code == 204
    row = Execution.objects.get(conversation=run.head.key, number=1)
    policy = RetentionPolicy(keep_last=1, hourly_days=0)
    thinning.thin(system_actor(workspace(), "maintain"), run.head.public_id, row, policy)
    whole(run)
    assert delete(run, 3, former).status_code == 204
    whole(run)


def test_an_engine_deletes_versions_of_turns_that_it_created_only() -> None:
    run, former, _ = turns()
    refused(delete(run.by(Scope.ENGINE), 1, former), 403, "forbidden")
    own = Run(Api([Scope.ENGINE]), conversation())
    made = own.api.post("/conversations", {}).json()["id"]
    own = Run(own.api, Conversation.objects.get(public_id=made))
    ok(own.save("c1", state_data={"plan": BIG}, status="COMPLETED"))
    former = ok(own.get("snapshot"))["execution"]
    ok(own.post("executions", {}))
    assert delete(own, 1, former).status_code == 204
    assert stored(own, 1) == 0


def test_ten_megabytes_of_an_opaque_value_are_put_read_listed_and_freed() -> None:
    """Lists have type and size and not the bytes; a deletion frees them."""
    run = Run(Api([Scope.ENGINE, Scope.ADMIN]), conversation())
    data = os.urandom(10_000_000)
    large = {"type": "pickle", "base64": base64.b64encode(data).decode()}
    ok(run.save("c1", opaque={"model": large}))
    former = ok(run.get("snapshot"))["execution"]
    assert ok(run.get("snapshot"))["opaque"] == {"model": large}
    listed = run.get("checkpoints")
    assert len(listed.content) < 5_000
    assert ok(listed)["results"][0]["state_bytes"] > len(data)
    ok(run.save("c2", state_data={"model": None}, status="COMPLETED"))
    assert ok(run.get("checkpoints/1"))["opaque"] == {"model": large}
    assert run.api.delete(f"{run.path}/checkpoints/1").status_code == 204
    assert stored(run, 1) < 100
    ok(run.post("executions", {}))
    ok(run.save("d1", opaque={"model": large}, status="COMPLETED"))
    again = ok(run.get("snapshot"))["execution"]
    ok(run.post("executions", {}))
    assert delete(run, 1, again).status_code == 204
    assert (stored(run, 1) < 100, stored(run, 2)) == (True, 0)
    assert former != again
    whole(run)
