"""Finds the messages that are summaries, and what they cover. Source: semantics 4.4."""

from collections.abc import Collection
from dataclasses import dataclass

import orjson

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.models import Conversation, Revision
from ctxadmin.lib.json_bytes import is_object


@dataclass(frozen=True, slots=True)
class Summary:
    """The record of a summary.

    ``sources`` are log indices; ``revision`` is the one that it opened, from its ``parent``.
    """

    sources: Runs
    revision: int
    parent: int


def summaries_among(head: Conversation, indices: Collection[int]) -> dict[int, Summary]:
    """Returns those of some messages that are summaries, by log index."""
    if head.revision_count < 2:  # each summary opened one
        return {}
    rows = Revision.objects.filter(conversation=head.key, operation="summarize")
    found: dict[int, Summary] = {}
    for number, parent, config in rows.values_list("number", "parent", "config"):
        block = orjson.loads(config).get("summarize") if is_object(bytes(config)) else None
        message, sources = _record_of(block)
        if message in indices and sources:
            found[message] = Summary(sources, number, number if parent is None else parent)
    return found


def _record_of(block: object) -> tuple[int, Runs]:
    """Returns the log index of the summary and its sources; an imported record can be anything."""
    fields = block if isinstance(block, dict) else {}
    message, sources = fields.get("message"), fields.get("sources")
    index = message.get("index") if isinstance(message, dict) else None
    if type(index) is not int or not isinstance(sources, list):
        return -1, ()
    pairs = [each for each in sources if isinstance(each, list) and len(each) == 2]
    whole = [(a, b) for a, b in pairs if type(a) is type(b) is int and 0 <= a < b]
    return index, run_sets.union(whole)
