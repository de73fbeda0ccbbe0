"""Changes a draft that was shown: the token that identifies it, and conflicts without loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.core import signing
from django.http import HttpRequest
from django.utils.translation import gettext as _

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed, VersionConflict
from ctxadmin.ui.components import DiffRow
from workflows.domain.document import graph
from workflows.domain.document.compare import ElementChange, compare
from workflows.domain.document.flow_changes import flow_changes
from workflows.domain.document.graph import Document
from workflows.models import Workflow
from workflows.pages.definition.diff_rows import diff_rows_of, moved_line
from workflows.pages.drawing.diff_drawing import MOST_CHANGES
from workflows.services import use_cases
from workflows.services.use_cases import SavedDraft
from workflows.store.definitions import definition
from workflows.store.workflow import draft_conflict, find_workflow

FIELD: Final = "seen"
_SALT: Final = "workflows.draft"
# Larger drafts are not carried in forms: a conflict then names no differences.
_MOST_CARRIED: Final = 1024**2


@dataclass(frozen=True, slots=True)
class SeenDraft:
    """The draft that a form was made from; ``document`` is None if it was too large to carry."""

    version: int
    document: Document | None


class DraftConflict(VersionConflict):
    """Someone saved the draft meanwhile; ``row`` is the current one."""

    def __init__(self, row: Workflow, seen: SeenDraft) -> None:
        conflict = draft_conflict(seen.version, row.draft_version)
        super().__init__(conflict.detail, expected=conflict.expected, actual=conflict.actual)
        self.row = row
        self.seen = seen


@dataclass(frozen=True, slots=True)
class Conflict:
    """What someone else changed since a form was opened, for the page that says so.

    ``same_element`` is True if it was the node or edge that the form is about. ``moved``
    says that cards were moved.
    """

    rows: Sequence[DiffRow]
    total: int
    known: bool
    same_element: bool
    moved: str = ""


def draft_token(row: Workflow) -> str:
    """Returns what a form carries of the draft that it shows: signed, compressed."""
    data = bytes(row.draft)
    carried = data.decode() if len(data) <= _MOST_CARRIED else ""
    seen = {"key": row.key, "version": row.draft_version, "draft": carried}
    return signing.dumps(seen, salt=_SALT, compress=True)


def seen_draft_in(request: HttpRequest, row: Workflow) -> SeenDraft:
    """Returns the draft that a form was made from; ValidationFailed for another draft's token."""
    try:
        found = signing.loads(request.POST.get(FIELD, ""), salt=_SALT)
    except signing.BadSignature:
        found = {}
    if found.get("key") != row.key:
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    carried = found["draft"]
    document = definition(carried.encode()).document if carried else None
    return SeenDraft(found["version"], document)


def change_draft(
    request: HttpRequest, actor: Actor, slug: str, change: Callable[[Document], Document]
) -> SavedDraft:
    """Saves ``change`` of the draft that the form was made from.

    Raises DraftConflict if that is no longer the draft, and what services raise.
    """
    row = find_workflow(actor.workspace, slug)
    seen = seen_draft_in(request, row)
    if seen.version != row.draft_version:
        raise DraftConflict(row, seen)
    document = graph.read(graph.dump(change(definition(bytes(row.draft)).document)))
    try:
        return use_cases.save_draft(actor, slug, document, seen.version)
    except VersionConflict:
        raise DraftConflict(find_workflow(actor.workspace, slug), seen) from None


def conflict_of(found: DraftConflict, element: str = "", name: str = "") -> Conflict:
    """Returns what the other person changed.

    ``element`` and ``name`` are what the form is about.
    """
    now = definition(bytes(found.row.draft)).document
    if found.seen.document is None:
        return Conflict((), 0, known=False, same_element=False)
    changes = compare(found.seen.document, now)
    of_flow = flow_changes(changes)
    return Conflict(
        rows=diff_rows_of(of_flow.changes[:MOST_CHANGES], found.seen.document, now),
        total=len(of_flow.changes),
        moved=moved_line(of_flow),
        known=True,
        same_element=any(_is_about(change, element, name) for change in changes),
    )


def _is_about(change: ElementChange, element: str, name: str) -> bool:
    if element == "reducer":
        return change.element == "reducer"
    return change.element == element and change.id == name
