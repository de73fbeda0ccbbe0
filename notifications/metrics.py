"""The metrics of deliveries: how many wait or were given up, and for how long."""

from collections.abc import Iterable

from django.db.models import Count, Min
from prometheus_client.core import GaugeMetricFamily, Metric

from checkpoints.models import Execution
from ctxadmin.lib import clock
from notifications.models import Delivery

_COUNTED = (Delivery.State.WAITING, Delivery.State.DEAD)


def delivery_metrics() -> Iterable[Metric]:
    """Returns waiting and dead deliveries, and the delay of the sender, with two indexed
    queries.
    """
    rows = Delivery.objects.filter(state__in=_COUNTED).values("state")
    found = {row["state"]: row for row in rows.annotate(count=Count("*"), due=Min("next_at"))}
    deliveries = GaugeMetricFamily(
        "ctxadmin_deliveries",
        "Webhook and email deliveries that wait or were given up",
        labels=["state"],
    )
    for state in _COUNTED:
        row = found.get(state.value)
        deliveries.add_metric([state.value], row["count"] if row else 0)
    due = found[Delivery.State.WAITING]["due"] if Delivery.State.WAITING in found else None
    marked = Execution.objects.filter(to_tell__isnull=False).aggregate(at=Min("to_tell"))["at"]
    late = [(clock.now() - at).total_seconds() for at in (due, marked) if at is not None]
    lag = GaugeMetricFamily(
        "ctxadmin_delivery_lag_seconds",
        "How long the oldest delivery that is due has been waiting; 0 if there is none",
    )
    lag.add_metric([], max([0.0, *late]))
    return deliveries, lag
