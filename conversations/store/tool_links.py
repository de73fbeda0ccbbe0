"""Stores the index by which calls, results and descriptions of tools are found."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from conversations.domain.message import Entry
from conversations.models import Mark, Message, UnsettledCall
from conversations.store.log_ranges import chunks
from conversations.store.message_rows import check_rows
from ctxadmin.storage.tables import Table

_MARKS: Final = Table(Mark)
_CALLS: Final = Table(UnsettledCall)


def call_digest(call_id: str) -> str:
    """Returns the lookup key of a tool call's id: ids can be long and have any characters."""
    return hashlib.blake2b(call_id.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class LoggedResult:
    """A logged tool result: the digest of the call's id, and the revision it was logged into."""

    index: int
    call: str
    revision: int


@dataclass(slots=True)
class CallGroup:
    """A message with tool calls, and all results in the log that answer it, ascending."""

    index: int
    revision: int
    calls: Sequence[str]
    answers: list[LoggedResult] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Returns True if each call has one result and these directly follow the message."""
        count = len(self.calls)
        return (
            len(self.answers) == count
            and self.answers[-1].index == self.index + count
            and len({answer.call for answer in self.answers}) == count
        )

    @property
    def is_settled(self) -> bool:
        """Returns True if it is whole permanently; see UnsettledCall."""
        return self.is_whole and all(answer.revision == self.revision for answer in self.answers)

    def rows(self, conversation: int) -> Iterable[UnsettledCall]:
        """Returns the rows of its calls, none if it is settled."""
        answered = {answer.call for answer in self.answers}
        for position, call in enumerate(self.calls):
            yield UnsettledCall(
                conversation=conversation,
                index=self.index,
                position=position,
                call=call,
                revision=self.revision,
                answered=call in answered,
                whole=self.is_whole,
            )


def link(conversation: int, entries: Iterable[tuple[Entry, int]]) -> None:
    """Writes the marks and the unsettled calls of messages that were just logged.

    Each comes with the revision into which it was logged.
    """
    marks: list[Mark] = []
    groups: dict[int, CallGroup] = {}
    earlier: set[int] = set()
    for entry, revision in entries:
        draft = entry.draft
        if draft.points_to:
            marks.append(Mark(conversation=conversation, kind=Mark.LINE, index=entry.index))
        if draft.call_ids:
            calls = [call_digest(call_id) for call_id in draft.call_ids]
            groups[entry.index] = CallGroup(entry.index, revision, calls)
        elif draft.tool_description:
            marks.append(Mark(conversation=conversation, kind=Mark.TOOLS, index=entry.index))
        elif draft.answers is not None:
            if entry.call_index is None:
                marks.append(Mark(conversation=conversation, kind=Mark.ORPHAN, index=entry.index))
            elif entry.call_index in groups:
                answer = LoggedResult(entry.index, call_digest(draft.answers), revision)
                groups[entry.call_index].answers.append(answer)
            else:
                earlier.add(entry.call_index)
    if marks:
        _MARKS.insert(marks)
    if earlier:
        _update(conversation, _known_groups(conversation, earlier))
    _insert(conversation, groups.values())


def relink(conversation: int, calls: Collection[int]) -> None:
    """Rewrites the unsettled calls of messages whose results have changed."""
    _update(conversation, _groups_of_bodies(conversation, calls))


def mark_unsettled(conversation: int, index: int) -> None:
    """Marks the group that is cut before a log index as not settled.

    It is for a branch that has only what is before that index.
    """
    rows = Message.objects.filter(conversation=conversation, index=index, call_index__lt=index)
    call = rows.values_list("call_index", flat=True).first()
    if call is None or UnsettledCall.objects.filter(conversation=conversation, index=call).exists():
        return
    groups = _groups_of_bodies(conversation, [call])
    groups[0].answers = answers_to(conversation, [call])[call]
    _CALLS.insert(groups[0].rows(conversation))


def answers_to(conversation: int, calls: Iterable[int]) -> dict[int, list[LoggedResult]]:
    """Returns the results of messages with calls, ascending, by the log index of the message."""
    found: dict[int, list[LoggedResult]] = defaultdict(list)
    for part in chunks(calls):
        rows = Message.objects.filter(conversation=conversation, call_index__in=part)
        columns = ("call_index", "index", "answers", "revision")
        # Sorted here: asked for an order, MariaDB may read the whole log in it to find these few.
        for call, *answer in sorted(rows.values_list(*columns)):
            found[call].append(LoggedResult(*answer))
    return found


def _known_groups(conversation: int, calls: Collection[int]) -> list[CallGroup]:
    """Returns the groups of messages with calls, without reading their results."""
    groups: dict[int, CallGroup] = {}
    for part in chunks(calls):
        rows = UnsettledCall.objects.filter(conversation=conversation, index__in=part)
        for row in rows.order_by("index", "position"):
            group = groups.setdefault(row.index, CallGroup(row.index, row.revision, []))
            group.calls = [*group.calls, row.call]
    settled = [call for call in calls if call not in groups]
    return [*groups.values(), *_groups_of_bodies(conversation, settled)]


def _groups_of_bodies(conversation: int, calls: Iterable[int]) -> list[CallGroup]:
    groups: list[CallGroup] = []
    for part in chunks(calls):
        rows = Message.objects.filter(conversation=conversation, index__in=part)
        for row in check_rows(rows):
            body = orjson.loads(bytes(row.body))
            ids = [call_digest(call["id"]) for call in body["tool_calls"]]
            groups.append(CallGroup(row.index, row.revision, ids))
    return groups


def _update(conversation: int, groups: Collection[CallGroup]) -> None:
    """Reads the results of groups again and replaces their rows."""
    indices = [group.index for group in groups]
    answers = answers_to(conversation, indices)
    for group in groups:
        group.answers = answers[group.index]
    for part in chunks(indices):
        UnsettledCall.objects.filter(conversation=conversation, index__in=part).delete()
    _insert(conversation, groups)


def _insert(conversation: int, groups: Iterable[CallGroup]) -> None:
    rows = [row for group in groups if not group.is_settled for row in group.rows(conversation)]
    if rows:
        _CALLS.insert(rows)
