"""The messages of a proposal in their current form: edited, hidden, and later ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from checkpoints.domain.proposal import ProposalSource
from checkpoints.models import Execution
from checkpoints.pages.decisions.formatted_text import FormattedText, formatted_diff, formatted_text
from checkpoints.reading.message_versions import log_count_at
from checkpoints.store.snapshots import StoredSnapshot
from conversations.domain.bodies import text_of_body
from conversations.domain.message import CountsAs
from conversations.domain.runs import Runs, difference, of_indices
from conversations.domain.view import View
from conversations.models import Message
from conversations.reading.queries import messages_at
from conversations.reading.view_changes import AuthoredChange, ChangeCause, ReadView, changes_since
from conversations.store.conversation import find_revision, view_of
from conversations.store.pin_rows import find_pinned
from conversations.store.sql_log import SqlLog
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.markdown_diff import MarkedBlock

_MOST: Final = 3
_MOST_CHANGES: Final = 8
_MOST_READ: Final = 8  # of which those without a text are not shown
_USER: Final[frozenset[CountsAs]] = frozenset({"user"})
_SYSTEM: Final[frozenset[CountsAs]] = frozenset({"system"})
_LOOKED_BACK: Final = (50, 2_000, 200_000)  # positions of the view in which the request is sought


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as it now stands, at its place in the log.

    ``edited`` and ``hidden`` tell what became of it, ``changed_by``, ``changed_at`` and ``reason``
    who did that, when and why, ``step`` the revisions that show it. ``pieces`` are the words that
    an edit took and brought, ``original`` is what stood before it. ``author`` wrote what is shown.
    ``now`` is its place in the log now, where it may be ``pinned``.
    """

    index: int
    role: str
    text: str
    author: str
    at: datetime
    edited: bool = False
    hidden: bool = False
    changed_by: str = ""
    changed_at: datetime | None = None
    reason: str = ""
    step: tuple[int, int] | None = None
    original: str = ""
    pieces: Sequence[TextPiece] = ()
    now: int = -1
    pinned: bool = False

    @property
    def shown(self) -> FormattedText:
        """Returns the text as the conversation shows it."""
        return formatted_text(self.text, self.role)

    @property
    def marked(self) -> Sequence[MarkedBlock]:
        """Returns the text so, with the words that an edit took and brought."""
        return formatted_diff(self.original, self.text, self.role) if self.edited else ()


@dataclass(frozen=True, slots=True)
class ViewEffect:
    """The effect of one operation or move on messages that the card does not show otherwise.

    ``kind`` is "hidden", "edited", "inserted", "shown" or "moved"; ``step`` is the pair of
    revisions that shows it. ``messages`` are the first of them, system messages before others,
    ``more`` the number of others.
    """

    kind: str
    cause: ChangeCause
    messages: Sequence[ShownMessage]
    more: int


@dataclass(frozen=True, slots=True)
class ViewChanges:
    """The latest changes, and how many ``more`` there are; ``step`` leads from first to last."""

    shown: Sequence[ViewEffect]
    more: int
    step: tuple[int, int]

    def __bool__(self) -> bool:
        return bool(self.shown)


class ProposedMessages:
    """Reads the messages of a proposal's sources, and their later changes."""

    def __init__(
        self, moment: StoredSnapshot, row: Execution, sources: Sequence[ProposalSource]
    ) -> None:
        self._moment = moment
        self._row = row
        self._sources = sources
        self._changes: dict[ReadView, _Changes] = {}
        self._written: dict[int, list[int]] = {}

    def of(self, source: ProposalSource) -> tuple[list[ShownMessage], int]:
        """Returns the messages of a source with text, changed ones and the last first.

        Also returns how many more there are.
        """
        written = self._indices_of(source)
        changes = self._since(source)
        changed = [index for index in written if index in changes.by_origin]
        wanted = dict.fromkeys([*reversed(changed), *reversed(written)])
        read = sorted(list(wanted)[:_MOST_READ])
        found = {each.index: each for each in self._read(read, changes)}
        shown = [found[index] for index in wanted if index in found and _has_text(found[index])][
            :_MOST
        ]
        without_text = sum(not _has_text(each) for each in found.values())
        return sorted(shown, key=lambda each: each.index), len(written) - without_text - len(shown)

    def request(self) -> ShownMessage | None:
        """Returns the last message of a user before the first source, in its current form."""
        source = self._oldest
        if source is None:
            index = _last_of_user(self._moment.view(), self._moment.log)
            return None if index is None else next(iter(self._read([index], _Changes(()))), None)
        view = view_of(find_revision(self._moment.head.key, source.revision))
        view = view.slice(0, source.visible_count)
        log = SqlLog(self._moment.head, source.log_count, source.revision)
        own = set(self._indices_of(source))
        index = _last_of_user(view, log, without=own)
        if index is None:
            index = _last_of_user(view, log)
        return None if index is None else self._read([index], self._since(source))[0]

    def latest_received(self) -> tuple[list[ShownMessage], int]:
        """Returns the latest messages since the first source that no node wrote.

        Also returns how many older ones there are.
        """
        if self._oldest is None:
            return [], 0
        added = [
            each.index
            for each in self._since(self._oldest).all
            if each.kind == "added" and not each.cause.node_id and each.cause.step is None
        ]
        added.sort()
        shown = self._read(added[-_MOST:], _Changes(()))
        return shown, len(added) - len(shown)

    def other_changes(self, shown: Iterable[ShownMessage]) -> ViewChanges | None:
        """Returns the other changes of the view since the first source.

        Leaves out what the ``shown`` messages say of themselves, and added messages.
        """
        source = self._oldest
        if source is None:
            return None
        listed = {place for each in shown for place in (each.index, each.now)}
        changes = self._since(source)
        groups: dict[tuple[str, ChangeCause], list[int]] = {}
        for each in changes.all:
            if each.kind == "added" and each.cause.step is None:
                continue
            origin = each.index if each.previous_index is None else each.previous_index
            if origin in listed and each.kind in ("hidden", "edited", "added"):
                continue
            groups.setdefault((_kind_of(each), each.cause), []).append(origin)
        shown_first = self._system_first(groups)
        return ViewChanges(
            [self._view_change(*item, changes) for item in shown_first[:_MOST_CHANGES]],
            max(len(shown_first) - _MOST_CHANGES, 0),
            (source.revision, self._moment.revision),
        )

    def _system_first(
        self, groups: Mapping[tuple[str, ChangeCause], Sequence[int]]
    ) -> Sequence[tuple[tuple[str, ChangeCause], Sequence[int]]]:
        """Sorts changes by time, latest first, with those of system messages before all others."""
        origins = sorted({origin for each in groups.values() for origin in each})
        system = self._system_among(origins)

        def rank(
            item: tuple[tuple[str, ChangeCause], Sequence[int]],
        ) -> tuple[bool, tuple[int, int]]:
            (_, cause), of_group = item
            return any(_has(system, origin) for origin in of_group), cause.step or (0, 0)

        return sorted(groups.items(), key=rank, reverse=True)

    def _system_among(self, origins: Sequence[int]) -> Runs:
        """The system messages among some, without lines about hidden messages."""
        log = self._moment.log
        found = log.with_roles(_SYSTEM, of_indices(origins))
        return difference(found, of_indices(sorted(log.pointers()))) if found else ()

    def _view_change(
        self, key: tuple[str, ChangeCause], origins: Sequence[int], changes: "_Changes"
    ) -> ViewEffect:
        kind, cause = key
        system = self._system_among(sorted(set(origins)))
        first = sorted(set(origins), key=lambda index: (not _has(system, index), index))[:_MOST]
        known = changes if kind == "edited" else _Changes(())
        return ViewEffect(kind, cause, self._read(first, known), len(set(origins)) - len(first))

    @cached_property
    def _oldest(self) -> ProposalSource | None:
        return min(self._sources, key=lambda each: each.version, default=None)

    def _indices_of(self, source: ProposalSource) -> list[int]:
        """Returns the log indices that a source wrote; others can have written meanwhile.

        An engine can append what a node says and complete the node after it; such messages have no
        node on record, but the same author.
        """
        if source.version not in self._written:
            first = log_count_at(self._row, source.since) if source.since >= 0 else 0
            rows = Message.objects.filter(
                conversation=self._moment.head.key, index__gte=first, index__lt=source.log_count
            )
            own = rows.exclude(node_id="") | rows.filter(author=source.author).exclude(role="user")
            found = own.order_by("index").values_list("index", flat=True)
            self._written[source.version] = list(found)
        return self._written[source.version]

    def _since(self, source: ProposalSource) -> "_Changes":
        moment = self._moment
        before = ReadView(source.revision, source.visible_count, source.log_count)
        if before not in self._changes:
            after = ReadView(moment.revision, moment.visible_count, moment.log_count)
            self._changes[before] = _Changes(changes_since(moment.head, before, after))
        return self._changes[before]

    def _read(self, indices: Iterable[int], changes: "_Changes") -> list[ShownMessage]:
        """Reads the messages at some places of the log, with their changes."""
        origins = sorted(indices)
        wanted = {*origins, *(changes.now_at(index) for index in origins)}
        found = {each.index: each for each in messages_at(self._moment.head, wanted, View())}
        pinned = find_pinned(self._moment.head.key, wanted)
        shown = []
        for origin in origins:
            now = found[changes.now_at(origin)]
            message = ShownMessage(
                origin,
                now.role,
                text_of_body(now.body),
                now.author,
                now.created_at,
                now=now.index,
                pinned=now.index in pinned,
            )
            change = changes.by_origin.get(origin)
            if change is not None:
                original = text_of_body(found[origin].body)
                message = _marked(message, change, original)
            shown.append(message)
        return shown


class _Changes:
    """The changes of a view, grouped by their effect on the messages in it."""

    def __init__(self, changes: Sequence[AuthoredChange]) -> None:
        self.all = changes
        self.by_origin: Mapping[int, AuthoredChange] = {
            each.index if each.previous_index is None else each.previous_index: each
            for each in changes
            if each.kind in ("hidden", "edited")
        }

    def now_at(self, origin: int) -> int:
        """Returns the current place in the log of a message."""
        change = self.by_origin.get(origin)
        return origin if change is None else change.index


def _marked(message: ShownMessage, change: AuthoredChange, original: str) -> ShownMessage:
    is_edit = change.kind == "edited"
    pieces = text_diff(original, message.text) if is_edit else ()
    return replace(
        message,
        edited=is_edit,
        hidden=not is_edit,
        changed_by=change.author,
        changed_at=change.at,
        reason=change.cause.reason,
        step=change.cause.step,
        original=original,
        pieces=pieces,
    )


def _kind_of(change: AuthoredChange) -> str:
    if change.kind == "added":
        return "edited" if change.cause.operation == "replace" else "inserted"
    return change.kind


def _has_text(message: ShownMessage) -> bool:
    return bool(message.text or message.original)


def _last_of_user(view: View, log: SqlLog, without: Iterable[int] = ()) -> int | None:
    own = frozenset(without)
    for back in _LOOKED_BACK:
        newest = view.slice(len(view) - back, len(view))
        users = log.with_roles(_USER, newest.indices_as_runs())
        for index in reversed(list(newest) if users else []):
            if index not in own and _has(users, index):
                return index
        if back >= len(view):
            break
    return None


def _has(runs: Runs, index: int) -> bool:
    return any(start <= index < stop for start, stop in runs)
