"""How the view of a revision is stored: whole, or as a patch of its parent's."""

from dataclasses import dataclass
from typing import Final

from conversations.domain import revisions as rules
from conversations.domain.view import View
from conversations.domain.view_patch import encode_patch
from conversations.models import Revision

_WHOLE_VIEW: Final = 256  # bytes up to which a view is stored whole: a patch would save nothing
_MOST_PATCHES: Final = 8  # to read one costs as much as to read a whole view


@dataclass(frozen=True, slots=True)
class StoredView:
    """A stored view: its runs, or so many patches from a view whose runs are stored."""

    data: bytes
    patches: int = 0


def stored_view(view: View, base: View, parent: Revision) -> StoredView:
    """Returns a patch of the parent's view, if that is much smaller and there are few patches
    yet.

    So a revision costs what it changes, and reading one costs a bounded number of patches.
    """
    whole = view.encode()
    if len(whole) > _WHOLE_VIEW and parent.patches < _MOST_PATCHES:
        patch = encode_patch(base, view)
        if 2 * len(patch) < len(whole):
            return StoredView(patch, parent.patches + 1)
    return StoredView(whole)


def revision_row(
    conversation: int, value: rules.Revision, parent: Revision | None, base: View | None
) -> Revision:
    """Returns the row of a revision that exists elsewhere already.

    ``base`` is its parent's view.
    """
    stored = StoredView(value.view.encode())
    if parent is not None and base is not None:
        stored = stored_view(value.view, base, parent)
    return Revision(
        conversation=conversation,
        number=value.id,
        parent=value.parent,
        batch=value.number,
        operation=value.operation,
        config=value.config or b"{}",
        boundary=value.boundary,
        opened=stored.data,
        starts_line=value.parent != value.id - 1 or value.branched_at is not None,
        branched_at=value.branched_at,
        patches=stored.patches,
        log_length=value.log_length,
        visible_count=value.visible_count,
        tokens=value.tokens,
        author=value.author,
        reason=value.reason or "",
        created_at=value.created_at,
    )
