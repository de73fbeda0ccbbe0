"""The use cases of conversations: each loads, decides, commits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings
from django.db import transaction

from conversations.domain import operations, pairing, revisions
from conversations.domain import runs as run_sets
from conversations.domain.configs import OperationConfig, TruncateConfig, stored_config
from conversations.domain.message import MessageDraft
from conversations.domain.operations import Outcome
from conversations.domain.pins import kept_by_pins
from conversations.domain.revisions import UNSEEN, MoveKind, RevisionKind, Seen
from conversations.domain.view import View
from conversations.models import Conversation, ConversationDetails, Revision
from conversations.services.results import Appended, Applied, Popped
from conversations.store.conversation import find_revision, view_of
from conversations.writing.conversation import Writing, writing
from conversations.writing.first_revision import insert_head
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.caller_presence import run_to_completion
from ctxadmin.lib.errors import InvalidState, ValidationFailed
from ctxadmin.lib.ids import new_key, new_public_id
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import limit_work
from ctxadmin.telemetry.traces import span


@dataclass(frozen=True, slots=True)
class NewConversation:
    """The initial data of a conversation; ``metadata`` is JSON bytes of an object."""

    public_id: str | None = None
    title: str = ""
    workflow: str = ""
    metadata: bytes = b"{}"
    tools: str = ""
    drafts: tuple[MessageDraft, ...] = ()


KnowsWorkflow = Callable[[int, str], bool]
_knows_workflow: list[KnowsWorkflow] = []


POPPED: Final = "Popped"
"""The reason that a pop has on record if its caller gives none."""


class _DryRun(Exception):
    """Rolls back a transaction whose result was only requested."""


def create(actor: Actor, new: NewConversation) -> Conversation:
    """Creates a conversation, perhaps with its first messages; Duplicate if the id is taken."""
    actor.require(Action.CONVERSATION_CREATE)
    for knows in _knows_workflow:
        if new.workflow and not knows(actor.workspace, new.workflow):
            raise ValidationFailed.at(
                "/workflow", say("There is no workflow {name}.", name=repr(new.workflow))
            )
    with transaction.atomic():
        opened = open_new(actor, new)
        if new.drafts:
            append_in(opened, new.drafts)
        detail = {"messages": len(new.drafts)}
        opened.commit(change_of(opened.head, Action.CONVERSATION_CREATE, detail=detail))
    return opened.head


def register_workflow_check(knows: KnowsWorkflow) -> None:
    """Registers ``knows(workspace, slug)``: whether a new conversation's workflow exists.

    It is for the app above, which has the workflows.
    """
    _knows_workflow.append(knows)


def open_new(actor: Actor, new: NewConversation) -> Writing:
    """The first step of every use case that creates a conversation; the caller commits."""
    head = Conversation(
        key=new_key(),
        workspace=actor.workspace,
        public_id=new.public_id or new_public_id("conv"),
        title=new.title,
        workflow=new.workflow,
    )
    head.details = ConversationDetails(
        conversation=head.key, metadata=new.metadata, tools=new.tools
    )
    return insert_head(head, actor)


def append(
    actor: Actor,
    public_id: str,
    drafts: Sequence[MessageDraft],
    node_id: str = "",
    *,
    seen: Seen = UNSEEN,
) -> Appended:
    """Logs messages and shows them at the end of the view; all or none.

    Never a conflict (rule 1.16), unless the writer says what it saw and wants nothing between.
    """
    actor.require(Action.MESSAGES_APPEND)
    with span("append", messages=len(drafts)), writing(actor, public_id) as opened:
        return append_alone(opened, drafts, node_id=node_id, seen=seen)


def append_alone(
    opened: Writing, drafts: Sequence[MessageDraft], *, node_id: str = "", seen: Seen = UNSEEN
) -> Appended:
    """Appends as the only change of an open transaction."""
    opened.actor.require(Action.MESSAGES_APPEND)
    check_seen(opened, seen)
    appended = append_in(opened, drafts, node_id=node_id)
    detail = {"first_index": appended.first_index, "count": appended.count}
    opened.commit(change_of(opened.head, Action.MESSAGES_APPEND, detail=detail))
    return appended


def append_in(opened: Writing, drafts: Sequence[MessageDraft], *, node_id: str = "") -> Appended:
    """Appends as a step of an open transaction."""
    first = opened.head.log_count
    opened.append(pairing.place_drafts(drafts, opened.log), node_id=node_id)
    head = opened.head
    return Appended(first, len(drafts), head.current_batch, head.current_revision)


def apply_operation(
    actor: Actor,
    public_id: str,
    config: OperationConfig,
    *,
    reason: str | None = None,
    seen: Seen = UNSEEN,
    dry_run: bool = False,
) -> Applied:
    """Applies an operation; it opens exactly one batch, or none in a dry run.

    People wait until nothing runs (rule 1.16).
    """
    actor.require(Action.MESSAGES_OPERATE)

    def step(opened: Writing) -> Applied:
        return apply_operation_in(opened, config, reason=reason)

    return _step(actor, public_id, Action.MESSAGES_OPERATE, step, reason, seen, dry_run)


def apply_operation_in(
    opened: Writing, config: OperationConfig, *, reason: str | None = None, node_id: str = ""
) -> Applied:
    """Applies an operation in an open transaction; the caller checks rights and status.

    Raises TooLarge if searching for its keywords takes more work than a preview may.
    """
    before = opened.view()
    with run_to_completion(), limit_work(settings.MAX_PREVIEW_WORK):
        outcome = operations.apply(config, before, opened.log)
    first_added = opened.head.log_count
    if outcome.entries:
        opened.log_entries(outcome.entries, node_id=node_id, into_next=True)
    return _open(
        opened,
        before,
        outcome,
        config.operation,
        config=stored_config(config, first_added, outcome.hidden),
        reason=reason,
    )


def pop_messages(
    actor: Actor,
    public_id: str,
    count: int,
    *,
    reason: str | None = None,
    seen: Seen = UNSEEN,
) -> Popped:
    """Pops up to ``count`` messages from the end of the view; no two callers get the same.

    Pinned ones stay. The others are hidden as by ``truncate``, by one batch, and a rollback shows
    them again. A view without any stays as it is: there is nothing to restore, and repeated
    requests for the next message would fill the list of batches (rule 1.19).
    """
    actor.require(Action.MESSAGES_OPERATE)
    why = reason or POPPED
    taken = View()

    def step(opened: Writing) -> Applied:
        nonlocal taken
        before = opened.view()
        log = opened.log
        loose = before.without(run_sets.of_indices(kept_by_pins(before, log)))
        taken = loose.slice(len(loose) - count, len(loose))
        if not taken:
            outcome = operations.compare(before, before, log)
            return _applied(opened, before, outcome, opened.head.visible_tokens, opened.current)
        first = before.position_of(taken.index_at(0)) or 0
        block = TruncateConfig(remove_last=len(before) - first)
        config = OperationConfig(operation="truncate", truncate=block)
        return apply_operation_in(opened, config, reason=why)

    applied = _step(actor, public_id, Action.MESSAGES_OPERATE, step, why, seen, dry_run=False)
    return Popped(taken, applied)


def open_batch(
    actor: Actor,
    public_id: str,
    boundary: int,
    *,
    reason: str | None = None,
    seen: Seen = UNSEEN,
    dry_run: bool = False,
) -> Applied:
    """Opens an explicit new batch: the view narrowed to log indices >= ``boundary`` (rule 1.5)."""
    actor.require(Action.BATCH_OPEN)

    def step(opened: Writing) -> Applied:
        before = opened.view()
        after = revisions.narrow(before, boundary, opened.head.log_count)
        outcome = operations.compare(before, after, opened.log)
        return _open(opened, before, outcome, "batch", boundary=boundary, reason=reason)

    return _step(actor, public_id, Action.BATCH_OPEN, step, reason, seen, dry_run)


def rollback(
    actor: Actor,
    public_id: str,
    batch: int,
    *,
    reason: str | None = None,
    seen: Seen = UNSEEN,
    dry_run: bool = False,
) -> Applied:
    """Shows the view as it was at the end of a batch of the branch (rule 1.4)."""
    actor.require(Action.BATCH_ROLLBACK)

    def step(opened: Writing) -> Applied:
        end = opened.log.branch.end_of_batch(batch)
        if end is None:
            raise revisions.unknown_batch(batch)
        return move_in(opened, "rollback", end.number, reason=reason)

    return _step(actor, public_id, Action.BATCH_ROLLBACK, step, reason, seen, dry_run)


def restore(
    actor: Actor,
    public_id: str,
    revision: int,
    *,
    reason: str | None = None,
    seen: Seen = UNSEEN,
    dry_run: bool = False,
) -> Applied:
    """Makes any revision the current one, also of a branch that was rolled back (rule 1.5)."""
    actor.require(Action.REVISION_RESTORE)

    def step(opened: Writing) -> Applied:
        return move_in(opened, "restore", revision, reason=reason)

    return _step(actor, public_id, Action.REVISION_RESTORE, step, reason, seen, dry_run)


def move_in(opened: Writing, kind: MoveKind, revision: int, *, reason: str | None) -> Applied:
    """Makes ``revision`` the current one, as a step of an open transaction.

    For the current one nothing changes and nothing is recorded.
    """
    head = opened.head
    target = find_revision(head.key, revision)
    before, after = opened.view(), view_of(target)
    tokens_before = head.visible_tokens
    if target.number != head.current_revision:
        opened.move(kind, target, reason)
    outcome = operations.compare(before, after, opened.log)
    return _applied(opened, before, outcome, tokens_before, target)


def require_no_running_execution(opened: Writing) -> None:
    """Raises InvalidState if a person would operate while an execution is RUNNING (rule 1.16)."""
    if not opened.actor.is_engine and opened.head.status == "RUNNING":
        raise InvalidState(
            say("An execution of this conversation is running; pause it first."), status="RUNNING"
        )


def check_seen(opened: Writing, seen: Seen) -> None:
    """Raises VersionConflict unless the view is still what the writer saw."""
    if seen == UNSEEN:  # so that what is damaged can be erased
        return
    revisions.require_seen(seen, opened.current.number, opened.current.visible_count)


def change_of(
    head: Conversation,
    action: Action,
    *,
    reason: str | None = None,
    before: str = "",
    detail: Mapping[str, object] | None = None,
) -> AuditChange:
    """Returns the audit's record of a change of a conversation: its view before and after."""
    return AuditChange(
        action=action,
        object_type="conversation",
        object_id=head.public_id,
        before=before,
        after=f"{head.current_revision}.{head.visible_count}",
        reason=reason or "",
        detail=detail or {},
    )


def _step(
    actor: Actor,
    public_id: str,
    action: Action,
    step: Callable[[Writing], Applied],
    reason: str | None,
    seen: Seen,
    dry_run: bool,
) -> Applied:
    """Runs one change of the view in its own transaction; rolls back a dry run."""
    applied: Applied | None = None
    try:
        with writing(actor, public_id) as opened:
            require_no_running_execution(opened)
            check_seen(opened, seen)
            head = opened.head
            before = f"{head.current_revision}.{head.visible_count}"
            applied = step(opened)
            if dry_run:
                raise _DryRun
            if opened.changed:
                detail = _detail(applied)
                opened.commit(change_of(head, action, reason=reason, before=before, detail=detail))
    except _DryRun:
        pass
    if applied is None:
        raise AssertionError("a step that raises nothing has a result")
    return replace(applied, revision=None) if dry_run else applied


def _open(
    opened: Writing,
    before: View,
    outcome: Outcome,
    operation: RevisionKind,
    *,
    config: bytes = b"{}",
    boundary: int | None = None,
    reason: str | None = None,
) -> Applied:
    tokens_before = opened.head.visible_tokens
    row = opened.open_batch(
        outcome.view, operation, before=before, config=config, boundary=boundary, reason=reason
    )
    return _applied(opened, before, outcome, tokens_before, row)


def _applied(
    opened: Writing, before: View, outcome: Outcome, tokens_before: int, row: Revision
) -> Applied:
    return Applied(
        batch=row.batch,
        revision=row.number,
        visible_count=row.visible_count,
        warnings=outcome.warnings,
        added=outcome.added,
        shown=outcome.shown,
        hidden=outcome.hidden,
        tokens_before=tokens_before,
        tokens_after=row.tokens,
        cached_prefix_lost=opened.sums.prefix_lost(before, outcome.view, tokens_before),
        view=outcome.view,
        target=row.number,
        entries=outcome.entries,
    )


def _detail(applied: Applied) -> dict[str, object]:
    return {
        "batch": applied.batch,
        "revision": applied.revision,
        "added": applied.added,
        "shown": len(applied.shown),
        "hidden": len(applied.hidden),
    }
