"""Claims of nodes over REST: of several workers one does a node."""

from datetime import timedelta

import pytest

from checkpoints.models import Checkpoint
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import Api
from tests.integration.checkpoints.flows import Run, chain, ok, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    chain("w", "a", "b")
    return Run.start("w", Api([Scope.ENGINE]))


def claim(run: Run, node: str = "a", ttl: float = 60, **body: object) -> str:
    lease = ok(run.post(f"nodes/{node}/claim", {"ttl": ttl, **body}))["lease"]
    assert isinstance(lease, str)
    return lease


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=seconds))


def test_of_two_workers_one_has_the_node(run: Run) -> None:
    lease = claim(run)
    problem = refused(run.post("nodes/a/claim", {"ttl": 60}), 409, "invalid_state")
    assert problem["held_by"] == "token:test token"
    assert problem["until"] > clock.iso(clock.now())
    refused(run.complete("a", "other"), 409, "invalid_state")
    ok(run.complete("a", "own", lease=lease))


def test_a_lease_of_someone_else_completes_renews_and_frees_nothing(run: Run) -> None:
    """Neither one that was made up nor one of another node; the holder continues."""
    lease = claim(run)
    other = Run.start("w", run.api)
    for wrong in ("lease_madeupmadeupmade", claim(other)):
        for answer in (
            run.complete("a", "theirs", lease=wrong),
            run.post("nodes/a/claim", {"ttl": 60, "lease": wrong}),
            run.post("nodes/a/release", {"lease": wrong}),
        ):
            problem = refused(answer, 409, "invalid_state")
            assert (problem["held_by"], bool(problem["until"])) == ("token:test token", True)
    assert run.snapshot()["version"] == 0
    ok(run.complete("a", "own", lease=lease))


def test_a_claim_writes_no_version_and_is_on_record(run: Run) -> None:
    claim(run)
    assert run.snapshot()["version"] == 0
    assert Checkpoint.objects.filter(conversation=run.head.key).count() == 1
    assert AuditEntry.objects.filter(stream=run.head.key, action="node.claim").count() == 1


def test_a_completion_ends_its_lease(run: Run) -> None:
    lease = claim(run)
    ok(run.complete("a", lease=lease))
    claim(run, "b")
    refused(run.post("nodes/a/claim", {"ttl": 60, "lease": lease}), 409, "invalid_state")


def test_a_repeat_is_the_same_save_whatever_lease_it_names(run: Run) -> None:
    lease = claim(run)
    first = ok(run.complete("a", "c1", lease=lease))
    again = run.complete("a", "c1", lease="another")
    assert (again.status_code, again.json()) == (200, first)


def test_a_lease_that_ran_out_binds_no_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    late = claim(run, ttl=1)
    pass_time(monkeypatch, 2)
    lease = claim(run)
    refused(run.complete("a", "late", lease=late), 409, "invalid_state")
    ok(run.complete("a", "own", lease=lease))


def test_a_completion_that_names_no_lease_waits_for_no_one_whose_lease_ran_out(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is done once: the slow worker finds that its lease has ended, or its node not ready."""
    slow = claim(run, ttl=1)
    refused(run.complete("a", "by-another"), 409, "invalid_state")
    pass_time(monkeypatch, 2)
    ok(run.complete("a", "by-another"))
    problem = refused(run.complete("a", "by-the-slow", lease=slow), 409, "invalid_state")
    assert problem["ready_nodes"] == ["b"]


def test_who_was_slow_and_alone_completes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lease = claim(run, ttl=1)
    pass_time(monkeypatch, 2)
    ok(run.complete("a", lease=lease))


def test_a_lease_is_renewed_under_its_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lease = claim(run)
    pass_time(monkeypatch, 30)
    answer = ok(run.post("nodes/a/claim", {"ttl": 60, "lease": lease}))
    assert answer["lease"] == lease
    assert answer["until"] > clock.iso(clock.now() + timedelta(seconds=59))


def test_a_released_node_is_free(run: Run) -> None:
    lease = claim(run)
    for _ in range(2):
        assert run.post("nodes/a/release", {"lease": lease}).status_code == 204
    claim(run)
    refused(run.post("nodes/a/release", {"lease": lease}), 409, "invalid_state")


def test_only_a_ready_node_is_claimed(run: Run) -> None:
    problem = refused(run.post("nodes/b/claim", {"ttl": 60}), 409, "invalid_state")
    assert problem["ready_nodes"] == ["a"]
    refused(run.post("nodes/unknown/claim", {"ttl": 60}), 404, "not_found")


def test_nothing_is_claimed_while_nothing_runs(run: Run) -> None:
    ok(run.post("pause"))
    ok(run.save("s1", "a"))
    assert run.snapshot()["status"] == "PAUSED"
    refused(run.post("nodes/a/claim", {"ttl": 60}), 409, "invalid_state")


def test_a_restore_ends_all_leases(run: Run) -> None:
    lease = claim(run)
    ok(run.save("s1", "a", status="PAUSED"))
    reviewer = run.by(Scope.REVIEW)
    ok(reviewer.post("checkpoints/0/restore"))
    ok(reviewer.post("resume"))
    refused(run.complete("a", lease=lease), 409, "invalid_state")
    claim(run)


def test_force_needs_no_lease(run: Run) -> None:
    claim(run)
    admin = run.by(Scope.ADMIN)
    ok(admin.complete("a", force=True))


@pytest.mark.parametrize("ttl", [0, 0.5, 3601, -1, None, "60"])
def test_a_time_that_is_none_is_refused_at_its_field(run: Run, ttl: object) -> None:
    refused(run.post("nodes/a/claim", {"ttl": ttl}), 422, "validation", "/ttl")


def test_a_node_of_a_free_execution_is_claimed_by_any_name() -> None:
    run = Run.start()
    lease = claim(run, "step 1")
    refused(run.complete("step 1", "other"), 409, "invalid_state")
    ok(run.complete("step 1", "own", lease=lease))


def test_without_an_execution_nothing_is_claimed() -> None:
    run = Run.start()
    ok(run.post("cancel"))
    refused(run.post("nodes/a/claim", {"ttl": 60}), 409, "invalid_state")


def test_a_reviewer_releases_and_does_not_claim(run: Run) -> None:
    lease = claim(run)
    reviewer = run.by(Scope.REVIEW)
    refused(reviewer.post("nodes/a/claim", {"ttl": 60}), 403, "forbidden")
    assert reviewer.post("nodes/a/release", {"lease": lease}).status_code == 204
