"""Background jobs: claimed once, monitored, continued after a crash, and ended once."""

import logging
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError

from ctxadmin.background.leases import LEASE, JobTable, is_abandoned
from ctxadmin.background.models import JobStatus
from ctxadmin.background.runner import JobRunner, resume_jobs_on_first_request
from ctxadmin.lib import clock, ids
from tests.factories import workspace
from workflows.models import Backtest

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
TABLE = JobTable(Backtest)


def queued() -> Backtest:
    return Backtest.objects.create(
        key=ids.new_key(),
        workspace=workspace().key,
        public_id=ids.new_public_id("backtest"),
        author="ada",
        question=b"{}",
        total=1,
        created_at=clock.now(),
    )


def finish(row: Backtest) -> None:
    TABLE.finish(row, clock.now())


def fail(row: Backtest) -> None:
    TABLE.fail(row, "error", clock.now())


def status(row: Backtest) -> str:
    row.refresh_from_db()
    return row.status


class Watching(JobRunner[Backtest]):
    """Does something instead of waiting for the jobs of others."""

    watched = 0

    def wait_for_jobs(self) -> None:
        self.watched += 1
        Backtest.objects.update(until=None)


def test_a_runner_watches_the_job_of_another_and_takes_it_up_when_that_one_is_dead() -> None:
    row = queued()
    assert TABLE.take_next("dies", clock.now())
    runner = Watching("test", TABLE, finish, fail)
    runner.run_all()
    assert runner.watched == 1
    assert status(row) == JobStatus.DONE
    assert row.attempts == 2


def test_the_oldest_job_is_first_and_all_are_done() -> None:
    rows = [queued(), queued()]
    done: list[str] = []

    def work(row: Backtest) -> None:
        done.append(row.public_id)
        finish(row)

    JobRunner("test", TABLE, work, fail).run_all()
    assert done == [row.public_id for row in rows]


def test_an_unexpected_error_fails_one_job_and_the_next_is_done(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bad, good = queued(), queued()

    def work(row: Backtest) -> None:
        if row.key == bad.key:
            raise ValueError("unheard")
        finish(row)

    with caplog.at_level(logging.ERROR, "ctxadmin.background"):
        JobRunner("test", TABLE, work, fail).run_all()
    assert (status(bad), bad.problem) == (JobStatus.FAILED, "error")
    assert status(good) == JobStatus.DONE
    assert bad.public_id in caplog.text


def test_an_error_of_the_database_fails_no_job() -> None:
    row = queued()

    def work(_: Backtest) -> None:
        raise OperationalError("down")

    with pytest.raises(OperationalError):
        JobRunner("test", TABLE, work, fail).run_next()
    assert status(row) == JobStatus.RUNNING


def test_a_lease_of_a_clock_that_was_wrong_holds_no_one_up() -> None:
    row = queued()
    now = clock.now()
    assert TABLE.take_next("fast clock", now + timedelta(days=1))
    row.refresh_from_db()
    assert is_abandoned(row, now)
    assert TABLE.take_next("right clock", now)


def test_who_renews_in_time_keeps_the_job() -> None:
    queued()
    now = clock.now()
    row = TABLE.take_next("first", now)
    assert row is not None
    assert TABLE.renew(row, now + LEASE, done=1)
    assert TABLE.take_next("second", now + LEASE + timedelta(seconds=1)) is None
    assert not is_abandoned(Backtest.objects.get(), now + LEASE)


def test_a_job_of_another_workspace_is_not_found() -> None:
    row = queued()
    assert TABLE.find(row.workspace, row.public_id) == row
    assert TABLE.find(workspace("far").key, row.public_id) is None
    assert TABLE.find(row.workspace, "no id at all!") is None


def test_the_first_request_of_a_server_has_unfinished_jobs_continue() -> None:
    woken: list[str] = []

    class Woken(JobRunner[Backtest]):
        def wake(self) -> None:
            woken.append("woken")

    async def app(*_: object) -> None:
        return None

    runners = [Woken("one", TABLE, finish, fail), Woken("two", TABLE, finish, fail)]
    wrapped = resume_jobs_on_first_request(app, runners)
    assert woken == []
    for _ in range(2):
        async_to_sync(wrapped)({}, None, None)
    assert woken == ["woken", "woken"]
