"""Does the action of a job to one item, by the service that does it to one."""

from collections.abc import Callable, Mapping
from typing import Final

from django.db import transaction

from bulk import store
from bulk.domain.rules import refusal
from bulk.facts import asks_execution, item_facts
from bulk.models import BulkItem
from checkpoints.domain.move_commands import MoveExecution
from checkpoints.services import status_changes
from checkpoints.services.annotations import set_label
from checkpoints.services.status_changes import MoveService
from checkpoints.store.executions import find_current
from conversations.lifecycle import archival, erasure
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib.errors import ContextError, InvalidState, Unavailable
from ctxadmin.lib.stored_sentence import sentence_bytes

Change = Callable[[Actor, BulkItem, str], object]
"""Does an action to an item, with the text that goes with it: a reason, or a label."""


def change_item(actor: Actor, action: BulkAction, item: BulkItem, text: str) -> BulkItem.Outcome:
    """Does the action and writes down the outcome in one transaction, or why it was refused.

    However often it is called, by whom ever: the item is done once. Raises Unavailable if it cannot
    be tried now.
    """
    try:
        with transaction.atomic():
            # Before the lock of the head, so that two who do the same wait here.
            if not store.record_outcome(item, BulkItem.Outcome.DONE):
                return BulkItem.Outcome.WAITING
            _require(action, actor, item)
            _CHANGES[action](actor, item, text)
    except Unavailable:
        raise
    except ContextError as error:
        store.record_outcome(item, BulkItem.Outcome.REFUSED, sentence_bytes(error.detail))
        return BulkItem.Outcome.REFUSED
    return BulkItem.Outcome.DONE


def _require(action: BulkAction, actor: Actor, item: BulkItem) -> None:
    """Raises InvalidState if the rules refuse the item as it is under the lock of its head."""
    head = find_head(actor.workspace, item.public_id, lock=True)
    facts = None
    if head.key == item.conversation:
        row = find_current(head.key) if asks_execution(action, head.status) else None
        facts = item_facts(item, head, row)
    why = refusal(action, facts)
    if why is not None:
        raise InvalidState(why, status=head.status)


def _moved_by(service: MoveService) -> Change:
    def move(actor: Actor, item: BulkItem, reason: str) -> object:
        command = MoveExecution(reason=reason or None)
        return service(actor, item.public_id, command, execution=item.execution)

    return move


def _label(actor: Actor, item: BulkItem, label: str) -> object:
    """Labels the latest version, which is the one that was selected."""
    row = find_current(item.conversation)
    version = row.version if row is not None else 0
    return set_label(actor, item.public_id, version, label, execution=item.execution)


def _archive(actor: Actor, item: BulkItem, reason: str) -> object:
    return archival.archive(actor, item.public_id, reason=reason or None)


def _unarchive(actor: Actor, item: BulkItem, reason: str) -> object:
    return archival.unarchive(actor, item.public_id, reason=reason or None)


def _erase(actor: Actor, item: BulkItem, reason: str) -> object:
    erasure.erase(actor, item.public_id, reason=reason or None)
    return None


_CHANGES: Final[Mapping[BulkAction, Change]] = {
    BulkAction.PAUSE: _moved_by(status_changes.pause),
    BulkAction.RESUME: _moved_by(status_changes.resume),
    BulkAction.CANCEL: _moved_by(status_changes.cancel),
    BulkAction.LABEL: _label,
    BulkAction.ARCHIVE: _archive,
    BulkAction.UNARCHIVE: _unarchive,
    BulkAction.ERASE: _erase,
}
