"""An edit whose answer never came and that is sent again: found among what is written already."""

from django.db.models import QuerySet

from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint
from checkpoints.pages import state_form, values
from checkpoints.pages.edits import Edit
from ctxadmin.lib.structural_diff import equal


def written_as(task: Edit) -> int | None:
    """The version that this very edit opened before, if it did.

    It can only be the next one after that which was seen, by the same author, with these values.
    """
    if not (task.same_execution or task.of_former) or not task.changes:
        return None
    version = task.version + 1
    if not _own(task, version).filter(kind=WriteKind.UPDATE, thinned_at=None).exists():
        return None
    names = task.changes.keys()
    written = values.values_of(task.moment_at(version), names)
    wanted = state_form.with_changes(values.values_of(task.base, names), task.changes)
    return version if equal(dict(written), wanted) else None


def is_approved_as(task: Edit, version: int) -> bool:
    """True if the same author approved with this version."""
    return _own(task, version).filter(kind=WriteKind.MOVE, move="approve").exists()


def _own(task: Edit, version: int) -> QuerySet[Checkpoint]:
    row = task.base.row
    if row is None:
        return Checkpoint.objects.none()
    return Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version=version,
        author=task.actor.label,
    )
