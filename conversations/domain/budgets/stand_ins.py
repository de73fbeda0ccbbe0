"""New messages in place of tool results whose content is removed."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from conversations.domain import runs as run_sets
from conversations.domain.log import Log, ToolLinks
from conversations.domain.message import Entry, read_logged
from conversations.domain.pairing import WithEntries


@dataclass(frozen=True, slots=True)
class StandIns:
    """The entries by the log index of the result that each replaces, and the links with them."""

    entries: Mapping[int, Entry]
    links: ToolLinks


def make_stand_ins(texts: Mapping[int, str], log: Log) -> StandIns:
    """Entries behind ``log`` that are results, by their log index, with other ``texts``.

    Each answers the call of the result that it replaces, which stays in the log.
    """
    runs = run_sets.of_indices(sorted(texts))
    calls = {weight.index: weight.call for weight in log.weights(runs)}
    entries: dict[int, Entry] = {}
    for index, body in log.bodies(runs):
        draft = read_logged({**orjson.loads(body), "content": texts[index]})
        place = len(log) + len(entries)
        entries[index] = Entry(place, draft, calls[index])
    answered = {index for index, call in calls.items() if call is not None}
    return StandIns(entries, WithEntries(log, tuple(entries.values()), answered))
