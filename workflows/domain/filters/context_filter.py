"""Context filters: rules on names and roles, and operations on the visible messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from conversations.domain.configs import OperationConfig, is_version_1, read_operation
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import Sentence, say
from workflows.domain.conditions.condition import Condition, compile_condition, condition_problem
from workflows.domain.conditions.figures import add_figures, figures_seen
from workflows.domain.context.explain import SECTIONS, Label, Section, Step, StepOutcome
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.context.transforms import Transform
from workflows.domain.filters.compiled_filter import CompiledFilter
from workflows.domain.processors.registries import Registries
from workflows.domain.selection.message_view import PlacedOperation, role_fault
from workflows.domain.selection.patterns import pattern_fault
from workflows.domain.selection.sections import Clause, ItemChange, Selection

# What the filters of a node may cost together, on a state of 10 MB that is made to be slow: 100
# patterns with four stars on 100,000 names take 10 s, 32 calls that look for 1 in an array of
# 5,000,000 times true as long.
MAX_RULES: Final = 100
MAX_TRANSFORMS: Final = 50
MAX_CALLS: Final = 32
MAX_OPERATIONS: Final = 32

Behavior = Literal["pass", "block"]
Target = Literal["variables", "history", "metadata", "messages"]
Operations = Annotated[tuple[OperationConfig, ...], Field(strict=False, max_length=MAX_OPERATIONS)]


class FilterRule(Contract):
    """One rule; without ``target`` it concerns variables (semantics 2.3).

    An include rule can have a ``transform`` too, which applies to what that rule matches.
    """

    type: Literal["include", "exclude", "transform"]
    pattern: str
    target: Target = "variables"
    transform: str | None = None
    condition: str | None = None


class ContextFilter(Contract):
    """A filter of a node; ``default_behavior`` None leaves it to the node's context type.

    ``messages`` are operations on what the rules leave visible; with ``leave_pointer`` a line
    names the messages that the rules hide. Source: semantics 2.1, 2.3, 4.6.
    """

    spellings: ClassVar[Mapping[str, str]] = {"filterRules": "rules", "filter_rules": "rules"}

    rules: Annotated[tuple[FilterRule, ...], Field(strict=False, max_length=MAX_RULES)] = ()
    default_behavior: Behavior | None = None
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    leave_pointer: bool = False
    messages: Operations = ()


def read_filter(data: object, pointer: str = "") -> ContextFilter:
    """Reads the filter in parsed JSON; raises ValidationFailed for a wrong shape only."""
    refuse_old_operations(data, pointer)
    return parse(ContextFilter, data, pointer)


def refuse_old_operations(data: object, pointer: str) -> None:
    """Raises ValidationFailed if an operation of a filter has the former shape (semantics 1.13)."""
    listed = data.get("messages") if isinstance(data, dict) else None
    for index, config in enumerate(listed if isinstance(listed, list) else ()):
        if is_version_1(config):
            read_operation(config, f"{pointer}/messages/{index}")  # raises


def filter_problems(
    context_filter: ContextFilter, registries: Registries, pointer: str = ""
) -> list[FieldProblem]:
    """Returns the problems of a filter's meaning: patterns, roles, conditions, transforms."""
    problems: list[FieldProblem] = []
    for index, rule in enumerate(context_filter.rules):
        problems.extend(_rule_problems(rule, registries, f"{pointer}/rules/{index}"))
    return problems or _cost_problems(context_filter.rules, f"{pointer}/rules")


def _cost_problems(rules: Sequence[FilterRule], pointer: str) -> list[FieldProblem]:
    """Returns the problems of too much work, for one filter or for all those of one node
    together.
    """
    conditions = [rule.condition for rule in rules if rule.condition is not None]
    counted = (
        (say("rules"), len(rules), MAX_RULES),
        (say("transforms"), sum(rule.transform is not None for rule in rules), MAX_TRANSFORMS),
        (say("method calls"), sum(compile_condition(text).calls for text in conditions), MAX_CALLS),
    )
    return [
        FieldProblem(
            pointer,
            say(
                "the filters of a node have at most {most} {what}, these {count}",
                most=most,
                what=what,
                count=count,
            ),
        )
        for what, count, most in counted
        if count > most
    ]


def _rule_problems(rule: FilterRule, registries: Registries, pointer: str) -> list[FieldProblem]:
    problems = [
        target_problem(rule.pattern, rule.target, pointer),
        _transform_problem(rule, registries, f"{pointer}/transform"),
    ]
    if rule.condition is not None:
        problems.append(condition_problem(rule.condition, f"{pointer}/condition"))
    return [problem for problem in problems if problem]


def target_problem(pattern: str, target: Target, pointer: str) -> FieldProblem | None:
    """Returns the problem of the ``pattern`` of a rule at ``pointer`` for ``target``."""
    fault = pattern_fault(pattern) or (role_fault(pattern) if target == "messages" else None)
    return FieldProblem(f"{pointer}/pattern", fault) if fault else None


def _transform_problem(
    rule: FilterRule, registries: Registries, pointer: str
) -> FieldProblem | None:
    if rule.transform is None:
        needed = rule.type == "transform"
        return FieldProblem(pointer, say("a transform rule names a transform")) if needed else None
    if rule.type == "exclude":
        return FieldProblem(pointer, say("an exclude rule leaves nothing to transform"))
    return registries.transforms.problem(rule.transform, pointer)


def merge(first: ContextFilter, second: ContextFilter) -> ContextFilter:
    """Merges two filters: joins rules and operations; the higher priority sets the default.

    On a tie the default is block, unless both pass. A missing default counts as pass. Associative,
    and commutative except for the order of rules. Source: semantics 2.10.
    """
    top = max(first.priority, second.priority)
    blocks = any(
        each.default_behavior == "block" for each in (first, second) if each.priority == top
    )
    return ContextFilter.model_construct(
        rules=(*first.rules, *second.rules),
        default_behavior="block" if blocks else "pass",
        priority=top,
        leave_pointer=first.leave_pointer or second.leave_pointer,
        messages=(*first.messages, *second.messages),
    )


def merge_all(filters: Sequence[ContextFilter]) -> ContextFilter:
    """Merges filters in order of priority, highest first (semantics 2.10)."""
    ordered = sorted(filters, key=lambda each: -each.priority)
    if not ordered:
        return ContextFilter(default_behavior="pass")
    merged = ordered[0]
    for each in ordered[1:]:
        merged = merge(merged, each)
    return merged


def depends_on_state(filters: Sequence[ContextFilter]) -> bool:
    """Returns True if variables or metadata can change what the filters keep.

    A condition decides for all sections: while no rule is active, the default applies to each.
    """
    return any(rule.condition is not None for each in filters for rule in each.rules)


def filter_step(
    filters: Sequence[ContextFilter],
    registries: Registries,
    *,
    default: Behavior = "pass",
    pointer: str = "",
    listed: bool | None = None,
) -> Step:
    """Returns a step that applies the merged filters of one node; ``default`` if none is given.

    The filters are at ``pointer``, followed by their index if they came as a list (``listed``;
    None: if there are several). Raises ValidationFailed with all their problems; running it raises
    what operations raise. Source: semantics 2.3, 2.4, 2.10.
    """
    problems = node_filter_problems(filters, registries, pointer, listed=listed)
    if problems:
        raise ValidationFailed(problems[0].message, problems=problems)
    return _compiled(filters, registries, default, _pointers(filters, pointer, listed))


def node_filter_problems(
    filters: Sequence[ContextFilter],
    registries: Registries,
    pointer: str = "",
    *,
    listed: bool | None = None,
) -> list[FieldProblem]:
    """Returns the problems of each filter of a node, or else of all of them together.

    Pointers as in ``filter_step``.
    """
    places = _pointers(filters, pointer, listed)
    problems = [
        problem
        for each, place in zip(filters, places, strict=True)
        for problem in filter_problems(each, registries, place)
    ]
    return problems or _cost_problems([rule for each in filters for rule in each.rules], pointer)


def _pointers(filters: Sequence[ContextFilter], pointer: str, listed: bool | None) -> Sequence[str]:
    several = len(filters) > 1 if listed is None else listed
    return [f"{pointer}/{index}" if several else pointer for index in range(len(filters))]


def _compiled(
    filters: Sequence[ContextFilter],
    registries: Registries,
    default: Behavior,
    pointers: Sequence[str],
) -> Step:
    order = sorted(range(len(filters)), key=lambda index: -filters[index].priority)
    several = len(filters) > 1
    rules = [
        _Rule.of(rule, index, number if several else None, registries)
        for number in order
        for index, rule in enumerate(filters[number].rules)
    ]
    operations = tuple(
        PlacedOperation.of(config, index, f"{pointers[number]}/messages/{index}")
        for number in order
        for index, config in enumerate(filters[number].messages)
    )
    merged = merge_all([_resolved(each, default) for each in filters])
    behavior = merged.default_behavior if filters else default
    return _FilterStep(tuple(rules), behavior, operations, leave_pointer=merged.leave_pointer)


def _resolved(context_filter: ContextFilter, default: Behavior) -> ContextFilter:
    if context_filter.default_behavior is not None:
        return context_filter
    return context_filter.model_copy(update={"default_behavior": default})


@dataclass(frozen=True, slots=True)
class _Rule:
    """A compiled rule."""

    type: Literal["include", "exclude", "transform"]
    target: Target
    clause: Clause
    condition: Condition | None
    change: ItemChange | None

    @classmethod
    def of(
        cls, rule: FilterRule, index: int, number: int | None, registries: Registries
    ) -> "_Rule":
        words = _words(rule, index, number)
        condition = None if rule.condition is None else compile_condition(rule.condition)
        change = None
        if rule.transform is not None:
            transform: Transform = registries.transforms.get(rule.transform)
            applying = Clause(
                rule.pattern,
                say("{rule} applies {transform}", rule=words, transform=rule.transform),
                index,
                number,
            )
            change = ItemChange(applying, transform)
        return cls(
            rule.type, rule.target, Clause(rule.pattern, words, index, number), condition, change
        )


def _words(rule: FilterRule, index: int, number: int | None) -> Sentence:
    """Returns the rule as reasons name it.

    ``number`` is that of its filter, if there are several.
    """
    pattern = repr(rule.pattern)
    match rule.type:
        case "include":
            words = say("include rule {n} {pattern}", n=index, pattern=pattern)
        case "exclude":
            words = say("exclude rule {n} {pattern}", n=index, pattern=pattern)
        case "transform":
            words = say("transform rule {n} {pattern}", n=index, pattern=pattern)
    return words if number is None else say("{rule} of filter {n}", rule=words, n=number)


class _FilterStep:
    """The merged rules of a node's filters; without conditions they are compiled once."""

    def __init__(
        self,
        rules: tuple[_Rule, ...],
        default: Behavior | None,
        operations: Sequence[PlacedOperation],
        *,
        leave_pointer: bool,
    ) -> None:
        self._leave_pointer = leave_pointer
        self._rules = rules
        self._passes = default != "block"
        self._operations = operations
        conditional = any(rule.condition for rule in rules)
        conditions = [rule.condition for rule in rules if rule.condition is not None]
        self._figures = frozenset(name for each in conditions for name in each.figures)
        self._sieve = None if conditional else self._sieve_of(rules)

    def __call__(self, node_input: NodeInput, step: Label, explain: bool) -> StepOutcome:
        sieve = self._sieve
        if sieve is None:
            variables = node_input.context.variables
            metadata = add_figures(
                node_input.context.metadata, figures_seen(self._figures, node_input.messages)
            )
            sieve = self._sieve_of(
                [
                    rule
                    for rule in self._rules
                    if rule.condition is None or rule.condition.evaluate(variables, metadata)
                ]
            )
        return sieve.apply(node_input, step, explain)

    def _sieve_of(self, live: Sequence[_Rule]) -> CompiledFilter:
        chosen = {section: self._selection(section, live) for section in SECTIONS}
        return CompiledFilter(
            **chosen, operations=self._operations, leave_pointer=self._leave_pointer
        )

    def _selection(self, section: Section, live: Sequence[_Rule]) -> Selection:
        mine = [rule for rule in live if rule.target == section]
        idle = tuple(
            rule.clause for rule in self._rules if rule.target == section and rule not in live
        )
        if live and not mine:
            return Selection(rest=say("no rule applies to {section}", section=section), idle=idle)
        what = say("no rule matches it") if live else say("there are no rules")
        passes = say("{what}, the default is pass", what=what)
        blocks = say("{what}, the default is block", what=what)
        return Selection(
            includes=tuple(rule.clause for rule in mine if rule.type == "include"),
            excludes=tuple(rule.clause for rule in mine if rule.type == "exclude"),
            changes=tuple(rule.change for rule in mine if rule.change),
            keeps_rest=self._passes,
            rest=passes if self._passes else blocks,
            idle=idle,
        )
