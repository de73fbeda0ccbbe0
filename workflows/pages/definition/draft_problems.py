"""The problems of a stored draft, cached by its content."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ctxadmin.lib.json_bytes import digest
from workflows.domain.checks import problems
from workflows.domain.checks.problems import Problem
from workflows.store.definitions import BoundedCache, definition


@dataclass(frozen=True, slots=True)
class DraftProblems:
    """The problems of a draft, errors first; ``counts`` are its errors and warnings."""

    problems: Sequence[Problem]
    counts: tuple[int, int]


# A list shows fifty workflows; the check of one of the usual size takes milliseconds.
_kept: Final = BoundedCache[DraftProblems](512, 16 * 1024**2)


def problems_of_draft(data: bytes) -> DraftProblems:
    """Returns the problems of the draft in stored bytes, which are the cache key."""

    def check() -> tuple[DraftProblems, int]:
        listed = problems.check(definition(data).document)
        by_severity = Counter(problem.severity for problem in listed)
        counts = (by_severity["error"], by_severity["warning"])
        return DraftProblems(listed, counts), 256 + sum(len(each.message) + 256 for each in listed)

    return _kept.get(digest(data), check)
