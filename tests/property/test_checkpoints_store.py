"""Executions in SQL against a model that keeps every version whole."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import orjson
import pytest
from django.db.models import Sum
from django.db.models.functions import Length
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pydantic import JsonValue

from checkpoints.domain import retention
from checkpoints.domain.commands import CompleteNode, SaveCheckpoint, StartExecution, UpdateSnapshot
from checkpoints.domain.move_commands import ForkCheckpoint, MoveExecution, RestoreCheckpoint
from checkpoints.domain.reducers import ReducerTable
from checkpoints.domain.retention import RetentionPolicy
from checkpoints.domain.state import head_of, totals_of
from checkpoints.domain.status import Status
from checkpoints.maintenance import retention_store, thinning
from checkpoints.models import Checkpoint, Execution, StateValue
from checkpoints.reading.queries import find_moment, snapshot_bytes
from checkpoints.services import (
    checkpoint_saves,
    completions,
    deletions,
    execution_start,
    forks,
    restores,
    state_updates,
    status_changes,
)
from conversations.domain.configs import read_operation
from conversations.models import Message
from conversations.services import use_cases as conversations
from ctxadmin.accounts.services import system_actor
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ContextError, InvalidState, NotFound
from ctxadmin.lib.json_bytes import dumps
from tests.examples import examples
from tests.factories import conversation, drafts, engine, user, workspace
from tests.state_model import WholeState

REDUCERS = {"log": "append", "sum": "increment", "conf": "merge"}
TABLE = ReducerTable.of(REDUCERS)

leaves = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3)
updates = st.fixed_dictionaries(
    {},
    optional={
        "log": st.lists(leaves, max_size=3) | st.just({"$delete": True}),
        "sum": st.integers(-5, 5) | st.just({"$replace": 1}),
        "conf": st.dictionaries(st.sampled_from("ab"), leaves, max_size=2),
        "plain": leaves | st.lists(leaves, max_size=2) | st.just({"$delete": True}),
        "ключ 😀": leaves | st.just({"$delete": True}),
    },
)
words = st.sampled_from(["one", "two", "three"])
texts = st.lists(words, max_size=2)


@dataclass
class Version:
    """All that one version says."""

    status: str
    state: dict[str, Any] = field(default_factory=dict)
    executed: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def next(self, status: str | None = None) -> "Version":
        """A copy to continue from, perhaps in another status."""
        after = copy.deepcopy(self)
        after.status = status or self.status
        return after


class Executions(RuleBasedStateMachine):
    """Anything that can be done to an execution, done to rows and to plain dicts."""

    @initialize()
    def begin(self) -> None:
        self.actor = engine(Scope.ENGINE, Scope.REVIEW)
        self.id = conversation(actor=self.actor).public_id
        execution_start.start(self.actor, self.id, StartExecution(reducers=REDUCERS))
        self.versions = [Version("RUNNING")]
        self.shown: list[str] = []
        self.number = 0

    @property
    def now(self) -> Version:
        return self.versions[-1]

    @property
    def readable(self) -> st.SearchStrategy[int]:
        """The numbers of versions that have their state."""
        return st.integers(0, len(self.versions) - 1)

    def reduced(self, update: dict[str, Any]) -> dict[str, Any]:
        context = WholeState(reducers=TABLE).restore(self.now.state)
        return context.merge(update).snapshot()

    def write(self, version: Version) -> None:
        version.messages = list(self.shown)
        self.versions.append(version)

    def fresh(self) -> str:
        self.number += 1
        return f"c{self.number}"

    @precondition(lambda self: self.now.status == "RUNNING")
    @rule(update=updates, said=texts, pauses=st.booleans())
    def save(self, update: dict[str, Any], said: list[str], pauses: bool) -> None:
        after = self.now.next("PAUSED" if pauses else "RUNNING")
        body = SaveCheckpoint(
            node_id="a",
            state_data=update,
            messages=[user(text) for text in said],
            status=Status.PAUSED if pauses else None,
            expected_version=len(self.versions) - 1,
        )
        checkpoint_id = self.fresh()
        saved = checkpoint_saves.save(self.actor, self.id, checkpoint_id, body)
        again = checkpoint_saves.save(self.actor, self.id, checkpoint_id, body)
        assert (again.answer, again.again) == (saved.answer, True)
        after.state = self.reduced(update)
        after.executed.append("a")
        self.shown += said
        self.write(after)

    @precondition(lambda self: self.now.status == "RUNNING")
    @rule(update=updates, said=texts, fails=st.booleans(), output=leaves)
    def complete(self, update: dict[str, Any], said: list[str], fails: bool, output: Any) -> None:
        result = {"error": "broken"} if fails else {"output": output}
        body = CompleteNode.model_validate(
            {
                "checkpoint_id": self.fresh(),
                "result": result,
                "state_data": update,
                "messages": [user(text) for text in said],
            }
        )
        completions.complete(self.actor, self.id, "b", body)
        after = self.now.next("FAILED" if fails else "RUNNING")
        after.history.append("FAILED" if fails else "COMPLETED")
        if not fails:
            sent = update if output is None else {"b_output": {"$replace": output}, **update}
            after.state = self.reduced(sent)
            after.executed.append("b")
            self.shown += said
        self.write(after)

    @precondition(lambda self: self.now.status in ("PAUSED", "FAILED"))
    @rule()
    def resume(self) -> None:
        status_changes.resume(self.actor, self.id, MoveExecution())
        self.write(self.now.next("RUNNING"))

    @precondition(lambda self: self.now.status == "PAUSED")
    @rule(update=updates, said=texts, keep=st.integers(0, 3))
    def update(self, update: dict[str, Any], said: list[str], keep: int) -> None:
        operation: dict[str, JsonValue] = {"operation": "truncate", "truncate": {"keep_last": keep}}
        node = find_moment(self.actor, self.id).node_id or "a"
        body = UpdateSnapshot(
            node_id=node,
            state_data={**update, "messages": [user(text) for text in said]},
            operations=[operation],
        )
        state_updates.update(self.actor, self.id, body)
        after = self.now.next()
        after.state = self.reduced(update)
        self.shown = (self.shown[-keep:] if keep else []) + said
        self.write(after)

    @precondition(lambda self: self.now.status in ("PAUSED", "FAILED"))
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        version = data.draw(self.readable)
        restores.restore(self.actor, self.id, version, RestoreCheckpoint())
        after = self.versions[version].next("PAUSED")
        self.shown = list(after.messages)
        self.write(after)

    @rule(said=st.lists(words, min_size=1, max_size=2))
    def append(self, said: list[str]) -> None:
        conversations.append(self.actor, self.id, drafts(*(user(text) for text in said)))
        self.shown += said

    @rule(keep=st.integers(0, 3))
    def operate(self, keep: int) -> None:
        config = read_operation({"operation": "truncate", "truncate": {"keep_first": keep}})
        conversations.apply_operation(self.actor, self.id, config)
        self.shown = self.shown[:keep]

    @rule(update=updates)
    def a_refusal_changes_nothing(self, update: dict[str, Any]) -> None:
        wrong: list[Callable[[], object]] = [
            lambda: checkpoint_saves.save(
                self.actor,
                self.id,
                "refused",
                SaveCheckpoint(node_id="a", state_data={**update, "sum": "x"}),
            ),
            lambda: checkpoint_saves.save(
                self.actor,
                self.id,
                "refused",
                SaveCheckpoint(node_id="a", state_data=update, expected_version=10_000),
            ),
        ]
        for call in wrong:
            with pytest.raises(ContextError):
                call()

    @rule(data=st.data())
    def every_version_reads_back(self, data: st.DataObject) -> None:
        version = data.draw(self.readable)
        moment = find_moment(self.actor, self.id, version)
        self.same(orjson.loads(snapshot_bytes(moment)), self.versions[version])

    @rule(data=st.data())
    def a_fork_is_the_same(self, data: st.DataObject) -> None:
        version = data.draw(self.readable)
        forked = forks.fork(self.actor, self.id, version, ForkCheckpoint())
        moment = find_moment(self.actor, forked.head.public_id)
        expected = self.versions[version].next("PAUSED")
        self.same(orjson.loads(snapshot_bytes(moment)), expected)
        earlier = data.draw(self.readable.filter(lambda number: number <= version))
        moment = find_moment(self.actor, forked.head.public_id, earlier)
        status = "PAUSED" if earlier == version else None
        self.same(orjson.loads(snapshot_bytes(moment)), self.versions[earlier].next(status))

    @invariant()
    def the_snapshot_is_the_newest_version(self) -> None:
        moment = find_moment(self.actor, self.id)
        assert moment.version == len(self.versions) - 1
        now = self.now.next()
        now.messages = list(self.shown)
        self.same(orjson.loads(snapshot_bytes(moment)), now)

    @invariant()
    def digests_and_versions_hold(self) -> None:
        (row,) = Execution.objects.filter(conversation=find_moment(self.actor, self.id).head.key)
        heads = {
            key: head_of(dumps(value), TABLE.for_key(key)) for key, value in self.now.state.items()
        }
        totals = totals_of(heads)
        assert (row.state_digest, row.state_bytes) == (totals.digest.hex(), totals.size)
        numbers = Checkpoint.objects.filter(conversation=row.conversation).order_by("version")
        assert list(numbers.values_list("version", flat=True)) == list(range(len(self.versions)))
        assert not verify_stream(row.conversation)

    def same(self, snapshot: dict[str, Any], version: Version) -> None:
        state = snapshot["state_data"]
        messages = [message["content"] for message in state.pop("messages")]
        assert snapshot["status"] == version.status
        assert dumps(sorted(state.items())) == dumps(sorted(version.state.items()))
        assert snapshot["executed_node_ids"] == version.executed
        assert [entry["status"] for entry in snapshot["execution_history"]] == version.history
        assert messages == version.messages


@pytest.mark.django_db
def test_executions_behave_as_the_model() -> None:
    run_state_machine_as_test(
        Executions,
        settings=settings(max_examples=examples(25), stateful_step_count=20, deadline=None),
    )


class ThinnedExecutions(Executions):
    """The same with retention at work, which takes what it may at once, and versions deleted."""

    @property
    def readable(self) -> st.SearchStrategy[int]:
        rows = Checkpoint.objects.filter(thinned_at=None, execution=1)
        kept = rows.filter(conversation=find_moment(self.actor, self.id).head.key)
        return st.sampled_from(sorted(kept.values_list("version", flat=True)))

    @rule(keep_last=st.integers(1, 4), at_once=st.integers(1, 3))
    def thin(self, keep_last: int, at_once: int) -> None:
        head = find_moment(self.actor, self.id).head
        row = Execution.objects.get(conversation=head.key)
        keeper = system_actor(workspace(), "maintain")
        policy = RetentionPolicy(keep_last=keep_last, hourly_days=0)
        later = clock.now() + timedelta(days=3)
        with (
            patch.object(retention, "FRESH", timedelta(0)),
            patch.object(retention_store, "BATCH", at_once),
            patch.object(clock, "now", lambda: later),
        ):
            would = thinning.preview_thinning(row, policy)
            assert thinning.thin(keeper, self.id, row, policy) == would
            assert thinning.thin(keeper, self.id, row, policy) == thinning.Thinned()

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """What goes is all that nobody else reads, though only some keys are looked at."""
        version = data.draw(st.integers(0, len(self.versions) - 1))
        head = find_moment(self.actor, self.id).head
        row = Execution.objects.get(conversation=head.key)
        rows = Checkpoint.objects.filter(conversation=head.key)
        kept = sorted(rows.filter(thinned_at=None).values_list("version", flat=True))
        if version in kept and version != row.version:
            others = [each for each in kept if each != version]
            (all_of_it,) = retention_store.thinning_batches(row, others, [version])
            assert {*retention_store.deletion_batch(row, version).places} == {*all_of_it.places}
        paused = retention_store.paused_since_version(row)
        needed = version in (0, row.version) or (paused is not None and version >= paused)
        keeper = system_actor(workspace(), "maintain")
        if needed:
            with pytest.raises(InvalidState):
                deletions.delete(keeper, self.id, version)
        else:
            deletions.delete(keeper, self.id, version)
            assert rows.get(version=version).deleted

    @invariant()
    def the_bytes_on_the_head_are_those_that_are_stored(self) -> None:
        head = find_moment(self.actor, self.id).head
        rows = StateValue.objects.filter(conversation=head.key)
        stored = rows.aggregate(n=Sum(Length("value")))["n"] or 0
        assert head.checkpoint_bytes == stored
        messages = Message.objects.filter(conversation=head.key)
        assert head.log_bytes == (messages.aggregate(n=Sum(Length("body")))["n"] or 0)

    @rule()
    def a_thinned_version_says_so(self) -> None:
        key = find_moment(self.actor, self.id).head.key
        gone = Checkpoint.objects.filter(conversation=key, thinned_at__isnull=False)
        for row in gone:
            with pytest.raises(
                NotFound, match="deleted" if row.deleted else "removed by retention"
            ):
                find_moment(self.actor, self.id, row.version)


@pytest.mark.django_db
def test_executions_that_are_thinned_behave_as_the_model() -> None:
    run_state_machine_as_test(
        ThinnedExecutions,
        settings=settings(max_examples=examples(20), stateful_step_count=25, deadline=None),
    )
