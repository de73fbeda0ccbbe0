"""The results of writes to a conversation, for answers and pages."""

from dataclasses import dataclass

from conversations.domain.message import Entry
from conversations.domain.operations import Notice
from conversations.domain.runs import Runs
from conversations.domain.view import View


@dataclass(frozen=True, slots=True)
class Appended:
    """The log indices of appended messages: ``first_index ... first_index + count - 1``."""

    first_index: int
    count: int
    batch: int
    revision: int

    def as_json(self) -> dict[str, object]:
        """Returns the answer of an append."""
        return {
            "first_index": self.first_index,
            "count": self.count,
            "batch": self.batch,
            "revision": self.revision,
        }


@dataclass(frozen=True, slots=True)
class Applied:
    """The effect of an operation, a batch, a rollback or a restore, or of its dry run.

    ``revision`` is None in a dry run; runs are of log indices, figures are tokens. ``view`` is the
    resulting view, ``target`` the number of its revision, also in a dry run; ``entries`` are the
    logged messages.
    """

    batch: int
    revision: int | None
    visible_count: int
    warnings: tuple[Notice, ...]
    added: Runs
    shown: Runs
    hidden: Runs
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int
    view: View
    target: int
    entries: tuple[Entry, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Returns the answer of every change of the view (rest.md, ``operations``)."""
        return {
            "batch": self.batch,
            "revision": self.revision,
            "visible_count": self.visible_count,
            "warnings": [warning.as_json() for warning in self.warnings],
            "added": self.added,
            "shown": self.shown,
            "hidden": self.hidden,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "cached_prefix_lost": self.cached_prefix_lost,
        }


@dataclass(frozen=True, slots=True)
class Popped:
    """The messages that a pop hid at the end of the view, in order, and its effect."""

    messages: View
    applied: Applied
