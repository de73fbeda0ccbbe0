"""The report of an import: what was taken as what, and what was left out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

MOST_SHOWN: Final = 50  # kinds of each list; the counts are always whole
_MOST_NAME: Final = 100  # characters of a name that the file chose


@dataclass(frozen=True, slots=True)
class TakenConversation:
    """``source``, a field or part of the file, was stored as ``target`` ``count`` times."""

    source: str
    target: str
    count: int

    def as_json(self) -> dict[str, object]:
        return {"source": self.source, "target": self.target, "count": self.count}


@dataclass(frozen=True, slots=True)
class ImportNote:
    """``what`` was left out, or is unusual, ``count`` times.

    ``pointer`` and ``line`` name the first.

    ``line`` (from 1) is that of JSONL.
    """

    what: str
    why: str
    count: int
    pointer: str
    line: int | None = None

    def as_json(self) -> dict[str, object]:
        return {
            "what": self.what,
            "why": self.why,
            "count": self.count,
            "pointer": self.pointer,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The report of one import; lists have at most MOST_SHOWN kinds, totals count all."""

    shape: str
    conversations: int
    messages: int
    calls: int
    results: int
    taken: tuple[TakenConversation, ...] = ()
    left_out: tuple[ImportNote, ...] = ()
    left_out_count: int = 0
    warnings: tuple[ImportNote, ...] = ()
    warning_count: int = 0

    @property
    def is_plain(self) -> bool:
        """Returns True if everything was stored as it is in the file, and nothing is unusual."""
        changed = any(each.target != "metadata" for each in self.taken)
        return not (changed or self.left_out_count or self.warning_count)

    def as_json(self) -> dict[str, object]:
        return {
            "shape": self.shape,
            "conversations": self.conversations,
            "messages": self.messages,
            "calls": self.calls,
            "results": self.results,
            "taken": [each.as_json() for each in self.taken],
            "left_out": [each.as_json() for each in self.left_out],
            "left_out_count": self.left_out_count,
            "warnings": [each.as_json() for each in self.warnings],
            "warning_count": self.warning_count,
        }


class NoteTally:
    """Counts equal notes; records the first place of each kind."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], ImportNote] = {}
        self.total = 0

    def add(self, note: ImportNote) -> None:
        self.total += note.count
        note = replace(note, what=note.what[:_MOST_NAME])
        key = (note.what, note.why)
        known = self._kinds.get(key)
        if known is not None:
            self._kinds[key] = replace(known, count=known.count + note.count)
        elif len(self._kinds) < MOST_SHOWN:
            self._kinds[key] = note

    def notes(self) -> tuple[ImportNote, ...]:
        return tuple(self._kinds.values())


class TakenTally:
    """Counts what was stored as what."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, source: str, target: str, count: int = 1) -> None:
        key = (source[:_MOST_NAME], target)
        if key not in self._counts and len(self._counts) >= MOST_SHOWN:
            key = ("other fields", target)
        self._counts[key] = self._counts.get(key, 0) + count

    def taken(self) -> tuple[TakenConversation, ...]:
        return tuple(TakenConversation(*key, count) for key, count in self._counts.items())


def merge_reports(reports: Iterable[ImportReport]) -> tuple[ImportReport, ...]:
    """Returns one report for each shape, in the order of first occurrence."""
    by_shape: dict[str, list[ImportReport]] = {}
    for report in reports:
        by_shape.setdefault(report.shape, []).append(report)
    return tuple(_merged(shape, group) for shape, group in by_shape.items())


def _merged(shape: str, group: list[ImportReport]) -> ImportReport:
    taken, left_out, warnings = TakenTally(), NoteTally(), NoteTally()
    for report in group:
        for each in report.taken:
            taken.add(each.source, each.target, each.count)
        for note in report.left_out:
            left_out.add(note)
        for note in report.warnings:
            warnings.add(note)
    return ImportReport(
        shape=shape,
        conversations=sum(report.conversations for report in group),
        messages=sum(report.messages for report in group),
        calls=sum(report.calls for report in group),
        results=sum(report.results for report in group),
        taken=taken.taken(),
        left_out=left_out.notes(),
        left_out_count=sum(report.left_out_count for report in group),
        warnings=warnings.notes(),
        warning_count=sum(report.warning_count for report in group),
    )
