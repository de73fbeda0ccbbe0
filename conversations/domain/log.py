"""The interface of a message log, as operations read it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from conversations.domain.budgets.fold import FoldStore, Weight
from conversations.domain.message import CountsAs
from conversations.domain.origin import Origin
from conversations.domain.runs import Runs


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """An assistant message with calls, and the results in the log that answer it.

    ``call`` and ``results`` are log indices, results ascending, one per answered call: of several
    results of one call (after a rollback) the one of the view's own branch; the others are in
    ``surplus``. ``unanswered`` counts its calls that have no result in the log. ``pending``: some
    are unanswered, and only tool messages follow it on the branch.
    """

    call: int
    results: tuple[int, ...]
    unanswered: int = 0
    pending: bool = False
    surplus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that a new result can answer, ``index`` being its assistant message.

    On the branch: it has no result on the branch, though possibly one elsewhere
    (``result_elsewhere``), which the new one then supersedes. Off the branch: it has none at all.
    """

    call_id: str
    index: int
    on_branch: bool
    result_elsewhere: int | None = None


class ToolLinks(Protocol):
    """The calls and results of a log, as seen from one branch."""

    def tool_groups(self, cuts: Sequence[int]) -> Iterable[ToolGroup]:
        """Returns the groups that may be split in a view whose runs start and stop at ``cuts``.

        At least every group with ``call < cut <= last result`` for one of the ascending cuts, and
        every group that is not whole in the log itself (others are between call and results, a call
        is unanswered, or there is a surplus). Each once; additional groups only cost time.
        """

    def orphans(self, runs: Runs) -> Runs:
        """Returns the tool messages within ascending ``runs`` that answer no call of the log,
        ascending.
        """


class Log(ToolLinks, Protocol):
    """A message log as seen from one branch: that of the view that an operation works on.

    The branch of a revision are the messages that were logged into it or into an ancestor.
    """

    def __len__(self) -> int:
        """Returns the number of messages, which is the next log index."""

    def with_roles(self, roles: frozenset[CountsAs], runs: Runs) -> Runs:
        """Returns those of the ascending ``runs`` whose role counts as one of ``roles``,
        ascending.
        """

    def texts(self, runs: Runs) -> Iterable[tuple[int, str]]:
        """Yields ``(log index, text)`` of the messages of ascending ``runs``, ascending."""

    def weights(self, runs: Runs) -> Iterable[Weight]:
        """Yields the weights of the messages of ascending ``runs``, ascending; reads no bodies."""

    def origins(self, runs: Runs) -> Iterable[Origin]:
        """Yields the origins of the messages of ascending ``runs``, ascending; reads no bodies."""

    def commented_indices(self) -> Sequence[int]:
        """Returns the log indices of all messages with a comment, ascending."""

    def bodies(self, runs: Runs) -> Iterable[tuple[int, bytes]]:
        """Yields ``(log index, stored JSON)`` of the messages of ascending ``runs``, ascending."""

    def folds(self) -> FoldStore | None:
        """Returns the cache of folds over this log; None if they are computed each time."""

    def tool_descriptions(self) -> Sequence[int]:
        """Returns the log indices of all messages with ``tool_description: true``, ascending."""

    def pins(self) -> Sequence[int]:
        """Returns the log indices of all pinned messages, ascending."""

    def pointers(self) -> Mapping[int, Runs]:
        """The lines about hidden messages by their log index, with what each of them names."""

    def own_ids(self, indices: Collection[int]) -> Mapping[int, str]:
        """The ids that callers chose for some messages, by log index; not those by default."""

    def logged_count(self) -> int:
        """How many messages are in a log; those behind them exist in one view only."""

    def tools(self) -> str | None:
        """Returns the tools text of the conversation, None or "" without one."""

    def open_calls(
        self, call_ids: Collection[str], instead_of: int | None = None
    ) -> Iterable[OpenCall]:
        """Returns the calls with one of these ids that a new result can answer, in any order.

        A result at ``instead_of`` counts as removed: its call is open, with it as
        ``result_elsewhere``.
        """

    def taken_ids(self, message_ids: Collection[str]) -> Collection[str]:
        """Returns which of these message ids are in the log already."""
