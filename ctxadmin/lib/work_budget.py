"""The work that one request can do, counted where it is done."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time
from typing import Final

from ctxadmin.lib.caller_presence import current_presence
from ctxadmin.lib.errors import FieldProblem, TooLarge

UNIT_SECONDS: Final = 1e-7
_TIMES: Final = 3
_LEAST_SECONDS: Final = 1.0


class WorkBudget:
    """Units of work, about 0.1 microseconds each, up to ``limit``.

    Some texts cost many times their units, so processor time is bounded, too, by three times what
    all units should take.

    A unit is one comparison of a name with a part of a pattern; what costs more counts as several.
    Work ends when the caller disconnects.
    """

    __slots__ = ("_ends_at", "_presence", "limit", "spent")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0
        seconds = max(_TIMES * limit * UNIT_SECONDS, _LEAST_SECONDS)
        self._ends_at = thread_time() + seconds
        self._presence = current_presence()

    def spend(self, units: int, what: str) -> None:
        """Counts ``units`` before the work; raises TooLarge, naming ``what`` is too much.

        Raises CallerGone if nobody waits for the result.
        """
        if self._presence is not None:
            self._presence.require()
        self.spent += units
        if self.spent > self.limit or thread_time() > self._ends_at:
            message = (
                f"{what[:1].upper()}{what[1:]} takes more work than the {self.limit} units that"
                " one call may ask for; send less at once."
            )
            raise TooLarge(
                message, limit=self.limit, problems=[FieldProblem("", message, "too_large")]
            )


_current: Final[ContextVar[WorkBudget | None]] = ContextVar("work_budget", default=None)


@contextmanager
def limit_work(limit: int) -> Iterator[WorkBudget]:
    """Bounds the block to ``limit`` units; within another such block, to what that has left."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    budget = WorkBudget(limit)
    token = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(token)


def spend(units: int, what: str) -> None:
    """Draws on the budget of this request; free where none was set."""
    budget = _current.get()
    if budget is not None:
        budget.spend(units, what)
