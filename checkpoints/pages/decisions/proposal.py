"""The proposal for a reviewer: proposed values, edits since then, and the request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import orjson
from pydantic import JsonValue

from checkpoints.domain.commands import output_key
from checkpoints.domain.proposal import Proposal, ProposalSource
from checkpoints.domain.proposed_answer import keys_in_order
from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.decisions.formatted_text import FormattedText, formatted_diff, formatted_text
from checkpoints.pages.decisions.proposed_messages import (
    ProposedMessages,
    ShownMessage,
    ViewChanges,
)
from checkpoints.pages.presenters import NamedNode
from checkpoints.pages.state import state_view
from checkpoints.pages.state.state_rows import state_rows
from checkpoints.reading.node_responses import responses_of
from checkpoints.reading.proposals import find_proposal
from checkpoints.reading.state_values import heads_by_name
from checkpoints.store.snapshots import StoredSnapshot, snapshot_at
from checkpoints.store.state import StoredKey
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.structural_diff import ABSENT, Value, diff, equal
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.components import DiffRow, author_label, join_list
from ctxadmin.ui.markdown_diff import MarkedBlock

_MOST_KEYS: Final = 8
_SHORT: Final = 60  # characters of a value beside its name
_LEAST_ANSWER: Final = 16  # shorter texts have the length of other values by chance


@dataclass(frozen=True, slots=True)
class ProposedKey:
    """The current value of a key; ``edited_by`` are those who changed it after it was proposed.

    ``pieces`` are the removed and added words of a text, ``rows`` the differences of any other
    value. ``gone`` means removed, by ``edited_by`` alone; ``lost`` means that retention removed
    the proposed value. A key without ``read`` is too large for the page. Of a long text the
    ``pieces`` are those from where it begins to differ. ``as_message`` is the message that says
    the same as the value, or as what was proposed if that was edited; it is not shown a second
    time. ``answer`` is the value as a message shows it, ``marked`` the same with ``pieces`` in it.
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
    as_message: int | None = None
    answer: FormattedText | None = None
    marked: Sequence[MarkedBlock] = ()

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    @property
    def original_is_text(self) -> bool:
        return isinstance(self.original, str)

    @property
    def is_short(self) -> bool:
        """Returns True if the name and the value, or both values of an edit, take one line."""
        if not self.read or self.answer is not None or self.gone or self.lost:
            return False
        if self.edited_by:
            return bool(self.rows) and _is_short(self.value) and _is_short(self.original)
        return _is_short(self.value)

    @property
    def line(self) -> str:
        """Returns a short value as it stands on a line."""
        return _line(self.value)

    @property
    def original_line(self) -> str:
        return _line(self.original)


@dataclass(frozen=True, slots=True)
class SourceView:
    """The proposal of one node; ``more_keys`` and ``more_messages`` of it are not shown.

    ``response`` is what the node answered if that is in no message and is not its output: only the
    execution history has it. ``said`` is the same as a message shows it, if it is a text.
    """

    node: NamedNode
    version: int
    at: datetime
    keys: Sequence[ProposedKey]
    more_keys: int
    messages: Sequence[ShownMessage]
    more_messages: int
    response: JsonValue = None
    said: FormattedText | None = None

    @property
    def begins_with_message(self) -> bool:
        """Returns True if the answer is a message that no key repeats."""
        return bool(self.messages) and not (self.keys and self.keys[0].answer)


@dataclass(frozen=True, slots=True)
class ProposalView:
    """The proposal on the review card; ``besides`` are edited keys that no node proposed.

    ``request`` is the last message of a user before the proposal. ``came_in`` are later messages
    that no node wrote, ``more_came_in`` the number of earlier ones. ``changes`` are other changes
    of the messages since then.
    """

    sources: Sequence[SourceView]
    besides: Sequence[ProposedKey]
    request: ShownMessage | None
    came_in: Sequence[ShownMessage]
    more_came_in: int
    changes: ViewChanges | None

    def __bool__(self) -> bool:
        return bool(self.sources or self.besides)

    @property
    def answer_key(self) -> str:
        """Returns the key to edit first: the one that comes first and is no number or the like."""
        keys = (key for source in self.sources for key in source.keys)
        return next((key.name for key in keys if isinstance(key.value, str | list | dict)), "")


def proposal_view(moment: StoredSnapshot) -> ProposalView | None:
    """Returns the proposal to decide on; None if nothing waits."""
    proposal, row = find_proposal(moment), moment.row
    if row is None or not (proposal.sources or proposal.since):
        return None
    messages = ProposedMessages(moment, row, proposal.sources)
    reader = _Reader(moment, row, proposal, messages)
    came_in, more_came_in = messages.latest_received()
    sources = _with_responses(row, [reader.source(each) for each in proposal.sources])
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


def _with_responses(row: Execution, sources: Sequence[SourceView]) -> list[SourceView]:
    """Adds what those nodes answered that neither said nor put out a text."""
    silent = [each for each in sources if not (each.messages or any(k.answer for k in each.keys))]
    places = {each.version: (row.conversation, row.number, each.version) for each in silent}
    found = responses_of(places.values())
    responses = {version: found.get(place) for version, place in places.items()}
    return [_with_response(each, responses.get(each.version)) for each in sources]


def _with_response(source: SourceView, response: JsonValue) -> SourceView:
    said = formatted_text(response, "assistant") if isinstance(response, str) else None
    return replace(source, response=response, said=said)


class _Reader:
    """Reads the current values that are shown, of all sources at once."""

    def __init__(
        self,
        moment: StoredSnapshot,
        row: Execution,
        proposal: Proposal,
        messages: ProposedMessages,
    ) -> None:
        self._moment = moment
        self._row = row
        self._proposal = proposal
        self._held = heads_by_name(moment)
        self._written = {each.version: messages.of(each) for each in proposal.sources}
        besides = proposal.edited_besides()[:_MOST_KEYS]
        shown = {name for each in proposal.sources for name in self._keys_of(each)[:_MOST_KEYS]}
        edited = {name for name in shown if proposal.changed_by(name)} | set(besides)
        self._now = state_view.small_values(moment, shown - edited)
        # An approval sends them, so they are compared also where a page of the state names a size.
        self._now |= state_view.small_values(moment, edited, state_view.MOST_PAGE_BYTES)

    def _keys_of(self, source: ProposalSource) -> list[str]:
        """Returns the keys that this source wrote last, its answer first, then edited ones."""
        proposal = self._proposal
        own = [name for name in source.keys if proposal.source_of(name) == source]
        edited = [name for name in own if proposal.changed_by(name)]
        said = [each.original or each.text for each in self._written[source.version][0]]
        answers = [len(orjson.dumps(text)) for text in said if len(text) >= _LEAST_ANSWER]
        return keys_in_order(source.node, {name: self._size(name) for name in own}, edited, answers)

    def _size(self, name: str) -> int:
        held: StoredKey | None = self._held.get(name)
        return held.head.size if held is not None and held.head is not None else 0

    def source(self, source: ProposalSource) -> SourceView:
        names = self._keys_of(source)
        edited = {name for name in names[:_MOST_KEYS] if self._proposal.changed_by(name)}
        former = self._values_at(source.version, edited)
        written, more_messages = self._written[source.version]
        found = [_with_message(self._key(name, former), written) for name in names[:_MOST_KEYS]]
        output = output_key(source.node)
        keys = [_with_answer(key, is_output=key.name == output) for key in found]
        proposed = {key.as_message for key in keys}
        return SourceView(
            node=NamedNode(source.node, presenters.name_of(self._moment.pinned, source.node)),
            version=source.version,
            at=source.at,
            keys=keys,
            more_keys=max(len(names) - _MOST_KEYS, 0),
            messages=[message for message in written if message.index not in proposed],
            more_messages=more_messages,
        )

    def besides(self) -> list[ProposedKey]:
        """Returns the edited keys without a source, compared with their value before the first
        edit.
        """
        names = self._proposal.edited_besides()[:_MOST_KEYS]
        oldest = self._proposal.since[-1].version if self._proposal.since else 0
        former = self._values_at(oldest, set(names))
        return [self._key(name, former) for name in names]

    def _values_at(self, version: int, names: set[str]) -> Mapping[str, JsonValue] | None:
        """Returns the values at a version; None if retention removed them."""
        if not names:
            return {}
        try:
            then = snapshot_at(self._moment.head, self._row, version)
            return state_view.small_values(then, names, state_view.MOST_PAGE_BYTES)
        except NotFound:
            return None

    def _editors_of(self, name: str, *, only_last: bool) -> str:
        """Returns in words who made changes that the value has, the latest first."""
        authors = list(dict.fromkeys(each.author for each in self._proposal.changes_of(name)))
        return join_list(map(author_label, authors[:1] if only_last else authors))

    def _key(self, name: str, former: Mapping[str, JsonValue] | None) -> ProposedKey:
        held: StoredKey | None = self._held.get(name)
        now: Value = self._now.get(name, ABSENT)
        shown = ProposedKey(
            name=name,
            size=self._size(name),
            value=None if now is ABSENT else now,
            read=held is None or name in self._now,
            gone=held is None,
        )
        edit = self._proposal.changed_by(name)
        if edit is None:
            return shown
        shown = replace(
            shown,
            edited_by=self._editors_of(name, only_last=held is None),
            edited_at=edit.at,
            version=edit.version,
            lost=former is None,
        )
        if former is None:
            return shown
        before: Value = former.get(name, ABSENT)
        if not (shown.read or shown.gone):
            return shown if before is ABSENT else replace(shown, original=before)
        if before is not ABSENT and now is not ABSENT and equal(before, now):
            return replace(shown, edited_by="", edited_at=None)  # it was changed back
        original = None if before is ABSENT else before
        if isinstance(before, str) and isinstance(now, str):
            return replace(shown, original=original, pieces=text_diff(before, now))
        after = _alone(name, now)
        rows = state_rows(diff(_alone(name, before), after), after)
        return replace(shown, original=original, rows=rows)


def _alone(name: str, value: Value) -> dict[str, JsonValue]:
    return {} if value is ABSENT else {name: value}


def _with_message(key: ProposedKey, messages: Sequence[ShownMessage]) -> ProposedKey:
    """Returns the key with the message that has the text that was proposed for it.

    A message that was changed since is shown by itself.
    """
    proposed = key.original if key.edited_by else key.value
    if not isinstance(proposed, str) or not proposed.strip():
        return key
    for message in messages:
        changed = message.edited or message.hidden or message.pinned
        if not changed and message.text.strip() == proposed.strip():
            return replace(key, as_message=message.index)
    return key


def _with_answer(key: ProposedKey, *, is_output: bool) -> ProposedKey:
    """Returns the key with its text as a message shows it, if it is an answer."""
    if not isinstance(key.value, str) or not (is_output or key.as_message is not None):
        return key
    marked: Sequence[MarkedBlock] = ()
    if key.edited_by and isinstance(key.original, str):
        marked = formatted_diff(key.original, key.value, "assistant")
    return replace(key, answer=formatted_text(key.value, "assistant"), marked=marked)


def _is_short(value: JsonValue) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _SHORT and "\n" not in value
    return value is not None and not isinstance(value, dict | list)


def _line(value: JsonValue) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
