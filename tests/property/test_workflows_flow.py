"""Laws of workflows: ready nodes, joins, YAML, comparison, layout."""

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.examples import examples
from workflows.domain.context.merged_order import in_one_order
from workflows.domain.context.prompt_context import HistoryEntry, NodeInput, PromptContext
from workflows.domain.document.compare import compare
from workflows.domain.document.graph import Document, dump, read
from workflows.domain.document.layout import lay_out, layers
from workflows.domain.document.topology import Graph, graph_of
from workflows.domain.document.yaml_io import dump as dump_yaml
from workflows.domain.document.yaml_io import load as load_yaml
from workflows.domain.running.flow import Arrival, enter, join
from workflows.domain.running.plan import Plan
from workflows.domain.running.routing import Marking, RouteDecision, ready_nodes, replay

NAMES = "abcdefg"


def graph_with(size: int, pairs: list[tuple[int, int]]) -> Graph:
    nodes = [{"id": NAMES[i], "type": "step"} for i in range(size)]
    edges = [
        {"id": f"e{number}", "type": "sequence", "from": NAMES[a % size], "to": NAMES[b % size]}
        for number, (a, b) in enumerate(pairs)
    ]
    return graph_of(read({"name": "w", "nodes": nodes, "edges": edges}))


@st.composite
def graphs(draw: st.DrawFn, *, cyclic: bool = True) -> Graph:
    size = draw(st.integers(1, len(NAMES)))
    node = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=14))
    if not cyclic:
        pairs = [(min(a, b), max(a, b)) for a, b in pairs if a != b]
    return graph_with(size, pairs)


# The rule of workflows.domain.running.routing, word for word and without thought of its cost.


def waits_for(graph: Graph, marking: Marking, node: str) -> set[str]:
    """The active nodes from which a way without other active nodes leads to a silent edge."""
    if node in marking.due:
        return set()
    active = active_nodes(graph, marking)
    found: set[str] = set()
    for silent in (e for e in graph.incoming[node] if e.id not in marking.waiting):
        seen: set[str] = set()
        waiting = [silent.from_node]
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            if here in active:
                found.add(here)
            else:
                waiting.extend(edge.from_node for edge in graph.incoming[here])
    return found - {node}


def active_nodes(graph: Graph, marking: Marking) -> set[str]:
    return set(marking.due) | {graph.edges[name].to_node for name in marking.waiting}


def naively_ready(graph: Graph, marking: Marking) -> set[str]:
    direct = {n: waits_for(graph, marking, n) for n in active_nodes(graph, marking)}

    def all_of(node: str) -> set[str]:
        found: set[str] = set()
        waiting = [node]
        while waiting:
            new = direct[waiting.pop()] - found
            found |= new
            waiting.extend(new)
        return found

    return {n for n in direct if all(n in all_of(m) for m in all_of(n) - {n})}


def run(
    graph: Graph, data: st.DataObject, steps: int
) -> Iterator[tuple[Marking, list[RouteDecision], list[str]]]:
    """An execution that runs ready nodes in any order and takes any edges."""
    marking = Marking.at_start(graph)
    executed: list[str] = []
    decisions: list[RouteDecision] = []
    for _ in range(steps):
        yield marking, decisions, executed
        ready = marking.ready(graph)
        if not ready:
            return
        node = data.draw(st.sampled_from(ready))
        executed.append(node)
        edges = [edge.id for edge in graph.outgoing[node]]
        taken = data.draw(st.sets(st.sampled_from(edges))) if edges else set()
        decisions += [RouteDecision(node, executed.count(node), e, e in taken) for e in edges]
        marking = marking.after(graph, node, taken)


@given(graphs(), st.data())
def test_ready_nodes_are_those_of_a_naive_simulation(graph: Graph, data: st.DataObject) -> None:
    for marking, _, _ in run(graph, data, 12):
        assert set(marking.ready(graph)) == naively_ready(graph, marking)


@given(graphs(), st.data())
def test_something_is_ready_as_long_as_a_token_waits(graph: Graph, data: st.DataObject) -> None:
    for marking, _, _ in run(graph, data, 12):
        assert bool(marking.ready(graph)) == bool(marking.due or marking.waiting)


@given(graphs(), st.data())
def test_ready_nodes_are_a_function_of_what_ran_and_what_was_decided(
    graph: Graph, data: st.DataObject
) -> None:
    for marking, decisions, executed in run(graph, data, 8):
        assert replay(graph, executed, reversed(decisions)) == marking
        assert ready_nodes(graph, executed, decisions) == marking.ready(graph)
        assert Marking.from_json(marking.as_json()) == marking


@given(graphs(cyclic=False), st.data())
def test_without_cycles_no_node_runs_twice(graph: Graph, data: st.DataObject) -> None:
    for _, _, executed in run(graph, data, 30):
        assert len(set(executed)) == len(executed)


@given(graphs(cyclic=False), st.data())
def test_without_cycles_any_order_of_ready_nodes_runs_the_same_ones(
    graph: Graph, data: st.DataObject
) -> None:
    taken = data.draw(st.sets(st.sampled_from(sorted(graph.edges)))) if graph.edges else set()

    def ran() -> set[str]:
        marking, executed = Marking.at_start(graph), set()
        while ready := marking.ready(graph):
            node = data.draw(st.sampled_from(ready))
            executed.add(node)
            marking = marking.after(graph, node, taken)
        return executed

    assert ran() == ran()


@given(graphs(cyclic=False), st.data())
def test_a_join_runs_after_all_that_was_taken_towards_it(graph: Graph, data: st.DataObject) -> None:
    for _, decisions, executed in run(graph, data, 30):
        for decision in decisions:
            target = graph.edges[decision.edge].to_node
            if decision.passes and target in executed:
                assert executed.index(decision.node) < executed.index(target)


@given(graphs(), st.lists(st.sampled_from(NAMES), max_size=12))
def test_any_list_of_executed_nodes_is_taken(graph: Graph, executed: list[str]) -> None:
    ready = ready_nodes(graph, executed)
    assert set(ready) <= set(graph.nodes)
    assert list(ready) == [name for name in graph.nodes if name in ready]


# Joins

values = st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["x", "y"]))
variables = st.dictionaries(st.sampled_from(["a", "b.c", "b.d", "e"]), values)
entries = st.builds(
    HistoryEntry, st.sampled_from("mn"), st.just("p"), st.just("r"), st.integers(0, 2)
)
sights = st.builds(
    lambda named, history, metadata: NodeInput.of(
        PromptContext("t", named, tuple(history), metadata)
    ),
    variables,
    st.lists(entries, max_size=4),
    variables,
)


@given(sights)
def test_joining_a_sight_with_itself_changes_nothing(node_input: NodeInput) -> None:
    joined = join([Arrival("a", node_input), Arrival("b", node_input)])
    assert joined.node_input.context == node_input.context
    assert joined.conflicts == ()


@given(sights, sights, sights)
def test_joining_is_associative_in_what_it_brings(
    one: NodeInput, two: NodeInput, three: NodeInput
) -> None:
    def joined(*parts: NodeInput) -> NodeInput:
        return join([Arrival(str(i), part) for i, part in enumerate(parts)]).node_input

    at_once = joined(one, two, three).context
    in_steps = joined(joined(one, two), three).context
    assert (at_once.variables, at_once.metadata) == (in_steps.variables, in_steps.metadata)
    assert at_once.history == in_steps.history


@given(sights, sights)
def test_a_join_names_exactly_the_clashing_names(one: NodeInput, two: NodeInput) -> None:
    joined = join([Arrival("a", one), Arrival("b", two)])
    clashing = {
        name
        for name, value in two.context.variables.items()
        if name in one.context.variables and _other(one.context.variables[name], value)
    }
    told = {each.name for each in joined.conflicts if each.section == "variables"}
    assert told == clashing
    assert joined.node_input.context.variables == {**one.context.variables, **two.context.variables}


def _other(left: JsonValue, right: JsonValue) -> bool:
    return left != right or type(left) is not type(right)


patterns = st.lists(st.sampled_from(["a", "b.*", "*c", "e", "n", "*"]), max_size=2)


@st.composite
def edge_filters(draw: st.DrawFn) -> dict[str, Any]:
    include, exclude = draw(patterns), draw(patterns)
    if not include and not exclude:
        return {"type": draw(st.sampled_from(["pass_all", "pass_none"]))}
    return {"type": "selective", "include_patterns": include, "exclude_patterns": exclude}


@given(sights, st.lists(edge_filters(), min_size=1, max_size=3), patterns)
def test_what_a_node_sees_is_a_subset_in_order_and_every_name_is_explained(
    node_input: NodeInput, filters: list[dict[str, Any]], own: list[str]
) -> None:
    nodes = [{"id": f"s{i}", "type": "step"} for i in range(len(filters))]
    rules = [{"type": "exclude", "pattern": pattern} for pattern in own]
    target = {"id": "t", "type": "step", "context_filter": {"rules": rules}}
    edges = [
        {"id": f"e{i}", "type": "sequence", "from": f"s{i}", "to": "t", "context_filter": each}
        for i, each in enumerate(filters)
    ]
    plan = Plan(read({"name": "w", "nodes": [*nodes, target], "edges": edges}))
    ids = [f"e{i}" for i in range(len(filters))]
    entered = enter(plan, "t", node_input, ids, explain=True)
    seen, state = entered.node_input.context, node_input.context
    assert entered.conflicts == ()
    assert seen == enter(plan, "t", node_input, ids).node_input.context
    for section in ("variables", "metadata"):
        kept: Mapping[str, JsonValue] = getattr(seen, section)
        whole: Mapping[str, JsonValue] = getattr(state, section)
        assert kept == {name: value for name, value in whole.items() if name in kept}
        told = {e.name: e.verdict for e in entered.explanation if e.section == section}
        assert told == {name: "kept" if name in kept else "dropped" for name in whole}
    told_history = [each for each in entered.explanation if each.section == "history"]
    assert sorted(each.index or 0 for each in told_history) == list(range(len(state.history)))
    kept_entries = sorted(each.index or 0 for each in told_history if each.verdict == "kept")
    assert list(seen.history) == [state.history[index] for index in kept_entries]


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=6), max_size=4))
def test_one_order_holds_every_item_once_and_the_first_order(orders: list[list[int]]) -> None:
    united = in_one_order(orders)
    assert sorted(united) == sorted({item for order in orders for item in order})
    if orders:
        assert [item for item in united if item in orders[0]] == orders[0]


# Documents

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "yes",
        "~",
        "1e5",
        "0o17",
        "1:30",
        "2001-01-01",
        " x",
        "a: b",
        "- a",
        "#",
        "<<",
        "\n",
        "a\n b\n",
    ]
)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
data = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    ids = draw(st.lists(st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True), max_size=4))
    fields = st.fixed_dictionaries(
        {"type": st.sampled_from(["llm", "start", "null", "1"])},
        optional={
            "name": texts,
            "description": texts,
            "context_filter": st.dictionaries(texts, data, max_size=2),
            "config": st.dictionaries(texts, data, max_size=3),
            "position": st.fixed_dictionaries({"x": st.integers(-9, 9), "y": st.just(0.5)}),
        },
    )
    nodes = [{"id": name, **draw(fields)} for name in ids]
    ends = st.sampled_from(ids) if ids else st.nothing()
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=3)) if ids else []
    edges = [
        {"id": f"e{i}", "type": "sequence", "from": a, "to": b} for i, (a, b) in enumerate(pairs)
    ]
    reducers = draw(st.dictionaries(texts, st.sampled_from(["append", "max"]), max_size=2))
    return read({"name": draw(texts), "nodes": nodes, "edges": edges, "reducers": reducers})


@given(documents())
def test_yaml_loses_nothing(document: Document) -> None:
    assert dump(load_yaml(dump_yaml(document))) == dump(document)
    assert repr(dump(load_yaml(dump_yaml(document)))) == repr(dump(document))


@given(documents())
def test_json_loses_nothing(document: Document) -> None:
    assert read(dump(document)) == document


@settings(max_examples=examples(60))
@given(documents(), documents())
def test_a_comparison_turned_round_tells_the_same_turned_round(
    one: Document, two: Document
) -> None:
    assert compare(one, one) == []
    forward, back = compare(one, two), compare(two, one)
    opposite = {"added": "removed", "removed": "added", "changed": "changed"}
    assert sorted((c.element, c.id, opposite[c.kind]) for c in forward) == sorted(
        (c.element, c.id, c.kind) for c in back
    )


@given(graphs(cyclic=False))
def test_without_cycles_every_edge_leads_to_a_later_layer(graph: Graph) -> None:
    column = {name: number for number, layer in enumerate(layers(graph)) for name in layer}
    assert all(column[e.from_node] < column[e.to_node] for e in graph.edges.values())


@given(graphs())
def test_every_node_has_a_place_of_its_own(graph: Graph) -> None:
    places = lay_out(graph)
    assert list(places) == list(graph.nodes)
    assert len({(spot.x, spot.y) for spot in places.values()}) == len(graph.nodes)
