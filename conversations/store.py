"""Reading one conversation in SQL: its head, its revisions, their views."""

from typing import cast

from django.db.models import QuerySet

from conversations.domain import revisions as rules
from conversations.domain.revisions import RevisionKind
from conversations.domain.view import View
from conversations.domain.view_patch import apply_patch
from conversations.models import Conversation, Revision
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import is_public_id


def find_head(workspace: int, public_id: str) -> Conversation:
    """The head of a conversation of the workspace; NotFound, also for a foreign one."""
    return one_head(Conversation.objects.for_workspace(workspace), public_id)


def one_head(rows: QuerySet[Conversation], public_id: str) -> Conversation:
    """The one of these heads that has a public id; NotFound if there is none."""
    head = rows.filter(public_id=public_id).first() if is_public_id(public_id) else None
    if head is None:
        raise NotFound(f"There is no conversation {public_id[:64]!r}.")
    return head


def find_revision(conversation: int, number: int) -> Revision:
    """A revision by its number; NotFound if there is none."""
    row = Revision.objects.filter(conversation=conversation, number=number).first()
    if row is None:
        raise NotFound(f"There is no revision {number}.")
    return row


def view_of(row: Revision) -> View:
    """The view of a revision: as it was opened, with what was appended since."""
    patched: list[Revision] = []
    while row.patch_of is not None:
        patched.append(row)
        row = find_revision(row.conversation, row.patch_of)
    view = _grown(View.decode(bytes(row.opened)), row)
    for child in reversed(patched):
        view = _grown(apply_patch(view, bytes(child.opened)), child)
    return view


def _grown(opened: View, row: Revision) -> View:
    return opened.concat(View.decode(bytes(row.grown))) if row.grown else opened


def as_revision(row: Revision, view: View) -> rules.Revision:
    """The row as the value that the rules speak of."""
    return rules.Revision(
        id=row.number,
        parent=row.parent,
        number=row.batch,
        view=view,
        operation=cast(RevisionKind, row.operation),
        config=bytes(row.config) or None,
        boundary=row.boundary,
        author=row.author,
        reason=row.reason or None,
        created_at=row.created_at,
        visible_count=row.visible_count,
        tokens=row.tokens,
        log_length=row.log_length,
    )


def lineage(conversation: int, number: int) -> list[Revision]:
    """The rows of a revision and its ancestors up to the root, without their views."""
    rows = Revision.objects.filter(conversation=conversation).defer("opened", "grown")
    by_number = {row.number: row for row in rows}
    found: list[Revision] = []
    here: int | None = number
    while here is not None:
        found.append(by_number[here])
        here = found[-1].parent
    return found
