"""The page of an edit that can no longer be applied: the input, for copying."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _

from checkpoints.domain.status import FINAL
from checkpoints.editing import draft_store, state_form
from checkpoints.editing.draft import StateDraft
from checkpoints.pages import presenters
from checkpoints.pages.editing.edit_request import Edit, execution_of, versions_since
from checkpoints.pages.presenters import TimelineLine
from conversations.models import Conversation
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import show


@dataclass(frozen=True, slots=True)
class LostEditPage:
    """The input of an edit after the execution continued, for copying.

    ``execution`` and ``version`` are those that it is stored for; "" if it is not stored. An
    execution that has ``ended`` never pauses again. ``changes`` are the new values as JSON,
    ``deleted`` the deleted keys. ``texts`` cannot be parsed, or were not used. ``former`` is the
    number of an earlier execution. ``unkept`` says why the last input is not stored.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    status: str
    ended: bool
    changes: str
    deleted: Sequence[str]
    texts: Sequence[str]
    reason: str
    others: Sequence[TimelineLine]
    former: int | None = None
    unkept: str = ""


def show_lost_edit(task: Edit) -> HttpResponse:
    """Shows the input for copying, because it can no longer be applied."""
    kept = draft_store.find(task.actor, task.now.row, task.version)
    values, deleted = state_form.typed_values(task.changes)
    shown = LostEditPage(
        title=_("No longer paused"),
        crumbs=presenters.crumbs(task.head, Crumb(_("Edit the state"))),
        head=task.head,
        execution=execution_of(task.now) if kept else "",
        version=task.version,
        status=task.now.status.value,
        ended=task.now.status in FINAL,
        changes=state_form.format_json(values) if values else "",
        deleted=deleted,
        texts=_not_in(task, kept),
        reason=task.reason,
        others=versions_since(task, task.now) if task.same_execution else (),
    )
    return show(task.request, "checkpoints/lost.html", shown, status=409)


def _not_in(task: Edit, kept: StateDraft) -> list[str]:
    """Returns the stored input that is in none of the changes, or cannot be parsed yet."""
    unread = [each for each in kept.entries.values() if each.name not in task.changes]
    named = [f"{each.name}: {each.text}" for each in (*unread, *kept.others) if each.text]
    return [*named, *(each.text for each in kept.texts)]
