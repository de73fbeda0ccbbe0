"""Verifies what is stored of one conversation: its log, its revisions, and references to them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import orjson
from django.db import Error

from conversations.domain.runs import Run
from conversations.domain.view import View
from conversations.models import (
    Comment,
    Conversation,
    ConversationDetails,
    Mark,
    Message,
    Move,
    Pin,
    Recall,
    Revision,
    UnsettledCall,
)
from conversations.store.conversation import view_of
from conversations.store.message_rows import sum_of_message
from conversations.store.revision_sums import sum_of_growth, sum_of_revision
from ctxadmin.lib.errors import ContextError
from ctxadmin.storage.database.errors import as_unavailable

_BLOCK: Final = 500


@dataclass(frozen=True, slots=True)
class DataFault:
    """One fault: ``what`` names the row, ``problem`` describes it without content."""

    what: str
    problem: str


@dataclass(slots=True)
class Unsummed:
    """The number of rows without a checksum, whose checksum was therefore not verified."""

    rows: int = 0


def report_errors(what: str, found: Iterable[DataFault]) -> Iterator[DataFault]:
    """Yields the findings about ``what``.

    An error that ends them is one more, and hides no others.

    Only an outage of the database is raised: then nothing is known about its rows.
    """
    try:
        yield from found
    except Exception as error:  # damaged rows can make any code fail
        if isinstance(error, Error) and as_unavailable(error) is not None:
            raise
        yield DataFault(what, f"cannot be checked: {type(error).__name__}")


def gaps(numbers: Iterable[int], stop: int) -> Iterator[Run]:
    """Yields the runs of ``[0, stop)`` that ascending numbers leave out.

    Any ``stop`` costs the same.
    """
    expected = 0
    for number in numbers:
        if expected < min(number, stop):
            yield expected, min(number, stop)
        expected = max(expected, number + 1)
    if expected < stop:
        yield expected, stop


@dataclass(slots=True)
class _Log:
    """The log after it was read: the tokens up to each message.

    Missing messages take no memory: a damaged index can be as large as its column holds.
    """

    indices: "array[int]" = field(default_factory=lambda: array("q"))
    before: "array[int]" = field(default_factory=lambda: array("q"))
    after: "array[int]" = field(default_factory=lambda: array("q"))

    @property
    def total(self) -> int:
        return self.after[-1] if self.after else 0

    def take(self, row: Message) -> None:
        self.indices.append(row.index)
        self.before.append(row.tokens_upto - row.tokens)
        self.after.append(row.tokens_upto)

    def tokens(self, view: View) -> int:
        return sum(self._upto(stop) - self._upto(start) for start, stop in view.runs)

    def _upto(self, index: int) -> int:
        """Returns the tokens of the messages before an index; after a gap by the next message."""
        place = bisect_left(self.indices, index)
        follows = place > 0 and self.indices[place - 1] == index - 1
        if not follows and place < len(self.indices) and self.indices[place] == index:
            return self.before[place]
        return self.after[place - 1] if place else 0


def verify_messages(head: Conversation, unsummed: Unsummed) -> Iterator[DataFault]:
    """Verifies everything of a conversation that is not an execution's."""
    log = _Log()
    yield from report_errors("the log", _verify_log(head, log, unsummed))
    yield from report_errors("the revisions", _verify_revisions(head, log, unsummed))
    yield from report_errors("what refers to messages", _verify_references(head))
    yield from report_errors("metadata", _verify_details(head))


def _verify_details(head: Conversation) -> Iterator[DataFault]:
    details = ConversationDetails.objects.filter(conversation=head.key).first()
    if details is None:
        yield DataFault("details", "is missing")
        return
    try:
        metadata = orjson.loads(bytes(details.metadata))
    except ValueError:
        yield DataFault("metadata", "is not JSON")
        return
    if not isinstance(metadata, dict):
        yield DataFault("metadata", "is not a JSON object")


def _verify_log(head: Conversation, log: _Log, unsummed: Unsummed) -> Iterator[DataFault]:
    expected = size = 0
    last = -1
    while rows := list(
        Message.objects.filter(conversation=head.key, index__gt=last).order_by("index")[:_BLOCK]
    ):
        for row in rows:
            if row.index > expected:
                yield DataFault(span("message", expected, row.index), "is missing")
                before = row.tokens_upto - row.tokens
            else:
                before = log.total
            found = _verify_message(head, row, before, unsummed)
            yield from report_errors(f"message {row.index}", found)
            log.take(row)
            size += len(row.body)
            expected = row.index + 1
        last = rows[-1].index
    if expected < head.log_count:
        yield DataFault(span("message", expected, head.log_count), "is missing")
    elif expected > head.log_count:
        yield DataFault(span("message", head.log_count, expected), "is past the end of the log")
    counted = (("log_tokens", head.log_tokens, log.total), ("log_bytes", head.log_bytes, size))
    for name, ours, theirs in counted:
        if ours != theirs:
            yield DataFault("head", f"{name} says {ours}, the log has {theirs}")


def _verify_message(
    head: Conversation, row: Message, before: int, unsummed: Unsummed
) -> Iterator[DataFault]:
    what = f"message {row.index}"
    if row.sum is None:
        unsummed.rows += 1
    elif row.sum != sum_of_message(row):
        yield DataFault(what, "is damaged: its checksum does not match")
    if row.tokens_upto != before + row.tokens:
        yield DataFault(what, f"tokens_upto says {row.tokens_upto}, not {before + row.tokens}")
    if row.call_index is not None and not 0 <= row.call_index < row.index:
        yield DataFault(what, f"answers message {row.call_index}, which is not before it")
    if not 0 <= row.revision < head.revision_count:
        yield DataFault(what, f"was logged into revision {row.revision}, which does not exist")
    try:
        body = orjson.loads(bytes(row.body))
    except ValueError:
        yield DataFault(what, "has a body that is not JSON")
        return
    if not isinstance(body, dict) or body.get("role") != row.role:
        yield DataFault(what, "has a body of another role")


def _verify_revisions(head: Conversation, log: _Log, unsummed: Unsummed) -> Iterator[DataFault]:
    numbers: set[int] = set()
    for row in Revision.objects.filter(conversation=head.key).order_by("number").iterator(_BLOCK):
        numbers.add(row.number)
        what = f"revision {row.number}"
        yield from report_errors(what, _verify_sums(row, unsummed))
        yield from report_errors(what, _verify_parent(row, numbers))
        yield from report_errors(what, _verify_view(row, head, log))
        if row.number == head.current_revision:
            yield from _verify_current(head, row)
    for start, stop in gaps(sorted(numbers), head.revision_count):
        yield DataFault(span("revision", start, stop), "is missing")
    if numbers and max(numbers) >= head.revision_count:
        yield DataFault("head", f"revision_count says {head.revision_count}, there are more")
    if head.current_revision not in numbers:
        yield DataFault("head", f"names revision {head.current_revision}, which does not exist")


def _verify_sums(row: Revision, unsummed: Unsummed) -> Iterator[DataFault]:
    for total, found in ((row.sum, sum_of_revision), (row.grown_sum, sum_of_growth)):
        if total is None:
            unsummed.rows += 1
        elif total != found(row):
            yield DataFault(f"revision {row.number}", "is damaged: its checksum does not match")


def _verify_parent(row: Revision, numbers: set[int]) -> Iterator[DataFault]:
    """Verifies a row's parent; ``numbers`` are those up to that of the row."""
    what = f"revision {row.number}"
    if not row.number:
        if row.parent is not None:
            yield DataFault(what, f"was opened from revision {row.parent}, and is the first")
    elif row.parent is None or not 0 <= row.parent < row.number:
        yield DataFault(what, f"was opened from revision {row.parent}, which is not before it")
    elif row.parent not in numbers:
        yield DataFault(what, f"was opened from revision {row.parent}, which is missing")


def _verify_view(row: Revision, head: Conversation, log: _Log) -> Iterator[DataFault]:
    what = f"revision {row.number}"
    try:
        view = view_of(row)
    except (ContextError, ValueError, IndexError):
        yield DataFault(what, "has a view that cannot be read")
        return
    if row.log_length > head.log_count:
        yield DataFault(what, "counts more messages than were logged")
    highest = max((stop for _, stop in view.runs), default=0)
    if highest > row.log_length:
        yield DataFault(what, f"shows message {highest - 1}, which it does not know")
        return
    if len(view) != row.visible_count:
        yield DataFault(what, f"shows {len(view)} messages, not {row.visible_count}")
    if row.log_length <= head.log_count and log.tokens(view) != row.tokens:
        yield DataFault(what, f"has {log.tokens(view)} tokens, not {row.tokens}")


def _verify_current(head: Conversation, row: Revision) -> Iterator[DataFault]:
    expected = (head.current_batch, head.visible_count, head.visible_tokens)
    found = (row.batch, row.visible_count, row.tokens)
    for name, ours, theirs in zip(("batch", "count", "tokens"), expected, found, strict=True):
        if ours != theirs:
            yield DataFault("head", f"the current {name} is {ours}, that of the revision {theirs}")


def _verify_references(head: Conversation) -> Iterator[DataFault]:
    moves = Move.objects.filter(conversation=head.key)
    for move in moves.iterator(_BLOCK):
        named = (move.from_revision, move.to_revision)
        if min(named) < 0 or max(named) >= head.revision_count:
            yield DataFault(f"move {move.seq}", "names a revision that does not exist")
    comments = Comment.objects.filter(conversation=head.key, message__gte=head.log_count)
    for number in comments.values_list("number", flat=True):
        yield DataFault(f"comment {number}", "refers to a message that was never logged")
    for table in (Mark, Pin, Recall, UnsettledCall):
        behind = table.objects.filter(conversation=head.key, index__gte=head.log_count)
        for index in behind.values_list("index", flat=True):
            yield DataFault(f"{table.__name__.lower()} at {index}", "is past the end of the log")


def add_message_checksums(conversation: int) -> int:
    """Adds checksums to rows older than checksums, of a verified conversation; returns how many.

    A row that someone writes meanwhile gets its checksum from the writer.
    """
    covered = 0
    bare = Message.objects.filter(conversation=conversation, sum=None)
    for row in bare.iterator(_BLOCK):
        own = Message.objects.filter(pk=row.pk, sum=None)
        covered += own.update(sum=sum_of_message(row))
    for each in Revision.objects.filter(conversation=conversation, sum=None).iterator(_BLOCK):
        bare_row = Revision.objects.filter(pk=each.pk)
        covered += bare_row.filter(sum=None).update(sum=sum_of_revision(each))
        # Who changes it meanwhile writes its sum, and this one then finds no row.
        covered += bare_row.filter(grown_sum=None).update(grown_sum=sum_of_growth(each))
    return covered


def span(what: str, start: int, stop: int) -> str:
    """Returns the name of numbered rows ``[start, stop)``."""
    return f"{what} {start}" if stop - start == 1 else f"{what}s {start} to {stop - 1}"
