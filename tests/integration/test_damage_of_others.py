"""One damaged row holds up nobody else."""

from datetime import timedelta

import orjson
import pytest

from checkpoints.models import Checkpoint, Execution
from checkpoints.services.review_timeouts import answer_overdue
from ctxadmin.lib import clock
from notifications.fan_out import enqueue_deliveries
from notifications.models import Delivery
from tests.factories import Api
from tests.integration.checkpoints.flows import Run, chain

pytestmark = pytest.mark.django_db


def test_one_damaged_execution_holds_up_no_other_whose_time_is_over() -> None:
    """The earliest deadline is that of the damaged one."""
    chain(
        "timed",
        "ask",
        configs={"ask": {"pause": "before", "timeout": {"seconds": 60, "outcome": "reject"}}},
    )
    broken, whole = Run.start("timed"), Run.start("timed")
    for each, ago in ((broken, 2), (whole, 1)):
        row = Execution.objects.get(conversation=each.head.key)
        decided = orjson.loads(bytes(row.decided))
        past = clock.now() - timedelta(hours=ago)
        decided["pause"]["deadline"] = clock.iso(past)
        Execution.objects.filter(pk=row.pk).update(decided=orjson.dumps(decided), deadline=past)
    Execution.objects.filter(conversation=broken.head.key).update(decided=b"{")
    assert answer_overdue() == 1
    assert whole.snapshot()["status"] == "FAILED"


def test_one_damaged_version_delays_no_other_notification() -> None:
    hook = {"name": "all", "url": "https://hook.example/", "kinds": ["execution.paused"]}
    assert Api().post("/webhooks", hook).status_code == 201
    broken, whole = Run.start(), Run.start()
    for each in (broken, whole):
        each.pause_now()
    Checkpoint.objects.filter(conversation=broken.head.key, version=1).update(status="no status")
    enqueue_deliveries()
    assert [each.stream for each in Delivery.objects.all()] == [whole.head.key]
    assert not Execution.objects.filter(to_tell__isnull=False).exists()
