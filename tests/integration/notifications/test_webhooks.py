"""Events of executions are sent to webhooks: once for each kind, signed, without content."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Execution
from conversations.lifecycle.erasure import erase
from ctxadmin.accounts.models import EngineToken, Membership
from ctxadmin.accounts.services import system_actor
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from notifications import fan_out as module
from notifications.domain.commands import ChangeWebhook
from notifications.domain.kinds import Kind
from notifications.domain.signing import signature
from notifications.fan_out import enqueue_deliveries
from notifications.models import Delivery
from notifications.services import webhooks
from notifications.signing_keys import secret_of
from tests.factories import Api, user, workspace
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok
from tests.integration.notifications.conftest import person_of, send_all, subscribe
from tests.integration.notifications.receiver import Receiver

pytestmark = pytest.mark.django_db

SECRETS = "what-the-customer-said"


def one() -> Delivery:
    return Delivery.objects.get()


def test_a_pause_is_reported_with_ids_and_a_link_and_no_content(receiver: Receiver) -> None:
    subscribe(receiver, Kind.PAUSED)
    run = Run.start()
    run.pause_now(state_data={"said": SECRETS}, messages=[user(SECRETS)])
    send_all()
    (got,) = receiver.got
    execution = Execution.objects.get()
    assert got.path == "/hook?from=ctxadmin"
    assert got.json["type"] == "execution.paused"
    assert got.json["data"] == {
        "conversation": run.head.public_id,
        "execution": execution.public_id,
        "workflow": None,
        "version": 1,
        "status": "PAUSED",
        "node_id": "a",
        "link": f"https://ctx.example.org/executions/{run.head.public_id}/",
    }
    assert SECRETS.encode() not in got.body
    assert (one().state, one().answered, one().attempts) == ("sent", 204, 1)
    send_all()
    assert len(receiver.got) == 1


def test_a_delivery_is_signed_as_standard_webhooks_has_it(receiver: Receiver) -> None:
    hook = subscribe(receiver, Kind.PAUSED)
    Run.start().pause_now()
    send_all()
    (got,) = receiver.got
    at = datetime.fromtimestamp(int(got.headers["webhook-timestamp"]), UTC)
    assert abs(at - clock.now()) < timedelta(minutes=1)
    secret = secret_of(hook)
    assert secret is not None
    assert got.headers["webhook-signature"] == signature(secret, got.id, at, got.body)
    assert got.id == one().id


def test_each_step_of_a_review_is_reported(receiver: Receiver) -> None:
    subscribe(receiver)
    chain("w", "a", "b", configs={"b": REVIEW})
    run = Run.start("w")
    ok(run.complete("a"))
    ok(run.post("approve"))
    ok(run.complete("b"))
    send_all()
    assert sorted(receiver.kinds) == [
        "execution.approved",
        "execution.completed",
        "execution.paused",
        "execution.review_asked",
    ]
    asked = next(each for each in receiver.got if each.json["type"] == "execution.review_asked")
    assert asked.json["data"]["node_id"] == "b"
    assert asked.json["data"]["workflow"] == "w"


@pytest.mark.parametrize(("move", "status"), [("reject", "FAILED"), ("cancel", "CANCELLED")])
def test_a_rejection_is_reported_and_so_is_the_end(
    receiver: Receiver, move: str, status: str
) -> None:
    run = Run.start()
    run.pause_now()
    subscribe(receiver)
    ok(run.post(move))
    send_all()
    told = {each.json["type"]: each.json["data"]["status"] for each in receiver.got}
    expected = {"execution.failed", "execution.rejected"} if move == "reject" else set()
    assert told.keys() == (expected or {"execution.cancelled"})
    assert set(told.values()) == {status}


def test_what_no_one_answered_in_time_is_reported_with_its_outcome(
    receiver: Receiver, later: Any
) -> None:
    subscribe(receiver, Kind.TIMED_OUT, Kind.REJECTED)
    chain("w", "a", "b", configs={"b": {**REVIEW, "timeout": {"seconds": 60, "outcome": "reject"}}})
    run = Run.start("w")
    ok(run.complete("a"))
    later(timedelta(minutes=2))
    call_command("deliver", "--once")
    assert run.snapshot()["status"] == "FAILED"
    assert sorted(receiver.kinds) == ["execution.rejected", "execution.timed_out"]
    assert {each.json["data"]["outcome"] for each in receiver.got} == {"reject"}


def test_steps_and_edits_of_a_paused_state_are_not_reported(receiver: Receiver) -> None:
    subscribe(receiver)
    run = Run.start()
    ok(run.save("c1"))
    ok(run.save("c2", messages=[user("hi")]))
    assert enqueue_deliveries() == 0
    run.pause_now()
    send_all()
    ok(run.update("a", state_data={"k": 1}))
    assert enqueue_deliveries() == 0
    assert receiver.kinds == ["execution.paused"]


def test_only_the_kinds_the_workflow_and_the_workspace_that_were_asked_for(
    receiver: Receiver,
) -> None:
    chain("w", "a", configs={"a": REVIEW})
    subscribe(receiver, Kind.FAILED)
    subscribe(receiver, Kind.PAUSED, actor=person_of("eve"), workflow="w")
    subscribe(receiver, Kind.PAUSED, actor=person_of("mallory", slug="elsewhere"))
    Run.start().pause_now()
    send_all()
    assert receiver.got == []
    Run.start("w")
    send_all()
    assert [each.json["data"]["workflow"] for each in receiver.got] == ["w"]


def test_a_webhook_is_notified_of_nothing_that_was_before_it(receiver: Receiver) -> None:
    run = Run.start()
    run.pause_now()
    subscribe(receiver)
    send_all()
    assert receiver.got == []
    ok(run.post("resume"))
    send_all()
    assert receiver.kinds == ["execution.resumed"]


def test_a_fork_does_not_tell_the_history_of_its_source(receiver: Receiver) -> None:
    subscribe(receiver)
    run = Run.start()
    run.pause_now()
    send_all()
    forked = ok(run.post("checkpoints/1/fork", {"id": "forked"}))
    ok(run.api.post(f"/conversations/{forked['id']}/resume"))
    send_all()
    assert receiver.kinds == ["execution.paused", "execution.resumed"]


def test_a_secret_is_reported_once_and_not_stored(receiver: Receiver) -> None:
    api = Api()
    wanted = {"name": "n", "url": receiver.url, "kinds": ["execution.paused"]}
    made = ok(api.post("/webhooks", wanted, **{"Idempotency-Key": "again"}))
    assert made["secret"].startswith("whsec_")
    assert "secret" not in ok(api.get(f"/webhooks/{made['id']}"))
    with connection.cursor() as cursor:
        stored = []
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            stored.append(repr(cursor.fetchall()))
    assert made["secret"].removeprefix("whsec_") not in "".join(stored)


def test_a_renewed_secret_signs_at_once(receiver: Receiver) -> None:
    api = Api()
    wanted = {"name": "n", "url": receiver.url, "kinds": ["execution.paused"]}
    made = ok(api.post("/webhooks", wanted))
    renewed = ok(api.post(f"/webhooks/{made['id']}/secret"))
    assert renewed["secret"] != made["secret"]
    ok(api.post(f"/webhooks/{made['id']}/test"))
    send_all()
    (got,) = receiver.got
    at = datetime.fromtimestamp(int(got.headers["webhook-timestamp"]), UTC)
    signed = got.headers["webhook-signature"].split()
    secrets = (renewed["secret"], made["secret"])
    assert signed == [signature(each, got.id, at, got.body) for each in secrets]


def test_secrets_outlive_a_change_of_the_servers_key(receiver: Receiver, settings: Any) -> None:
    hook = subscribe(receiver, Kind.PAUSED)
    before = secret_of(hook)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-" + "1" * 50
    assert secret_of(hook) == before
    settings.SECRET_KEY_FALLBACKS = []
    Run.start().pause_now()
    send_all()
    assert receiver.got == []
    assert (one().state, one().problem) == ("dead", "secret")


def _demote(name: str) -> None:
    Membership.objects.filter(user__username=name).update(role=Role.REVIEWER.value)


def _remove(name: str) -> None:
    Membership.objects.filter(user__username=name).delete()


@pytest.mark.parametrize("revoke", [_demote, _remove])
def test_nothing_is_sent_for_someone_whose_role_was_taken(receiver: Receiver, revoke: Any) -> None:
    subscribe(receiver, Kind.PAUSED)
    Run.start().pause_now()
    enqueue_deliveries()
    revoke("dora")
    send_all()
    assert receiver.got == []
    assert (one().state, one().problem) == ("dead", "rights")


def test_nothing_is_sent_for_a_token_that_was_revoked(receiver: Receiver) -> None:
    api = Api([Scope.DESIGN])
    ok(api.post("/webhooks", {"name": "n", "url": receiver.url, "kinds": ["execution.paused"]}))
    Run.start().pause_now()
    EngineToken.objects.update(revoked_at=clock.now())
    send_all()
    assert receiver.got == []
    assert (one().state, one().problem) == ("dead", "rights")


def test_who_changes_a_webhook_answers_for_it(receiver: Receiver) -> None:
    hook = subscribe(receiver, Kind.PAUSED)
    Run.start().pause_now()
    _remove("dora")
    send_all()
    eve = person_of("eve")
    webhooks.change(eve, hook.public_id, ChangeWebhook(name="hers"))
    webhooks.resend(eve, hook.public_id, one().id)
    send_all()
    assert receiver.kinds == ["execution.paused"]


def test_deliveries_of_an_erased_conversation_are_gone(receiver: Receiver) -> None:
    subscribe(receiver)
    run = Run.start()
    run.pause_now()
    enqueue_deliveries()
    erase(system_actor(workspace(), "tests"), run.head.public_id)
    send_all()
    assert receiver.got == []
    assert not Delivery.objects.exists()


def test_a_conversation_erased_before_its_delivery_is_sent_to_no_one(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(receiver)
    run = Run.start()
    run.pause_now()
    real = module.new_deliveries

    def erasing(*arguments: Any) -> Any:
        found = list(real(*arguments))
        erase(system_actor(workspace(), "tests"), run.head.public_id)
        return found

    monkeypatch.setattr(module, "new_deliveries", erasing)
    enqueue_deliveries()
    assert not Delivery.objects.exists()


def test_what_happens_between_the_look_and_the_telling_is_reported_next(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(receiver)
    run = Run.start()
    run.pause_now()
    real = module.new_deliveries

    def resuming(*arguments: Any) -> Any:
        found = list(real(*arguments))
        monkeypatch.setattr(module, "new_deliveries", real)
        ok(run.post("resume"))
        return found

    monkeypatch.setattr(module, "new_deliveries", resuming)
    enqueue_deliveries()
    assert [row.kind for row in Delivery.objects.all()] == ["execution.paused"]
    send_all()
    assert sorted(receiver.kinds) == ["execution.paused", "execution.resumed"]


def test_a_write_costs_the_same_with_and_without_listeners(receiver: Receiver) -> None:
    def statements() -> list[int]:
        run = Run.start()
        counts = []
        for act in (
            lambda: ok(run.save("c1")),
            lambda: ok(run.save("c2")),
            lambda: run.pause_now(),
            lambda: ok(run.post("approve")),
            lambda: ok(run.save("c3", status="COMPLETED")),
        ):
            with CaptureQueriesContext(connection) as queries:
                act()
            counts.append(len(queries))
        return counts

    statements()
    before = statements()
    subscribe(receiver)
    assert statements() == before
