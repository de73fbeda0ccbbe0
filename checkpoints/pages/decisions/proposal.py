"""What is reviewed, for a reader: what was proposed, what was edited since, and the request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from checkpoints.domain.proposal import Proposal, Source
from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.decisions.proposed_messages import (
    ProposedMessages,
    ShownMessage,
    ViewChanges,
)
from checkpoints.pages.executions import state_view
from checkpoints.pages.executions.state_rows import state_rows
from checkpoints.pages.presenters import NamedNode
from checkpoints.proposals import find_proposal
from checkpoints.snapshots import StoredSnapshot, snapshot_at
from checkpoints.state_store import StoredKey
from checkpoints.state_values import held_keys
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.structural_diff import ABSENT, Value, diff, equal
from ctxadmin.lib.text_diff import TextPiece, text_diff, without_long
from ctxadmin.ui.components import DiffRow

_MOST_KEYS: Final = 8


@dataclass(frozen=True, slots=True)
class ProposedKey:
    """A key as it is now; ``edited_by`` is who changed it since it was proposed.

    ``pieces`` are the words of a text that the edit took and brought, ``rows`` the differences of
    any other value. ``gone`` is one that was removed, ``lost`` tells that retention took what was
    proposed. One that is not ``read`` is too large for the page.
    """

    name: str
    size: int
    value: JsonValue = None
    read: bool = True
    gone: bool = False
    edited_by: str = ""
    edited_at: datetime | None = None
    version: int = 0
    original: JsonValue = None
    pieces: Sequence[TextPiece] = ()
    rows: Sequence[DiffRow] = ()
    lost: bool = False

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    @property
    def original_is_text(self) -> bool:
        return isinstance(self.original, str)


@dataclass(frozen=True, slots=True)
class SourceView:
    """What one node proposed; ``more_keys`` and ``more_messages`` of it are not shown."""

    node: NamedNode
    version: int
    at: datetime
    keys: Sequence[ProposedKey]
    more_keys: int
    messages: Sequence[ShownMessage]
    more_messages: int


@dataclass(frozen=True, slots=True)
class ProposalView:
    """What a reviewer looks at; ``besides`` are keys that were edited and that nobody proposed.

    ``request`` is the message of a user that was the last one when it was proposed. ``came_in`` are
    messages that nodes did not write and that came later, ``more_came_in`` earlier ones of them.
    ``changes`` are what else was done to the messages since.
    """

    sources: Sequence[SourceView]
    besides: Sequence[ProposedKey]
    request: ShownMessage | None
    came_in: Sequence[ShownMessage]
    more_came_in: int
    changes: ViewChanges | None

    def __bool__(self) -> bool:
        return bool(self.sources or self.besides)


def proposal_view(moment: StoredSnapshot) -> ProposalView | None:
    """What there is to decide on; None if nothing waits."""
    proposal, row = find_proposal(moment), moment.row
    if row is None or not (proposal.sources or proposal.since):
        return None
    reader = _Reader(moment, row, proposal)
    messages = ProposedMessages(moment, row, proposal.sources)
    came_in, more_came_in = messages.came_in()
    sources = [reader.source(each, messages) for each in proposal.sources]
    request = messages.request()
    shown = [message for source in sources for message in source.messages]
    return ProposalView(
        sources=sources,
        besides=reader.besides(),
        request=request,
        came_in=came_in,
        more_came_in=more_came_in,
        changes=messages.other_changes([*shown, *([request] if request else [])]),
    )


class _Reader:
    """Reads the values that are shown: of all sources at once, as they are now."""

    def __init__(self, moment: StoredSnapshot, row: Execution, proposal: Proposal) -> None:
        self._moment = moment
        self._row = row
        self._proposal = proposal
        self._held = held_keys(moment)
        besides = proposal.edited_besides()[:_MOST_KEYS]
        shown = {name for each in proposal.sources for name in self._own(each)[:_MOST_KEYS]}
        self._now = state_view.small_values(moment, {*shown, *besides})

    def _own(self, source: Source) -> list[str]:
        """The keys of which this source wrote what stood last, those that were edited first."""
        proposal = self._proposal
        own = [name for name in source.keys if proposal.source_of(name) == source]
        return sorted(own, key=lambda name: (proposal.changed_by(name) is None, name))

    def source(self, source: Source, messages: ProposedMessages) -> SourceView:
        names = self._own(source)
        edited = {name for name in names[:_MOST_KEYS] if self._proposal.changed_by(name)}
        former = self._former(source.version, edited)
        written, more_messages = messages.of(source)
        return SourceView(
            node=NamedNode(source.node, presenters.name_of(self._moment.pinned, source.node)),
            version=source.version,
            at=source.at,
            keys=[self._key(name, former) for name in names[:_MOST_KEYS]],
            more_keys=max(len(names) - _MOST_KEYS, 0),
            messages=written,
            more_messages=more_messages,
        )

    def besides(self) -> list[ProposedKey]:
        """Against what stood before the first edit that a person made."""
        names = self._proposal.edited_besides()[:_MOST_KEYS]
        oldest = self._proposal.since[-1].version if self._proposal.since else 0
        former = self._former(oldest, set(names))
        return [self._key(name, former) for name in names]

    def _former(self, version: int, names: set[str]) -> Mapping[str, JsonValue] | None:
        """What stood at a version; None if retention took it."""
        if not names:
            return {}
        try:
            then = snapshot_at(self._moment.head, self._row, version)
            return state_view.small_values(then, names)
        except NotFound:
            return None

    def _key(self, name: str, former: Mapping[str, JsonValue] | None) -> ProposedKey:
        held: StoredKey | None = self._held.get(name)
        size = held.head.size if held is not None and held.head is not None else 0
        now: Value = self._now.get(name, ABSENT)
        shown = ProposedKey(
            name=name,
            size=size,
            value=None if now is ABSENT else now,
            read=held is None or name in self._now,
            gone=held is None,
        )
        edit = self._proposal.changed_by(name)
        if edit is None:
            return shown
        shown = replace(
            shown,
            edited_by=edit.author,
            edited_at=edit.at,
            version=edit.version,
            lost=former is None,
        )
        if former is None or not (shown.read or shown.gone):
            return shown
        before: Value = former.get(name, ABSENT)
        if before is not ABSENT and now is not ABSENT and equal(before, now):
            return replace(shown, edited_by="", edited_at=None)  # it was changed back
        original = None if before is ABSENT else before
        if isinstance(before, str) and isinstance(now, str):
            pieces = without_long(text_diff(before, now))
            return replace(shown, original=original, pieces=pieces)
        found = diff(_alone(name, before), _alone(name, now))
        return replace(shown, original=original, rows=state_rows(found))


def _alone(name: str, value: Value) -> dict[str, JsonValue]:
    return {} if value is ABSENT else {name: value}
