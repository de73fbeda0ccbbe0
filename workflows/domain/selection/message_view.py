"""Narrows the visible messages by their roles and by operations, as a view."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from conversations.domain import operations
from conversations.domain import runs as run_sets
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.configs import OperationConfig
from conversations.domain.message import CountsAs, Entry
from conversations.domain.operations import Outcome
from conversations.domain.pins import keep_pinned
from conversations.domain.recall import recall_line
from conversations.domain.runs import Runs
from conversations.domain.view import View
from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.sentence import say
from ctxadmin.lib.work_budget import spend
from workflows.domain.context.explain import Decision, Label, StepNotice, Verdict, final_decisions
from workflows.domain.context.overlay_log import OverlayLog
from workflows.domain.context.prompt_context import Messages
from workflows.domain.context.transforms import empty_text
from workflows.domain.selection.operation_summary import operation_summary
from workflows.domain.selection.patterns import matcher
from workflows.domain.selection.sections import ItemChange, Selection

_PINNED: Final = say("pinned")
ROLES: Final[tuple[CountsAs, ...]] = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class PlacedOperation:
    """An operation of a filter and its place in the input, for its errors."""

    config: OperationConfig
    pointer: str
    words: str
    cost_words: str

    @classmethod
    def of(cls, config: OperationConfig, index: int, pointer: str) -> Self:
        """Returns the operation ``index`` of a filter's list at ``pointer``."""
        words = say("operation {n} ({name})", n=index, name=config.operation)
        return cls(config, pointer, words, f"{words} on messages")


def role_fault(pattern: str) -> str | None:
    """Returns why a pattern of a rule on messages can match none, or None; it matches roles."""
    if any(matcher(pattern)(role) for role in ROLES):
        return None
    if pattern == "developer":
        return say("messages of a developer count as system: name that role")
    text = say("a rule on messages matches roles: {roles}", roles=", ".join(ROLES))
    return did_you_mean(text, pattern, ROLES)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The messages after roles or operations, and why."""

    messages: Messages
    decisions: tuple[Decision, ...] = ()
    warnings: tuple[StepNotice, ...] = ()


def filter_messages(
    messages: Messages,
    selection: Selection,
    placed: Sequence[PlacedOperation],
    step: Label,
    explain: bool,
    *,
    with_notices: bool = True,
    leave_pointer: bool = False,
) -> Narrowed:
    """The messages whose roles are kept, then the operations in their order.

    With ``leave_pointer`` a line names those whose roles are not. ``with_notices`` False leaves out
    the warnings of the operations. No batch is opened and nothing is logged (semantics 2.1). Raises
    what the operations raise, with pointers to them.
    """
    narrowed = _by_roles(messages, selection, step, explain)
    if leave_pointer:
        narrowed = _with_line_of_roles(narrowed, messages, step, explain)
    decisions, warnings = [narrowed.decisions], list(narrowed.warnings)
    for operation in placed:
        spend(len(narrowed.messages.view), operation.cost_words)
        narrowed = _by_operation(
            narrowed.messages, operation, step, explain, with_notices or explain
        )
        decisions.append(narrowed.decisions)
        warnings.extend(narrowed.warnings)
    final = final_decisions(decisions) if explain else ()
    return Narrowed(narrowed.messages, final, tuple(warnings))


def _by_roles(messages: Messages, selection: Selection, step: Label, explain: bool) -> Narrowed:
    """Filters by role, at the cost of one index lookup per role."""
    if selection.is_trivial and not explain:
        return Narrowed(messages)
    kept = frozenset(role for role in ROLES if selection.keeps(role))
    before = after = messages.view
    pinned: tuple[int, ...] = ()
    if not kept:
        after = View()
    elif len(kept) < len(ROLES):
        after = before.within(messages.log.with_roles(kept, before.indices_as_runs()))
        after, pinned = keep_pinned(after, before, messages.log)
    changes = {role: selection.changes_of(role) for role in ROLES if role in kept}
    narrowed = _with_rewrites(messages.with_view(after), changes)
    warnings = _role_warnings(messages, after, kept, step) if after is not before else ()
    warnings += label_warnings(operations.pinned_notices(pinned, can_be_included=False), step)
    stays = after.indices_as_runs() if pinned else ()
    decisions = _role_decisions(messages, selection, changes, step, stays) if explain else ()
    return Narrowed(narrowed, tuple(decisions), warnings)


def _with_line_of_roles(
    narrowed: Narrowed, before: Messages, step: Label, explain: bool
) -> Narrowed:
    after = narrowed.messages
    hidden = run_sets.difference(before.view.indices_as_runs(), after.view.indices_as_runs())
    line = recall_line(hidden, before.view, after.view, before.log)
    if line is None:
        return narrowed
    index = line.entry.index
    view = after.view.insert(line.position, View(((index, index + 1),)))
    decisions: tuple[Decision, ...] = ()
    if explain:
        reason = say("a line that names what the rules hide")
        decisions = (Decision("messages", "added", step, reason, index=index),)
    return replace(
        narrowed,
        messages=_with_entries(after.with_view(view), (line.entry,)),
        decisions=(*narrowed.decisions, *decisions),
    )


def _role_warnings(
    messages: Messages, after: View, kept: frozenset[CountsAs], step: Label
) -> tuple[StepNotice, ...]:
    """Returns what a change of roles splits or hides; searched only where that is possible."""
    half = ("assistant" in kept) != ("tool" in kept)
    if half or (kept and "system" not in kept and messages.log.tool_descriptions()):
        outcome = operations.compare(messages.view, after, messages.log)
        return label_warnings(outcome.warnings, step)
    return ()


def _with_rewrites(
    messages: Messages, changes: Mapping[CountsAs, Sequence[ItemChange]]
) -> Messages:
    rewrites = dict(messages.rewrites)
    visible = messages.view.indices_as_runs()
    for role, changes_of_role in changes.items():
        transforms = tuple(change.transform for change in changes_of_role if change.transform)
        if transforms:
            of_role = messages.log.with_roles(frozenset({role}), visible)
            for index in run_sets.indices(of_role):
                rewrites[index] = (*rewrites.get(index, ()), *transforms)
    return replace(messages, rewrites=rewrites) if rewrites else messages


def _role_decisions(
    messages: Messages,
    selection: Selection,
    changes: Mapping[CountsAs, Sequence[ItemChange]],
    step: Label,
    stays: Runs,
) -> Iterator[Decision]:
    """Returns one decision for each visible message; those of one role differ in the index only.

    ``stays`` are all that remain if pins keep some of them.
    """
    visible = messages.view.indices_as_runs()
    by_index: dict[int, Decision] = {}
    for role in ROLES:
        judgement = selection.decide(role)
        verdict: Verdict = "kept" if judgement.kept else "dropped"
        reason, clause = judgement.reason, judgement.clause
        if applied := changes.get(role):
            verdict, clause = "changed", applied[-1].clause
            reason = ", ".join(change.clause.words for change in applied)
        rule, number = (clause.rule, clause.filter) if clause else (None, None)
        reason = say("role {role}: {rest}", role=role, rest=reason)
        of_role = messages.log.with_roles(frozenset({role}), visible)
        for index in run_sets.indices(of_role):
            by_index[index] = Decision(
                "messages", verdict, step, reason, index=index, rule=rule, filter=number
            )
        if verdict == "dropped" and stays:
            for index in run_sets.indices(run_sets.intersection(of_role, stays)):
                by_index[index] = Decision("messages", "kept", step, _PINNED, index=index)
    for index in messages.view:
        yield by_index[index]


def _by_operation(
    messages: Messages, operation: PlacedOperation, step: Label, explain: bool, with_notices: bool
) -> Narrowed:
    if operation.config.budget is not None:
        return _by_budget(messages, operation, operation.config.budget, step, explain, with_notices)
    try:
        outcome = operations.apply(
            operation.config, messages.view, messages.log, with_notices=with_notices
        )
    except ContextError as error:
        error.problems = tuple(
            replace(problem, pointer=operation.pointer + problem.pointer)
            for problem in error.problems
        )
        raise
    narrowed = _with_entries(messages.with_view(outcome.view), outcome.entries)
    decisions = tuple(_operation_decisions(outcome, operation, step)) if explain else ()
    return Narrowed(narrowed, decisions, label_warnings(outcome.warnings, step))


def _with_entries(messages: Messages, entries: Sequence[Entry]) -> Messages:
    """The messages with those that were put in behind their log."""
    if not entries:
        return messages
    return replace(
        messages,
        log=OverlayLog(messages.log, entries),
        inserted=(*messages.inserted, *entries),
    )


def _by_budget(
    messages: Messages,
    operation: PlacedOperation,
    budget: BudgetConfig,
    step: Label,
    explain: bool,
    with_notices: bool,
) -> Narrowed:
    """Applies a budget; results are emptied for the node alone, and nothing is logged."""
    outcome = operations.apply_budget(
        operation.config,
        budget,
        messages.view,
        messages.log,
        freed=messages.freed(),
        with_notices=with_notices,
    )
    narrowed = _with_entries(messages.with_view(outcome.view), outcome.entries)
    if outcome.emptied:
        rewrites = dict(messages.rewrites)
        for index, freed in outcome.emptied:
            change = empty_text(outcome.emptied_text(index), freed)
            rewrites[index] = (*rewrites.get(index, ()), change)
        narrowed = replace(narrowed, rewrites=rewrites)
    decisions = tuple(_operation_decisions(outcome, operation, step)) if explain else ()
    return Narrowed(narrowed, decisions, label_warnings(outcome.warnings, step))


def _operation_decisions(
    outcome: Outcome, operation: PlacedOperation, step: Label
) -> Iterator[Decision]:
    for index in run_sets.indices(outcome.hidden):
        yield Decision(
            "messages",
            "dropped",
            step,
            say("hidden by “{operation}”", operation=operation_summary(operation.config)),
            index=index,
        )
    for index, _ in outcome.emptied:
        yield Decision(
            "messages",
            "changed",
            step,
            say("emptied by “{operation}”", operation=operation_summary(operation.config)),
            index=index,
        )
    for index in run_sets.indices(outcome.shown):
        yield Decision(
            "messages",
            "added",
            step,
            say("shown again by “{operation}”", operation=operation_summary(operation.config)),
            index=index,
        )
    for index in run_sets.indices(outcome.added):
        yield Decision(
            "messages",
            "added",
            step,
            say("added by “{operation}”", operation=operation_summary(operation.config)),
            index=index,
        )


def label_warnings(warnings: Iterable[operations.Notice], step: Label) -> tuple[StepNotice, ...]:
    """Returns the warnings of an operation as those of a step."""
    return tuple(
        StepNotice(warning.code, warning.message, warning.indices, step) for warning in warnings
    )
