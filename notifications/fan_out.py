"""Turns versions that need notification into one delivery per recipient.

The history is the outbox: a write that needs notification marks its execution in a statement that
it sends anyway, and the sender reads the versions since the mark. So a write costs the same whoever
listens, and what is committed is delivered, however late.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest

from checkpoints.domain.pauses import When
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.pinned_workflow import PinnedVersion, pinned_version
from conversations.models import Conversation
from conversations.store.damage import ALTERED, damaged
from ctxadmin.lib import clock
from ctxadmin.lib.errors import NotFound
from notifications.domain.kinds import TIME_KEEPER, Kind, VersionRecord, kinds_of
from notifications.models import Choice, Delivery, Webhook

_MOST: Final = 200  # executions of one look
_WORTH_IT: Final = ~Q(kind=WriteKind.UPDATE) & (
    Q(kind=WriteKind.MOVE) | ~Q(status__in=(Status.PENDING, Status.RUNNING))
)


@dataclass(frozen=True, slots=True)
class VersionEvent:
    """A version to notify: all of its kinds, most important first."""

    version: VersionRecord
    kinds: tuple[Kind, ...]
    node_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Listeners:
    """The webhooks and people of a workspace that want notifications."""

    webhooks: Sequence[Webhook]
    choices: Sequence[Choice]

    def __bool__(self) -> bool:
        return bool(self.webhooks or self.choices)


def enqueue_deliveries() -> int:
    """Creates the pending deliveries; returns the number of executions."""
    rows = Execution.objects.filter(to_tell__isnull=False).order_by("to_tell")
    known: dict[int, Listeners] = {}
    count = 0
    for row in rows.defer("decided", "marking", "reducers")[:_MOST]:
        if row.workspace not in known:
            known[row.workspace] = _listeners(row.workspace)
        _enqueue_deliveries(row, known[row.workspace])
        count += 1
    return count


def _listeners(workspace: int) -> Listeners:
    choices = Choice.objects.filter(workspace=workspace).select_related("user").order_by("user")
    return Listeners(list(Webhook.objects.filter(workspace=workspace)), list(choices))


def _enqueue_deliveries(row: Execution, listeners: Listeners) -> None:
    """Creates the deliveries of one execution and clears its mark, in one transaction.

    Two concurrent calls create the same rows. An execution that is written meanwhile keeps its
    mark; for one that is erased meanwhile there are no deliveries.
    """
    deliveries = list(new_deliveries(row, listeners)) if listeners else []
    own = Execution.objects.filter(conversation=row.conversation, number=row.number)
    told_version = Greatest(F("told_version"), row.version)
    with transaction.atomic():
        # Its row first, as erasing does it: neither waits for the other with half of it done.
        marked = own.filter(version=row.version).update(to_tell=None, told_version=told_version)
        if marked or own.update(told_version=told_version):
            Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)


def new_deliveries(row: Execution, listeners: Listeners) -> Iterator[Delivery]:
    name = Conversation.objects.filter(key=row.conversation).values_list("public_id", flat=True)
    public_id = name.first()
    if public_id is None:
        return
    for event in _events(row):
        for channel, target, kind in _deliveries_of(row, event, listeners):
            yield _delivery(row, public_id, event, channel, target, kind)


def _events(row: Execution) -> Iterator[VersionEvent]:
    """Returns the events since the last notification.

    Those a fork has of its source happened there.
    """
    rows = Checkpoint.objects.filter(
        _WORTH_IT,
        conversation=row.conversation,
        execution=row.number,
        version__gt=row.told_version,
        version__lte=row.version,
        change_seq__gt=0,
    ).order_by("version")
    names = ("version", "kind", "move", "status", "author", "node_id", "side", "created_at")
    pinned = _pinned(row)
    for found in rows.only(*names):
        try:
            version = _version(pinned, found)
        except ValueError:  # it is logged, and holds up no other
            damaged(row.conversation, "version", found.version, ALTERED)
            continue
        kinds = kinds_of(version)
        if kinds:
            yield VersionEvent(version, kinds, found.node_id, found.created_at)


def _version(pinned: PinnedVersion | None, found: Checkpoint) -> VersionRecord:
    """Returns a version for notification; raises ValueError if it is implausible."""
    return VersionRecord(
        found.version,
        WriteKind(found.kind),
        found.move,
        Status(found.status),
        found.author,
        _asks(pinned, found.node_id, found.side),
    )


def _pinned(row: Execution) -> PinnedVersion | None:
    try:
        return pinned_version(row)
    except NotFound:  # its workflow is gone; that it waits is told all the same
        return None


def _asks(pinned: PinnedVersion | None, node_id: str, side: str) -> bool:
    rule = pinned.rules.get(node_id) if pinned is not None else None
    return rule is not None and rule.when is When(side)


def _deliveries_of(
    row: Execution, event: VersionEvent, listeners: Listeners
) -> Iterator[tuple[str, str, Kind]]:
    """Returns channel, target and kind of each delivery of an event.

    A webhook gets every kind that it selected; a person gets one, and none for their own actions.
    """
    for hook in listeners.webhooks:
        if event.at >= hook.since and hook.workflow in ("", row.workflow):
            for kind in event.kinds:
                if kind in hook.kinds:
                    yield "webhook", hook.public_id, kind
    for channel in ("mail", "browser"):
        reached: set[int] = set()
        for kind in event.kinds:
            for choice in listeners.choices:
                since = choice.mail_since if channel == "mail" else choice.browser_since
                if choice.kind != kind or since is None or event.at < since:
                    continue
                own = event.version.author == f"person:{choice.user.get_username()}"
                if not own and choice.user_id not in reached:
                    reached.add(choice.user_id)
                    yield channel, str(choice.user_id), kind


def _delivery(
    row: Execution, public_id: str, event: VersionEvent, channel: str, target: str, kind: Kind
) -> Delivery:
    # What is for a browser waits there, to be asked for.
    waits = channel != "browser"
    now = clock.now()
    timed_out = event.version.author == TIME_KEEPER
    return Delivery(
        stream=row.conversation,
        id=delivery_id(channel, target, row.public_id, str(event.version.version), kind),
        workspace=row.workspace,
        channel=channel,
        target=target,
        kind=kind,
        conversation_id=public_id,
        execution=row.public_id,
        workflow=row.workflow,
        version=event.version.version,
        status=event.version.status,
        node_id=event.node_id,
        outcome=event.version.move if timed_out else "",
        at=event.at,
        state=Delivery.State.WAITING if waits else Delivery.State.SENT,
        next_at=now if waits else None,
        changed_at=now,
    )


def delivery_id(*parts: str) -> str:
    """Returns the id of a delivery: the same for the same event and target."""
    return "dlv_" + blake2b("\0".join(parts).encode(), digest_size=14).hexdigest()
