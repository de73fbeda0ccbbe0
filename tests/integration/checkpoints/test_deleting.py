"""Deleting single versions: what goes, what stays readable, what is refused."""

import base64
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.db.models import QuerySet, Sum
from django.db.models.functions import Length
from django.test.utils import CaptureQueriesContext

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.domain.move_commands import ForkCheckpoint
from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance import thinning
from checkpoints.models import Checkpoint, CheckpointDetails, Execution, StateValue, TaskWrites
from checkpoints.reading.queries import compare_moments, find_moment, snapshot_bytes
from checkpoints.services import checkpoint_saves, deletions, forks
from checkpoints.verification.conversation import verify_conversation
from conversations.models import Conversation
from conversations.store.verification import Unsummed
from ctxadmin.accounts.services import system_actor
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.errors import NotFound, Unavailable
from tests.concurrent_writers import together
from tests.factories import conversation, engine, workspace
from tests.integration.checkpoints.flows import Run, chain, everything, ok, refused

pytestmark = pytest.mark.django_db
BIG = "x" * 5_000


def delete(run: Run, version: int) -> Any:
    return run.api.delete(f"{run.path}/checkpoints/{version}")


def gone(run: Run, version: int) -> None:
    assert delete(run, version).status_code == 204


def stored(run: Run) -> int:
    """The bytes of the values, which the head knows, too."""
    rows = StateValue.objects.filter(conversation=run.head.key)
    found = rows.aggregate(n=Sum(Length("value")))["n"] or 0
    assert Conversation.objects.get(key=run.head.key).checkpoint_bytes == found
    return int(found)


def whole(run: Run) -> None:
    """Nothing is damaged."""
    head = Conversation.objects.get(key=run.head.key)
    assert list(verify_conversation(head, Unsummed())) == []


def states(run: Run, *versions: int) -> list[Any]:
    return [ok(run.get(f"checkpoints/{version}")) for version in versions]


def opaque(text: str) -> dict[str, str]:
    return {"type": "bytes", "base64": base64.b64encode(text.encode()).decode()}


def thin(run: Run, keep_last: int) -> QuerySet[Checkpoint]:
    """Have retention keep so many versions, as if all were old; the manifests."""
    old = Checkpoint.objects.filter(conversation=run.head.key)
    for each in old:
        long_ago = each.created_at.replace(year=2001)
        old.filter(version=each.version).update(created_at=long_ago)
    row = Execution.objects.get(conversation=run.head.key)
    keeper = system_actor(workspace(), "maintain")
    policy = RetentionPolicy(keep_last=keep_last, hourly_days=0)
    thinning.thin(keeper, run.head.public_id, row, policy)
    return old


@pytest.fixture
def run() -> Run:
    """Versions 0 to 4, each with a plan of its own; 2 has details, opaque bytes and writes."""
    run = Run.start(state={"kept": "k"}, reducers={"log": "append"})
    ok(run.save("c1", state_data={"plan": "one", "log": [1]}))
    more: dict[str, Any] = {"metadata": {"step": 2}, "parent": "c1", "namespace": "sub"}
    data = {"plan": BIG, "log": [2]}
    ok(run.save("c2", state_data=data, opaque={"blob": opaque(BIG)}, **more))
    writes = {"writes": [{"channel": "x", "index": 0, "value": BIG}]}
    ok(run.api.put(f"{run.path}/checkpoints/c2/writes/t1", writes))
    ok(run.save("c3", state_data={"plan": "three", "log": [3], "blob": None}, parent="c2"))
    ok(run.save("c4", state_data={"plan": "four"}))
    return run


def test_the_bytes_of_a_deleted_version_go_and_all_others_read_as_before(run: Run) -> None:
    before, size = states(run, 0, 1, 3, 4), stored(run)
    gone(run, 2)
    assert size - stored(run) > len(BIG)
    assert not TaskWrites.objects.filter(conversation=run.head.key).exists()
    details = CheckpointDetails.objects.filter(conversation=run.head.key)
    assert list(details.values_list("version", flat=True)) == [3]
    assert states(run, 0, 1, 3, 4) == before
    whole(run)


def test_rows_that_other_versions_read_stay(run: Run) -> None:
    """Version 1 is what `log` begins with, in every later version."""
    before = states(run, 3, 4)
    gone(run, 1)
    assert states(run, 3, 4) == before
    gone(run, 2)
    assert states(run, 3, 4) == before
    whole(run)


def test_every_order_of_deleting_frees_all_that_only_these_versions_had() -> None:
    for order in ((1, 2, 3), (3, 2, 1), (2, 1, 3)):
        run = Run.start(reducers={"log": "append"})
        for number in (1, 2, 3, 4):
            ok(run.save(f"c{number}", state_data={"plan": BIG + str(number), "log": [number]}))
        for version in order:
            gone(run, version)
            whole(run)
        state = ok(run.get("checkpoints/4"))["state_data"]
        assert (state["plan"], state["log"]) == (BIG + "4", [1, 2, 3, 4])
        rows = StateValue.objects.filter(conversation=run.head.key, kind="set")
        plans = [row.version for row in rows if BIG.encode() in bytes(row.value)]
        assert plans == [4]


def test_a_version_that_was_restored_lives_on_in_the_one_that_did(run: Run) -> None:
    ok(run.save("c5", status="PAUSED"))
    ok(run.post("checkpoints/2/restore"))
    ok(run.post("resume"))
    ok(run.save("c8", state_data={"plan": "on"}))
    before = states(run, 6, 8)
    gone(run, 2)
    assert states(run, 6, 8) == before
    assert before[0]["state_data"]["plan"] == BIG
    assert run.versions()[2]["restored_from"] == 2
    whole(run)


def test_what_was_deleted_is_refused_in_words(run: Run) -> None:
    gone(run, 2)
    for answer in (
        run.get("checkpoints/2"),
        run.post("checkpoints/2/fork"),
        run.get("checkpoints/diff?from=1&to=2"),
        run.api.put(f"{run.path}/checkpoints/2/label", {"label": "name"}),
    ):
        problem = refused(answer, 404, "not_found")
        assert problem["detail"].startswith("Version 2 was deleted at 20")
    ok(run.save("c5", status="PAUSED"))
    refused(run.post("checkpoints/2/restore"), 404, "not_found")


def test_lists_leave_deleted_versions_out_unless_they_are_asked_for(run: Run) -> None:
    gone(run, 2)
    assert [each["version"] for each in run.versions()] == [4, 3, 1, 0]
    assert ok(run.get("checkpoints?id=c2"))["results"] == []
    assert ok(run.get("checkpoints?namespace=sub"))["results"] == []
    assert [each["version"] for each in ok(run.get("checkpoints?before=c2"))["results"]] == [1, 0]
    shown = ok(run.get("checkpoints?include=deleted,state,writes"))["results"]
    assert [each["version"] for each in shown] == [4, 3, 2, 1, 0]
    line = shown[2]
    assert line["deleted_at"] is not None
    assert (line["thinned_at"], line["state_data"], line["writes"]) == (None, None, [])
    assert (line["metadata"], line["parent"], line["namespace"]) == ({}, None, "")
    assert shown[1]["parent"] == "c2"  # what refers to it says so as before
    [found] = ok(run.get("checkpoints?id=c2&include=deleted"))["results"]
    assert found["version"] == 2


def test_deleting_again_changes_nothing(run: Run) -> None:
    gone(run, 2)
    before = everything()
    gone(run, 2)
    assert everything() == before


def test_a_repeated_save_of_a_deleted_version_gets_its_answer(run: Run) -> None:
    first = run.save("c5", state_data={"plan": "five"})
    ok(run.save("c6"))
    gone(run, 5)
    again = run.save("c5", state_data={"plan": "five"})
    assert (again.status_code, again.json()) == (200, first.json())
    refused(run.save("c5", state_data={"plan": "other"}), 409, "duplicate")


def test_nothing_is_written_beside_a_deleted_checkpoint(run: Run) -> None:
    gone(run, 2)
    writes = {"writes": [{"channel": "x", "index": 0, "value": 1}]}
    refused(run.api.put(f"{run.path}/checkpoints/c2/writes/t1", writes), 404, "not_found")
    assert not TaskWrites.objects.exists()


def test_the_first_and_the_latest_version_cannot_be_deleted(run: Run) -> None:
    before = everything()
    assert "latest" in refused(delete(run, 4), 409, "invalid_state")["detail"]
    assert "started with it" in refused(delete(run, 0), 409, "invalid_state")["detail"]
    refused(delete(run, 5), 404, "not_found")
    refused(delete(run, 999_999_999), 404, "not_found")
    refused(run.api.delete(f"{run.path}/checkpoints/c2"), 404, "not_found")
    assert everything() == before


def test_a_label_protects_a_version_until_it_is_removed(run: Run) -> None:
    label = f"{run.path}/checkpoints/2/label"
    ok(run.api.put(label, {"label": "good"}))
    assert "label" in refused(delete(run, 2), 409, "invalid_state")["detail"]
    assert run.api.delete(label).status_code == 204
    gone(run, 2)


def test_a_comment_outlives_its_version(run: Run) -> None:
    ok(run.post("comments", {"text": "look", "version": 2}))
    gone(run, 2)
    [comment] = ok(run.get("comments"))["results"]
    assert (comment["text"], comment["version"]) == ("look", 2)
    whole(run)


def test_what_a_paused_execution_proposes_cannot_be_deleted(run: Run) -> None:
    ok(run.save("c5", status="PAUSED"))
    ok(run.update("a", state_data={"plan": "edited"}))
    assert "proposal" in refused(delete(run, 5), 409, "invalid_state")["detail"]
    gone(run, 4)
    ok(run.post("resume"))
    ok(run.save("c8"))
    gone(run, 5)
    whole(run)


def test_a_thinned_version_can_be_deleted_and_its_details_go(run: Run) -> None:
    old = thin(run, keep_last=1)
    assert ok(run.get("checkpoints?id=c2"))["results"][0]["thinned_at"] is not None
    size = stored(run)
    gone(run, 2)
    assert stored(run) == size
    assert not CheckpointDetails.objects.filter(version=2).exists()
    assert ok(run.get("checkpoints?id=c2"))["results"] == []
    counts = Execution.objects.values_list("thinned_count", flat=True)
    assert list(counts) == [old.filter(thinned_at__isnull=False).count()]


def test_retention_keeps_another_version_in_the_place_of_a_deleted_one(run: Run) -> None:
    gone(run, 3)
    old = thin(run, keep_last=2)
    kept = old.filter(thinned_at=None).order_by("version")
    assert list(kept.values_list("version", flat=True)) == [0, 2, 4]


def test_a_fork_has_what_was_deleted_in_its_source_as_deleted(run: Run) -> None:
    gone(run, 2)
    made = Run(
        run.api, Conversation.objects.get(public_id=ok(run.post("checkpoints/4/fork"))["id"])
    )
    assert [each["version"] for each in made.versions()] == [4, 3, 1, 0]
    whole(made)
    assert "deleted" in refused(made.get("checkpoints/2"), 404, "not_found")["detail"]


def test_the_origin_of_a_fork_can_be_deleted(run: Run) -> None:
    made = Run(
        run.api, Conversation.objects.get(public_id=ok(run.post("checkpoints/2/fork"))["id"])
    )
    before = made.snapshot()
    gone(run, 2)
    assert made.snapshot() == before
    whole(made)


def test_the_audit_and_the_events_tell_of_it(run: Run) -> None:
    gone(run, 2)
    entry = AuditEntry.objects.get(action="checkpoint.delete")
    detail = entry.detail if isinstance(entry.detail, bytes) else bytes(entry.detail)
    assert b'"version":2' in detail
    assert b'"checkpoint":"c2"' in detail
    last = ok(run.api.get("/events?kinds=checkpoint.delete"))["results"]
    assert [each["what"] for each in last] == ["checkpoint.delete"]
    assert last[0]["seq"] == entry.seq


def test_verify_finds_a_mark_that_no_one_made_and_one_that_is_missing(run: Run) -> None:
    head = Conversation.objects.get(key=run.head.key)
    rows = Checkpoint.objects.filter(conversation=head.key)
    gone(run, 2)
    rows.filter(version=2).update(deleted=False)
    found = [each.problem for each in verify_conversation(head_of(run), Unsummed())]
    assert any("the audit says that it was deleted" in each for each in found)
    rows.filter(version__in=(1, 2)).update(deleted=True)
    found = [each.problem for each in verify_conversation(head_of(run), Unsummed())]
    assert "was deleted by nobody" in found
    assert "was deleted, but not whole" in found


def head_of(run: Run) -> Conversation:
    return Conversation.objects.get(key=run.head.key)


def test_an_archived_conversation_stays_archived(run: Run) -> None:
    ok(run.save("c5", status="COMPLETED"))
    ok(run.post("archive"))
    gone(run, 2)
    assert head_of(run).archived


def test_a_pinned_execution_continues_when_its_first_steps_are_deleted() -> None:
    chain("line", "a", "b", "c")
    run = Run.start("line")
    for name in ("a", "b"):
        ok(run.complete(name, result={"output": BIG}))
    gone(run, 1)
    assert ok(run.enter("c"))["context"]["variables"]["a_output"] == BIG
    assert ok(run.complete("c"))["status"] == "COMPLETED"
    whole(run)


def test_deleting_reads_what_the_keys_of_one_version_have_and_no_more(run: Run) -> None:
    """Ten versions later it costs as many statements."""
    with CaptureQueriesContext(connection) as few:
        gone(run, 2)
    for number in range(5, 30):
        ok(run.save(f"c{number}", state_data={"plan": f"p{number}", "log": [number]}))
    with CaptureQueriesContext(connection) as many:
        gone(run, 15)
    assert len(many) == len(few)


class TestMeanwhile:
    """What meets a deletion is reported, and never that anything is damaged."""

    @pytest.fixture
    def me(self) -> Actor:
        return engine(Scope.ADMIN)

    def test_a_version_that_is_deleted_while_it_is_read_is_not_found(
        self, run: Run, me: Actor
    ) -> None:
        moment = find_moment(me, run.head.public_id, 2)
        gone(run, 2)
        with pytest.raises(NotFound, match="deleted"):
            snapshot_bytes(moment)
        with pytest.raises(NotFound, match="deleted"):
            compare_moments(moment, find_moment(me, run.head.public_id))

    def test_so_is_one_that_was_the_latest_when_the_read_began(self, run: Run, me: Actor) -> None:
        moment = find_moment(me, run.head.public_id)
        ok(run.save("c5", state_data={"plan": "five"}))
        gone(run, 4)
        with pytest.raises(NotFound, match="deleted"):
            snapshot_bytes(moment)

    def test_a_fork_is_refused_whole(self, run: Run, me: Actor) -> None:
        before = Execution.objects.get(conversation=run.head.key)
        gone(run, 2)
        with (
            patch("checkpoints.services.forks.find_current", lambda key: before),
            pytest.raises(Unavailable),
        ):
            forks.fork(me, run.head.public_id, 3, ForkCheckpoint())
        assert Conversation.objects.count() == 1

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("round_", range(3))
    def test_of_many_that_delete_and_save_at_once_each_has_its_effect_once(
        self, round_: int
    ) -> None:
        actor = engine(Scope.ADMIN)
        head = conversation(actor=actor)
        for number in range(1, 9):
            checkpoint_saves.save(actor, head.public_id, f"c{number}", plan(number))

        def delete_one(version: int) -> None:
            deletions.delete(actor, head.public_id, version)

        def save_one(number: int) -> None:
            checkpoint_saves.save(actor, head.public_id, f"c{number}", plan(number))

        works = [partial(delete_one, version) for version in (1, 2, 2, 5, 7)]
        works += [partial(save_one, number) for number in (9, 10)]
        assert together(works) == [None] * len(works)
        rows = Checkpoint.objects.filter(conversation=head.key)
        assert {*rows.filter(deleted=True).values_list("version", flat=True)} == {1, 2, 5, 7}
        assert AuditEntry.objects.filter(action="checkpoint.delete").count() == 4
        now = Conversation.objects.get(key=head.key)
        assert list(verify_conversation(now, Unsummed())) == []


def plan(number: int) -> SaveCheckpoint:
    return SaveCheckpoint(node_id="a", state_data={"plan": f"{BIG}{number}", "log": [number]})
