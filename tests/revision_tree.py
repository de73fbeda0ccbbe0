"""The tree of a conversation's revisions in memory: opening, growing and finding them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from conversations.domain.revisions import Cause, Revision, RevisionKind, unknown_batch
from conversations.domain.view import View
from ctxadmin.lib.errors import FieldProblem, NotFound


def start(cause: Cause) -> Revision:
    """Revision 0: batch 0 with an empty view."""
    return Revision(
        id=0,
        parent=None,
        number=0,
        view=View(),
        operation="start",
        config=None,
        boundary=None,
        author=cause.author,
        reason=cause.reason,
        created_at=cause.at,
        visible_count=0,
        tokens=0,
        log_length=0,
    )


def open_batch(
    current: Revision,
    *,
    next_id: int,
    view: View,
    operation: RevisionKind,
    cause: Cause,
    tokens: int,
    log_length: int,
    config: bytes | None = None,
    boundary: int | None = None,
) -> Revision:
    """The revision with the next batch number, opened from ``current``.

    ``tokens`` are those of ``view``, ``log_length`` counts what the operation itself logged.
    """
    return Revision(
        id=next_id,
        parent=current.id,
        number=current.number + 1,
        view=view,
        operation=operation,
        config=config,
        boundary=boundary,
        author=cause.author,
        reason=cause.reason,
        created_at=cause.at,
        visible_count=len(view),
        tokens=tokens,
        log_length=log_length,
    )


def extend(
    current: Revision,
    *,
    has_children: bool,
    next_id: int,
    first_index: int,
    count: int,
    tokens: int,
    cause: Cause,
) -> Revision:
    """``current`` grown by an append of ``count`` messages (``tokens`` is what they add).

    A revision that others were opened from never changes: then it is a new revision ``next_id``
    under the same batch number. Source: semantics 1.5.
    """
    grown = replace(
        current,
        view=current.view.appended(first_index, first_index + count),
        visible_count=current.visible_count + count,
        tokens=current.tokens + tokens,
        log_length=first_index + count,
    )
    if not has_children:
        return grown
    return replace(
        grown,
        id=next_id,
        parent=current.id,
        operation="append",
        config=None,
        boundary=None,
        author=cause.author,
        reason=cause.reason,
        created_at=cause.at,
        branched_at=None,
    )


def reopen(
    row: Revision,
    *,
    next_id: int,
    visible_count: int,
    log_count: int,
    tokens: int,
    log_length: int,
    cause: Cause,
) -> Revision:
    """A revision that continues from ``row`` as that was when the log had ``log_count`` messages.

    Under the same batch number; what ``row`` showed later is not of its branch. ``tokens`` are
    those of the first ``visible_count`` messages, ``log_length`` is that of the log now. For the
    restore of a checkpoint, source: semantics 3.9.
    """
    return replace(
        row,
        id=next_id,
        parent=row.id,
        view=row.view.slice(0, visible_count),
        operation="append",
        config=None,
        boundary=None,
        author=cause.author,
        reason=cause.reason,
        created_at=cause.at,
        visible_count=visible_count,
        tokens=tokens,
        log_length=log_length,
        branched_at=log_count,
    )


def find_batch(number: int, branch: Iterable[Revision]) -> Revision:
    """The nearest revision of a lineage with that batch number, where the batch ended."""
    for revision in branch:
        if revision.number == number:
            return revision
    raise unknown_batch(number)


def find_revision(number: int, revisions: Mapping[int, Revision], pointer: str) -> Revision:
    """The revision of that number, on any branch; NotFound with ``pointer``."""
    found = revisions.get(number)
    if found is None:
        message = f"there is no revision {number}"
        raise NotFound(message, problems=[FieldProblem(pointer, message, "not_found")])
    return found
