"""Notifies the assignee of a review, in the transaction of the assignment."""

from checkpoints.services.assignments import Assigned
from ctxadmin.lib.clock import iso
from notifications.domain.kinds import Kind
from notifications.fan_out import delivery_id
from notifications.models import Choice, Delivery


def notify_assignee(assigned: Assigned) -> None:
    """Queues one delivery for each of the assignee's channels; nobody is notified of their own."""
    row, target = assigned.row, str(assigned.user.pk)
    if (assigned.actor.kind, assigned.actor.id) == ("person", target):
        return
    chosen = Choice.objects.filter(
        workspace=row.workspace, user=assigned.user.pk, kind=Kind.ASSIGNED
    ).first()
    if chosen is None:
        return
    ways = {"mail": chosen.mail_since, "browser": chosen.browser_since}
    Delivery.objects.bulk_create(
        _delivery(assigned, channel, target) for channel, since in ways.items() if since
    )


def _delivery(assigned: Assigned, channel: str, target: str) -> Delivery:
    row, waits = assigned.row, channel == "mail"
    return Delivery(
        stream=row.conversation,
        id=delivery_id(channel, target, row.public_id, iso(assigned.at), Kind.ASSIGNED),
        workspace=row.workspace,
        channel=channel,
        target=target,
        kind=Kind.ASSIGNED,
        conversation_id=assigned.head.public_id,
        execution=row.public_id,
        workflow=row.workflow,
        version=row.version,
        status=row.status,
        node_id=row.node_id,
        at=assigned.at,
        state=Delivery.State.WAITING if waits else Delivery.State.SENT,
        next_at=assigned.at if waits else None,
        changed_at=assigned.at,
    )
