"""Writes of tasks beside a checkpoint over REST: they make no version."""

from collections.abc import Collection
from typing import Any

import pytest

from checkpoints.maintenance.retention_store import ThinningBatch, drop_states
from checkpoints.models import Execution, TaskWrites
from checkpoints.store import task_writes
from checkpoints.verification.conversation import verify_conversation
from conversations.store.verification import Unsummed
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import Api, conversation
from tests.integration.checkpoints.flows import Run, ok, refused

pytestmark = pytest.mark.django_db

INTERRUPT = {"channel": "__interrupt__", "index": -3, "value": {"ask": "go on?"}}
RESULT = {"channel": "out", "index": 0, "opaque": {"type": "msgpack", "base64": "gaFhAQ=="}}
NOTHING = {"channel": "none", "index": 1, "value": None}


@pytest.fixture
def run() -> Run:
    run = Run(Api([Scope.ENGINE]), conversation())
    ok(run.save("c1"))
    return run


def put(run: Run, *writes: dict[str, Any], checkpoint: str = "c1", task: str = "t1") -> Any:
    return run.api.put(f"{run.path}/checkpoints/{checkpoint}/writes/{task}", {"writes": writes})


def listed(run: Run) -> Any:
    return ok(run.get("checkpoints?include=writes&id=c1"))["results"][0]["writes"]


def test_writes_come_back_as_they_were_sent_and_make_no_version(run: Run) -> None:
    assert put(run, INTERRUPT, RESULT, NOTHING).status_code == 201
    assert ok(run.get("checkpoints/c1/writes/t1")) == {"writes": [INTERRUPT, RESULT, NOTHING]}
    assert run.snapshot()["version"] == 1


def test_the_list_has_the_writes_of_all_tasks_with_their_tasks(run: Run) -> None:
    put(run, RESULT, task="t2")
    put(run, INTERRUPT, NOTHING, task="t1")
    told = [(each.pop("task_id"), each) for each in listed(run)]
    assert told == [("t1", INTERRUPT), ("t1", NOTHING), ("t2", RESULT)]
    assert "writes" not in run.versions()[0]


def test_a_task_replaces_its_own_writes_only(run: Run) -> None:
    put(run, RESULT, task="t2")
    put(run, INTERRUPT)
    assert put(run, NOTHING).status_code == 200
    assert [each["task_id"] for each in listed(run)] == ["t1", "t2"]
    assert ok(run.get("checkpoints/c1/writes/t1"))["writes"] == [NOTHING]


def test_two_writes_at_one_place_of_a_channel_are_refused(run: Run) -> None:
    first, other = ({"channel": "c", "index": 0, "value": each} for each in (1, 2))
    refused(put(run, first, other), 422, "validation", "/writes/1/index")
    refused(run.get("checkpoints/c1/writes/t1"), 404, "not_found")
    ok(put(run, first, {**other, "index": 1}, {**other, "channel": "d"}))


def test_the_same_writes_again_change_nothing(run: Run) -> None:
    put(run, RESULT)
    count = AuditEntry.objects.count()
    assert put(run, RESULT).status_code == 200
    assert AuditEntry.objects.count() == count


def test_they_may_come_before_their_checkpoint(run: Run) -> None:
    assert put(run, RESULT, checkpoint="c2").status_code == 201
    ok(run.save("c2"))
    found = ok(run.get("checkpoints?include=writes&id=c2"))["results"][0]["writes"]
    assert found == [{"task_id": "t1", **RESULT}]


def test_what_was_written_is_on_record_without_contents(run: Run) -> None:
    put(run, INTERRUPT)
    entry = AuditEntry.objects.get(action="checkpoint.writes")
    assert "go on" not in str(entry.__dict__)


@pytest.mark.parametrize(
    ("write", "status", "code", "pointer"),
    [
        ({"index": 0}, 422, "validation", "/writes/0/channel"),
        ({"channel": "c", "index": 2**31}, 422, "validation", "/writes/0/index"),
        ({**RESULT, "value": 1}, 422, "validation", "/writes/0"),
        ({"channel": "c", "index": 0}, 422, "validation", "/writes/0"),
        ({"channel": "c", "index": 0, "value": "x" * 10_485_760}, 413, "too_large", "/writes"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(
    run: Run, write: dict[str, Any], status: int, code: str, pointer: str
) -> None:
    refused(put(run, write), status, code, pointer)
    refused(run.get("checkpoints/c1/writes/t1"), 404, "not_found")


def test_the_writes_of_a_checkpoint_are_bounded_together(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checkpoints.services.task_write_batches.MOST_BYTES", 300)
    long = {**NOTHING, "value": "x" * 100}
    ok(put(run, long, task="t1"))
    problem = refused(put(run, long, {**long, "index": 7}, task="t2"), 413, "too_large", "/writes")
    assert problem["limit"] == 300
    ok(put(run, long, task="t2"))
    refused(put(run, NOTHING, task="t3"), 413, "too_large")
    ok(put(run, NOTHING, task="t1"))  # replaces the longer ones
    ok(put(run, long, checkpoint="c2"))
    assert [each["task_id"] for each in listed(run)] == ["t1", "t2"]


def test_a_list_reads_no_more_writes_than_a_page_can_have(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 checkpoints can have 64 MB each."""
    names = ["c1", *(f"c{number}" for number in range(2, 8))]
    for name in names:
        if name != "c1":
            ok(run.save(name))
        ok(put(run, {**NOTHING, "value": "x" * 100}, checkpoint=name))
    read: list[int] = []

    def counted(key: int, checkpoints: Collection[str]) -> Any:
        read.append(len(checkpoints))
        return task_writes.writes_of(key, checkpoints)

    monkeypatch.setattr("checkpoints.reading.checkpoint_list.MOST_BYTES", 700)
    monkeypatch.setattr("checkpoints.reading.checkpoint_list.writes_of", counted)
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = ok(run.get(f"checkpoints?include=writes&limit=100&cursor={cursor}"))
        found += [each["checkpoint_id"] for each in page["results"] if each["writes"]]
        cursor = page["next"]
    assert found == names[::-1]
    assert max(read) < len(names)


def test_only_engines_write_them(run: Run) -> None:
    refused(put(run.by(Scope.REVIEW), RESULT), 403, "forbidden")


def test_a_fork_copies_a_few_at_a_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"c{number}" for number in range(1, 6)]
    for name in names:
        if name != "c1":
            ok(run.save(name))
        for task in ("t1", "t2"):
            ok(put(run, RESULT, checkpoint=name, task=task))
    parts: list[list[str]] = []
    find_all = task_writes._WRITES.find_all

    def counted(where: Any, name: str, among: list[str]) -> Any:
        parts.append(among)
        return find_all(where, name, among)

    monkeypatch.setattr(task_writes._WRITES, "find_all", counted)
    monkeypatch.setattr(task_writes, "_PART_BYTES", 250)
    monkeypatch.setattr(task_writes, "_SIZED_TOGETHER", 2)
    ok(run.by(Scope.REVIEW).post("checkpoints/5/fork", {"id": "fork"}))
    assert sorted(each for part in parts for each in part) == names
    assert len(parts) > 1
    assert TaskWrites.objects.count() == 20


def test_forks_copy_them_and_an_erasure_takes_them_along(run: Run) -> None:
    put(run, RESULT)
    ok(run.by(Scope.REVIEW).post("checkpoints/1/fork", {"id": "fork"}))
    fork = run.api.get("/conversations/fork/checkpoints/c1/writes/t1").json()
    assert fork == {"writes": [RESULT]}
    assert Api().delete(run.path).status_code == 204
    assert TaskWrites.objects.count() == 1


def test_thinning_a_version_takes_its_writes(run: Run) -> None:
    put(run, RESULT)
    put(run, RESULT, checkpoint="c2")
    ok(run.save("c2"))
    row = Execution.objects.get(conversation=run.head.key)
    drop_states(row, ThinningBatch([1], []), clock.now())
    assert [each.checkpoint for each in TaskWrites.objects.all()] == ["c2"]


def test_damaged_writes_are_refused_and_found(run: Run) -> None:
    put(run, RESULT)
    TaskWrites.objects.update(writes=b"[]")
    for path in ("checkpoints/c1/writes/t1", "checkpoints?include=writes"):
        refused(run.get(path), 409, "damaged")
    run.head.refresh_from_db()
    found = [each.what for each in verify_conversation(run.head, Unsummed())]
    assert found == ["writes of checkpoint 'c1'"]
