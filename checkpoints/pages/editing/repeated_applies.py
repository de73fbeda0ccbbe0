"""Recognizes an edit that is sent again because its answer was lost."""

from django.db.models import QuerySet

from checkpoints.domain.rebase import changes_between
from checkpoints.domain.timeline import WriteKind
from checkpoints.editing.entries import mark_of_changes
from checkpoints.models import Checkpoint
from checkpoints.pages.editing.edit_request import Edit
from checkpoints.reading.state_values import heads_by_name, values_of


def find_written_version(task: Edit) -> int | None:
    """Returns the version that this very edit wrote before, None if it did not.

    It can only be the version after the one that was shown, by the same author, with the changes
    whose mark the page names: their draft is gone.
    """
    wanted = task.request.POST.get("edit", "")
    if not (task.same_execution or task.of_former) or not wanted:
        return None
    version = task.version + 1
    if not _is_own(task, version).filter(kind=WriteKind.UPDATE, thinned_at=None).exists():
        return None
    after = task.moment_at(version)
    there, before = heads_by_name(after), heads_by_name(task.base)
    names = {name for name, each in there.items() if each.version == version}
    names |= before.keys() - there.keys()
    changes = changes_between(values_of(task.base, names), values_of(after, names), names)
    return version if mark_of_changes(changes) == wanted else None


def is_approved_as(task: Edit, version: int) -> bool:
    """Returns True if the same author approved with this version."""
    return _is_own(task, version).filter(kind=WriteKind.MOVE, move="approve").exists()


def _is_own(task: Edit, version: int) -> QuerySet[Checkpoint]:
    row = task.base.row
    if row is None:
        return Checkpoint.objects.none()
    return Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version=version,
        author=task.actor.label,
    )
