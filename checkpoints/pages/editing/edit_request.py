"""An edit of a state in progress, as the pages pass it on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Self

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from checkpoints.editing import draft_store, state_form
from checkpoints.editing.draft import StateDraft
from checkpoints.editing.state_form import Changes, Row
from checkpoints.models import Checkpoint, Execution
from checkpoints.pages import presenters
from checkpoints.pages.expected_version_fields import version_in
from checkpoints.pages.presenters import TimelineLine
from checkpoints.store.snapshots import StoredSnapshot, snapshot_at
from conversations.models import Conversation
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound, ValidationFailed

_MOST_OTHERS: Final = 10


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit in progress: the ``base`` state, the current one (``now``), and the changes.

    ``seq`` is that of the draft when the page was made, ``draft`` the current one. ``base`` belongs
    to the ``execution`` of the page, even if the conversation has started another one since.
    """

    request: HttpRequest
    actor: Actor
    head: Conversation
    now: StoredSnapshot
    base: StoredSnapshot
    execution: str
    draft: StateDraft
    changes: Changes = field(default_factory=dict)
    seq: int = 0

    @classmethod
    def read(
        cls, request: HttpRequest, actor: Actor, head: Conversation, now: StoredSnapshot
    ) -> Self:
        """Reads the hidden fields of the form; raises ValidationFailed if they are missing."""
        version = version_in(request.POST, "version")
        if version is None:
            raise ValidationFailed(_("The form is incomplete. Reload the page."))
        execution = request.POST.get("execution", "")
        found = cls.of(request, actor, head, now, execution, version)
        return replace(found, seq=version_in(request.POST, "seq") or 0)

    @classmethod
    def of(
        cls,
        request: HttpRequest,
        actor: Actor,
        head: Conversation,
        now: StoredSnapshot,
        execution: str,
        version: int,
    ) -> Self:
        """Returns the edit of a version that was shown, without its draft."""
        row = _execution_seen(head, now, execution)
        base = now if row is None else _moment_seen(head, now, row, version)
        return cls(request, actor, head, now, base, execution, StateDraft(base.version))

    @classmethod
    def open(
        cls, request: HttpRequest, actor: Actor, head: Conversation, now: StoredSnapshot
    ) -> Self:
        """Returns the edit as its author left it, on the current state unless they conflict."""
        draft = draft_store.find_at(actor, now)
        base = now if draft.version == now.version else snapshot_at(head, now.row, draft.version)
        found = cls(request, actor, head, now, base, execution_of(now), draft, seq=draft.seq)
        return replace(found, changes=draft_store.changes_in(draft, base))

    def of_draft(self, draft: StateDraft | None = None) -> Self:
        """Returns the edit with the draft, on the version of the draft."""
        if draft is None:
            draft = draft_store.find(self.actor, self.base.row, self.base.version)
        is_same = draft.version == self.base.version
        base = self.base if is_same else self.moment_at(draft.version)
        changes = draft_store.changes_in(draft, base)
        return replace(self, base=base, draft=draft, changes=changes)

    @property
    def version(self) -> int:
        return self.base.version

    @property
    def node_id(self) -> str:
        """Returns the node that was shown as paused.

        None for an execution restored to before its start.
        """
        return self.base.node_id or "-"

    @property
    def same_execution(self) -> bool:
        """Returns False if another execution started since the form was filled in."""
        row = self.now.row
        return row is not None and self.execution == row.public_id

    @property
    def of_former(self) -> bool:
        """Returns True if the edit is of an earlier execution of this conversation."""
        row = self.base.row
        return row is not None and row.public_id == self.execution and not self.same_execution

    def moment_at(self, version: int) -> StoredSnapshot:
        """Returns a version of the shown execution; raises NotFound if its state was removed."""
        return snapshot_at(self.head, self.base.row, version)

    @property
    def sent_rows(self) -> list[Row]:
        """Returns the rows of the sent form."""
        sent = self.request.POST
        return state_form.rows_in({name: str(sent[name]) for name in sent})

    @property
    def reason(self) -> str:
        return self.request.POST.get("reason", "")


def _execution_seen(head: Conversation, now: StoredSnapshot, public_id: str) -> Execution | None:
    """Returns the execution that a form names; None if this conversation has none of that id."""
    if now.row is not None and now.row.public_id == public_id:
        return now.row
    if not public_id.isascii():  # MySQL refuses to compare the column with anything else
        return None
    return Execution.objects.filter(conversation=head.key, public_id=public_id).first()


def _moment_seen(
    head: Conversation, now: StoredSnapshot, row: Execution, version: int
) -> StoredSnapshot:
    """Returns the version that a form was filled in for; NotFound if the execution lacks it.

    For an earlier execution it is the last version if retention removed the state: its input is
    only shown.
    """
    try:
        return snapshot_at(head, row, version)
    except NotFound:
        if now.row is not None and row.number == now.row.number:
            raise
        return snapshot_at(head, row, row.version)


def versions_since(task: Edit, now: StoredSnapshot) -> Sequence[TimelineLine]:
    """Returns the versions since the base of the edit, latest first."""
    row = now.row
    if row is None:
        return ()
    since = _versions(row).filter(version__gt=task.version, version__lte=now.version)
    rows = since.defer("answer", "marking", "routing")
    found = list(rows.order_by("-version")[:_MOST_OTHERS])
    lines = presenters.version_lines(row, found, now.pinned)
    return [replace(line, mine=line.author == task.actor.label) for line in lines]


class ChangeAuthors(StrEnum):
    """The authors of the versions since the base of the edit."""

    YOURS = "yours"
    OTHERS = "others"
    BOTH = "both"


def authors_since(task: Edit, now: StoredSnapshot) -> ChangeAuthors:
    """Returns the authors of the versions since, without the person who edits."""
    if now.row is None:
        return ChangeAuthors.OTHERS
    rows = _versions(now.row).filter(version__gt=task.version, version__lte=now.version)
    authors = set(rows.values_list("author", flat=True).distinct())
    if task.actor.label not in authors:
        return ChangeAuthors.OTHERS
    return ChangeAuthors.YOURS if len(authors) == 1 else ChangeAuthors.BOTH


def authors_of(moment: StoredSnapshot, versions: Collection[int]) -> dict[int, str]:
    """Returns who wrote each of the versions."""
    if moment.row is None:
        return {}
    rows = _versions(moment.row).filter(version__in=versions)
    return dict(rows.values_list("version", "author"))


def _versions(row: Execution) -> QuerySet[Checkpoint]:
    return Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)


def execution_of(moment: StoredSnapshot) -> str:
    """Returns the id of the execution, "" without one."""
    return moment.row.public_id if moment.row is not None else ""
