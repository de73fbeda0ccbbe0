"""Lines that say what was hidden, so that it can be recalled. Source: semantics 4.6."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.log import Log
from conversations.domain.message import Entry, MessageDraft
from conversations.domain.pointers import HOW, LINE_TOKENS, POINTS_TO
from conversations.domain.runs import Run, Runs
from conversations.domain.tokens import tokens_of_plain
from conversations.domain.view import View
from ctxadmin.lib import json_bytes

MOST_RUNS: Final = 1000
"""Ranges that a line keeps; what is in further ones is counted only."""

_NAMED: Final = (8, 4, 2, 1)  # ranges that a line names, as many as it has room for


@dataclass(frozen=True, slots=True)
class RecallLine:
    """A line that is to be logged or shown, and the position in the view that it takes."""

    entry: Entry
    position: int


def recall_line(
    hidden: Runs,
    before: View,
    after: View,
    log: Log,
    entries: Sequence[Entry] = (),
    draw: Callable[[Runs, Log], MessageDraft] | None = None,
) -> RecallLine | None:
    """The line for what of ``before`` is ``hidden`` in ``after``; None if nothing can be recalled.

    ``entries`` are logged in front of it; ``draw`` makes its draft, by default ``line_draft``. It
    stands where the first hidden message stood, but
    behind what took that place and never in front of a result of an earlier call. Lines among the
    hidden messages are replaced: it names what they named.
    """
    covered = _covered(hidden, after, log)
    if not covered:
        return None
    index = len(log) + len(entries)
    entry = Entry(index, (draw or line_draft)(covered, log))
    return RecallLine(entry, _position(hidden, before, after, log, entries))


def _covered(hidden: Runs, after: View, log: Log) -> Runs:
    """The hidden messages that anyone can recall; those that a filter put in are in no log."""
    lines = {at: runs for at, runs in log.pointers().items() if _contains(hidden, at)}
    named = [run for runs in lines.values() for run in runs]
    found = run_sets.union((*hidden, *named))
    found = run_sets.intersection(found, ((0, log.logged_count()),))
    found = run_sets.difference(found, run_sets.of_indices(sorted(log.pointers())))
    return run_sets.difference(found, after.indices_as_runs())


def _contains(runs: Runs, index: int) -> bool:
    return bool(run_sets.intersection(runs, ((index, index + 1),)))


def _position(hidden: Runs, before: View, after: View, log: Log, entries: Sequence[Entry]) -> int:
    first = before.position_of(before.within(hidden).index_at(0)) or 0
    ahead = after.position_of(before.index_at(first - 1)) if first else None
    position = 0 if ahead is None else ahead + 1
    new = {entry.index for entry in entries}
    while position < len(after):
        index = after.index_at(position)
        if index not in new and not _answers_in_front(index, position, after, log):
            break
        position += 1
    return position


def _answers_in_front(index: int, position: int, view: View, log: Log) -> bool:
    """True for a result whose call is visible in front of it."""
    # By the links, which the check of the view that follows asks for as well: one statement.
    for group in log.tool_groups((index,)):
        if index in group.results or index in group.surplus:
            call = view.position_of(group.call)
            return call is not None and call < position
    return False


def line_draft(covered: Runs, log: Log) -> MessageDraft:
    """The system message that names hidden messages by their log indices and ids."""
    count = run_sets.count(covered)
    named = covered[: _NAMED[0]]
    ends = {index for start, stop in named for index in (start, stop - 1)}
    text = line_text(covered, log.own_ids(ends))
    points_to: dict[str, JsonValue] = {
        "runs": [list(run) for run in covered[:MOST_RUNS]],
        "count": count,
    }
    body = json_bytes.dumps({"role": "system", "content": text, POINTS_TO: points_to})
    return MessageDraft(
        body=body, role="system", counts_as="system", text=text, points_to=covered[:MOST_RUNS]
    )


def line_text(covered: Runs, own_ids: Mapping[int, str]) -> str:
    """One short line with the ranges and the ids of their ends, as far as there is room.

    ``own_ids`` are those that callers chose; all others follow from the log index.
    """
    texts = (
        _line(covered, most, own_ids if with_ids else {})
        for most in _NAMED
        for with_ids in ((True, False) if own_ids else (False,))
    )
    *_, shortest = fitting = list(texts)
    return next((text for text in fitting if tokens_of_plain(text) <= LINE_TOKENS), shortest)


def _line(covered: Runs, most: int, ids: Mapping[int, str]) -> str:
    count = run_sets.count(covered)
    subject = "1 message is hidden" if count == 1 else f"{count} messages are hidden"
    named = [_range(run, ids) for run in covered[:most]]
    more = count - run_sets.count(covered[:most])
    if more:
        named.append(f"and {more} more")
    return f"[{subject}: {', '.join(named)}. {HOW}]"


def _range(run: Run, ids: Mapping[int, str]) -> str:
    first, last = run[0], run[1] - 1
    numbers = str(first) if first == last else f"{first}-{last}"
    if first not in ids and last not in ids:
        return numbers
    ends = [ids.get(each, f"log-{each}") for each in dict.fromkeys((first, last))]
    return f"{numbers} ({' to '.join(ends)})"
