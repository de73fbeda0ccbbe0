"""What a process remembers of a conversation never changes what a write does."""

import random
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy

import pytest
from pydantic import JsonValue

from checkpoints.domain.commands import CompleteNode, SaveCheckpoint, StartExecution, UpdateSnapshot
from checkpoints.domain.move_commands import MoveExecution, RestoreCheckpoint
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from checkpoints.reading.queries import find_moment, snapshot_bytes
from checkpoints.services import (
    checkpoint_saves,
    completions,
    execution_start,
    restores,
    state_updates,
    status_changes,
)
from checkpoints.store.state import HISTORY
from conversations.domain.configs import read_operation
from conversations.models import Conversation, Mark, Message, Revision, UnsettledCall
from conversations.services import use_cases
from conversations.store.conversation import find_head
from conversations.writing.cache import WRITE_CACHE, CachedValues, CacheKind, WriteCache
from ctxadmin.audit import record as audit
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.errors import ContextError
from tests.factories import calls, conversation, drafts, engine, result, user

pytestmark = pytest.mark.django_db(transaction=True)

TABLES = (
    Conversation, Message, Mark, UnsettledCall, Revision,
    Execution, Checkpoint, StateKey, StateValue,
)  # fmt: skip
# What two runs of the same steps may differ in.
OWN = {"key", "conversation", "conversation_id", "public_id", "audit_hash", "sum"}
TIMES = {
    *("created_at", "updated_at", "changed_at", "waiting_since", "ended_at", "deadline"),
    "to_tell",
}
STEPS = 60


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    WRITE_CACHE.clear()
    yield
    WRITE_CACHE.clear()


class Run:
    """One conversation with an execution, to which seeded steps are done."""

    def __init__(self, seed: int) -> None:
        self.actor: Actor = engine(Scope.ENGINE, Scope.REVIEW)
        self.head = conversation(user("go"), actor=self.actor)
        self.id = self.head.public_id
        self.random = random.Random(seed)
        self.number = 0
        self.outcomes: list[str] = []
        execution_start.start(self.actor, self.id, self._start())

    def _start(self) -> StartExecution:
        return StartExecution(reducers={"log": "append", "sum": "increment"}, state={"log": [0]})

    def step(self) -> None:
        """One step; what is refused is an outcome, too."""
        self.number += 1
        kinds: list[Callable[[], object]] = [
            self.append, self.save, self.save, self.save_fewer, self.repeat, self.complete,
            self.operate, self.roll_back, self.restore_revision, self.pause, self.update,
            self.resume, self.restore, self.start_again,
        ]  # fmt: skip
        kind = self.random.choice(kinds)
        try:
            kind()
            self.outcomes.append(kind.__name__)
        except ContextError as error:
            self.outcomes.append(f"{kind.__name__}: {error.code}")

    def append(self) -> None:
        some = f"call-{self.random.randrange(4)}"
        message = self.random.choice([user("x"), calls(some), result(some)])
        use_cases.append(self.actor, self.id, drafts(message))

    def _update(self) -> dict[str, JsonValue]:
        name = f"k{self.random.randrange(3)}"
        choices: list[dict[str, JsonValue]] = [
            {"log": [self.number]}, {"sum": 1}, {name: self.number}, {name: {"$delete": True}},
            {"log": {"$replace": [1]}}, {"log": [], name: None}, {},
        ]  # fmt: skip
        return self.random.choice(choices)

    def save(self) -> None:
        self.number += 1
        body = SaveCheckpoint(node_id="a", state_data=self._update(), messages=[user("m")])
        checkpoint_saves.save(self.actor, self.id, f"c{self.number}", body)

    def save_fewer(self) -> None:
        ids = ["a"] * self.random.randrange(3)
        body = SaveCheckpoint(node_id="a", state_data=self._update(), executed_node_ids=ids)
        checkpoint_saves.save(self.actor, self.id, f"c{self.number}", body)

    def repeat(self) -> None:
        """The same id as some step before: the same save, another one, or a new one."""
        body = SaveCheckpoint(node_id="a", state_data={"k0": 1})
        checkpoint_saves.save(self.actor, self.id, f"r{self.random.randrange(6)}", body)

    def complete(self) -> None:
        body = CompleteNode(checkpoint_id=f"d{self.number}", state_data=self._update())
        completions.complete(self.actor, self.id, "b", body)

    def operate(self) -> None:
        block: JsonValue = {"keep_last": self.random.randrange(6)}
        config = read_operation({"operation": "truncate", "truncate": block, "pairing": "keep"})
        use_cases.apply_operation(self.actor, self.id, config)

    def roll_back(self) -> None:
        batch = find_head(self.actor.workspace, self.id).current_batch
        use_cases.rollback(self.actor, self.id, max(batch - self.random.randrange(3), 0))

    def restore_revision(self) -> None:
        use_cases.restore(self.actor, self.id, self.random.randrange(4))

    def pause(self) -> None:
        status_changes.pause(self.actor, self.id, MoveExecution())

    def update(self) -> None:
        node = find_moment(self.actor, self.id).node_id or "a"
        body = UpdateSnapshot(node_id=node, state_data=self._update())
        state_updates.update(self.actor, self.id, body)

    def resume(self) -> None:
        status_changes.resume(self.actor, self.id, MoveExecution())

    def restore(self) -> None:
        version = self.random.randrange(self.number)
        restores.restore(self.actor, self.id, version, RestoreCheckpoint())

    def start_again(self) -> None:
        if self.random.random() < 0.3:
            status_changes.cancel(self.actor, self.id, MoveExecution())
        execution_start.start(self.actor, self.id, self._start())

    def rows(self) -> dict[str, list[dict[str, object]]]:
        """All that is stored, but for keys and times."""
        found = {}
        for table in TABLES:
            name = "key" if table is Conversation else "conversation"
            rows = table._default_manager.filter(**{name: self.head.key})
            found[table.__name__] = sorted((_plain(dict(row)) for row in rows.values()), key=repr)
        return found


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    """A row without what every run has of its own; history and decisions tell times."""
    left_out = OWN | TIMES | {"decided"}
    if row.get("key") == HISTORY:
        left_out = left_out | {"value"}
    of = {"of": row["key"]} if "execution" in row and "key" in row else {}
    return of | {name: _bytes(value) for name, value in row.items() if name not in left_out}


def _bytes(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


@pytest.mark.parametrize("seed", range(6))
def test_steps_store_the_same_whether_anything_is_remembered_or_not(seed: int) -> None:
    remembering, forgetful = Run(seed), Run(seed)
    for _ in range(STEPS):
        remembering.step()
    for _ in range(STEPS):
        WRITE_CACHE.clear()
        forgetful.step()
    assert remembering.outcomes == forgetful.outcomes
    assert remembering.rows() == forgetful.rows()


@pytest.mark.parametrize("seed", range(6))
def test_what_was_remembered_before_another_process_wrote_is_not_used(seed: int) -> None:
    alone, beside = Run(seed), Run(seed)
    for _ in range(STEPS):
        alone.step()
    chance = random.Random(seed)
    for _ in range(STEPS):
        before = deepcopy(WRITE_CACHE._known.get(beside.head.key))
        beside.step()
        if before is not None and chance.random() < 0.5:  # as if another process did the step
            WRITE_CACHE.store(beside.head.key, *before)
    assert alone.outcomes == beside.outcomes
    assert alone.rows() == beside.rows()


def test_a_write_that_is_refused_leaves_nothing_remembered() -> None:
    run = Run(0)
    run.save()
    body = SaveCheckpoint(node_id="a", state_data={"k": 1, "log": 5})
    with pytest.raises(ContextError):
        checkpoint_saves.save(run.actor, run.id, "bad", body)
    assert run.head.key not in WRITE_CACHE._known
    run.save()
    before = snapshot_bytes(find_moment(run.actor, run.id))
    WRITE_CACHE.clear()
    assert snapshot_bytes(find_moment(run.actor, run.id)) == before


def test_only_so_many_conversations_are_remembered() -> None:
    memory, number = WriteCache(2), CacheKind[int]("number")
    for key in range(3):
        known = CachedValues()
        known.set(number, key)
        memory.store(key, audit.AuditMark(1, "h"), known)
    assert not memory.take(0, audit.AuditMark(1, "h"))
    assert memory.take(1, audit.AuditMark(1, "h")).get(number) == 1
    assert not memory.take(2, audit.AuditMark(2, "h"))
    assert not memory.take(2, audit.AuditMark(1, "h"))
