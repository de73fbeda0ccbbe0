"""The operations as pure functions from a view to a view."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from conversations.domain import runs as run_sets
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.budgets.fold import Fold
from conversations.domain.budgets.incremental_fold import NOTHING, fold_of
from conversations.domain.budgets.stand_ins import make_stand_ins
from conversations.domain.configs import OperationConfig
from conversations.domain.log import Log
from conversations.domain.message import MessageDraft
from conversations.domain.outcomes import (
    INCLUDE_PINNED,
    Notice,
    Outcome,
    compare,
    outcome_of,
    pinned_notices,
    system_notices,
    with_over_notice,
)
from conversations.domain.pairing import (
    drop_splits,
    find_splits,
    keep_pairs,
    placement,
    splits_within,
)
from conversations.domain.pins import keep_pinned, pins_before, with_calls
from conversations.domain.pointers import LINE_TOKENS
from conversations.domain.recall import line_draft, recall_line
from conversations.domain.replaced_calls import with_calls_paired
from conversations.domain.runs import Runs
from conversations.domain.tokens import tokens_of_message
from conversations.domain.view import View
from conversations.domain.view_steps import ViewStep, apply_operation, span_of, truncate
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say

__all__ = [
    "Notice",
    "Outcome",
    "TokensOf",
    "apply",
    "apply_budget",
    "cached_prefix_lost",
    "compare",
    "pinned_notices",
    "tokens_of",
    "truncate",
]

_PROTECTING: Final = ("truncate", "filter", "budget")
_RUNS_KEPT: Final = 8  # of a line that is kept with its fold

TokensOf = Callable[[int, int], int]


def apply(config: OperationConfig, view: View, log: Log, *, with_notices: bool = True) -> Outcome:
    """What ``config`` makes of ``view``. Source: semantics 1.6-1.12, 4.1 and 4.6.

    ``with_notices`` False leaves out the warnings and what was added, shown and hidden.

    Raises OutOfRange (positions), TooLarge, ValidationFailed or Duplicate (messages), with
    pointers into the config.
    """
    if config.budget is not None:
        return _emptied_in_log(apply_budget(config, config.budget, view, log), view, log)
    step, notices = _with_pins(config, apply_operation(config, view, log), view, log)
    step = with_calls_paired(step, config.pairing, log)
    placed = placement(step.drafts, log, step.pointers, instead_of=step.instead_of, view=step.view)
    after = step.view
    if config.pairing == "drop":
        after = drop_splits(after, placed.links)
    elif config.pairing == "keep" and config.operation not in ("insert", "replace"):
        after = keep_pairs(after, placed.links)
    if not with_notices and not config.leave_pointer:
        return Outcome(after, placed.entries)
    replaced = any(draft.tool_description for draft in step.drafts)
    descriptions = () if replaced or config.operation == "clear" else log.tool_descriptions()
    protects = config.operation in _PROTECTING
    outcome = outcome_of(view, after, placed.links, descriptions, placed.entries, protects=protects)
    hides = system_notices(config, outcome.hidden, log)
    outcome = replace(outcome, warnings=(*outcome.warnings, *hides, *notices))
    return with_line(outcome, outcome.hidden, view, log) if config.leave_pointer else outcome


def with_line(
    outcome: Outcome,
    hidden: Runs,
    before: View,
    log: Log,
    draw: Callable[[Runs, Log], MessageDraft] | None = None,
) -> Outcome:
    """The outcome with a line that names what was ``hidden``, unless there is nothing to recall.

    ``draw`` as in ``recall_line``. Source: semantics 4.6.
    """
    line = recall_line(hidden, before, outcome.view, log, outcome.entries, draw)
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
    config: OperationConfig, step: ViewStep, view: View, log: Log
) -> tuple[ViewStep, tuple[Notice, ...]]:
    """Returns the step with the pinned messages that it would hide, each in its place.

    A message to replace is named by its position: a pinned one is refused.
    """
    if config.include_pinned or config.operation == "insert":
        return step, ()
    if config.summarize is not None:
        span = span_of(config.summarize, view, log)
        return step, pinned_notices(tuple(each for each in log.pins() if each in span))
    if step.instead_of is not None:
        if step.instead_of in log.pins():
            raise _is_pinned(step.instead_of)
        return step, ()
    after, kept = keep_pinned(step.view, view, log)
    return replace(step, view=after), pinned_notices(kept)


def _is_pinned(index: int) -> ValidationFailed:
    message = say(
        "message {n} is pinned; {option} would replace it", n=index, option=INCLUDE_PINNED
    )
    return ValidationFailed(message, problems=[FieldProblem("/replace/index", message)])


def apply_budget(
    config: OperationConfig,
    budget: BudgetConfig,
    view: View,
    log: Log,
    *,
    protected: frozenset[int] = frozenset(),
    freed: Mapping[int, int] = NOTHING,
    with_notices: bool = True,
) -> Outcome:
    """What a budget makes of ``view``, with results to be emptied by whoever shows them.

    ``with_notices`` as in ``apply``; ``protected`` and ``freed`` as in ``fold_of``. Pairs are
    treated before the fold, which splits none, so that what they bring back is counted.
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
    if not with_notices and not leaves:
        return Outcome(after, emptied=fold.emptied, placeholder=budget.placeholder)
    outcome = outcome_of(
        view, after, log, descriptions, (), protects=True, splits=splits_within(splits, after)
    )
    hides = () if budget.keep_system else system_notices(config, outcome.hidden, log)
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
        return with_over_notice(outcome, fold.tokens, budget)
    gone = _in_front_of(fold.cut, pairs, view, outcome.hidden)
    outcome = with_line(outcome, gone, view, log, partial(_line_of, fold))
    line = sum(tokens_of_message(entry.draft) for entry in outcome.entries)
    return with_over_notice(outcome, fold.tokens - LINE_TOKENS + line, budget)


def _line_of(fold: Fold, covered: Runs, log: Log) -> MessageDraft:
    """The line of a fold, drawn once for what its cut hides."""
    if fold.line is not None and fold.line[0] == covered:
        return fold.line[1]
    draft = line_draft(covered, log)
    if len(covered) <= _RUNS_KEPT:
        fold.line = (covered, draft)
    return draft


def _in_front_of(cut: int, pairs: View, before: View, hidden: Runs) -> Runs:
    """What is hidden in front of a cut: what comes behind it may change until the next one."""
    places = (before.position_of(index) for index in pairs.slice(cut, len(pairs)))
    first = next((place for place in places if place is not None), len(before))
    return run_sets.intersection(hidden, before.slice(0, first).indices_as_runs())


def _emptied_in_log(outcome: Outcome, before: View, log: Log) -> Outcome:
    """Returns the outcome with new messages in place of results that are to be emptied."""
    if not outcome.emptied:
        return outcome
    texts = {index: outcome.emptied_text(index) for index, _ in outcome.emptied}
    placed = make_stand_ins(texts, log)
    new = {index: entry.index for index, entry in placed.entries.items()}
    after = View.of_indices(new.get(index, index) for index in outcome.view)
    entries = tuple(placed.entries.values())
    descriptions = log.tool_descriptions()
    whole = outcome_of(before, after, placed.links, descriptions, entries, protects=True)
    notices = [
        notice
        for notice in outcome.warnings
        if notice.code in ("system_hidden", "over_budget", "kept_pinned")
    ]
    return replace(whole, warnings=(*whole.warnings, *notices))


def tokens_of(view: View, tokens: TokensOf) -> int:
    """Returns the tokens of a view; ``tokens(start, stop)`` sums a run of log indices."""
    return sum(tokens(start, stop) for start, stop in view.runs)


def tokens_before(view: View, count: int, tokens: TokensOf) -> int:
    """The tokens of the first ``count`` messages of a view."""
    total = 0
    for start, stop in view.runs:
        if count <= 0:
            break
        end = min(stop, start + count)
        total += tokens(start, end)
        count -= end - start
    return total


def cached_prefix_lost(before: View, after: View, tokens: TokensOf) -> int:
    """Returns the tokens of ``before`` after the common prefix, which are no longer cached."""
    common = before.common_prefix_length(after)
    return tokens_of(before.slice(common, len(before)), tokens)
