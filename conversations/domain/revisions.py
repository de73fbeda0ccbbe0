"""Revisions: the numbered batches of a conversation as a tree with one current leaf."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from conversations.domain.view import View
from ctxadmin.lib.errors import FieldProblem, NotFound, OutOfRange, VersionConflict
from ctxadmin.lib.sentence import say

PinnedBy = Literal["", "undo", "redo"]  # "": not by undoing or redoing another change
RevisionKind = Literal[
    "start",
    "append",
    "batch",
    "truncate",
    "insert",
    "replace",
    "clear",
    "filter",
    "budget",
    "summarize",
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
    the operations. ``config`` is JSON of these (see ``configs.stored_config``), ``boundary`` is of
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
    """A recorded rollback or restore."""

    kind: MoveKind
    from_revision: int
    to_revision: int
    author: str
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """The view that a writer saw: a revision and its number of messages; None is not checked."""

    revision: int | None = None
    count: int | None = None


UNSEEN: Final = Seen()


def lineage(revision: int, revisions: Mapping[int, Revision]) -> Iterator[Revision]:
    """Yields the revision, its parent and so on up to the root: the branch, nearest first."""
    here: int | None = revision
    while here is not None:
        found = revisions[here]
        yield found
        here = found.parent


def unknown_batch(number: int) -> NotFound:
    """Returns the error for a negative or unknown batch, or one of a rolled-back branch only.

    Source: semantics 1.4.
    """
    message = say("the current branch has no batch {number}", number=number)
    return NotFound(
        say(
            "There is no such batch: {message}; use restore for a rolled-back one.", message=message
        ),
        problems=[FieldProblem("/batch", message, "not_found")],
    )


def require_seen(seen: Seen, revision: int, visible_count: int) -> None:
    """Raises VersionConflict unless the current revision and its visible count are what was
    seen.

    Source: semantics 1.5 and 1.16.
    """
    if seen.revision is not None and seen.revision != revision:
        raise VersionConflict(
            say(
                "The current revision is {current}, not {expected}.",
                current=revision,
                expected=seen.revision,
            ),
            expected=seen.revision,
            actual=revision,
            changed_keys=("messages",),
        )
    if seen.count is not None and seen.count != visible_count:
        raise VersionConflict(
            say("{n} messages are visible, not {expected}.", n=visible_count, expected=seen.count),
            expected=seen.count,
            actual=visible_count,
            changed_keys=("messages",),
        )


def narrow(view: View, boundary: int, log_length: int) -> View:
    """Returns the view narrowed to log indices >= boundary.

    Raises OutOfRange unless 0..log_length.
    """
    if not 0 <= boundary <= log_length:
        message = say(
            "the boundary {boundary} is not within 0..{log_length}",
            boundary=boundary,
            log_length=log_length,
        )
        raise OutOfRange(message, problems=[FieldProblem("/boundary", message, "out_of_range")])
    return view.within(((boundary, log_length),) if boundary < log_length else ())
