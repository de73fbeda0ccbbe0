"""Revisions: the numbered batches of a conversation as a tree with one current leaf."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from conversations.domain.view import View
from ctxadmin.lib.errors import FieldProblem, NotFound, OutOfRange, VersionConflict

RevisionKind = Literal[
    "start", "append", "batch", "truncate", "insert", "replace", "clear", "filter"
]
MoveKind = Literal["rollback", "restore"]


@dataclass(frozen=True, slots=True)
class Cause:
    """Who opens a revision or moves the current one, why and when."""

    author: str
    reason: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision: a batch number and the view at its end, or so far if nothing follows it.

    ``operation``: start (batch 0), append (continued after a rollback), batch (explicit) or one of
    the five. ``config`` is JSON of the five (see ``configs.on_record``), ``boundary`` is of
    explicit batches. ``log_length``: the length of the log when it was opened or last grew, which
    is what it knew. ``branched_at`` is set if it was opened from its parent as that was earlier:
    messages of the parent from that log index on are not of its branch. Source: semantics 1.3-1.5.
    """

    id: int
    parent: int | None
    number: int
    view: View
    operation: RevisionKind
    config: bytes | None
    boundary: int | None
    author: str
    reason: str | None
    created_at: datetime
    visible_count: int
    tokens: int
    log_length: int
    branched_at: int | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A rollback or restore on record."""

    kind: MoveKind
    from_revision: int
    to_revision: int
    author: str
    reason: str | None
    created_at: datetime


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


def lineage(revision: int, revisions: Mapping[int, Revision]) -> Iterator[Revision]:
    """The revision, its parent and so on up to the root: the branch, nearest first."""
    here: int | None = revision
    while here is not None:
        found = revisions[here]
        yield found
        here = found.parent


def find_batch(number: int, branch: Iterable[Revision]) -> Revision:
    """The nearest revision of a lineage with that batch number.

    It is where the batch ended, as the next one was opened from it. NotFound for a negative or
    unknown number and for a batch of a rolled-back branch only. Source: semantics 1.4.
    """
    for revision in branch:
        if revision.number == number:
            return revision
    message = f"the current branch has no batch {number}"
    raise NotFound(
        f"There is no such batch: {message}; a rolled-back one comes back with restore.",
        problems=[FieldProblem("/batch", message, "not_found")],
    )


def find_revision(number: int, revisions: Mapping[int, Revision], pointer: str) -> Revision:
    """The revision of that number, on any branch; NotFound with ``pointer``."""
    found = revisions.get(number)
    if found is None:
        message = f"there is no revision {number}"
        raise NotFound(message, problems=[FieldProblem(pointer, message, "not_found")])
    return found


def check_expected(
    current: Revision, *, expected_revision: int | None, expected_count: int | None
) -> None:
    """VersionConflict unless the current revision and its visible count are what was seen.

    None is not checked. Source: semantics 1.5 and 1.16.
    """
    if expected_revision is not None and expected_revision != current.id:
        raise VersionConflict(
            f"The current revision is {current.id}, not {expected_revision}.",
            expected=expected_revision,
            actual=current.id,
            changed_keys=("messages",),
        )
    if expected_count is not None and expected_count != current.visible_count:
        raise VersionConflict(
            f"{current.visible_count} messages are visible, not {expected_count}.",
            expected=expected_count,
            actual=current.visible_count,
            changed_keys=("messages",),
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
    """A revision that goes on from ``row`` as that was when the log had ``log_count`` messages.

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


def narrow(view: View, boundary: int, log_length: int) -> View:
    """The view narrowed to log indices >= boundary; OutOfRange unless 0..log_length."""
    if not 0 <= boundary <= log_length:
        message = f"the boundary {boundary} is not within 0..{log_length}"
        raise OutOfRange(message, problems=[FieldProblem("/boundary", message, "out_of_range")])
    return view.within(((boundary, log_length),) if boundary < log_length else ())
