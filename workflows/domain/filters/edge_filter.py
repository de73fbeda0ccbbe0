"""Edge filters: which parts of the context travel along an edge."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import Field

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.conditions.condition import Condition, compile_condition, condition_problem
from workflows.domain.conditions.figures import add_figures, figures_seen
from workflows.domain.context.explain import SECTIONS, Label, Section, Step, StepOutcome
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.filters.compiled_filter import CompiledFilter
from workflows.domain.filters.context_filter import (
    MAX_RULES,
    MAX_TRANSFORMS,
    Operations,
    Target,
    refuse_old_operations,
    target_problem,
)
from workflows.domain.processors.registries import Registries
from workflows.domain.selection.message_view import PlacedOperation
from workflows.domain.selection.patterns import pattern_fault, pattern_problems
from workflows.domain.selection.sections import Clause, ItemChange, Selection

EdgeFilterType = Literal["pass_all", "pass_none", "selective", "conditional", "transform"]
Patterns = Annotated[tuple[str, ...], Field(strict=False, max_length=MAX_RULES)]

# The fields that a type uses beside ``type``: any other that is given would do nothing.
_USES: Final[Mapping[EdgeFilterType, frozenset[str]]] = MappingProxyType(
    {
        "pass_all": frozenset({"messages"}),
        "pass_none": frozenset(),
        **dict.fromkeys(
            ("selective", "conditional", "transform"),
            frozenset(
                {"include_patterns", "exclude_patterns", "transform_rules", "condition", "messages"}
            ),
        ),
    }
)


class TransformRule(Contract):
    """One transform or rename of the names that a pattern matches (semantics 2.4, 2.6).

    The ``*`` of ``rename`` stands for what the pattern's single ``*`` matched.
    """

    pattern: str
    transform: str | None = None
    target: Target = "variables"
    rename: str | None = None


class EdgeFilter(Contract):
    """Which parts of the context travel along an edge (semantics 2.6).

    The steps are, for the given fields: the condition (false = template only), the patterns on
    variables, history and metadata, the transform rules, the operations.
    """

    type: EdgeFilterType
    include_patterns: Patterns = ()
    exclude_patterns: Patterns = ()
    transform_rules: Annotated[
        tuple[TransformRule, ...], Field(strict=False, max_length=MAX_TRANSFORMS)
    ] = ()
    condition: str | None = None
    messages: Operations = ()


def read_edge_filter(data: object, pointer: str = "") -> EdgeFilter:
    """Reads the edge filter in parsed JSON; raises ValidationFailed for a wrong shape only."""
    refuse_old_operations(data, pointer)
    return parse(EdgeFilter, data, pointer)


def edge_filter_problems(
    edge_filter: EdgeFilter, registries: Registries, pointer: str = ""
) -> list[FieldProblem]:
    """Returns the problems of an edge filter's meaning.

    They concern fields that its type needs or does not use, patterns, condition, transforms and
    renames.
    """
    problems = _type_problems(edge_filter, pointer)
    problems += pattern_problems(edge_filter.include_patterns, f"{pointer}/include_patterns")
    problems += pattern_problems(edge_filter.exclude_patterns, f"{pointer}/exclude_patterns")
    if edge_filter.condition is not None:
        problem = condition_problem(edge_filter.condition, f"{pointer}/condition")
        problems += [problem] if problem else []
    for index, rule in enumerate(edge_filter.transform_rules):
        problems += _rule_problems(rule, registries, f"{pointer}/transform_rules/{index}")
    return problems


def _type_problems(edge_filter: EdgeFilter, pointer: str) -> list[FieldProblem]:
    kind = edge_filter.type
    given = {name for name in EdgeFilter.model_fields if name != "type"}
    given = {name for name in given if getattr(edge_filter, name) not in ((), None)}
    problems = [
        FieldProblem(
            f"{pointer}/{name}",
            say("a filter of type {kind} does not use {name}", kind=kind, name=name),
        )
        for name in sorted(given - _USES[kind])
    ]
    patterns = given & {"include_patterns", "exclude_patterns"}
    if kind == "selective" and not patterns:
        text = say("enter at least one pattern to include or to exclude")
        problems.append(FieldProblem(f"{pointer}/include_patterns", text))
    if kind == "conditional" and edge_filter.condition is None:
        problems.append(
            FieldProblem(f"{pointer}/condition", say("a conditional filter needs a condition"))
        )
    if kind == "transform" and not edge_filter.transform_rules:
        problems.append(
            FieldProblem(
                f"{pointer}/transform_rules", say("a transform filter needs a transform rule")
            )
        )
    return problems


def _rule_problems(rule: TransformRule, registries: Registries, pointer: str) -> list[FieldProblem]:
    problems = [target_problem(rule.pattern, rule.target, pointer)]
    if rule.transform is not None:
        problems.append(registries.transforms.problem(rule.transform, f"{pointer}/transform"))
    elif rule.rename is None:
        problems.append(
            FieldProblem(f"{pointer}/transform", say("a transform or a rename is needed"))
        )
    if rule.rename is not None and (fault := _rename_fault(rule, rule.rename)):
        problems.append(FieldProblem(f"{pointer}/rename", fault))
    return [problem for problem in problems if problem]


def _rename_fault(rule: TransformRule, rename: str) -> str | None:
    if rule.target not in ("variables", "metadata"):
        return say(
            "{target} cannot be renamed: only variables and metadata have names", target=rule.target
        )
    if fault := pattern_fault(rename):
        return say("{fault}; this is also true of a new name", fault=fault)
    if rename.count("*") > 1:
        return say("a new name has at most one *")
    if "*" in rename and rule.pattern.count("*") != 1:
        return say("the * of a new name needs a pattern with exactly one *")
    return None


def default_edge_filter(edge_type: str, condition: str | None = None) -> EdgeFilter:
    """Returns the filter of an edge that has none of its own, by its type (semantics 2.6).

    A conditional edge filters by its own ``condition``, unless that reads the messages: they can be
    cut after the edge was taken. Other types, unknown ones included, pass all.
    """
    if edge_type == "conditional" and condition is not None and not _figures(condition):
        return EdgeFilter(type="conditional", condition=condition)
    if edge_type == "error":
        return EdgeFilter(
            type="selective",
            include_patterns=("error.*", "exception.*"),
            exclude_patterns=("success.*", "result.*"),
        )
    return EdgeFilter(type="pass_all")


def _figures(condition: str) -> frozenset[str]:
    """Returns the figures that a condition reads; none if it cannot be compiled."""
    if condition_problem(condition, "") is not None:
        return frozenset()
    return compile_condition(condition).figures


def leaves_messages(edge_filter: EdgeFilter) -> bool:
    """Returns True if all messages travel along the edge unchanged, whatever the state is."""
    return (
        edge_filter.type != "pass_none"
        and edge_filter.condition is None
        and not edge_filter.messages
        and all(rule.target != "messages" for rule in edge_filter.transform_rules)
    )


def edge_step(
    edge_filter: EdgeFilter, registries: Registries, pointer: str = "", *, holds: bool = False
) -> Step:
    """Returns a step that applies an edge filter; raises ValidationFailed with all its problems.

    With ``holds`` its condition counts as true. Running it raises Duplicate when a rename collides,
    and what operations raise. Source: semantics 2.6.
    """
    problems = edge_filter_problems(edge_filter, registries, pointer)
    if problems:
        raise ValidationFailed(problems[0].message, problems=problems)
    if edge_filter.type == "pass_none":
        return CompiledFilter.nothing(say("pass_none passes the template only")).apply
    passed = _sieve(edge_filter, registries, pointer)
    if edge_filter.condition is None or holds:
        return passed.apply
    blocked = CompiledFilter.nothing(
        say("the condition {condition} is false", condition=repr(edge_filter.condition))
    )
    return _conditional(compile_condition(edge_filter.condition), passed, blocked)


def _conditional(condition: Condition, passed: CompiledFilter, blocked: CompiledFilter) -> Step:
    def step(node_input: NodeInput, label: Label, explain: bool) -> StepOutcome:
        figures = figures_seen(condition.figures, node_input.messages)
        metadata = add_figures(node_input.context.metadata, figures)
        holds = condition.evaluate(node_input.context.variables, metadata)
        return (passed if holds else blocked).apply(node_input, label, explain)

    return step


def _sieve(edge_filter: EdgeFilter, registries: Registries, pointer: str) -> CompiledFilter:
    chosen = {
        section: _selection(section, edge_filter, _changes(section, edge_filter, registries))
        for section in SECTIONS
    }
    operations = tuple(
        PlacedOperation.of(config, index, f"{pointer}/messages/{index}")
        for index, config in enumerate(edge_filter.messages)
    )
    return CompiledFilter(**chosen, operations=operations, leave_pointer=False)


def _changes(
    section: Section, edge_filter: EdgeFilter, registries: Registries
) -> tuple[ItemChange, ...]:
    changes: list[ItemChange] = []
    for index, rule in enumerate(edge_filter.transform_rules):
        if rule.target != section:
            continue
        transform = None if rule.transform is None else registries.transforms.get(rule.transform)
        done = [f"applies {rule.transform}"] if rule.transform is not None else []
        done += [f"renames to {rule.rename!r}"] if rule.rename is not None else []
        words = f"transform rule {index} {rule.pattern!r} {' and '.join(done)}"
        changes.append(ItemChange(Clause(rule.pattern, words, index), transform, rule.rename))
    return tuple(changes)


def _selection(
    section: Section, edge_filter: EdgeFilter, changes: tuple[ItemChange, ...]
) -> Selection:
    includes, excludes = edge_filter.include_patterns, edge_filter.exclude_patterns
    if section == "messages":
        return Selection(changes=changes, rest=say("the edge's patterns do not apply to messages"))
    rest = say("what no rule matches passes ({name})", name=edge_filter.type)
    if includes:
        rest = say("no include pattern matches")
    elif excludes:
        rest = say("no exclude pattern matches")
    elif not changes:
        rest = say("everything passes ({name})", name=edge_filter.type)
    return Selection(
        includes=tuple(
            Clause(each, say("include pattern {n} {pattern}", n=n, pattern=repr(each)), n)
            for n, each in enumerate(includes)
        ),
        excludes=tuple(
            Clause(each, say("exclude pattern {n} {pattern}", n=n, pattern=repr(each)), n)
            for n, each in enumerate(excludes)
        ),
        changes=changes,
        keeps_rest=not includes,
        rest=rest,
    )
