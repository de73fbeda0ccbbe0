"""Two writers at once: one wins, the other is refused, and no version is lost or doubled."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from checkpoints.domain.commands import (
    ClaimNode,
    CompleteNode,
    SaveCheckpoint,
    StartExecution,
    UpdateSnapshot,
)
from checkpoints.domain.move_commands import MoveExecution
from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint, Execution
from checkpoints.reading.queries import find_moment, snapshot_bytes
from checkpoints.services import (
    checkpoint_saves,
    completions,
    execution_start,
    node_leases,
    node_steps,
    state_updates,
    status_changes,
)
from conversations.models import Conversation
from conversations.services.use_cases import append
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.errors import ContextError
from tests.factories import conversation, drafts, engine, user
from tests.integration.checkpoints.flows import chain

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 6


@pytest.fixture
def actor() -> Actor:
    return engine(Scope.ENGINE, Scope.REVIEW)


@pytest.fixture
def head(actor: Actor) -> Conversation:
    return conversation(actor=actor)


def at_once(*calls: Callable[[], object]) -> list[Any]:
    """What each call gave or raised; all begin at the same moment."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(place: int, call: Callable[[], object]) -> None:
        barrier.wait()
        try:
            results[place] = call()
        except ContextError as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def codes(results: list[Any]) -> list[str]:
    """The kinds of the refusals."""
    return sorted(result.code for result in results if isinstance(result, ContextError))


def begin(actor: Actor, head: Conversation) -> None:
    execution_start.start(actor, head.public_id, StartExecution(reducers={"sum": "increment"}))


def pause(actor: Actor, head: Conversation) -> None:
    checkpoint_saves.save(
        actor, head.public_id, "p", SaveCheckpoint(node_id="a", state_data={}, status=Status.PAUSED)
    )


def check_versions(head: Conversation) -> None:
    """Versions without gaps, one audit entry per change, and an unbroken chain."""
    (row,) = Execution.objects.filter(conversation=head.key)
    rows = Checkpoint.objects.filter(conversation=head.key).order_by("version")
    assert [each.version for each in rows] == list(range(row.version + 1))
    entries = list(AuditEntry.objects.filter(stream=head.key).order_by("seq"))
    assert not verify_stream(head.key)
    head.refresh_from_db()
    assert head.change_seq == len(entries)


def test_of_many_saves_of_one_version_one_wins(actor: Actor, head: Conversation) -> None:
    begin(actor, head)

    def save(number: int) -> object:
        body = SaveCheckpoint(node_id="a", state_data={"k": number}, expected_version=0)
        return checkpoint_saves.save(actor, head.public_id, f"c{number}", body)

    results = at_once(*(lambda n=n: save(n) for n in range(WRITERS)))
    assert codes(results) == ["version_conflict"] * (WRITERS - 1)
    check_versions(head)


def test_saves_that_expect_nothing_all_count(actor: Actor, head: Conversation) -> None:
    begin(actor, head)

    def save(number: int) -> object:
        body = SaveCheckpoint(node_id="a", state_data={"sum": 1, f"k{number}": number})
        return checkpoint_saves.save(actor, head.public_id, f"c{number}", body)

    results = at_once(*(lambda n=n: save(n) for n in range(WRITERS)))
    assert codes(results) == []
    check_versions(head)
    snapshot = snapshot_bytes(find_moment(actor, head.public_id))
    assert f'"sum":{WRITERS}'.encode() in snapshot


def test_one_checkpoint_id_has_one_effect(actor: Actor, head: Conversation) -> None:
    begin(actor, head)
    body = CompleteNode(checkpoint_id="once", state_data={"sum": 1}, messages=[user("x")])

    def complete() -> object:
        return completions.complete(actor, head.public_id, "a", body)

    results = at_once(*([complete] * WRITERS))
    assert codes(results) == []
    assert sorted(result.again for result in results) == [False] + [True] * (WRITERS - 1)
    assert len({result.answer for result in results}) == 1
    check_versions(head)
    head.refresh_from_db()
    assert head.log_count == 1


def test_of_many_workers_that_claim_a_node_one_has_it(actor: Actor, head: Conversation) -> None:
    chain("w", "a", "b")
    execution_start.start(actor, head.public_id, StartExecution(workflow="w"))

    def claim() -> object:
        return node_leases.claim(actor, head.public_id, "a", ClaimNode(ttl=60))

    results = at_once(*([claim] * WRITERS))
    assert codes(results) == ["invalid_state"] * (WRITERS - 1)
    check_versions(head)


def test_of_many_workers_that_complete_a_node_one_wins(actor: Actor, head: Conversation) -> None:
    chain("w", "a", "b")
    execution_start.start(actor, head.public_id, StartExecution(workflow="w"))

    def complete(number: int) -> object:
        body = CompleteNode(checkpoint_id=f"c{number}", messages=[user(f"worker {number}")])
        return completions.complete(actor, head.public_id, "a", body)

    results = at_once(*(lambda n=n: complete(n) for n in range(WRITERS)))
    assert codes(results) == ["invalid_state"] * (WRITERS - 1)
    check_versions(head)
    assert head.log_count == 1


def test_of_a_resume_and_an_edit_at_once_one_wins(actor: Actor, head: Conversation) -> None:
    begin(actor, head)
    pause(actor, head)
    edit = UpdateSnapshot(node_id="a", state_data={"k": 1}, expected_version=1)
    results = at_once(
        lambda: status_changes.resume(actor, head.public_id, MoveExecution(expected_version=1)),
        lambda: state_updates.update(actor, head.public_id, edit),
    )
    assert len(codes(results)) == 1
    assert codes(results)[0] in ("version_conflict", "invalid_state")
    check_versions(head)


def test_of_many_starts_one_wins(actor: Actor, head: Conversation) -> None:
    def start() -> object:
        return execution_start.start(actor, head.public_id, StartExecution())

    results = at_once(*([start] * WRITERS))
    assert codes(results) == ["invalid_state"] * (WRITERS - 1)
    check_versions(head)


def test_of_many_first_checkpoints_each_counts(actor: Actor, head: Conversation) -> None:
    def save(number: int) -> object:
        body = SaveCheckpoint(node_id="a", state_data={f"k{number}": 1})
        return checkpoint_saves.save(actor, head.public_id, f"c{number}", body)

    results = at_once(*(lambda n=n: save(n) for n in range(WRITERS)))
    assert codes(results) == []
    check_versions(head)


def test_appends_never_conflict_with_saves(actor: Actor, head: Conversation) -> None:
    begin(actor, head)

    def save(number: int) -> object:
        body = SaveCheckpoint(node_id="a", state_data={"sum": 1}, messages=[user("saved")])
        return checkpoint_saves.save(actor, head.public_id, f"c{number}", body)

    saves = [lambda n=n: save(n) for n in range(WRITERS // 2)]
    appends = [lambda: append(actor, head.public_id, drafts(user("x")))] * (WRITERS // 2)
    assert codes(at_once(*saves, *appends)) == []
    check_versions(head)
    head.refresh_from_db()
    assert head.log_count == head.visible_count == WRITERS


def test_a_second_writer_of_a_version_is_refused_even_if_no_lock_held_it_back(
    actor: Actor, head: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(actor, head)
    decide = node_steps.apply_step

    def late(*args: Any) -> node_steps.StepResult:
        row = Checkpoint.objects.get(conversation=head.key, version=0)
        row.version = 1
        row.save(force_insert=True)
        return decide(*args)

    monkeypatch.setattr(node_steps, "apply_step", late)
    before = list(Checkpoint.objects.values())
    with pytest.raises(ContextError) as caught:
        checkpoint_saves.save(
            actor, head.public_id, "c1", SaveCheckpoint(node_id="a", state_data={"k": 1})
        )
    assert caught.value.code == "unavailable"
    assert list(Checkpoint.objects.values()) == before
    assert Execution.objects.get(conversation=head.key).version == 0


def test_a_snapshot_that_was_begun_reads_one_version_whatever_is_written(
    actor: Actor, head: Conversation
) -> None:
    begin(actor, head)
    first = SaveCheckpoint(node_id="a", state_data={"k": 1, "l": 1}, messages=[user("one")])
    checkpoint_saves.save(actor, head.public_id, "c1", first)
    moment = find_moment(actor, head.public_id)
    whole = snapshot_bytes(moment)
    second = SaveCheckpoint(node_id="b", state_data={"k": 2, "m": 1}, messages=[user("two")])
    checkpoint_saves.save(actor, head.public_id, "c2", second)
    assert snapshot_bytes(moment) == whole
