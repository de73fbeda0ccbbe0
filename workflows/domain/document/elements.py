"""Reads one node or edge, with all of its problems."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, TypeVar

from conversations.domain.configs import OperationConfig, is_version_1, read_operation
from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import ContextError, FieldProblem
from ctxadmin.lib.sentence import say
from workflows.domain.conditions.condition import condition_problem
from workflows.domain.document.graph import (
    CONTEXT_PROCESSOR,
    EDGE_TYPES,
    SETTING_KEYS,
    Edge,
    Filters,
    Node,
    NodeSettings,
    filters_in,
    settings_of,
)
from workflows.domain.filters.context_filter import ContextFilter, filter_problems, read_filter
from workflows.domain.filters.context_types import context_type_problem
from workflows.domain.filters.edge_filter import (
    EdgeFilter,
    default_edge_filter,
    edge_filter_problems,
    read_edge_filter,
)
from workflows.domain.processors.registries import Registries

Severity = Literal["error", "warning", "note"]
T = TypeVar("T")

_PASS_ALL: Final = EdgeFilter(type="pass_all")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a draft (rest.md, ``PUT /workflows/{slug}/draft``).

    ``pointer`` is a JSON pointer into the document. An ``error`` prevents publishing, a ``warning``
    points out something that is probably unintended, a ``note`` only informs. ``extra`` has what
    the kind adds, e.g. line and column of a condition.
    """

    pointer: str
    code: str
    message: str
    severity: Severity = "error"
    node: str | None = None
    edge: str | None = None
    extra: tuple[tuple[str, object], ...] = ()

    def as_json(self) -> dict[str, object]:
        """Returns the problem in the contract's spelling; ``node`` and ``edge`` only if known."""
        element = {"node": self.node, "edge": self.edge}
        return {
            "pointer": self.pointer,
            "code": self.code,
            "message": self.message,
            "severity": self.severity,
            **{kind: name for kind, name in element.items() if name is not None},
            **dict(self.extra),
        }

    def as_field_problem(self) -> FieldProblem:
        """Returns the problem as the refusal of a publication lists it."""
        return FieldProblem(self.pointer, self.message, self.code, self.extra)


@dataclass(slots=True)
class NodeReading:
    """A node as far as it can be read, and its problems."""

    filters: list[ContextFilter] = field(default_factory=list)
    outgoing: list[ContextFilter] = field(default_factory=list)
    settings: NodeSettings = field(default_factory=NodeSettings)
    operation: OperationConfig | None = None
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class EdgeReading:
    """An edge with its own filter or the default of its type, and its problems."""

    edge_filter: EdgeFilter = _PASS_ALL
    problems: list[Problem] = field(default_factory=list)


def read_node(node: Node, registries: Registries, pointer: str) -> NodeReading:
    """Reads the filters, the settings and the operation of a node at ``pointer``."""
    reading = NodeReading()
    found = reading.problems
    if node.context_type is not None:
        where = f"{pointer}/context_type"
        unknown = context_type_problem(node.context_type, registries, where)
        found += _problems([unknown] if unknown else [], "unknown_context_type", node=node.id)
    for name, source, target in (
        ("context_filter", node.context_filter, reading.filters),
        ("outgoing_filter", node.outgoing_filter, reading.outgoing),
    ):
        wrong = _read_filters(source, registries, f"{pointer}/{name}", target)
        found += _problems(wrong, "bad_filter", node=node.id)
    where = f"{pointer}/config"
    settings, wrong = _attempt(partial(settings_of, node, where))
    found += _problems(wrong, "bad_config", node=node.id)
    reading.settings = settings or reading.settings
    if node.type == CONTEXT_PROCESSOR:
        config = {key: value for key, value in node.config.items() if key not in SETTING_KEYS}
        reading.operation, wrong = _attempt(partial(read_operation, config, where))
        code = "version_1_config" if is_version_1(config) else "bad_operation"
        found += _problems(wrong, code, node=node.id)
    return reading


def read_edge(edge: Edge, registries: Registries, pointer: str) -> EdgeReading:
    """Reads the filter of an edge at ``pointer``, and checks that its condition compiles."""
    reading = EdgeReading()
    found = reading.problems
    if edge.type not in EDGE_TYPES:
        unknown = say("{name} is not an edge type", name=repr(edge.type))
        message = did_you_mean(unknown, edge.type, EDGE_TYPES)
        found.append(Problem(f"{pointer}/type", "unknown_edge_type", message, edge=edge.id))
    if edge.condition is not None:
        bad = condition_problem(edge.condition, f"{pointer}/condition")
        found += _problems([bad] if bad else [], "bad_condition", edge=edge.id)
    elif edge.type == "conditional":
        found.append(_without_condition(edge, pointer))
    if edge.context_filter is not None:
        where = f"{pointer}/context_filter"
        read, wrong = _attempt(partial(read_edge_filter, edge.context_filter, where))
        if read is not None:
            wrong = edge_filter_problems(read, registries, where)
            reading.edge_filter = read
            found += _collisions(read, edge.id, where)
        found += _problems(wrong, "bad_filter", edge=edge.id)
    elif not found:
        reading.edge_filter = default_edge_filter(edge.type, edge.condition)
    return reading


def _collisions(edge_filter: EdgeFilter, edge: str, pointer: str) -> Iterator[Problem]:
    """Returns renames that can give two names one; if both exist, taking the edge is refused."""
    taken: dict[tuple[str, str], int] = {}
    for index, rule in enumerate(edge_filter.transform_rules):
        if rule.rename is None:
            continue
        where = f"{pointer}/transform_rules/{index}/rename"
        first = taken.setdefault((rule.target, rule.rename), index)
        message = None
        if "*" in rule.pattern and "*" not in rule.rename:
            message = say(
                "all that matches {pattern} would be called {name}",
                pattern=repr(rule.pattern),
                name=repr(rule.rename),
            )
        elif edge_filter.transform_rules[first].pattern != rule.pattern:
            message = say("rule {first} gives the same new name to other names", first=first)
        if message is not None:
            yield Problem(where, "rename_collision", message, "warning", edge=edge)


def _without_condition(edge: Edge, pointer: str) -> Problem:
    """Warns of a conditional edge without a condition, which is always taken."""
    if edge.context_filter is None:
        message = say("a conditional edge needs a condition, or a context_filter of its own")
        return Problem(f"{pointer}/condition", "missing_condition", message, edge=edge.id)
    message = say("this conditional edge has no condition of its own, so it is always taken")
    return Problem(f"{pointer}/condition", "missing_condition", message, "warning", edge=edge.id)


def _read_filters(
    source: Filters | None, registries: Registries, pointer: str, into: list[ContextFilter]
) -> list[FieldProblem]:
    """Reads one filter or a list of them, with the problems of form and meaning."""
    wrong: list[FieldProblem] = []
    for index, data in enumerate(filters_in(source)):
        where = f"{pointer}/{index}" if isinstance(source, list) else pointer
        read, problems = _attempt(partial(read_filter, data, where))
        if read is not None:
            into.append(read)
            problems = filter_problems(read, registries, where)
        wrong += problems
    return wrong


def _attempt(read: Callable[[], T]) -> tuple[T | None, list[FieldProblem]]:
    """Returns the result of ``read``, or the problems of its refusal."""
    try:
        return read(), []
    except ContextError as error:
        return None, list(error.problems) or [FieldProblem("", error.detail, error.code)]


def _problems(
    wrong: Iterable[FieldProblem], code: str, *, node: str | None = None, edge: str | None = None
) -> list[Problem]:
    """Returns field problems as problems of a draft: errors with a code of their own."""
    return [
        Problem(
            each.pointer, _code(each, code), each.message, node=node, edge=edge, extra=each.extra
        )
        for each in wrong
    ]


_CODES_BY_FIELD: Final = {
    "condition": "bad_condition",
    "transform": "unknown_transform",
    "pattern": "bad_pattern",
}


def _code(problem: FieldProblem, fallback: str) -> str:
    if problem.code != "validation":
        return problem.code
    return _CODES_BY_FIELD.get(problem.pointer.rpartition("/")[2], fallback)
