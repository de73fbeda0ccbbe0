"""Joins the visible messages that arrived along several edges into one view."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from conversations.domain import runs as run_sets
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft
from conversations.domain.pairing import place_drafts
from conversations.domain.view import View
from workflows.domain.context.merged_order import in_one_order
from workflows.domain.context.overlay_log import OverlayLog
from workflows.domain.context.prompt_context import Messages
from workflows.domain.context.transforms import Transform


@dataclass(frozen=True, slots=True)
class Clash:
    """A message that two arrivals show with different texts; both are given by their number."""

    name: str
    winner: int
    loser: int


@dataclass(frozen=True, slots=True)
class JoinedMessages:
    """The joined messages; for each arrival the indices of its messages that changed."""

    messages: Messages
    clashes: tuple[Clash, ...] = ()
    moved: tuple[Mapping[int, int], ...] = ()


# A message of the shared log by its index; another one by its id or its body, and which of those
# that are equal in one arrival it is.
_Key = tuple[int | str | bytes, int]


@dataclass(frozen=True, slots=True)
class _Shown:
    """One message as one arrival shows it; ``draft`` is None if it is in the shared log."""

    arrival: int
    index: int
    draft: MessageDraft | None
    rewrites: tuple[Transform, ...]

    @property
    def name(self) -> str:
        return (self.draft and self.draft.message_id) or str(self.index)

    def same_as(self, other: "_Shown") -> bool:
        bodies = [each.draft.body for each in (self, other) if each.draft is not None]
        return self.rewrites == other.rewrites and bodies[:1] == bodies[1:]


def join_messages(arrivals: Sequence[Messages], origin: Messages | None = None) -> JoinedMessages:
    """Returns the messages that any arrival shows; of two texts of one message the later wins.

    If all were narrowed from ``origin``, messages are identified by log index. Messages that
    filters added, and those of arrivals with in-memory logs of their own, are identified by id,
    else by their whole body: if two arrivals add the same text, it appears once.
    """
    if origin is not None:
        narrowed = _if_only_narrowed(arrivals, origin)
        if narrowed is not None:
            return narrowed
    shown = [_visible_by_key(number, each, origin) for number, each in enumerate(arrivals)]
    frame: list[_Key] = [(index, 0) for index in origin.view] if origin else []
    order = in_one_order([list(each) for each in shown], frame)
    winners: dict[_Key, _Shown] = {}
    clashes: list[Clash] = []
    for each in shown:
        for key, message in each.items():
            known = winners.get(key)
            if known is not None and not known.same_as(message):
                clashes.append(Clash(message.name, message.arrival, known.arrival))
            winners[key] = message
    return _in_order(arrivals, origin, shown, {key: winners[key] for key in order}, clashes)


def _if_only_narrowed(arrivals: Sequence[Messages], origin: Messages) -> JoinedMessages | None:
    """Returns the union at the cost of the views' runs, if the arrivals only hide messages."""
    for each in arrivals:
        if each.log is not origin.log or each.rewrites != origin.rewrites:
            return None
        if origin.view.within(each.view.indices_as_runs()) != each.view:
            return None
    union = run_sets.union(run for each in arrivals for run in each.view.runs)
    view = origin.view.within(union)
    return JoinedMessages(origin.with_view(view), moved=({},) * len(arrivals))


def _visible_by_key(number: int, messages: Messages, origin: Messages | None) -> dict[_Key, _Shown]:
    """Returns the visible messages of an arrival by their keys, in view order."""
    shared = len(origin.log) if origin else 0
    equals: Counter[str | bytes] = Counter()
    found: dict[_Key, _Shown] = {}
    for index in messages.view:
        rewrites = messages.rewrites.get(index, ())
        if index < shared:
            found[index, 0] = _Shown(number, index, None, rewrites)
            continue
        draft = _draft(messages, index)
        name = draft.message_id or draft.body
        found[name, equals[name]] = _Shown(number, index, draft, rewrites)
        equals[name] += 1
    return found


def _draft(messages: Messages, index: int) -> MessageDraft:
    inserted = messages.inserted_at(index)
    if inserted is not None:
        return inserted.draft
    if isinstance(messages.log, MemoryLog):
        return messages.log.entry(index).draft
    raise TypeError("arrivals of stored logs are joined with their origin")


def _in_order(
    arrivals: Sequence[Messages],
    origin: Messages | None,
    shown: Sequence[Mapping[_Key, _Shown]],
    winners: Mapping[_Key, _Shown],
    clashes: Sequence[Clash],
) -> JoinedMessages:
    """Returns the ``winners`` in their order; those that are in no shared log come last."""
    base = origin or Messages.of(tools=arrivals[0].log.tools())
    entries = place_drafts([each.draft for each in winners.values() if each.draft], base.log)
    new_indices = iter(entry.index for entry in entries)
    index_of = {
        key: next(new_indices) if each.draft else each.index for key, each in winners.items()
    }
    rewrites = {index_of[key]: each.rewrites for key, each in winners.items() if each.rewrites}
    messages = replace(base, view=View.of_indices(index_of.values()), rewrites=rewrites)
    if entries and isinstance(messages.log, MemoryLog) and origin is None:
        messages.log.append(entries)
    elif entries:
        inserted = (*messages.inserted, *entries)
        messages = replace(messages, log=OverlayLog(messages.log, entries), inserted=inserted)
    moved = tuple(
        {each.index: index_of[key] for key, each in part.items() if index_of[key] != each.index}
        for part in shown
    )
    return JoinedMessages(messages, tuple(clashes), moved)
