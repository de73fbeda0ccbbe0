"""Maintenance as a timer runs it: policies, archiving, erasure, the lock, dry runs."""

from datetime import timedelta
from io import StringIO
from threading import Event
from typing import Any
from unittest.mock import patch

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.domain.move_commands import ForkCheckpoint
from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance import lock, retention_store, thinning
from checkpoints.maintenance.retention_policies import policy_of, set_policy
from checkpoints.management.commands import maintain
from checkpoints.models import Checkpoint, Execution, Maintenance, PendingEdit, StateValue
from checkpoints.reading.queries import find_moment, snapshot_bytes
from checkpoints.services import checkpoint_saves
from checkpoints.services import forks as forking
from checkpoints.store.state import digest_of_name
from conversations.models import Conversation, Message
from ctxadmin.accounts.models import BrowserSession, EngineToken
from ctxadmin.accounts.services import create_token, system_actor
from ctxadmin.accounts.sessions import SessionStore
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.http.models import KeptAnswer
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Forbidden, NotFound, Unavailable, VersionConflict
from tests.concurrent_writers import together
from tests.factories import Api, assistant, conversation, engine, person, user, workspace
from tests.integration.checkpoints.flows import Run, everything, ok
from tests.integration.checkpoints.maintenance import head_of, keep, run, untouched

pytestmark = pytest.mark.django_db


def long_run(count: int = 12) -> Run:
    """An execution whose versions were all written on one day, last week."""
    made = Run.start()
    for number in range(count):
        ok(made.save(f"c{number}", state_data={"value": "x" * 100 + str(number)}))
    noon = clock.now().replace(hour=12) - timedelta(days=7)
    Checkpoint.objects.filter(conversation=made.head.key).update(created_at=noon)
    return made


def thinned(run: Run) -> int:
    rows = Checkpoint.objects.filter(conversation=run.head.key, thinned_at__isnull=False)
    return rows.count()


def test_by_default_only_old_answers_sessions_and_edits_go() -> None:
    made, old = long_run(), conversation(user("old"))
    untouched(old, 5000)
    answer = KeptAnswer(stream=1, call="c", body="b", created_at=clock.now())
    answer.save(force_insert=True)
    past = clock.now() - timedelta(hours=25)
    KeptAnswer(stream=1, call="d", body="b", created_at=past).save(force_insert=True)
    for days in (-1, 1):
        session = SessionStore()
        session.set_expiry(timedelta(days=days))
        session.save()
    for who, days in ((1, 29), (2, 31)):
        typed = {"version": 1, "seq": 1, "typed": b"{}", "execution": 1}
        at = clock.now() - timedelta(days=days)
        PendingEdit(conversation=1, person=who, changed_at=at, **typed).save(force_insert=True)
    before = Conversation.objects.count()
    said = run()
    assert "1 stored responses, 1 sessions and 1 unsaved edits removed" in said
    assert Conversation.objects.filter(archived=False).count() == before
    assert thinned(made) == 0
    assert KeptAnswer.objects.get().call == "c"
    assert BrowserSession.objects.count() == 1
    assert PendingEdit.objects.get().person == 1


def test_versions_are_thinned_as_the_policy_of_their_workspace_says() -> None:
    made, theirs = long_run(), Run.start(api=None)
    keep(keep_last=3, hourly_days=0)
    assert "9 versions thinned" in run()
    assert thinned(made) == 9
    assert thinned(theirs) == 0
    assert "0 versions thinned" in run()
    assert made.state() == {"value": "x" * 100 + "11"}


def test_a_dry_run_says_what_the_run_then_does() -> None:
    made, old, older = long_run(), conversation(user("a")), conversation(user("b" * 50))
    keep(keep_last=3, hourly_days=0, archive_after_days=30, erase_after_days=60)
    untouched(old, 31)
    untouched(older, 61)
    Conversation.objects.filter(key=older.key).update(archived=True)
    before = everything()
    dry = run("--dry-run")
    assert everything() == before
    done = run()
    assert dry.replace("would be ", "") == done
    assert f"{old.public_id}  archived" in dry
    assert f"{older.public_id}  erased  {head_bytes(older)} bytes" in dry
    assert "1 conversations would be archived, 1 would be erased, 9 versions would be" in dry
    assert head_of(old).archived
    assert thinned(made) == 9
    assert not Message.objects.filter(conversation=older.key).exists()
    assert not Conversation.objects.filter(key=older.key).exists()
    entries = AuditEntry.objects.filter(stream=older.key).order_by("seq")
    assert [entry.action for entry in entries][-1] == "conversation.erase"
    assert not verify_stream(older.key)


def head_bytes(head: Conversation) -> int:
    return head.log_bytes + head.checkpoint_bytes


def test_a_run_may_be_limited_to_a_workspace_and_to_parts() -> None:
    old, theirs = conversation(user("a")), conversation(user("a"), actor=engine(slug="other"))
    made = long_run()
    for slug in ("default", "other"):
        keep(slug, archive_after_days=1, keep_last=1, hourly_days=0)
    for head in (old, theirs):
        untouched(head, 2)
    run("--workspace", "other")
    assert (head_of(old).archived, head_of(theirs).archived) == (False, True)
    run("--only", "thin")
    assert not head_of(old).archived
    assert thinned(made)
    with pytest.raises(CommandError, match="no workspace"):
        run("--workspace", "nowhere")


def test_a_run_that_is_at_work_keeps_others_out() -> None:
    with lock.hold_lock(), pytest.raises(CommandError, match="Another run") as busy:
        run()
    assert busy.value.returncode == 75
    run()


def test_a_killed_run_blocks_no_one_for_long() -> None:
    dead = clock.now() + timedelta(minutes=5)
    Maintenance.objects.create(name="maintain", holder="killed", until=dead)
    with pytest.raises(CommandError, match="Another run"):
        run()
    past = clock.now() - timedelta(seconds=1)
    Maintenance.objects.update(until=past)
    run()
    ended_at = Maintenance.objects.get().ended_at
    assert ended_at is not None
    assert ended_at > past


@pytest.mark.parametrize("moved", [timedelta(days=-41), timedelta(days=2)])
def test_after_a_jump_of_the_clock_a_run_only_looks(moved: timedelta) -> None:
    made = long_run()
    keep(keep_last=1, hourly_days=0)
    run()
    long_run()
    Maintenance.objects.update(ended_at=clock.now() + moved)
    before = thinned(made)
    said = run()
    assert "Nothing was removed" in said
    assert "11 versions would be thinned" in said
    assert Checkpoint.objects.filter(thinned_at__isnull=False).count() == before
    assert "11 versions thinned" in run()


def test_what_fails_is_reported_and_left_to_the_next_run() -> None:
    first, second = long_run(), long_run()
    keep(keep_last=1, hourly_days=0)
    thin = thinning.thin

    def thin_or_fail(actor: Any, public_id: str, *arguments: Any, **named: Any) -> Any:
        if public_id == first.head.public_id:
            raise OperationalError("locked")
        return thin(actor, public_id, *arguments, **named)

    with (
        patch.object(thinning, "thin", thin_or_fail),
        pytest.raises(CommandError, match="1 failed") as failed,
    ):
        run()
    assert failed.value.returncode == 1
    assert (thinned(first), thinned(second)) == (0, 11)
    run()
    assert thinned(first) == 11


@pytest.mark.parametrize(
    "altered",
    [
        *({"spans": spans} for spans in (b"{", b"7", b'{"x":1}', b"[1]", b"[[1]]", b"[[1,null]]")),
        *({"spans": spans} for spans in (b'[["a","b"]]', b"[[3,4],[1,2]]", b"[[1,1]]")),
        *({"first": 2**31 - 1}, {"last": -1}),
    ],
    ids=str,
)
def test_a_damaged_value_keeps_its_execution_and_no_other_from_being_thinned(
    altered: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    broken, whole = long_run(), long_run()
    values = StateValue.objects.filter(conversation=broken.head.key, key=digest_of_name("value"))
    assert values.filter(version=6).update(**altered) == 1
    keep(keep_last=3, hourly_days=0)
    out = StringIO()
    with pytest.raises(CommandError, match="1 failed"):
        call_command("maintain", stdout=out, stderr=out)
    said = out.getvalue()
    assert (
        f"{broken.head.public_id}  thinning failed: The stored state key value is damaged" in said
    )
    assert (thinned(broken), thinned(whole) > 0) == (0, True)
    assert [each.message for each in caplog.records if "damaged" in each.message] == [
        "the stored state key is damaged"
    ]


def test_tokens_that_ended_long_ago_go_if_the_policy_says_so() -> None:
    actor = system_actor(workspace(), "tests")
    ended = create_token(actor, "ended", [Scope.ENGINE], lifetime=timedelta(days=-40)).token
    create_token(actor, "lately", [Scope.ENGINE], lifetime=timedelta(days=-20))
    create_token(actor, "holds", [Scope.ENGINE])
    run()
    assert EngineToken.objects.count() == 3
    keep(remove_tokens_after_days=30)
    run()
    assert not EngineToken.objects.filter(public_id=ended.public_id).exists()
    assert EngineToken.objects.count() == 2


def test_the_server_has_a_policy_for_workspaces_that_chose_none(settings: Any) -> None:
    settings.RETENTION = {"keep_last": 4, "hourly_days": None}
    key = workspace().key
    assert policy_of(key).policy == RetentionPolicy(keep_last=4)
    keep(archive_after_days=3)
    assert policy_of(key).policy == RetentionPolicy(archive_after_days=3)
    assert policy_of(workspace("other").key).policy.keep_last == 4


def test_a_policy_is_set_by_admins_on_what_they_saw_and_put_on_record() -> None:
    admin = person(Role.ADMIN)
    assert set_policy(admin, RetentionPolicy(keep_last=9), 0).version == 1
    for expected in (0, 2):
        with pytest.raises(VersionConflict):
            set_policy(admin, RetentionPolicy(), expected)
    set_policy(admin, RetentionPolicy(), 1)
    for role in (Role.VIEWER, Role.REVIEWER, Role.DESIGNER):
        with pytest.raises(Forbidden):
            set_policy(person(role), RetentionPolicy(), 2)
    entries = AuditEntry.objects.filter(stream=admin.workspace).order_by("seq")
    assert [entry.action for entry in entries] == ["retention.set"] * 2
    assert not verify_stream(admin.workspace)


def test_sizes_are_counted_along() -> None:
    run = Run.start()
    ok(run.append(user("ä" * 10), assistant("b")))
    ok(run.save("c1", state_data={"k": "x" * 1000}))
    ok(run.save("c2", state_data={"k": "y"}))
    answer = ok(run.api.get(run.path))
    rows = Message.objects.filter(conversation=run.head.key)
    assert answer["message_bytes"] == sum(len(row.body) for row in rows)
    assert answer["state_bytes"] == len(b'{"k":"y"}')
    assert 1000 < answer["checkpoint_bytes"] < 1100


def test_an_import_counts_its_bytes() -> None:
    api, head = Api(), conversation(user("hello"), assistant("there"))
    document = ok(api.get(f"/conversations/{head.public_id}/export"))
    made = ok(api.post("/conversations/import", document))
    assert made["message_bytes"] == head_of(head).log_bytes > 0


def test_beside_the_server_it_runs_once_a_day_and_outlives_an_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = long_run()
    keep(keep_last=1, hourly_days=0)
    looks: list[int] = []

    def sleep(seconds: float) -> None:
        looks.append(thinned(made))
        if len(looks) == 2:
            Maintenance.objects.update(ended_at=clock.now() - timedelta(days=1))
            long_run()
        if len(looks) == 4:
            raise KeyboardInterrupt

    tries = iter([OperationalError("gone")])

    def last_run() -> Any:
        for error in tries:
            raise error
        return lock.last_run()

    monkeypatch.setattr("checkpoints.management.commands.maintain.time.sleep", sleep)
    monkeypatch.setattr(maintain, "last_run", last_run)
    monkeypatch.setattr(connection, "close", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        call_command("maintain", every=86400.0, stdout=StringIO())
    assert looks == [0, 11, 11, 11]
    assert Checkpoint.objects.filter(thinned_at__isnull=False).count() == 22


@pytest.mark.django_db(transaction=True)
def test_thinning_beside_saves_reads_and_forks_disturbs_no_one() -> None:
    made = long_run(60)
    row = Execution.objects.get(conversation=made.head.key)
    keeper = system_actor(workspace(), "maintain")
    policy = RetentionPolicy(keep_last=2, hourly_days=0)
    writer = engine(Scope.ENGINE, Scope.REVIEW)
    name = made.head.public_id
    saved: list[int] = []
    all_forked = Event()

    def save() -> None:
        for number in range(25):
            body = SaveCheckpoint(node_id="a", state_data={"value": number})
            saved.append(
                orjson.loads(checkpoint_saves.save(writer, name, f"d{number}", body).answer)[
                    "version"
                ]
            )

    def thin() -> thinning.Thinned:
        """Again and again: a run that forks outdate three times leaves the rest to the next."""
        done = thinning.Thinned()
        while not all_forked.is_set():
            done += thinning.thin(keeper, name, row, policy)
        return done + thinning.thin(keeper, name, row, policy)

    def read() -> list[str]:
        """Every former version, as often as it can be read: whole or not at all."""
        problems: list[str] = []
        for version in [*range(60)] * 2:
            try:
                found = orjson.loads(snapshot_bytes(find_moment(writer, name, version)))
            except NotFound:
                continue
            if version and found["state_data"]["value"] != "x" * 100 + str(version - 1):
                problems.append(f"{version}: {found['state_data']}")
        return problems

    def fork(version: int) -> bool:
        """Whole, or refused because it was thinned; a read during thinning has to be repeated."""
        while True:
            try:
                forked = forking.fork(writer, name, version, ForkCheckpoint()).head
            except Unavailable:
                continue
            except NotFound:
                return False
            break
        state = orjson.loads(snapshot_bytes(find_moment(writer, forked.public_id)))
        return not version or state["state_data"]["value"] == "x" * 100 + str(version - 1)

    def fork_some() -> list[int]:
        try:
            return [version for version in range(0, 60, 4) if fork(version)]
        finally:
            all_forked.set()

    with patch.object(retention_store, "BATCH", 7):
        _, thinned_now, problems, forks = together([save, thin, read, fork_some])
    assert saved == list(range(61, 86))
    assert problems == []
    assert isinstance(thinned_now, thinning.Thinned)
    assert thinned_now.versions == thinned(made) > 40
    assert isinstance(forks, list)
    assert 0 in forks
    assert not verify_stream(made.head.key)
    assert made.state() == {"value": 24}
