"""Finds all problems of a draft, so that they can be fixed before it is published."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.checks.condition_checks import condition_warnings
from workflows.domain.checks.flow_checks import dead_ends, forks
from workflows.domain.checks.static_checks import cut_off_nodes, node_problems
from workflows.domain.document.elements import Problem, Severity, read_edge
from workflows.domain.document.graph import START, Document, filters_in, title_of
from workflows.domain.document.topology import Graph, cycles, graph_of, reachable
from workflows.domain.processors.registries import Registries, standard
from workflows.domain.selection.patterns import pattern_fault

__all__ = ["MAX_PROBLEMS", "REDUCERS", "Problem", "Severity", "check", "refuse_unpublishable"]

MAX_PROBLEMS: Final = 1_000
_TRIGGER: Final = "trigger"
REDUCERS: Final = ("append", "overwrite", "merge", "increment", "add_by_id", "max")
# Checked, these take some ten seconds on a busy machine; a workflow that needs more is refused.
MAX_RULES: Final = 100_000
MAX_CONDITIONS: Final = 1_000_000
_MOST_HINTS: Final = 20
_LONGEST_NAMED_CYCLE: Final = 12
_ORDER: Final[tuple[Severity, ...]] = ("error", "warning", "note")


def check(
    document: Document,
    registries: Registries | None = None,
    reducers: Collection[str] = REDUCERS,
    pointer: str = "",
) -> list[Problem]:
    """Returns the problems of a draft, errors first, at most MAX_PROBLEMS, below ``pointer``.

    ``registries`` are the process's own unless others are given; ``reducers`` are the allowed
    names. Errors prevent publishing: duplicate ids, dangling edges, unreachable nodes, no node at
    all, unknown context types, edge types, transforms and reducers, unusable filters, conditions,
    settings and operations. A graph without a start, in which the first node starts, a conditional
    edge that is always taken, a node that no context could enter, and conditions that read what
    nothing writes or that can have only one outcome get a warning. Notes name cycles, nodes from
    which nothing continues, and forks whose branches never meet.
    Source: semantics 2.4-2.7, 2.11, 1.13, 1.14, 3.2, 3.8, 3.14.
    """
    elements = _elements(document, registries or standard(), pointer)
    found = [*islice(elements, MAX_PROBLEMS), *check_graph(document, reducers, pointer)]
    return sorted_problems(found)


def check_graph(
    document: Document, reducers: Collection[str] = REDUCERS, pointer: str = ""
) -> list[Problem]:
    """Returns the problems that are not within one element, at most MAX_PROBLEMS of each kind."""
    graph = graph_of(document)
    searches: tuple[Iterable[Problem], ...] = (
        _duplicates(document, pointer),
        _ends(document, graph, pointer),
        _reducers(document, reducers, pointer),
        _starts(document, graph, pointer),
        cut_off_nodes(document, graph, pointer),
        dead_ends(graph, pointer),
        forks(graph, pointer),
        _cycles(graph, pointer),
        () if find_excess(document) else condition_warnings(document, pointer),
    )
    return [problem for search in searches for problem in islice(search, MAX_PROBLEMS)]


def sorted_problems(found: Iterable[Problem]) -> list[Problem]:
    """Returns errors first, at most MAX_PROBLEMS."""
    return sorted(found, key=lambda each: _ORDER.index(each.severity))[:MAX_PROBLEMS]


def refuse_unpublishable(problems: Sequence[Problem]) -> None:
    """Raises ValidationFailed with every problem that is an error, if there is one."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        first = say("{place}: {message}", place=errors[0].pointer, message=errors[0].message)
        more = len(errors) - 1
        raise ValidationFailed(
            say("{problem} (and {more} more)", problem=first, more=more) if more else first,
            problems=[problem.as_field_problem() for problem in errors],
        )


def _duplicates(document: Document, pointer: str) -> Iterator[Problem]:
    seen: Counter[str] = Counter()
    for index, node in enumerate(document.nodes):
        seen[node.id] += 1
        if seen[node.id] > 1:
            message = say("another node has the id {name}", name=repr(node.id))
            yield Problem(f"{pointer}/nodes/{index}/id", "duplicate", message, node=node.id)
    seen.clear()
    for index, edge in enumerate(document.edges):
        seen[edge.id] += 1
        if seen[edge.id] > 1:
            message = say("another edge has the id {name}", name=repr(edge.id))
            yield Problem(f"{pointer}/edges/{index}/id", "duplicate", message, edge=edge.id)


def _elements(document: Document, registries: Registries, pointer: str) -> Iterator[Problem]:
    too_much = find_excess(document, pointer)
    if too_much is not None:
        yield too_much
        return
    for index, node in enumerate(document.nodes):
        yield from node_problems(node, registries, f"{pointer}/nodes/{index}")
    for index, edge in enumerate(document.edges):
        yield from read_edge(edge, registries, f"{pointer}/edges/{index}").problems


def find_excess(document: Document, pointer: str = "") -> Problem | None:
    """Returns the problem of a document with more rules or conditions than are checked."""
    rules, characters = _amount(document)
    if rules <= MAX_RULES and characters <= MAX_CONDITIONS:
        return None
    message = say(
        "a workflow has at most {most_rules} rules and patterns, and {most_characters} characters "
        "of conditions; this one has {rules} and {characters}",
        most_rules=MAX_RULES,
        most_characters=MAX_CONDITIONS,
        rules=rules,
        characters=characters,
    )
    return Problem(pointer, "too_large", message)


def _amount(document: Document) -> tuple[int, int]:
    """Returns the number of rules and patterns, and the length of all conditions, as written."""
    rules = 0
    characters = sum(len(edge.condition or "") for edge in document.edges)
    sources = [edge.context_filter for edge in document.edges if edge.context_filter]
    for node in document.nodes:
        sources += [*filters_in(node.context_filter), *filters_in(node.outgoing_filter)]
    for source in sources:
        characters += _length(source.get("condition"))
        for listed in source.values():
            if isinstance(listed, list):
                rules += len(listed)
                characters += sum(
                    _length(rule.get("condition")) for rule in listed if isinstance(rule, dict)
                )
    return rules, characters


def _length(condition: JsonValue) -> int:
    return len(condition) if isinstance(condition, str) else 0


def _ends(document: Document, graph: Graph, pointer: str) -> Iterator[Problem]:
    hints = _MOST_HINTS if len(graph.nodes) <= MAX_PROBLEMS else 0  # one takes milliseconds
    for index, edge in enumerate(document.edges):
        for name, end in (("from", edge.from_node), ("to", edge.to_node)):
            if end not in graph.nodes:
                message: str = say("there is no node {name}", name=repr(end))
                if hints > 0:
                    message = did_you_mean(message, end, graph.nodes)
                hints -= 1
                yield Problem(
                    f"{pointer}/edges/{index}/{name}",
                    "dangling_edge",
                    message,
                    edge=edge.id,
                )


def _reducers(document: Document, known: Collection[str], pointer: str) -> Iterator[Problem]:
    for pattern, reducer in document.reducers.items():
        where = f"{pointer}/reducers/{pattern.replace('~', '~0').replace('/', '~1')}"
        fault = pattern_fault(pattern)
        if fault is not None:
            yield Problem(where, "bad_pattern", fault)
        if reducer not in known:
            unknown = say("there is no reducer {name}", name=repr(reducer))
            message = did_you_mean(unknown, reducer, known)
            yield Problem(where, "unknown_reducer", message)


def _starts(document: Document, graph: Graph, pointer: str) -> Iterator[Problem]:
    if not graph.starts:
        yield Problem(f"{pointer}/nodes", "no_start", say("a workflow needs a start node"))
        return
    reached = reachable(graph, graph.starts)
    first = graph.nodes[graph.starts[0]]
    if first.type != START and any(e.from_node != first.id for e in graph.incoming[first.id]):
        message = say(
            "every node has an incoming edge, so the first one is the start: {name}",
            name=title_of(first),
        )
        yield Problem(f"{pointer}/nodes", "no_start", message, "warning", node=first.id)
    for index, node in enumerate(document.nodes):
        if node.id not in reached:
            message = say("{name} cannot be reached from a start node", name=title_of(node))
            if node.type == _TRIGGER and not graph.incoming[node.id]:
                message = say(
                    "executions begin at the start node, so {name} cannot be reached; without a"
                    " start node they begin at the trigger",
                    name=title_of(node),
                )
            yield Problem(f"{pointer}/nodes/{index}", "unreachable_node", message, node=node.id)


def _cycles(graph: Graph, pointer: str) -> Iterator[Problem]:
    for cycle in cycles(graph):
        names = [title_of(graph.nodes[each]) for each in cycle[:_LONGEST_NAMED_CYCLE]]
        if len(cycle) > len(names):
            names.append("…")
        where = f"{pointer}/nodes/{graph.node_places[cycle[0]]}"
        message = say("a loop: {way}", way=" → ".join([*names, names[0]]))
        yield Problem(where, "cycle", message, "note", node=cycle[0])
