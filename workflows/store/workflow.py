"""Workflows in SQL: finds them, and writes one in one transaction."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from ctxadmin.audit.record import AuditChange, record
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Duplicate, FieldProblem, NotFound, VersionConflict
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say
from workflows.models import Workflow, WorkflowVersion


@dataclass(frozen=True, slots=True)
class CommittedChange:
    """One committed change of a workflow: its row, its author, and its kind."""

    row: Workflow
    actor: Actor
    what: str


_followers: Final[list[Callable[[CommittedChange], None]]] = []


def register_follower(follower: Callable[[CommittedChange], None]) -> None:
    """Registers ``follower``, which is called with every change right after its commit."""
    _followers.append(follower)


def _announce_after_commit(row: Workflow, actor: Actor, detail: Mapping[str, object]) -> None:
    what = str(detail.get("what", "published"))
    for follower in _followers:
        transaction.on_commit(partial(follower, CommittedChange(row, actor, what)), robust=True)


def find_workflow(workspace: int, slug: str) -> Workflow:
    """Returns a workflow of the workspace; raises NotFound, also for foreign and deleted ones."""
    return _one(Workflow.objects.for_workspace(workspace), slug)


def workflow_exists(workspace: int, slug: str) -> bool:
    """Returns True if the workspace has a workflow of that slug."""
    return Workflow.objects.for_workspace(workspace).filter(slug=slug).exists()


def stream_of_workflow(workspace: int, slug: str) -> int | None:
    """Returns the stream of a workflow in the audit; None without a workflow of that slug."""
    rows = Workflow.objects.for_workspace(workspace).filter(slug=slug)
    return rows.values_list("key", flat=True).first() if is_public_id(slug) else None


def _one(rows: QuerySet[Workflow], slug: str) -> Workflow:
    row = rows.filter(slug=slug).first() if is_public_id(slug) else None
    if row is None:
        raise NotFound(say("There is no workflow {name}.", name=repr(slug[:64])))
    return row


def find_version(workflow: int, version: int) -> WorkflowVersion:
    """Returns a published version by the key of its workflow; raises NotFound without one."""
    row = None
    if 0 < version < 2**31:
        row = WorkflowVersion.objects.filter(workflow=workflow, version=version).first()
    if row is None:
        raise NotFound(say("There is no version {n}.", n=version))
    return row


@contextmanager
def writing(actor: Actor, slug: str) -> Iterator["WorkflowWriting"]:
    """Opens a transaction on one workflow and locks its row.

    Concurrent writers wait at the row; any exception in the block rolls everything back.
    """
    with transaction.atomic():
        rows = Workflow.objects.for_workspace(actor.workspace).select_for_update()
        yield WorkflowWriting(_one(rows, slug), actor)


def insert(row: Workflow, actor: Actor, detail: Mapping[str, object]) -> None:
    """Stores a new workflow with its first audit entry; raises Duplicate if the slug is taken."""
    row.created_at = row.updated_at = clock.now()
    row.change_seq = 1
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            change = change_of(row, Action.WORKFLOW_CHANGE, detail=detail)
            record(actor, change, stream=row.key, seq=1)
            _announce_after_commit(row, actor, detail)
    except IntegrityError:
        raise slug_is_taken(row.slug or "") from None


def slug_is_taken(slug: str, *, may_write: bool = False) -> Duplicate:
    """Returns the error for a slug that another workflow of the workspace has.

    With ``may_write`` it says how to write into the draft of that workflow.
    """
    message = say("There is a workflow {slug} already.", slug=repr(slug))
    if may_write:
        message = say(
            "There is a workflow {slug} already; name expected_version to write into its draft.",
            slug=repr(slug),
        )
    return Duplicate(message, problems=[FieldProblem("/slug", message, "duplicate")])


class WorkflowWriting:
    """What one transaction does to one workflow, until ``commit`` sets its row."""

    def __init__(self, row: Workflow, actor: Actor) -> None:
        self.row = row
        self.actor = actor
        self.at = clock.now()
        self._seen = row.change_seq
        self._seen_draft = row.draft_version

    def require_draft(self, expected: int) -> None:
        """Raises VersionConflict unless the draft is still the one that the writer saw."""
        if expected != self.row.draft_version:
            raise draft_conflict(expected, self.row.draft_version)

    def require_unchanged(self, expected: int | None) -> None:
        """Raises VersionConflict unless the row is still the one that the writer saw, if given."""
        if expected is not None and expected != self.row.change_seq:
            raise VersionConflict(
                say("The workflow has changed."),
                expected=expected,
                actual=self.row.change_seq,
            )

    def commit(self, action: Action, detail: Mapping[str, object], **fields: object) -> None:
        """Sets ``fields``, if nobody wrote since the row was read, and writes the audit entry."""
        seq = self._seen + 1
        before = self.row.draft_version
        changed = Workflow.objects.filter(
            key=self.row.key, change_seq=self._seen, draft_version=self._seen_draft
        ).update(change_seq=seq, updated_at=self.at, **fields)
        if not changed:
            now = Workflow.objects.only("draft_version").get(key=self.row.key)
            raise draft_conflict(before, now.draft_version)
        for name, value in fields.items():
            setattr(self.row, name, value)
        self.row.change_seq, self.row.updated_at = seq, self.at
        change = change_of(self.row, action, before=str(before), detail=detail)
        record(self.actor, change, stream=self.row.key, seq=seq)
        _announce_after_commit(self.row, self.actor, detail)


def draft_conflict(expected: int, actual: int) -> VersionConflict:
    """Returns the error for a write based on another draft."""
    return VersionConflict(say("The draft has changed."), expected=expected, actual=actual)


def change_of(
    row: Workflow, action: Action, *, before: str = "", detail: Mapping[str, object]
) -> AuditChange:
    """Returns the audit's record of a change of a workflow: its draft before and after."""
    return AuditChange(
        action=action,
        object_type="workflow",
        object_id=row.slug or row.deleted_slug,
        before=before,
        after=str(row.draft_version),
        detail=detail,
    )
