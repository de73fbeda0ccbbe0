"""Joins what arrived along several edges at one node (semantics 2.8)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import canonical
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import equal
from workflows.domain.context.merged_order import in_one_order
from workflows.domain.context.message_join import join_messages
from workflows.domain.context.prompt_context import HistoryEntry, NodeInput, PromptContext


@dataclass(frozen=True, slots=True)
class ArrivalConflict:
    """Two arrivals have different values under one name; the later one won.

    ``winner`` and ``loser`` are the edges. History entries are named by their node, messages by
    their id or, if they belong to one log, by their index in it.
    """

    section: str
    name: str
    winner: str
    loser: str

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "section": self.section,
            "name": self.name,
            "winner": self.winner,
            "loser": self.loser,
        }


@dataclass(frozen=True, slots=True)
class Arrival:
    """What arrived along one edge, with its filter applied; ``edge`` is its id or a name for it."""

    edge: str
    node_input: NodeInput


@dataclass(frozen=True, slots=True)
class JoinedContext:
    """Several arrivals as one.

    For each arrival: the new positions of its history entries, and the new indices of those of its
    messages that have another one.
    """

    node_input: NodeInput
    conflicts: tuple[ArrivalConflict, ...] = ()
    history_places: tuple[tuple[int, ...], ...] = ()
    moved_messages: tuple[Mapping[int, int], ...] = ()


def join(arrivals: Sequence[Arrival], origin: NodeInput | None = None) -> JoinedContext:
    """Joins what arrived along several edges, in order: of conflicting values the later one
    wins.

    The template is that of the first arrival. If all were filtered from one ``origin``, history and
    messages keep its order; otherwise those of later arrivals precede the next one that both have.
    Equal names with equal values are no conflict. Raises ValidationFailed without any arrival.
    """
    if not arrivals:
        raise ValidationFailed.at("/arrivals", say("at least one arrival is needed"))
    if len(arrivals) == 1:
        only = arrivals[0].node_input
        return JoinedContext(only, (), (tuple(range(len(only.context.history))),), ({},))
    conflicts: list[ArrivalConflict] = []
    contexts = [arrival.node_input.context for arrival in arrivals]
    edges = [arrival.edge for arrival in arrivals]
    variables = _unite("variables", [each.variables for each in contexts], edges, conflicts)
    metadata = _unite("metadata", [each.metadata for each in contexts], edges, conflicts)
    history, places = _unite_history(contexts, edges, origin, conflicts)
    messages = join_messages(
        [arrival.node_input.messages for arrival in arrivals], origin.messages if origin else None
    )
    conflicts.extend(
        ArrivalConflict("messages", clash.name, edges[clash.winner], edges[clash.loser])
        for clash in messages.clashes
    )
    context = PromptContext(contexts[0].template, variables, history, metadata)
    return JoinedContext(
        NodeInput(context, messages.messages), tuple(conflicts), places, messages.moved
    )


def _unite(
    section: str,
    parts: Sequence[Mapping[str, JsonValue]],
    edges: Sequence[str],
    conflicts: list[ArrivalConflict],
) -> Mapping[str, JsonValue]:
    united: dict[str, JsonValue] = {}
    owners: dict[str, str] = {}
    for part, edge in zip(parts, edges, strict=True):
        for name, value in part.items():
            if name in united and not equal(united[name], value):
                conflicts.append(ArrivalConflict(section, name, edge, owners[name]))
            united[name] = value
            owners[name] = edge
    return united


_EntryKey = tuple[str, bytes, int]


def _unite_history(
    contexts: Sequence[PromptContext],
    edges: Sequence[str],
    origin: NodeInput | None,
    conflicts: list[ArrivalConflict],
) -> tuple[tuple[HistoryEntry, ...], tuple[tuple[int, ...], ...]]:
    """Returns the entries in one order, and for each context the positions of its entries."""
    keys = [_entry_keys(context.history) for context in contexts]
    frame = _entry_keys(origin.context.history) if origin else ()
    order = in_one_order(keys, frame)
    entries: dict[_EntryKey, HistoryEntry] = {}
    owners: dict[_EntryKey, str] = {}
    for context, own_keys, edge in zip(contexts, keys, edges, strict=True):
        for key, entry in zip(own_keys, context.history, strict=True):
            known = entries.get(key)
            if known is not None and known is not entry and not _same_entry(known, entry):
                conflicts.append(ArrivalConflict("history", entry.node_id, edge, owners[key]))
            entries[key] = entry
            owners[key] = edge
    places = {key: place for place, key in enumerate(order)}
    return (
        tuple(entries[key] for key in order),
        tuple(tuple(places[key] for key in own_keys) for own_keys in keys),
    )


def _entry_keys(history: Sequence[HistoryEntry]) -> list[_EntryKey]:
    """Returns keys that identify entries: the node, the time, and the occurrence of both."""
    seen: Counter[tuple[str, bytes]] = Counter()
    keys: list[_EntryKey] = []
    for entry in history:
        known = (entry.node_id, canonical(entry.timestamp))
        keys.append((*known, seen[known]))
        seen[known] += 1
    return keys


def _same_entry(left: HistoryEntry, right: HistoryEntry) -> bool:
    return equal(left.as_json(), right.as_json())
