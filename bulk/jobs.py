"""Bulk jobs as callers ask for them: select, look, start, cancel."""

from collections.abc import Iterable, Sequence
from typing import Final

from django.db import transaction

from bulk import store
from bulk.domain.rules import DryRun, dry_run
from bulk.facts import current_executions, facts_of, parts
from bulk.models import BulkItem, BulkJob
from bulk.runner import RUNNER
from conversations.models import Conversation
from conversations.workspace.matching import ConversationFilter, matching
from ctxadmin.background.leases import is_abandoned
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import MOST_ITEMS, BulkAction, BulkList
from ctxadmin.lib import clock, ids
from ctxadmin.lib.errors import InvalidState, NotFound, TooLarge, ValidationFailed
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say

MOST_ACTIVE: Final = 20  # of a workspace at once
_PART: Final = 500

Selection = Sequence[str] | ConversationFilter
"""The ids of conversations, or the filter of a list."""


def selected_heads(actor: Actor, selection: Selection) -> list[Conversation]:
    """Returns the selected conversations of the actor's workspace, latest change first.

    Raises TooLarge for more than one job takes, ValidationFailed for none.
    """
    if isinstance(selection, ConversationFilter):
        rows = matching(actor, selection).order_by("-updated_at", "-key")[: MOST_ITEMS + 1]
        heads = [head for head in rows if head.public_id]
    else:
        heads = _named_heads(actor, selection)
    if len(heads) > MOST_ITEMS:
        raise TooLarge(
            say(
                "More than {most} match. One bulk action takes at most {most}: filter further.",
                most=f"{MOST_ITEMS:,}",
            ),
            limit=MOST_ITEMS,
        )
    if not heads and isinstance(selection, ConversationFilter):
        raise ValidationFailed(say("Nothing matches this filter."))
    if not heads:
        raise ValidationFailed(say("Nothing is selected. Select items in the list first."))
    return heads


def select(actor: Actor, action: BulkAction, selection: Selection, filter_query: str) -> BulkJob:
    """Stores a job with its items as a draft, of which nothing is done before it is started.

    ``filter_query`` is the query string of the list, to go back to it.
    """
    actor.require(action.right)
    heads = selected_heads(actor, selection)
    job = _draft(actor, action, filter_query, len(heads))
    executions = _execution_ids(heads) if action.list is BulkList.EXECUTIONS else {}
    _insert(job, (_item(job, place, head, executions) for place, head in enumerate(heads)))
    return job


def select_rest(actor: Actor, stopped: BulkJob) -> BulkJob:
    """Stores a draft of the same action for the items that a stopped job left.

    They are as they were selected: what has changed since is refused. The draft has the reason or
    the label of the job.
    """
    action = BulkAction(stopped.action)
    actor.require(action.right)
    items = list(store.items_of(stopped, BulkItem.Outcome.WAITING))
    job = _draft(actor, action, stopped.filter, len(items))
    job.reason, job.label = stopped.reason, stopped.label
    for place, item in enumerate(items):
        item.job, item.place = job.key, place
    _insert(job, items)
    return job


def open_job(actor: Actor, public_id: str) -> BulkJob:
    """Returns a job of the actor's workspace; a draft only to who made it.

    One that nobody works on is taken up.
    """
    job = store.find_job(actor.workspace, public_id)
    if job.status == BulkJob.Status.DRAFT and job.author != actor.label:
        raise NotFound(say("There is no bulk action {name}.", name=repr(public_id)))
    if is_abandoned(job, clock.now()):
        transaction.on_commit(RUNNER.wake)
    return job


def preview(actor: Actor, action: BulkAction, selection: Selection) -> DryRun:
    """Returns what an action would do to a selection as of now; nothing is stored.

    Raises as ``select`` does.
    """
    actor.require(action.right)
    heads = selected_heads(actor, selection)
    job = BulkJob(key=0, workspace=actor.workspace, action=action)
    items = [_item(job, place, head, {}) for place, head in enumerate(heads)]
    return dry_run(action, facts_of(action, actor.workspace, items))


def select_and_start(
    actor: Actor,
    action: BulkAction,
    selection: Selection,
    *,
    reason: str = "",
    label: str = "",
    expected: int | None = None,
) -> BulkJob:
    """Starts an action on a selection at once; ``expected`` is the number that a dry run told.

    Raises as ``select`` and ``start`` do, and InvalidState if another number can be changed now.
    """
    with transaction.atomic():
        job = select(actor, action, selection, "")
        changing = None if expected is None else preview_job(job).changing
        if changing != expected:
            raise InvalidState(
                say("{n} items can be changed now, not {m}.", n=changing, m=expected)
            )
        start(actor, job, reason=reason, label=label)
    job.refresh_from_db()
    return job


def preview_job(job: BulkJob) -> DryRun:
    """Returns what a job would do as of now."""
    action = BulkAction(job.action)
    return dry_run(action, facts_of(action, job.workspace, store.items_of(job)))


def start(actor: Actor, job: BulkJob, *, reason: str, label: str = "") -> bool:
    """Starts a draft in the background; False if it was started before.

    ``label`` is the one that each item gets, for the action that labels.
    Raises InvalidState if too many are not done.
    """
    actor.require(BulkAction(job.action).right)
    if job.status != BulkJob.Status.DRAFT:
        return False
    if store.JOBS.count_active(actor.workspace) >= MOST_ACTIVE:
        text = say("{n} bulk actions are not done yet. Wait, or cancel one.", n=MOST_ACTIVE)
        raise InvalidState(text)
    started = store.enqueue(job, reason, label)
    transaction.on_commit(RUNNER.wake)
    return started


def cancel(actor: Actor, job: BulkJob) -> bool:
    """Cancels a job; what is done stays done. False if it has ended."""
    actor.require(BulkAction(job.action).right)
    return store.stop(job, clock.now())


def _draft(actor: Actor, action: BulkAction, filter_query: str, total: int) -> BulkJob:
    return BulkJob(
        key=ids.new_key(),
        workspace=actor.workspace,
        public_id=ids.new_public_id("bulk"),
        action=action,
        filter=filter_query,
        person=int(actor.id) if actor.kind == "person" else 0,
        token=actor.id if actor.kind == "token" else "",
        author=actor.label,
        address=actor.address,
        request_id=actor.request_id,
        total=total,
        created_at=clock.now(),
    )


def _insert(job: BulkJob, items: Iterable[BulkItem]) -> None:
    with transaction.atomic():
        job.save(force_insert=True)
        BulkItem.objects.bulk_create(items, batch_size=_PART)


def _named_heads(actor: Actor, names: Iterable[str]) -> list[Conversation]:
    wanted = list(dict.fromkeys(name for name in names if is_public_id(name)))
    found: list[Conversation] = []
    for part in parts(wanted[: MOST_ITEMS + 1]):
        rows = Conversation.objects.for_workspace(actor.workspace).filter(public_id__in=part)
        found.extend(rows)
    return sorted(found, key=lambda head: (head.updated_at, head.key), reverse=True)


def _execution_ids(heads: Sequence[Conversation]) -> dict[int, str]:
    found: dict[int, str] = {}
    for part in parts([head.key for head in heads]):
        found.update((row.conversation, row.public_id) for row in current_executions(part))
    return found


def _item(job: BulkJob, place: int, head: Conversation, executions: dict[int, str]) -> BulkItem:
    return BulkItem(
        conversation=head.key,
        job=job.key,
        place=place,
        public_id=head.public_id,
        execution=executions.get(head.key, ""),
        selected_status=head.status,
        selected_change=head.change_seq,
    )
