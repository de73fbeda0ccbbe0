"""Deliveries arrive at least once: retries, crashes, several senders, dead endpoints."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError

from ctxadmin.lib import clock
from notifications import store
from notifications.domain.commands import ChangeWebhook
from notifications.domain.kinds import Kind
from notifications.domain.retry_policy import LEASE, MOST_ATTEMPTS
from notifications.fan_out import enqueue_deliveries
from notifications.management.commands import deliver
from notifications.metrics import delivery_metrics
from notifications.models import Delivery
from notifications.sending.outcome import DeliveryOutcome, Problem
from notifications.services import webhooks
from notifications.worker import Sender
from tests.integration.checkpoints.flows import Run, ok
from tests.integration.notifications.conftest import person_of, send_all, subscribe
from tests.integration.notifications.receiver import Receiver

pytestmark = pytest.mark.django_db

Later = Callable[[timedelta], None]


def one() -> Delivery:
    return Delivery.objects.get()


def pause() -> Run:
    run = Run.start()
    run.pause_now()
    return run


def test_a_delivery_that_fails_is_tried_again_under_its_id(
    receiver: Receiver, later: Later
) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    receiver.status = 500
    send_all()
    row = one()
    assert (row.state, row.attempts, row.answered, row.problem) == ("waiting", 1, 500, "answer")
    assert row.next_at is not None
    assert timedelta(seconds=3) < row.next_at - clock.now() < timedelta(seconds=7)
    send_all()
    assert len(receiver.got) == 1
    receiver.status = 200
    later(timedelta(seconds=7))
    send_all()
    assert [each.id for each in receiver.got] == [row.id, row.id]
    assert receiver.got[0].body == receiver.got[1].body
    assert (one().state, one().attempts, one().problem) == ("sent", 2, "")


def test_it_is_given_up_after_days_and_can_be_sent_again(receiver: Receiver, later: Later) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    pause()
    receiver.status = 503
    for _ in range(MOST_ATTEMPTS + 3):
        send_all()
        later(timedelta(hours=30))
    row = one()
    assert (row.state, row.attempts, row.next_at) == ("dead", MOST_ATTEMPTS, None)
    assert len(receiver.got) == MOST_ATTEMPTS
    receiver.status = 200
    webhooks.resend(dora, hook.public_id, row.id)
    send_all()
    assert (one().state, receiver.got[-1].id) == ("sent", row.id)


def test_who_says_that_it_is_gone_is_not_asked_again(receiver: Receiver) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    receiver.status = 410
    send_all()
    assert (one().state, one().problem, one().attempts) == ("dead", "gone", 1)


def test_a_crash_between_sending_and_noting_it_sends_it_again(
    receiver: Receiver, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    with monkeypatch.context() as crashing:
        crashing.setattr(store, "note", lambda *_: None)  # it dies before it comes to that
        send_all()
    assert len(receiver.got) == 1
    assert one().state == "waiting"
    send_all()
    assert len(receiver.got) == 1
    later(LEASE)
    send_all()
    assert [each.id for each in receiver.got] == [one().id] * 2
    assert (one().state, one().attempts) == ("sent", 2)


def test_two_senders_never_take_the_same_delivery(receiver: Receiver) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    enqueue_deliveries()
    now = clock.now()
    both_saw = [one(), one()]
    assert [store.lease_delivery(row, now) for row in both_saw] == [True, False]
    assert list(store.take_due(now, 5, (), 5)) == []


def test_a_second_sender_leaves_alone_what_the_first_is_sending(receiver: Receiver) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    receiver.hold()
    with Sender() as first, Sender() as second:
        first.run_round()
        assert receiver.asked.wait(60)
        second.run_round()
        assert (first.is_busy, second.is_busy) == (True, False)
        receiver.go_on()
        first.wait(60)
        first.run_round()
    assert len(receiver.got) == 1
    assert one().state == "sent"


def test_a_late_delivery_counts_even_if_another_sender_took_it_over(
    receiver: Receiver, later: Later
) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    enqueue_deliveries()
    (slow,) = store.take_due(clock.now(), 1, (), 1)
    later(LEASE)
    (taken_over,) = store.take_due(clock.now(), 1, (), 1)
    store.note(slow, DeliveryOutcome(Problem.TIMEOUT), clock.now(), 0.5)
    assert (one().state, one().problem) == ("waiting", "")  # theirs decides
    store.note(slow, DeliveryOutcome(None, 200), clock.now(), 0.5)
    store.note(taken_over, DeliveryOutcome(Problem.TIMEOUT), clock.now(), 0.5)
    assert (one().state, one().answered) == ("sent", 200)


def test_one_that_does_not_answer_keeps_no_one_else_waiting(receiver: Receiver) -> None:
    with Receiver() as dead:
        subscribe(dead, Kind.PAUSED)
        subscribe(receiver, Kind.PAUSED, actor=person_of("eve"))
        dead.hold()
        for _ in range(6):
            pause()
        with Sender() as sender:
            while len(receiver.got) < 6:
                sender.run_round()
                sender.wait(0.05)
            assert len(dead.got) <= 2
            dead.go_on()
            while sender.run_round() or sender.is_busy:
                sender.wait(60)
        assert len(dead.got) == 6
    assert len({each.id for each in receiver.got}) == len(receiver.got) == 6


def test_what_waits_for_a_paused_webhook_is_sent_when_it_continues(receiver: Receiver) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    webhooks.change(dora, hook.public_id, ChangeWebhook(paused=True))
    pause()
    send_all()
    assert receiver.got == []
    assert (one().state, one().attempts) == ("waiting", 0)
    webhooks.change(dora, hook.public_id, ChangeWebhook(paused=False))
    send_all()
    assert len(receiver.got) == 1


def test_nothing_is_sent_to_a_webhook_that_was_removed(receiver: Receiver) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    pause()
    enqueue_deliveries()
    webhooks.remove(dora, hook.public_id)
    send_all()
    assert receiver.got == []
    assert (one().state, one().problem) == ("dead", "unwanted")


def test_what_no_one_thought_of_is_a_failed_attempt(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()

    def broken(*_: Any) -> DeliveryOutcome:
        raise UnicodeError("odd")

    monkeypatch.setattr("notifications.sending.http.post", broken)
    send_all()
    assert (one().state, one().attempts) == ("waiting", 1)


def test_the_command_continues_when_the_database_is_down(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    looks = 0
    real = Sender.run_round

    def turn(sender: Sender) -> bool:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise OperationalError("away")
        return real(sender)

    class Stop:
        def is_set(self) -> bool:
            return bool(receiver.got) and one().state == "sent"

        def wait(self, seconds: float) -> None:
            pass

    monkeypatch.setattr(Sender, "run_round", turn)
    monkeypatch.setattr("django.db.connection.close", lambda: None)
    with Sender() as sender:
        deliver.send_until(sender, Stop())  # type: ignore[arg-type]
    assert len(receiver.got) == 1


def test_old_deliveries_are_removed_by_maintenance(receiver: Receiver, later: Later) -> None:
    subscribe(receiver, Kind.PAUSED)
    pause()
    send_all()
    later(timedelta(days=29))
    assert "0 old deliveries would be removed" in _maintain("--dry-run")
    later(timedelta(days=2))
    assert "1 old deliveries would be removed" in _maintain("--dry-run")
    assert Delivery.objects.count() == 1
    _maintain("--only", "records")
    assert not Delivery.objects.exists()


def _maintain(*arguments: str) -> str:
    out = StringIO()
    call_command("maintain", *arguments, stdout=out)
    return out.getvalue()


def test_the_figures_tell_what_waits_what_is_dead_and_how_late_it_is(
    receiver: Receiver, later: Later
) -> None:
    def figures() -> dict[tuple[str, str], float]:
        return {
            (sample.name, sample.labels.get("state", "")): sample.value
            for metric in delivery_metrics()
            for sample in metric.samples
        }

    subscribe(receiver, Kind.PAUSED)
    assert set(figures().values()) == {0.0}
    pause()
    later(timedelta(seconds=100))
    assert figures()["ctxadmin_delivery_lag_seconds", ""] >= 100
    receiver.status = 500
    send_all()
    assert figures()["ctxadmin_deliveries", "waiting"] == 1
    assert figures()["ctxadmin_delivery_lag_seconds", ""] == 0
    later(timedelta(seconds=100))
    assert 90 < figures()["ctxadmin_delivery_lag_seconds", ""] < 100
    receiver.status = 410
    send_all()
    assert figures()["ctxadmin_deliveries", "dead"] == 1


def test_a_test_arrives_and_tells_nothing(receiver: Receiver) -> None:
    dora = person_of("dora")
    hook = subscribe(receiver, Kind.PAUSED, actor=dora)
    webhooks.send_test(dora, hook.public_id)
    send_all()
    (got,) = receiver.got
    assert (got.json["type"], got.json["data"]) == ("webhook.test", {"webhook": hook.public_id})
    ok(Run.start().save("c"))
