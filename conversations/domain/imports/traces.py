"""Conversations of traces, where each call of a model repeats everything before it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from conversations.domain.imports.reasons import REPEATED, WITHOUT_MESSAGES
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.transcript import Fields, ImportedConversation, Transcript
from conversations.domain.message import MOST_MESSAGES
from ctxadmin.lib import json_bytes
from ctxadmin.lib.sentence import say


class TraceBudget:
    """Bounds the runs or spans of one file or line, and the messages in all of them together.

    They are read before repeats are known: 800,000 runs of one message took 80 s and 3 GB.
    """

    def __init__(self) -> None:
        self._counts: Counter[int | None] = Counter()
        self._messages: Counter[int | None] = Counter()

    def spend(self, place: SourceValue, messages: int) -> None:
        """Counts one more; raises TooLarge beyond MOST_MESSAGES of either."""
        line = place.line
        self._counts[line] += 1
        self._messages[line] += messages
        if max(self._counts[line], self._messages[line]) > MOST_MESSAGES:
            text = say(
                "a trace has at most {most_messages} runs or spans, and messages in all of them",
                most_messages=MOST_MESSAGES,
            )
            raise place.too_large(text, MOST_MESSAGES)


@dataclass(frozen=True, slots=True)
class Traced:
    """The messages of one run or span; ``group`` is its trace or thread."""

    place: SourceValue
    transcript: Transcript
    fields: Fields
    group: str


def whole_conversations(
    found: Sequence[Traced], without: Sequence[SourceValue], what: str
) -> list[ImportedConversation]:
    """Returns the longest conversations, without those that are a prefix of another of their
    group.

    ``without`` are the places of runs or spans that have no messages; ``what`` is their kind.
    """
    prefixes = [list(_prefixes(each.transcript)) for each in found]
    owners: defaultdict[str, dict[bytes, Transcript]] = defaultdict(dict)
    kept: set[int] = set()
    for number in sorted(range(len(found)), key=lambda number: -len(prefixes[number])):
        traced, known = found[number], owners[found[number].group]
        owner = known.get(prefixes[number][-1])
        if owner is not None:
            owner.report_omission(traced.place, what, REPEATED)
            continue
        kept.add(number)
        for prefix in prefixes[number]:
            known.setdefault(prefix, traced.transcript)
    if kept:
        first = found[min(kept)].transcript
        for place in without:
            first.report_omission(place, what, WITHOUT_MESSAGES)
    return [found[number].transcript.finish(found[number].fields) for number in sorted(kept)]


def _prefixes(transcript: Transcript) -> Iterator[bytes]:
    """Returns a digest of each prefix of a conversation."""
    return accumulate(
        transcript.message_keys(), lambda before, key: json_bytes.digest(before + key)
    )
