"""The metrics of executions: their number by status, and the longest wait for review."""

from collections.abc import Iterable
from typing import Final

from django.db.models import Count, Min
from prometheus_client.core import GaugeMetricFamily, Metric

from checkpoints.domain.status import Status
from checkpoints.models import Execution
from ctxadmin.lib import clock

# A conversation is IDLE, an execution never.
_STATUSES: Final = tuple(status for status in Status if status is not Status.IDLE)


def execution_metrics() -> Iterable[Metric]:
    """Returns executions by status and the age of the oldest pending review, with one indexed
    query.
    """
    found = {
        row["status"]: row
        for row in Execution.objects.values("status").annotate(
            count=Count("*"), since=Min("waiting_since")
        )
    }
    executions = GaugeMetricFamily("ctxadmin_executions", "Executions by status", labels=["status"])
    for status in _STATUSES:
        row = found.get(status.value)
        executions.add_metric([status.value], row["count"] if row else 0)
    since = found[Status.PAUSED]["since"] if Status.PAUSED in found else None
    waiting = GaugeMetricFamily(
        "ctxadmin_oldest_review_seconds",
        "Age of the oldest pending review; 0 if there is none",
    )
    waiting.add_metric([], 0 if since is None else max((clock.now() - since).total_seconds(), 0))
    return executions, waiting
