"""Bulk jobs: selected, done item by item, resumed, cancelled, and nothing done twice."""

from datetime import timedelta
from typing import Any

import pytest

from bulk import item_changes, jobs, runner, store
from bulk.jobs import Selection
from bulk.models import BulkItem, BulkJob
from bulk.runner import RUNNER
from checkpoints.models import Label
from conversations.lifecycle import archival
from conversations.models import Conversation
from conversations.workspace.matching import ConversationFilter
from ctxadmin.accounts.models import Membership
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import with_reasons
from ctxadmin.background.leases import MOST_ATTEMPTS, is_stopping
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.identity.roles import ROLE_SCOPES, Role
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Forbidden, NotFound, TooLarge, Unavailable, ValidationFailed
from tests.factories import conversation, engine, member, user, workspace
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def someone(role: Role = Role.ADMIN, name: str = "ada") -> Actor:
    row = member(name, role)
    return Actor(
        "person", str(row.pk), name, workspace().key, ROLE_SCOPES[role], address="127.0.0.1"
    )


def talks(*names: str) -> None:
    for name in names:
        conversation(user("hi"), public_id=name)


def started(
    actor: Actor, action: BulkAction, selection: Selection, reason: str = "tidy"
) -> BulkJob:
    job = jobs.select(actor, action, selection, "")
    assert jobs.start(actor, job, reason=reason)
    return job


def outcomes(job: BulkJob) -> dict[str, tuple[str, str]]:
    return {
        item.public_id: (item.outcome, bytes(item.why).decode()) for item in store.items_of(job)
    }


def numbers(job: BulkJob) -> tuple[str, int, int]:
    job.refresh_from_db()
    return job.status, job.done, job.refused


def archived(name: str) -> bool:
    return Conversation.objects.get(public_id=name).archived


def entries(name: str, action: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(object_id=name, action=action))


def test_each_item_is_its_own_audited_change_and_nothing_happens_before_the_start() -> None:
    ada = someone()
    talks("one", "two")
    job = jobs.select(ada, BulkAction.ARCHIVE, ["one", "two", "two", "nope"], "")
    assert not RUNNER.run_next()
    assert not archived("one")
    assert jobs.preview_job(job).changing == 2
    assert jobs.start(ada, job, reason="tidy")
    assert RUNNER.run_next()
    assert numbers(job) == ("done", 2, 0)
    assert archived("one")
    assert archived("two")
    (entry,) = entries("one", "conversation.archive")
    assert (entry.actor_name, entry.address) == ("ada", "127.0.0.1")
    (found,) = with_reasons([entry])
    assert found.reason is not None
    assert found.reason.text == "tidy"
    assert not RUNNER.run_next()


def test_an_item_that_is_refused_says_why_and_stops_no_other() -> None:
    ada = someone()
    talks("one", "two")
    archival.archive(ada, "one")
    job = started(ada, BulkAction.ARCHIVE, ["one", "two"])
    RUNNER.run_next()
    assert numbers(job) == ("done", 1, 1)
    found = outcomes(job)
    assert found["two"] == ("done", "")
    assert found["one"][0] == "refused"
    assert "archived already" in found["one"][1]


def test_a_whole_filter_is_frozen_when_it_is_selected() -> None:
    ada = someone()
    talks("tidy-1", "tidy-2", "other")
    job = started(ada, BulkAction.ERASE, ConversationFilter(text="tidy"))
    talks("tidy-3")
    RUNNER.run_next()
    assert numbers(job) == ("done", 2, 0)
    left = set(Conversation.objects.values_list("public_id", flat=True))
    assert left == {"other", "tidy-3"}


def test_what_changed_after_it_was_selected_is_not_erased() -> None:
    ada = someone()
    talks("one")
    job = started(ada, BulkAction.ERASE, ["one"])
    archival.archive(ada, "one")
    RUNNER.run_next()
    assert numbers(job) == ("done", 0, 1)
    assert Conversation.objects.filter(public_id="one").exists()


def test_another_conversation_with_the_id_of_an_erased_one_is_refused() -> None:
    ada = someone()
    talks("one")
    job = started(ada, BulkAction.ARCHIVE, ["one"])
    row = Conversation.objects.get(public_id="one")
    BulkItem.objects.filter(job=job.key).update(conversation=row.key + 1)
    RUNNER.run_next()
    assert numbers(job) == ("done", 0, 1)
    assert not archived("one")


def test_executions_are_paused_resumed_and_cancelled_but_reviews_are_not_passed_over() -> None:
    rita = someone(Role.REVIEWER, "rita")
    chain("letter", "a", "b", configs={"b": REVIEW})
    waits, runs = Run.start("letter"), Run.start("letter")
    waits.complete("a", "x")
    names = [waits.head.public_id, runs.head.public_id]
    resumed = started(rita, BulkAction.RESUME, names)
    RUNNER.run_next()
    assert numbers(resumed) == ("done", 0, 2)
    assert "waits for review" in outcomes(resumed)[names[0]][1]
    paused = started(rita, BulkAction.PAUSE, names)
    RUNNER.run_next()
    assert outcomes(paused)[names[1]] == ("done", "")
    assert outcomes(paused)[names[0]][0] == "refused"
    again = started(rita, BulkAction.PAUSE, names)
    assert jobs.preview_job(again).changing == 0
    RUNNER.run_next()
    assert numbers(again) == ("done", 0, 2)
    assert "requested already" in outcomes(again)[names[1]][1]
    cancelled = started(rita, BulkAction.CANCEL, ConversationFilter(with_execution=True))
    RUNNER.run_next()
    assert numbers(cancelled) == ("done", 2, 0)
    found = Conversation.objects.values_list("status", flat=True)
    assert set(found) == {"CANCELLED"}


def test_the_selected_version_of_each_execution_gets_the_label() -> None:
    rita = someone(Role.REVIEWER, "rita")
    chain("letter", "a", "b", configs={"b": REVIEW})
    waits, goes_on = Run.start("letter"), Run.start("letter")
    waits.complete("a", "x")
    job = jobs.select(rita, BulkAction.LABEL, [waits.head.public_id, goes_on.head.public_id], "")
    goes_on.complete("a", "y")
    assert jobs.start(rita, job, reason="", label="golden")
    RUNNER.run_next()
    assert numbers(job) == ("done", 1, 1)
    assert "has changed" in outcomes(job)[goes_on.head.public_id][1]
    labels = Label.objects.values_list("version", "name", "author")
    assert list(labels) == [(1, "golden", "person:rita")]
    assert len(AuditEntry.objects.filter(action="label.set")) == 1


def test_a_newer_execution_than_the_selected_one_is_not_cancelled() -> None:
    rita = someone(Role.REVIEWER, "rita")
    run = Run.start()
    job = started(rita, BulkAction.CANCEL, [run.head.public_id])
    ok(run.post("cancel"))
    assert run.post("executions", {}).status_code == 201
    RUNNER.run_next()
    assert numbers(job) == ("done", 0, 1)


def test_starting_twice_does_it_once_and_so_do_two_who_work_on_one_item() -> None:
    ada = someone()
    talks("one")
    job = started(ada, BulkAction.ARCHIVE, ["one"])
    assert not jobs.start(ada, job_now(job), reason="again")
    (item,) = store.items_of(job)
    first = item_changes.change_item(ada, BulkAction.ARCHIVE, item, "tidy")
    second = item_changes.change_item(ada, BulkAction.ARCHIVE, item, "tidy")
    assert (first, second) == (BulkItem.Outcome.DONE, BulkItem.Outcome.WAITING)
    assert len(entries("one", "conversation.archive")) == 1
    RUNNER.run_next()
    assert numbers(job) == ("done", 1, 0)


def job_now(job: BulkJob) -> BulkJob:
    return store.find_job(job.workspace, job.public_id)


def test_an_item_whose_change_fails_midway_is_not_written_down_as_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ada = someone()
    talks("one")
    job = started(ada, BulkAction.ARCHIVE, ["one"])
    (item,) = store.items_of(job)

    def broken(*_: Any, **__: Any) -> None:
        raise Unavailable("later")

    monkeypatch.setattr(archival, "archive", broken)
    with pytest.raises(Unavailable):
        item_changes.change_item(ada, BulkAction.ARCHIVE, item, "tidy")
    assert outcomes(job)["one"] == ("", "")


def test_a_job_whose_server_died_continues_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ada = someone()
    talks("one", "two", "three")
    job = started(ada, BulkAction.ARCHIVE, ["one", "two", "three"])
    change = item_changes.change_item
    tried: list[str] = []

    def dying(actor: Actor, action: BulkAction, item: BulkItem, reason: str) -> Any:
        if len(tried) == 1:
            raise SystemExit
        tried.append(item.public_id)
        return change(actor, action, item, reason)

    monkeypatch.setattr(runner, "change_item", dying)
    with pytest.raises(SystemExit):
        RUNNER.run_next()
    monkeypatch.undo()
    assert sum(map(archived, ("one", "two", "three"))) == 1
    assert not RUNNER.run_next()  # it counts as alive for a while
    silent = clock.now() - timedelta(seconds=1)
    BulkJob.objects.filter(key=job.key).update(until=silent)
    assert RUNNER.run_next()
    assert numbers(job) == ("done", 3, 0)
    assert len(entries(tried[0], "conversation.archive")) == 1


def test_a_job_that_stops_at_the_same_item_again_and_again_fails() -> None:
    ada = someone()
    talks("one")
    job = started(ada, BulkAction.ARCHIVE, ["one"])
    for _ in range(MOST_ATTEMPTS):
        assert store.JOBS.take_next("dies", clock.now())
        BulkJob.objects.filter(key=job.key).update(until=None)
    assert store.JOBS.take_next("dies", clock.now()) is None
    job.refresh_from_db()
    assert (job.status, job.problem) == ("failed", "interrupted")


def test_a_cancelled_job_stops_and_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    ada = someone()
    talks("one", "two", "three")
    job = started(ada, BulkAction.ARCHIVE, ["one", "two", "three"])
    change = item_changes.change_item

    def cancelling(actor: Actor, action: BulkAction, item: BulkItem, reason: str) -> Any:
        found = change(actor, action, item, reason)
        jobs.cancel(ada, job)
        return found

    monkeypatch.setattr(runner, "change_item", cancelling)
    monkeypatch.setattr(runner, "RENEW_SECONDS", 0.0)
    RUNNER.run_next()
    assert numbers(job) == ("cancelled", 1, 0)
    assert not RUNNER.run_next()


def test_a_job_cancelled_at_its_last_item_counts_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ada = someone()
    talks("one", "two")
    job = started(ada, BulkAction.ARCHIVE, ["one", "two"])
    change = item_changes.change_item

    def cancelling(actor: Actor, action: BulkAction, item: BulkItem, reason: str) -> Any:
        found = change(actor, action, item, reason)
        jobs.cancel(ada, job)
        # Its worker has not noticed yet, and writes no count before it does.
        assert is_stopping(job_now(job), clock.now())
        assert job_now(job).done == sum(map(archived, ("one", "two")))
        return found

    monkeypatch.setattr(runner, "change_item", cancelling)
    RUNNER.run_next()
    assert numbers(job) == ("cancelled", 2, 0)
    assert not is_stopping(job_now(job), clock.now())


def test_a_cancelled_job_whose_server_died_has_stopped_when_its_lease_is_over() -> None:
    ada = someone()
    talks("one", "two")
    job = started(ada, BulkAction.ARCHIVE, ["one", "two"])
    assert store.JOBS.take_next("dies", clock.now())
    item_changes.change_item(ada, BulkAction.ARCHIVE, store.items_of(job)[0], "tidy")
    jobs.cancel(ada, job)
    assert is_stopping(job_now(job), clock.now())
    assert not is_stopping(job_now(job), clock.now() + timedelta(minutes=1))
    assert job_now(job).done == 1
    assert not RUNNER.run_next()


def test_someone_who_lost_the_right_meanwhile_does_nothing_more() -> None:
    ada = someone(Role.REVIEWER)
    talks("one")
    job = started(ada, BulkAction.ARCHIVE, ["one"])
    Membership.objects.all().delete()
    RUNNER.run_next()
    job.refresh_from_db()
    assert (job.status, job.problem) == ("failed", "not_allowed")
    assert not archived("one")


def test_rights_workspaces_and_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rita = someone(Role.REVIEWER, "rita")
    talks("one", "two")
    conversation(actor=engine(slug="far"), public_id="theirs")
    with pytest.raises(Forbidden):
        jobs.select(rita, BulkAction.ERASE, ["one"], "")
    with pytest.raises(ValidationFailed):
        jobs.select(rita, BulkAction.ARCHIVE, ["theirs", "?"], "")
    draft = jobs.select(rita, BulkAction.ARCHIVE, ["one"], "")
    with pytest.raises(NotFound):
        jobs.open_job(someone(Role.ADMIN), draft.public_id)
    monkeypatch.setattr(jobs, "MOST_ITEMS", 1)
    for selection in (["one", "two"], ConversationFilter()):
        with pytest.raises(TooLarge, match="More than 1 match"):
            jobs.select(rita, BulkAction.ARCHIVE, selection, "")


def test_old_jobs_and_drafts_are_removed_with_their_items() -> None:
    ada = someone()
    talks("one")
    draft = jobs.select(ada, BulkAction.ARCHIVE, ["one"], "")
    done = started(ada, BulkAction.ARCHIVE, ["one"])
    later = clock.now() + timedelta(days=2)
    assert store.old_jobs(later, remove=False) == 1
    assert store.old_jobs(later, remove=True) == 1
    assert not BulkJob.objects.filter(key=draft.key).exists()
    assert list(BulkItem.objects.values_list("job", flat=True)) == [done.key]
    assert store.old_jobs(clock.now() + timedelta(days=91), remove=True) == 1
