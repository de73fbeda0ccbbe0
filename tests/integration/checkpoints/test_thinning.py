"""Thinned executions: the other versions can be read, compared, restored and forked as before."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import orjson
import pytest
from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Length
from django.test.utils import CaptureQueriesContext

from checkpoints.domain.commands import SaveCheckpoint, StartExecution, UpdateSnapshot
from checkpoints.domain.move_commands import ForkCheckpoint, MoveExecution, RestoreCheckpoint
from checkpoints.domain.reducers import Reducer
from checkpoints.domain.retention import RetentionPolicy, versions_to_thin
from checkpoints.domain.state import KeyHead, head_of, totals_of
from checkpoints.domain.status import Status
from checkpoints.maintenance import retention_store, thinning
from checkpoints.models import Checkpoint, Execution, StateValue
from checkpoints.reading.queries import compare, compare_moments, find_moment, snapshot_bytes
from checkpoints.services import (
    checkpoint_saves,
    execution_start,
    forks,
    restores,
    state_updates,
    status_changes,
)
from checkpoints.store.executions import find_checkpoint
from checkpoints.store.snapshots import StoredSnapshot
from checkpoints.store.state import LISTS
from conversations.models import Conversation, Message
from ctxadmin.accounts.services import system_actor
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Forbidden, NotFound, Unavailable
from tests.factories import Api, conversation, engine, user, workspace
from tests.integration.checkpoints.flows import Run, chain, ok, refused

pytestmark = pytest.mark.django_db

REDUCERS = {"log": "append", "sum": "increment"}
POLICY = RetentionPolicy(keep_last=5, hourly_days=0)


def keeper() -> Actor:
    return system_actor(workspace(), "maintain")


def runner() -> Actor:
    return engine(Scope.ENGINE, Scope.REVIEW)


class Long:
    """A free execution that is written by the services, and how every version read at first."""

    def __init__(self) -> None:
        self.actor = runner()
        self.id = conversation(actor=self.actor).public_id
        execution_start.start(self.actor, self.id, StartExecution(reducers=REDUCERS))
        self.number = 0

    @property
    def head(self) -> Conversation:
        return Conversation.objects.get(public_id=self.id)

    @property
    def row(self) -> Execution:
        return Execution.objects.get(conversation=self.head.key)

    def save(self, *, pauses: bool = False, says: str | None = None, **state: Any) -> int:
        self.number += 1
        body = SaveCheckpoint(
            node_id=f"n{self.number % 7}",
            state_data={"sum": 1, **state},
            messages=[user(says)] if says else [],
            status=Status.PAUSED if pauses else None,
        )
        return int(
            orjson.loads(
                checkpoint_saves.save(self.actor, self.id, f"c{self.number}", body).answer
            )["version"]
        )

    def resume(self) -> None:
        status_changes.resume(self.actor, self.id, MoveExecution())

    def restore(self, version: int) -> None:
        restores.restore(self.actor, self.id, version, RestoreCheckpoint())

    def moment(self, version: int) -> StoredSnapshot:
        return find_moment(self.actor, self.id, version)

    def read(self, version: int) -> Any:
        """A version as its snapshot, with its digests checked on the way."""
        return read_and_verify(self.moment(version))

    def age(self, apart: timedelta) -> None:
        """Make it look as if versions had been written so far apart, the newest three days ago."""
        _age(self.head.key, apart)

    def thin(self, policy: RetentionPolicy = POLICY) -> thinning.Thinned:
        return thinning.thin(keeper(), self.id, self.row, policy)

    def kept(self) -> list[int]:
        rows = Checkpoint.objects.filter(conversation=self.head.key, thinned_at=None)
        return list(rows.order_by("version").values_list("version", flat=True))

    def stored_bytes(self) -> int:
        rows = StateValue.objects.filter(conversation=self.head.key)
        return rows.aggregate(n=Sum(Length("value")))["n"] or 0


def read_and_verify(moment: StoredSnapshot) -> Any:
    """A snapshot whose keys add up to the digest on record; the time is left out."""
    rows, row = moment.rows, moment.row
    assert rows is not None
    assert row is not None
    held = {key: each for key, each in rows.heads_at(moment.version).items() if key not in LISTS}
    values = rows.values(held.values())
    heads: dict[str, KeyHead] = {}
    for key, each in held.items():
        reducer = Reducer.APPEND if each.name == "log" else Reducer.OVERWRITE
        heads[each.name] = head_of(values[key], reducer)
        assert heads[each.name] == each.head
    checkpoint = find_checkpoint(row.conversation, row.number, moment.version)
    assert totals_of(heads).digest.hex() == checkpoint.state_digest
    snapshot = orjson.loads(snapshot_bytes(moment))
    del snapshot["timestamp"]
    return snapshot


def written(count: int) -> Long:
    """Overwritten keys, appended ones, keys that come and go, messages, two restores."""
    long = Long()
    for number in range(1, count + 1):
        says = f"message {number}" if number % 5 == 0 else None
        state: dict[str, Any] = {"log": [number], f"key {number % 50}": "x" * (number % 90)}
        if number % 9 == 0:
            state[f"key {number % 50}"] = {"$delete": True}
        goes_back = number in (count // 3, count // 2)
        version = long.save(pauses=goes_back, says=says, **state)
        if goes_back:
            long.restore(version // 2)
            long.resume()
    return long


@pytest.mark.only("sqlite")  # writing so many takes MariaDB 40 s, and nothing here is its own
def test_of_two_thousand_versions_every_kept_one_is_what_it_was() -> None:
    long = written(2000)
    newest = long.row.version
    long.age(timedelta(minutes=10))
    policy = RetentionPolicy(keep_last=20, hourly_days=4)
    standing = retention_store.retention_state_of(long.row)
    going = versions_to_thin(policy, standing.versions, standing.needs, clock.now())
    staying = {each.number for each in standing.versions} - set(going)
    before = {version: long.read(version) for version in staying}
    bytes_before, seq = long.head.checkpoint_bytes, long.head.change_seq
    changed_at = long.head.updated_at
    assert bytes_before == long.stored_bytes()

    done = long.thin(policy)

    kept = long.kept()
    assert set(kept) == staying
    assert done.versions == newest + 1 - len(kept) == long.row.thinned_count
    assert 20 + 35 < len(kept) < 20 + 48 + 24
    assert {0, newest, *range(newest - 19, newest + 1)} <= set(kept)
    assert long.head.checkpoint_bytes == bytes_before - done.freed == long.stored_bytes()
    assert done.freed > bytes_before // 3
    for version in kept:
        assert long.read(version) == before[version]
    assert long.head.change_seq == seq + -(-done.versions // retention_store.BATCH)
    assert not verify_stream(long.head.key)
    assert long.head.updated_at == changed_at


def test_a_thinned_execution_continues() -> None:
    """Compared, forked, gone back to, resumed, thinned again, and the fork as well."""
    long = written(120)
    long.age(timedelta(hours=1))
    long.thin()
    kept = long.kept()
    middle = kept[len(kept) // 2]
    then, first = long.read(middle), long.read(0)

    assert compare(long.actor, long.id, 0, middle).state
    forked = forks.fork(long.actor, long.id, middle, ForkCheckpoint()).head
    fork = read_and_verify(find_moment(long.actor, forked.public_id))
    assert fork["state_data"]["log"] == then["state_data"]["log"]
    assert find_moment(long.actor, forked.public_id, 0).version == 0
    with pytest.raises(NotFound, match="removed by retention"):
        find_moment(long.actor, forked.public_id, middle - 1)
    copied = Conversation.objects.get(key=forked.key)
    stored = StateValue.objects.filter(conversation=copied.key)
    assert copied.checkpoint_bytes == sum(len(row.value) for row in stored)
    assert copied.log_bytes == sum(
        len(row.body) for row in Message.objects.filter(conversation=copied.key)
    )

    long.save(pauses=True, log=["later"])
    long.restore(middle)
    assert long.read(long.row.version)["state_data"] == then["state_data"]
    long.resume()
    long.save(log=["again"])
    assert long.read(long.row.version)["state_data"]["log"][-1] == "again"
    long.age(timedelta(hours=1))
    long.thin()
    assert middle in long.kept()
    assert long.read(middle) == then
    assert long.read(0) == first


def test_what_a_fork_came_from_and_what_was_gone_back_to_stays() -> None:
    long = Long()
    for number in range(20):
        long.save(pauses=number == 19, log=[number])
    long.restore(4)
    long.resume()
    forks.fork(long.actor, long.id, 7, ForkCheckpoint())
    long.age(timedelta(minutes=1))
    long.thin(RetentionPolicy(keep_last=1, hourly_days=0))
    assert {0, 4, 7, long.row.version} <= set(long.kept())
    assert 5 not in long.kept()


def test_what_waits_keeps_every_version_since_it_waits() -> None:
    long = Long()
    for number in range(8):
        long.save(pauses=number == 7, log=[number])
    for number in range(3):
        state_updates.update(
            long.actor, long.id, UpdateSnapshot(node_id="n1", state_data={"note": number})
        )
    long.age(timedelta(minutes=1))
    long.thin(RetentionPolicy(keep_last=1, hourly_days=0))
    assert long.kept() == [0, 8, 9, 10, 11]


def test_what_was_the_latest_an_hour_ago_stays() -> None:
    long = Long()
    for number in range(8):
        long.save(log=[number])
    assert long.thin(RetentionPolicy(keep_last=1, hourly_days=0)) == thinning.Thinned()


def test_a_repeat_of_a_thinned_save_gets_its_answer() -> None:
    long = Long()
    for number in range(8):
        long.save(log=[number])
    long.age(timedelta(minutes=1))
    body = SaveCheckpoint(node_id="n3", state_data={"sum": 1, "log": [2]})
    first = checkpoint_saves.save(long.actor, long.id, "c3", body)
    long.thin()
    assert 3 not in long.kept()
    assert checkpoint_saves.save(long.actor, long.id, "c3", body) == first


def test_the_decisions_on_edges_can_be_followed_through_thinned_versions() -> None:
    """Executed nodes that are replaced make the server walk back over every manifest."""
    chain("steps", *"abcdef")
    run = Run.start("steps")
    for name in "abcd":
        ok(run.complete(name))
    row = Execution.objects.get(conversation=run.head.key)
    _age(run.head.key, timedelta(minutes=1))
    thinning.thin(keeper(), run.head.public_id, row, RetentionPolicy(keep_last=1, hourly_days=0))
    assert Checkpoint.objects.filter(conversation=run.head.key, thinned_at=None).count() == 2
    ok(run.save("replaced", "b", executed_node_ids=["a", "b"]))
    assert run.snapshot()["ready_nodes"] == ["c"]


def test_rest_lists_what_was_thinned_and_refuses_its_state() -> None:
    long = Long()
    for number in range(8):
        long.save(log=[number])
    long.age(timedelta(minutes=1))
    long.thin(RetentionPolicy(keep_last=2, hourly_days=0))
    run = Run(Api(), long.head)
    listed = {each["version"]: each for each in run.versions()}
    assert set(listed) == set(range(9))
    assert [number for number in listed if listed[number]["thinned_at"] is None] == [8, 7, 0]
    problem = refused(run.get("checkpoints/3"), 404, "not_found")
    assert "removed by retention at" in problem["detail"]
    refused(run.get("checkpoints/diff?from=3&to=8"), 404, "not_found")
    refused(run.post("checkpoints/3/fork", {}), 404, "not_found")
    refused(run.post("checkpoints/3/restore", {}), 404, "not_found")
    assert ok(run.get("checkpoints/7"))["state_data"]["log"] == list(range(7))
    assert "thinned" not in refused(run.get("checkpoints/99"), 404, "not_found")["detail"]


def test_a_repeated_completion_says_that_what_came_next_was_thinned() -> None:
    chain("two", "a", "b", "c")
    run = Run.start("two")
    asked: dict[str, Any] = {"result": {"output": 1}, "enter_next": True}
    first = ok(run.complete("a", **asked))
    ok(run.complete("b", result={"output": 2}))
    _age(run.head.key, timedelta(minutes=1))
    row = Execution.objects.get(conversation=run.head.key)
    thinning.thin(keeper(), run.head.public_id, row, RetentionPolicy(keep_last=1, hourly_days=0))
    again = ok(run.complete("a", **asked))
    assert again["entered"]["problem"]["code"] == "not_found"
    assert {**again, "entered": None} == {**first, "entered": None}


def test_only_admins_and_the_system_thin() -> None:
    long = Long()
    with pytest.raises(Forbidden):
        thinning.thin(long.actor, long.id, long.row, POLICY)


def test_a_version_that_is_forked_while_it_is_about_to_go_stays() -> None:
    long = written(30)
    long.age(timedelta(minutes=1))
    planned = retention_store.thinning_batches

    def fork_meanwhile(*arguments: Any) -> Any:
        made = planned(*arguments)
        if Conversation.objects.count() == 1:
            forks.fork(long.actor, long.id, 9, ForkCheckpoint())
        return made

    with patch.object(retention_store, "thinning_batches", fork_meanwhile):
        long.thin(RetentionPolicy(keep_last=1, hourly_days=0))
    assert 9 in long.kept()
    assert 7 not in long.kept()


def test_a_fork_that_meets_thinning_is_refused_and_not_half() -> None:
    long = written(30)
    long.age(timedelta(minutes=1))
    before = long.row
    long.thin()
    with (
        patch("checkpoints.services.forks.find_current", lambda key: before),
        pytest.raises(Unavailable),
    ):
        forks.fork(long.actor, long.id, long.kept()[1], ForkCheckpoint())
    assert Conversation.objects.count() == 1


def test_a_version_that_goes_while_it_is_read_is_not_found() -> None:
    long = written(30)
    long.age(timedelta(minutes=1))
    moment = long.moment(9)
    long.thin()
    assert 9 not in long.kept()
    with pytest.raises(NotFound, match="removed by retention"):
        snapshot_bytes(moment)
    with pytest.raises(NotFound, match="removed by retention"):
        compare_moments(moment, long.moment(long.row.version))


def test_thinning_costs_as_many_queries_for_a_long_execution_as_for_a_short_one() -> None:
    counts = []
    for count in (30, 90):
        long = written(count)
        long.age(timedelta(minutes=1))
        with CaptureQueriesContext(connection) as queries:
            long.thin()
        counts.append(len(queries))
        with CaptureQueriesContext(connection) as queries:
            long.thin()
        counts.append(len(queries))
    assert counts[0] == counts[2] <= 25
    assert counts[1] == counts[3] <= 8


def _age(conversation: int, apart: timedelta) -> None:
    rows = list(Checkpoint.objects.filter(conversation=conversation).order_by("-version"))
    noon = clock.now().replace(hour=12, minute=0)
    last = noon - timedelta(days=3)  # far from midnight, when a day ends
    for place, row in enumerate(rows):
        Checkpoint.objects.filter(pk=row.pk).update(created_at=last - place * apart)
