"""What an operation does to a view, with its warnings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from conversations.domain import runs as run_sets
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.configs import OperationConfig
from conversations.domain.log import Log, ToolLinks
from conversations.domain.message import CountsAs, Entry
from conversations.domain.pairing import (
    Split,
    Splits,
    find_splits,
    split_of,
    visible_members,
)
from conversations.domain.pointers import emptied_text
from conversations.domain.runs import Runs
from conversations.domain.view import View
from ctxadmin.lib.sentence import say

_SYSTEM: Final[frozenset[CountsAs]] = frozenset({"system"})

NoticeCode = Literal[
    "split_pair", "orphan_result", "tools_hidden", "system_hidden", "over_budget", "kept_pinned"
]

_SPLITS: Final[Mapping[Split, str]] = {
    "no_result": say("these calls lose a result, which most providers reject"),
    "no_call": say("these results lose their call, which most providers reject"),
    "apart": say("these results do not directly follow their call, which most providers reject"),
}

_KEEPS_SYSTEM: Final[Mapping[str, str]] = {
    "truncate": "keep_system",
    "clear": "keep_system_message",
    "budget": "keep_system",
    "summarize": "keep_system",
}

INCLUDE_PINNED: Final = "include_pinned"


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning of an operation, and the log indices that it concerns (ascending).

    ``split`` tells how the pairs of a ``split_pair`` are split; there is one for each way.
    """

    code: NoticeCode
    message: str
    indices: tuple[int, ...]
    split: Split | None = None

    def as_json(self) -> dict[str, object]:
        return {"code": self.code, "message": self.message, "indices": list(self.indices)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation does: nothing is changed until the caller commits it.

    ``entries`` are to be logged, in order, from the log's length on. ``added`` (newly logged),
    ``shown`` (came back) and ``hidden`` are ascending runs of log indices against the view before.
    ``emptied`` are visible results whose content is to be shown as ``placeholder``, and how many
    tokens that frees of each; with ``leaves_pointer`` it also names the message.
    """

    view: View
    entries: tuple[Entry, ...] = ()
    warnings: tuple[Notice, ...] = ()
    added: Runs = ()
    shown: Runs = ()
    hidden: Runs = ()
    emptied: tuple[tuple[int, int], ...] = ()
    placeholder: str = ""
    leaves_pointer: bool = False

    def emptied_text(self, index: int) -> str:
        """What an emptied result shows instead of its content."""
        return emptied_text(self.placeholder, index, leaves_pointer=self.leaves_pointer)


def find_system_messages(runs: Runs, log: Log) -> Runs:
    """The system messages that options keep; lines about hidden messages are none of them."""
    found = log.with_roles(_SYSTEM, runs)
    return run_sets.difference(found, run_sets.of_indices(sorted(log.pointers()))) if found else ()


def pinned_notices(kept: tuple[int, ...], *, can_be_included: bool = True) -> tuple[Notice, ...]:
    """Reports the pinned messages that would be hidden otherwise. Source: semantics 4.2.

    ``can_be_included``: the call has an option that would hide them.
    """
    if not kept:
        return ()
    message: str = say("pinned messages stay")
    if can_be_included:
        message = say(
            "{text}; {option} would treat them like all others", text=message, option=INCLUDE_PINNED
        )
    return (Notice("kept_pinned", message, kept),)


def with_over_notice(outcome: Outcome, tokens: int, budget: BudgetConfig) -> Outcome:
    """The outcome with a warning if its ``tokens`` are over the budget."""
    over = tokens - budget.max_tokens
    if over <= 0:
        return outcome
    message = say(
        "{tokens} tokens remain, {over} more than max_tokens: nothing else may be dropped",
        tokens=tokens,
        over=over,
    )
    notice = Notice("over_budget", message, ())
    return replace(outcome, warnings=(*outcome.warnings, notice))


def compare(before: View, after: View, log: Log) -> Outcome:
    """Compares two views without logging: for rollback, restore and batch."""
    return outcome_of(before, after, log, log.tool_descriptions(), ())


def outcome_of(
    before: View,
    after: View,
    links: ToolLinks,
    descriptions: Sequence[int],
    entries: tuple[Entry, ...],
    *,
    protects: bool = False,
    splits: Splits | None = None,
) -> Outcome:
    """Builds the outcome; ``splits`` are those of ``after`` if they are known already."""
    was, now = before.indices_as_runs(), after.indices_as_runs()
    added = ((entries[0].index, entries[-1].index + 1),) if entries else ()
    shown = run_sets.difference(now, was)
    gone = tuple(index for index in descriptions if index in before and index not in after)
    return Outcome(
        view=after,
        entries=entries,
        warnings=(
            *_pair_notices(after, splits or find_splits(after, links)),
            *_tools_notices(gone, protects=protects),
        ),
        added=added,
        shown=run_sets.difference(shown, added),
        hidden=run_sets.difference(was, now),
    )


def _pair_notices(view: View, splits: Splits) -> list[Notice]:
    notices: list[Notice] = []
    for split, message in _SPLITS.items() if splits.groups else ():
        groups = [group for group in splits.groups if split_of(group, view) == split]
        if groups:
            indices = visible_members(groups, view)
            notices.append(Notice("split_pair", message, indices, split))
    if splits.orphans:
        message = say("these tool results belong to no call")
        notices.append(Notice("orphan_result", message, tuple(run_sets.indices(splits.orphans))))
    return notices


def _tools_notices(gone: tuple[int, ...], *, protects: bool) -> list[Notice]:
    """Warns of hidden tool descriptions; recommends ``protect_tools`` if the call has it."""
    if not gone:
        return []
    message: str = say("a tool description is hidden now")
    if protects:
        message = say("{text}; {option} would keep it", text=message, option="protect_tools")
    return [Notice("tools_hidden", message, gone)]


def system_notices(config: OperationConfig, hidden: Runs, log: Log) -> list[Notice]:
    """Warns of hidden system messages, except one that is replaced.

    Descriptions of the tools have a notice of their own. Source: semantics 1.6.
    """
    if config.operation == "replace" or not hidden:
        return []
    found = find_system_messages(hidden, log)
    if found:
        found = run_sets.difference(found, run_sets.of_indices(log.tool_descriptions()))
    if not found:
        return []
    message: str = say("a system message is hidden now")
    if option := _KEEPS_SYSTEM.get(config.operation):
        message = say("{text}; {option} would keep it", text=message, option=option)
    return [Notice("system_hidden", message, tuple(run_sets.indices(found)))]
