"""The operations as pure functions from a view to a view."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from conversations.domain import runs as run_sets
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.budgets.incremental_fold import NOTHING, fold_of
from conversations.domain.budgets.stand_ins import stand_ins
from conversations.domain.configs import (
    ClearConfig,
    FilterConfig,
    InsertConfig,
    OperationConfig,
    ReplaceConfig,
    SummarizeConfig,
    TruncateConfig,
)
from conversations.domain.keywords import Keywords
from conversations.domain.log import Log, ToolLinks
from conversations.domain.message import CountsAs, Draft, Entry, tools_message
from conversations.domain.origin import of_origin, older_than
from conversations.domain.pairing import (
    Split,
    Splits,
    drop_splits,
    find_splits,
    how_split,
    keep_pairs,
    placement,
    splits_within,
    visible_members,
)
from conversations.domain.pins import keep_pinned, pins_before, stays_with_pins, with_calls
from conversations.domain.pointers import LINE_TOKENS, emptied_text
from conversations.domain.recall import line_for
from conversations.domain.runs import Runs
from conversations.domain.tokens import tokens_of_message
from conversations.domain.view import View
from ctxadmin.lib.errors import FieldProblem, OutOfRange, ValidationFailed
from ctxadmin.lib.sentence import say

_PROTECTING: Final = ("truncate", "filter", "budget")
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
_OPTION: Final = "include_pinned"
TokensOf = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning of an operation: what is odd, at which log indices (ascending).

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


@dataclass(frozen=True, slots=True)
class _Step:
    """A view that may show drafts, which count as logged from the log's length on.

    ``instead_of`` is the log index whose place the one draft takes.
    """

    view: View
    drafts: tuple[Draft, ...] = ()
    pointers: tuple[str, ...] = ()
    instead_of: int | None = None


def apply(config: OperationConfig, view: View, log: Log) -> Outcome:
    """What ``config`` makes of ``view``. Source: semantics 1.6-1.12, 4.1 and 4.6.

    Raises OutOfRange (positions), TooLarge, ValidationFailed or Duplicate (messages), with
    pointers into the config.
    """
    if config.budget is not None:
        return _emptied_in_log(budgeted(config, config.budget, view, log), view, log)
    step, told = _with_pins(config, _operate(config, view, log), view, log)
    placed = placement(step.drafts, log, step.pointers, instead_of=step.instead_of, view=step.view)
    after = step.view
    if config.pairing == "drop":
        after = drop_splits(after, placed.links)
    elif config.pairing == "keep" and config.operation not in ("insert", "replace"):
        after = keep_pairs(after, placed.links)
    replaced = any(draft.tool_description for draft in step.drafts)
    descriptions = () if replaced or config.operation == "clear" else log.tool_descriptions()
    protects = config.operation in _PROTECTING
    outcome = _outcome(view, after, placed.links, descriptions, placed.entries, protects=protects)
    hides = _system_notices(config, outcome.hidden, log)
    outcome = replace(outcome, warnings=(*outcome.warnings, *hides, *told))
    return with_line(outcome, outcome.hidden, view, log) if config.leave_pointer else outcome


def with_line(outcome: Outcome, hidden: Runs, before: View, log: Log) -> Outcome:
    """The outcome with a line that names what was ``hidden``, unless there is nothing to recall.

    Source: semantics 4.6.
    """
    line = line_for(hidden, before, outcome.view, log, outcome.entries)
    if line is None:
        return outcome
    shown = View(((line.entry.index, line.entry.index + 1),))
    entries = (*outcome.entries, line.entry)
    return replace(
        outcome,
        view=outcome.view.insert(line.position, shown),
        entries=entries,
        added=((entries[0].index, entries[-1].index + 1),),
    )


def _with_pins(
    config: OperationConfig, step: _Step, view: View, log: Log
) -> tuple[_Step, tuple[Notice, ...]]:
    """The step with the pinned messages that it would hide, each where it stood.

    A message that is replaced is named by its position: a pinned one is refused.
    """
    if config.include_pinned or config.operation == "insert":
        return step, ()
    if config.summarize is not None:
        span = _span_of(config.summarize, view, log)
        return step, pinned_notices(tuple(each for each in log.pins() if each in span))
    if step.instead_of is not None:
        if step.instead_of in log.pins():
            raise _is_pinned(step.instead_of)
        return step, ()
    after, kept = keep_pinned(step.view, view, log)
    return replace(step, view=after), pinned_notices(kept)


def _is_pinned(index: int) -> ValidationFailed:
    message = say("message {n} is pinned; {option} would replace it", n=index, option=_OPTION)
    return ValidationFailed(message, problems=[FieldProblem("/replace/index", message)])


def budgeted(
    config: OperationConfig,
    budget: BudgetConfig,
    view: View,
    log: Log,
    *,
    protected: frozenset[int] = frozenset(),
    freed: Mapping[int, int] = NOTHING,
) -> Outcome:
    """What a budget makes of ``view``, with results to be emptied by whoever shows them.

    ``protected`` and ``freed`` as in ``fold_of``. Pairs are treated before the fold, which splits
    none, so that what they bring back is counted.
    """
    pairs, splits = view, find_splits(view, log)
    if config.pairing != "warn" and (splits.groups or splits.orphans):
        pairs = (drop_splits if config.pairing == "drop" else keep_pairs)(view, log)
        splits = find_splits(pairs, log)
    descriptions = log.tool_descriptions()
    if config.protect_tools:
        protected |= frozenset(descriptions)
    pins = () if config.include_pinned else tuple(index for index in log.pins() if index in pairs)
    protected |= with_calls(pins, log)
    leaves = config.leave_pointer
    fold = fold_of(budget, pairs, log, protected=protected, freed=freed, leaves_pointer=leaves)
    after = fold.visible(pairs)
    outcome = _outcome(
        view, after, log, descriptions, (), protects=True, splits=splits_within(splits, after)
    )
    hides = () if budget.keep_system else _system_notices(config, outcome.hidden, log)
    outcome = replace(
        outcome,
        warnings=(
            *outcome.warnings,
            *hides,
            *pinned_notices(pins_before(fold.cut, pins, pairs)),
        ),
        emptied=fold.emptied,
        placeholder=budget.placeholder,
        leaves_pointer=leaves,
    )
    if not leaves or not fold.cut:
        return _with_over_notice(outcome, fold.tokens, budget)
    outcome = with_line(outcome, _in_front_of(fold.cut, pairs, view, outcome.hidden), view, log)
    line = sum(tokens_of_message(entry.draft) for entry in outcome.entries)
    return _with_over_notice(outcome, fold.tokens - LINE_TOKENS + line, budget)


def _in_front_of(cut: int, pairs: View, before: View, hidden: Runs) -> Runs:
    """What is hidden in front of a cut: what comes behind it may change until the next one."""
    places = (before.position_of(index) for index in pairs.slice(cut, len(pairs)))
    first = next((place for place in places if place is not None), len(before))
    return run_sets.intersection(hidden, before.slice(0, first).indices_as_runs())


def pinned_notices(kept: tuple[int, ...], *, can_be_included: bool = True) -> tuple[Notice, ...]:
    """Tells which pinned messages stay that would be hidden otherwise. Source: semantics 4.2.

    ``can_be_included``: the call has an option that would hide them.
    """
    message: str = say("pinned messages stay")
    if can_be_included:
        message = say(
            "{text}; {option} would treat them like all others", text=message, option=_OPTION
        )
    return (Notice("kept_pinned", message, kept),) if kept else ()


def _with_over_notice(outcome: Outcome, tokens: int, budget: BudgetConfig) -> Outcome:
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


def _emptied_in_log(outcome: Outcome, before: View, log: Log) -> Outcome:
    """The outcome with new messages in place of results that are to be emptied."""
    if not outcome.emptied:
        return outcome
    texts = {index: outcome.emptied_text(index) for index, _ in outcome.emptied}
    placed = stand_ins(texts, log)
    new = {index: entry.index for index, entry in placed.entries.items()}
    after = View.of_indices(new.get(index, index) for index in outcome.view)
    entries = tuple(placed.entries.values())
    descriptions = log.tool_descriptions()
    whole = _outcome(before, after, placed.links, descriptions, entries, protects=True)
    told = [
        notice
        for notice in outcome.warnings
        if notice.code in ("system_hidden", "over_budget", "kept_pinned")
    ]
    return replace(whole, warnings=(*whole.warnings, *told))


def compare(before: View, after: View, log: Log) -> Outcome:
    """The outcome of going from one view to another without logging: rollback, restore, batch."""
    return _outcome(before, after, log, log.tool_descriptions(), ())


def _outcome(
    before: View,
    after: View,
    links: ToolLinks,
    descriptions: Sequence[int],
    entries: tuple[Entry, ...],
    *,
    protects: bool = False,
    splits: Splits | None = None,
) -> Outcome:
    """``splits`` are those of ``after`` if they are known already."""
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
    for split, message in _SPLITS.items():
        groups = [group for group in splits.groups if how_split(group, view) == split]
        if groups:
            indices = visible_members(groups, view)
            notices.append(Notice("split_pair", message, indices, split))
    if splits.orphans:
        message = say("these tool results belong to no call")
        notices.append(Notice("orphan_result", message, tuple(run_sets.indices(splits.orphans))))
    return notices


def _tools_notices(gone: tuple[int, ...], *, protects: bool) -> list[Notice]:
    """``protects`` tells that the call has ``protect_tools``, which is then recommended."""
    message: str = say("a tool description is hidden now")
    if protects:
        message = say("{text}; {option} would keep it", text=message, option="protect_tools")
    return [Notice("tools_hidden", message, gone)] if gone else []


def _system_notices(config: OperationConfig, hidden: Runs, log: Log) -> list[Notice]:
    """Tells which system messages are hidden, but for one that is replaced.

    Descriptions of the tools have a notice of their own. Source: semantics 1.6.
    """
    if config.operation == "replace" or not hidden:
        return []
    found = _system_among(hidden, log)
    if found:
        found = run_sets.difference(found, run_sets.of_indices(log.tool_descriptions()))
    message: str = say("a system message is hidden now")
    if option := _KEEPS_SYSTEM.get(config.operation):
        message = say("{text}; {option} would keep it", text=message, option=option)
    return [Notice("system_hidden", message, tuple(run_sets.indices(found)))] if found else []


def _operate(config: OperationConfig, view: View, log: Log) -> _Step:
    if config.truncate:
        return _Step(_protected(_truncated(config.truncate, view, log), config, view, log))
    if config.filter:
        return _Step(_protected(_filtered(config.filter, view, log), config, view, log))
    if config.insert:
        return _inserted(config.insert, view, log)
    if config.replace:
        return _replaced(config.replace, view, log)
    if config.summarize:
        return _summarized(config.summarize, view, log, includes=config.include_pinned)
    return _cleared(config.clear or ClearConfig(), view, log)


def _protected(after: View, config: OperationConfig, before: View, log: Log) -> View:
    """With the tool descriptions that were visible before, each where it stood."""
    if not config.protect_tools:
        return after
    kept = [(index, index + 1) for index in log.tool_descriptions() if index in before]
    return before.within(run_sets.union((*after.runs, *kept)))


def _truncated(config: TruncateConfig, view: View, log: Log) -> View:
    """``truncated``, with the visible system messages if they are to be kept."""
    after = truncated(config, view)
    if not config.keep_system:
        return after
    system = _system_among(view.indices_as_runs(), log)
    return view.within(run_sets.union((*after.runs, *system)))


def _system_among(runs: Runs, log: Log) -> Runs:
    """The system messages that options keep; lines about hidden messages are none of them."""
    found = log.with_roles(_SYSTEM, runs)
    return run_sets.difference(found, run_sets.of_indices(sorted(log.pointers()))) if found else ()


def truncated(config: TruncateConfig, view: View) -> View:
    """The view cut by the options in their fixed order, whatever is said of system messages.

    Source: semantics 1.6.
    """
    head, tail = config.keep_first, config.keep_last
    if head is not None or tail is not None:
        first, last = view.slice(0, head or 0), len(view) - (tail or 0)
        view = first.concat(view.slice(max(last, len(first)), len(view)))
    if config.remove_first is not None:
        view = view.slice(config.remove_first, len(view))
    if config.remove_last is not None:
        view = view.slice(0, len(view) - config.remove_last)
    if config.range is not None:
        view = view.slice(config.range.start, config.range.end)
    if config.remove_ranges is not None:
        places = run_sets.union((each.start, each.end) for each in config.remove_ranges)
        stays = run_sets.difference(((0, len(view)),) if len(view) else (), places)
        view = View(run for start, stop in stays for run in view.slice(start, stop).runs)
    return view


def _filtered(config: FilterConfig, view: View, log: Log) -> View:
    kept = of_origin(config, view, log)
    if config.roles is not None:
        kept = log.with_roles(frozenset(config.roles), kept)
    contains, excludes = config.content_contains, config.content_excludes
    wanted = Keywords(contains) if contains else None
    unwanted = Keywords(excludes) if excludes else None
    if wanted or unwanted:
        kept = run_sets.of_indices(
            index
            for index, text in log.texts(kept)
            if (wanted is None or wanted(text)) and not (unwanted and unwanted(text))
        )
    return view.within(kept)


def _inserted(config: InsertConfig, view: View, log: Log) -> _Step:
    position = len(view) if config.position == -1 else config.position
    if position > len(view):
        raise _out_of_range("/insert/position", position, len(view))
    pointers = tuple(f"/insert/messages/{place}" for place in range(len(config.messages)))
    drafts = tuple(config.messages)
    first = len(log)
    after = view.insert(position, View(((first, first + len(drafts)),)))
    return _Step(after, drafts, pointers)


def _replaced(config: ReplaceConfig, view: View, log: Log) -> _Step:
    if config.index >= len(view):
        raise _out_of_range("/replace/index", config.index, len(view) - 1)
    pointer = "/replace/message"
    after = view.replace(config.index, len(log))
    replaced = view.index_at(config.index)
    return _Step(after, (config.message,), (pointer,), instead_of=replaced)


def _summarized(config: SummarizeConfig, view: View, log: Log, *, includes: bool) -> _Step:
    """The message in the place of the first that it stands for; what must stay is not covered."""
    span = _span_of(config, view, log)
    stays = run_sets.of_indices([] if includes else stays_with_pins(view, log))
    if config.keep_system:
        stays = run_sets.union((*stays, *_system_among(span.indices_as_runs(), log)))
    covered = span.without(stays)
    if not covered:
        place = "sources" if config.sources is not None else "range"
        place = "older_than" if config.older_than is not None else place
        message = say("there is no message to summarize")
        problem = FieldProblem(f"/summarize/{place}", message, "out_of_range")
        raise OutOfRange(message, problems=[problem])
    first = view.position_of(covered.index_at(0)) or 0
    rest = view.without(covered.indices_as_runs())
    after = rest.insert(first, View(((len(log), len(log) + 1),)))
    return _Step(after, (config.message,), ("/summarize/message",))


def _span_of(config: SummarizeConfig, view: View, log: Log) -> View:
    """What may be covered: of the span only the sources, if they are given."""
    span = view
    if config.range is not None:
        span = view.slice(config.range.start, config.range.end)
    elif config.older_than is not None:
        span = view.within(older_than(config.older_than, view, log))
    sources = config.source_runs
    if sources is None:
        return span
    if sources[-1][1] > log.logged():
        raise _out_of_range("/summarize/sources", sources[-1][1] - 1, log.logged() - 1)
    return span.within(sources)


def _out_of_range(pointer: str, position: int, most: int) -> OutOfRange:
    message = (
        say("position {position} is after the last one, {most}", position=position, most=most)
        if most >= 0
        else say("there is no visible message")
    )
    return OutOfRange(message, problems=[FieldProblem(pointer, message, "out_of_range")])


def _cleared(config: ClearConfig, view: View, log: Log) -> _Step:
    """The system messages or nothing, and exactly one tool description if there are tools."""
    kept: Runs = ()
    if config.keep_system_message:
        kept = _system_among(view.indices_as_runs(), log)
    descriptions = log.tool_descriptions()
    every = run_sets.of_indices(descriptions)
    kept = run_sets.difference(kept, every)
    shown = [
        (place, index) for index in descriptions if (place := view.position_of(index)) is not None
    ]
    if shown:
        last = max(shown)[1]
        return _Step(view.within(run_sets.union((*kept, (last, last + 1)))))
    after = view.within(kept)
    known = _logged_description(log, every)
    if known is not None:
        return _Step(after.appended(known, known + 1))
    text = log.tools()
    if not text:
        return _Step(after)
    return _Step(after.appended(len(log), len(log) + 1), (tools_message(text),), ("/clear",))


def _logged_description(log: Log, descriptions: Runs) -> int | None:
    """The last tool description of the log that says what the tools text says now."""
    text = log.tools()
    fitting = [index for index, said in log.texts(descriptions) if not text or said == text]
    return fitting[-1] if fitting else None


def tokens_of(view: View, tokens: TokensOf) -> int:
    """The tokens of a view; ``tokens(start, stop)`` sums a run of log indices."""
    return sum(tokens(start, stop) for start, stop in view.runs)


def cached_prefix_lost(before: View, after: View, tokens: TokensOf) -> int:
    """How many tokens of ``before`` stand behind the common prefix: no longer reusable."""
    common = before.common_prefix_length(after)
    return tokens_of(before.slice(common, len(before)), tokens)
