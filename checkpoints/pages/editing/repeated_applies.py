"""An edit whose answer never came and that is sent again: found among what is written already."""

from django.db.models import QuerySet

from checkpoints.domain.rebase import changes_between
from checkpoints.domain.timeline import WriteKind
from checkpoints.editing.entries import mark_of_changes
from checkpoints.models import Checkpoint
from checkpoints.pages.editing.edit_request import Edit
from checkpoints.state_values import held_keys, values_of


def written_as(task: Edit) -> int | None:
    """The version that this very edit opened before, if it did.

    It can only be the next one after that which was seen, by the same author, with the changes
    whose mark the page names: the draft that had them is gone.
    """
    wanted = task.request.POST.get("edit", "")
    if not (task.same_execution or task.of_former) or not wanted:
        return None
    version = task.version + 1
    if not _own(task, version).filter(kind=WriteKind.UPDATE, thinned_at=None).exists():
        return None
    after = task.moment_at(version)
    there, before = held_keys(after), held_keys(task.base)
    names = {name for name, each in there.items() if each.version == version}
    names |= before.keys() - there.keys()
    changes = changes_between(values_of(task.base, names), values_of(after, names), names)
    return version if mark_of_changes(changes) == wanted else None


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
