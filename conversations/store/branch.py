"""The branch of a revision: itself and its ancestors, as ranges of numbers."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from conversations.domain import runs as run_sets
from conversations.domain.runs import Run, Runs
from conversations.models import Revision
from conversations.store.damage import ALTERED, MISSING, damaged

_FIRST_BLOCK: Final = 8  # lines read at once; most questions are about the latest
_MOST: Final = 512


@dataclass(frozen=True, slots=True)
class _Line:
    """The part of a line that belongs to a branch: revisions ``[start, stop)``.

    ``batch`` is the batch of its first revision, ``origin`` the revision that was opened from,
    ``branched_at`` how much of that counts. ``limit`` is how much of its own last revision counts.
    """

    start: int
    stop: int
    batch: int
    origin: int | None
    branched_at: int | None
    limit: int | None


class Branch:
    """A revision and all its ancestors, read from SQL as far back as needed.

    Most revisions are opened from the one numbered before them. Such unbroken *lines* divide the
    numbers of a conversation into ranges, and a branch is the lower part of some lines. Its cost is
    therefore that of the rollbacks that were continued, not of the revisions.
    """

    def __init__(self, conversation: int, revision: int) -> None:
        self.conversation = conversation
        self.revision = revision
        self._lines: list[_Line] = []  # from the latest down
        self._below: int | None = revision  # where the next line of the branch ends
        self._limit: int | None = None  # how far that revision counts
        self._block = _FIRST_BLOCK

    def includes(self, revision: int, index: int) -> bool:
        """Returns True if the message at a log index, logged into a revision, is of the branch.

        Those of an ancestor are, up to where the next one branched off (``branched_at``).
        """
        if revision >= self.revision:
            return revision == self.revision
        while self._below is not None and not (self._lines and self._lines[-1].start <= revision):
            self._read()
        place = bisect_left(self._lines, -revision, key=lambda line: -line.start)
        if place == len(self._lines) or revision >= self._lines[place].stop:
            return False
        line = self._lines[place]
        return line.limit is None or index < line.limit or revision < line.stop - 1

    def ranges(self) -> Iterator[Run]:
        """Yields the numbers as runs, from the latest to the root's."""
        for line in self._all_lines():
            yield line.start, line.stop

    def end_of_batch(self, batch: int) -> Revision | None:
        """Returns the latest revision of the branch in a batch, without its view.

        None without one.
        """
        for line in self._all_lines() if batch >= 0 else ():
            # From a revision to the one opened from it, the batch stays or rises by one.
            if line.batch <= batch:
                rows = Revision.objects.filter(
                    conversation=self.conversation,
                    batch=batch,
                    number__gte=line.start,
                    number__lt=line.stop,
                )
                return rows.defer("opened", "grown").order_by("-number").first()
        return None

    def _all_lines(self) -> Iterator[_Line]:
        for place in count():
            if place == len(self._lines):
                if self._below is None:
                    return
                self._read()
            yield self._lines[place]

    def _read(self) -> None:
        """Reads lines backward; others lie between those of the branch."""
        starts = Revision.objects.filter(
            conversation=self.conversation, starts_line=True, number__lte=self._below
        ).order_by("-number")
        columns = ("number", "batch", "parent", "branched_at")
        block = list(starts.values_list(*columns)[: self._block])
        self._block = min(4 * self._block, _MOST)
        if not block:
            raise damaged(self.conversation, "revision", self._below or 0, MISSING)
        for start, batch, origin, branched_at in block:
            if self._below is not None and start <= self._below:
                stop = self._below + 1
                if (origin is None) != (start == 0) or not -1 < (origin or 0) < max(start, 1):
                    raise damaged(self.conversation, "revision", start, ALTERED)
                self._lines.append(_Line(start, stop, batch, origin, branched_at, self._limit))
                self._below, self._limit = origin, branched_at


def split_at_fork(one: Branch, other: Branch) -> tuple[int, Runs]:
    """Returns the last common revision, and the later numbers of each branch as ascending runs."""
    ours, theirs = one.ranges(), other.ranges()
    here, there = next(ours), next(theirs)
    path: list[Run] = []
    while max(here[0], there[0]) >= min(here[1], there[1]):
        if here[0] > there[0]:
            path.append(here)
            here = next(ours)
        else:
            path.append(there)
            there = next(theirs)
    shared = min(here[1], there[1]) - 1
    return shared, run_sets.union([*path, (shared, here[1]), (shared, there[1])])
