"""What is wrong with a draft, where, and whether it refuses publishing."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from workflows.domain.checks import problems as module
from workflows.domain.checks.problems import MAX_PROBLEMS, Problem, check, refuse_unpublishable
from workflows.domain.context.prompt_context import NodeInput, PromptContext
from workflows.domain.document.graph import read
from workflows.domain.running import flow
from workflows.domain.running.plan import Plan

Fields = Mapping[str, object]


def node(name: str = "a", kind: str = "llm", **fields: object) -> dict[str, object]:
    return {"id": name, "type": kind, **fields}


def edge(name: str = "e", ends: str = "a>b", kind: str = "sequence", **fields: object) -> Fields:
    source, target = ends.split(">")
    return {"id": name, "type": kind, "from": source, "to": target, **fields}


def problems(
    nodes: list[dict[str, object]], edges: list[Fields] | None = None, **fields: object
) -> list[Problem]:
    return check(read({"name": "w", "nodes": nodes, "edges": edges or [], **fields}))


def found(listed: list[Problem]) -> list[tuple[str, str, str]]:
    return [(problem.pointer, problem.code, problem.severity) for problem in listed]


PAIR = [node("a"), node("b")]


def test_a_good_workflow_has_no_problems() -> None:
    filtered = node("a", context_filter={"rules": [{"type": "include", "pattern": "x.*"}]})
    assert problems([filtered, node("b")], [edge(), edge("f", "a>b", "error")]) == []


def test_an_id_used_twice_is_reported_of_nodes_and_of_edges() -> None:
    listed = problems([node("a"), node("a")], [edge("e", "a>a"), edge("e", "a>a")])
    assert ("/nodes/1/id", "duplicate", "error") in found(listed)
    assert ("/edges/1/id", "duplicate", "error") in found(listed)


def test_a_node_and_an_edge_may_share_an_id() -> None:
    assert problems(PAIR, [edge("a")]) == []


def test_an_edge_to_nowhere_is_reported_at_its_end() -> None:
    (problem,) = problems([node("node_1")], [edge("e", "node_1>node_2")])
    assert (problem.pointer, problem.code) == ("/edges/0/to", "dangling_edge")
    assert problem.message == "there is no node 'node_2'; did you mean 'node_1'?"
    assert (problem.node, problem.edge) == (None, "e")


def test_a_node_that_no_start_leads_to_is_an_error() -> None:
    listed = problems([node("s", "start"), node("a"), node("b")], [edge("e", "s>a")])
    assert found(listed) == [("/nodes/2", "unreachable_node", "error")]
    assert listed[0].node == "b"


def test_a_trigger_beside_a_start_says_where_executions_begin() -> None:
    nodes = [node("s", "start"), node("t", "trigger"), node("a")]
    (problem,) = problems(nodes, [edge("e", "s>a"), edge("f", "t>a")])
    assert (problem.code, problem.node) == ("unreachable_node", "t")
    assert problem.message == (
        "executions begin at the start node, so t cannot be reached; without a start node they"
        " begin at the trigger"
    )
    assert problems(nodes[1:], [edge("f", "t>a")]) == []


def test_without_a_start_type_every_node_without_incoming_edges_starts() -> None:
    assert problems(PAIR) == []


def test_an_empty_workflow_has_no_start() -> None:
    assert found(problems([])) == [("/nodes", "no_start", "error")]


def test_a_workflow_that_is_only_a_cycle_starts_with_its_first_node_and_a_warning() -> None:
    listed = problems([node("b"), node("a")], [edge("e", "a>b"), edge("f", "b>a")])
    assert found(listed) == [
        ("/nodes", "no_start", "warning"),
        ("/nodes/0", "cycle", "note"),
    ]
    assert listed[0].node == "b"


def test_a_cycle_is_allowed_and_named() -> None:
    nodes = [node("s"), node("a"), node("b")]
    listed = problems(nodes, [edge("e", "s>a"), edge("f", "a>b"), edge("g", "b>a")])
    assert found(listed) == [("/nodes/1", "cycle", "note")]
    assert listed[0].message == "a loop: a → b → a"
    refuse_unpublishable(listed)


def test_problems_call_nodes_by_their_names() -> None:
    nodes = [node("s"), node("a"), node("b"), node("x"), node("y")]
    named = [each | {"name": f"The {each['id']}"} for each in nodes[:-1]]
    edges = [
        edge("e", "s>a"),
        edge("f", "a>b"),
        edge("g", "b>a"),
        edge("h", "x>y"),
        edge("i", "y>x"),
    ]
    said = [problem.message for problem in problems([*named, nodes[-1]], edges)]
    assert "The x cannot be reached from a start node" in said
    assert "y cannot be reached from a start node" in said
    assert "a loop: The a → The b → The a" in said


def test_a_long_cycle_is_named_in_short() -> None:
    size = 30
    nodes = [node(f"n{i}") for i in range(size)]
    edges = [edge(f"e{i}", f"n{i}>n{(i + 1) % size}") for i in range(size)]
    assert problems(nodes, edges)[-1].message.endswith("n11 → … → n0")


@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"context_type": "llm_contxt"}, "/nodes/0/context_type", "unknown_context_type"),
        (
            {"context_filter": {"rules": [{"type": "includ", "pattern": "a"}]}},
            "/nodes/0/context_filter/rules/0/type",
            "bad_filter",
        ),
        (
            {"context_filter": [{}, {"rules": [], "defaultBehaviour": "pass"}]},
            "/nodes/0/context_filter/1/defaultBehaviour",
            "bad_filter",
        ),
        (
            {"outgoing_filter": {"rules": [{"type": "include", "pattern": ""}]}},
            "/nodes/0/outgoing_filter/rules/0/pattern",
            "bad_pattern",
        ),
        (
            {
                "context_filter": {
                    "rules": [{"type": "transform", "pattern": "a", "transform": "x"}]
                }
            },
            "/nodes/0/context_filter/rules/0/transform",
            "unknown_transform",
        ),
        ({"config": {"pause": "often"}}, "/nodes/0/config/pause", "bad_config"),
        (
            {"config": {"pause": "after", "timeout": {"seconds": 1, "outcome": "x"}}},
            "/nodes/0/config/timeout/outcome",
            "bad_config",
        ),
    ],
)
def test_what_is_wrong_within_a_node_is_an_error_at_its_place(
    fields: dict[str, object], pointer: str, code: str
) -> None:
    (problem,) = problems([node(**fields)])  # type: ignore[arg-type]
    assert (problem.pointer, problem.code, problem.severity) == (pointer, code, "error")
    assert problem.node == "a"


def test_a_bad_condition_tells_line_and_column() -> None:
    rule = {"type": "include", "pattern": "a", "condition": "context.x ===\n  && true"}
    (problem,) = problems([node("a", context_filter={"rules": [rule]})])
    assert problem.code == "bad_condition"
    assert problem.pointer == "/nodes/0/context_filter/rules/0/condition"
    assert (problem.as_json()["line"], problem.as_json()["column"]) == (2, 3)


def test_the_condition_of_an_edge_is_checked_too() -> None:
    (problem,) = problems(PAIR, [edge(condition="context.x =")])
    assert (problem.pointer, problem.code) == ("/edges/0/condition", "bad_condition")
    assert {"line", "column", "start", "end", "hint"} <= problem.as_json().keys()


def test_a_filter_that_matches_nothing_is_no_problem() -> None:
    rules = [{"type": "include", "pattern": "no.such.name"}]
    assert problems([node("a", context_filter={"rules": rules})]) == []


def test_an_edge_of_an_unknown_type_is_an_error() -> None:
    (problem,) = problems(PAIR, [edge(kind="sequenc")])
    assert (problem.pointer, problem.code) == ("/edges/0/type", "unknown_edge_type")
    assert "did you mean 'sequence'" in problem.message


def test_a_conditional_edge_without_a_condition_has_no_filter_by_default() -> None:
    (problem,) = problems(PAIR, [edge(kind="conditional")])
    assert found([problem]) == [("/edges/0/condition", "missing_condition", "error")]


def test_a_conditional_edge_with_a_filter_of_its_own_is_always_taken_and_warned_of() -> None:
    own = {"type": "conditional", "condition": "context.priority === 'high'"}
    (problem,) = problems(
        PAIR, [edge(kind="conditional", context_filter=own)], reducers={"priority": "overwrite"}
    )
    assert found([problem]) == [("/edges/0/condition", "missing_condition", "warning")]


def test_a_selective_filter_without_patterns_is_an_error() -> None:
    (problem,) = problems(PAIR, [edge(context_filter={"type": "selective"})])
    assert (problem.code, problem.edge) == ("bad_filter", "e")


@pytest.mark.parametrize(
    "rules",
    [
        [{"pattern": "a.*", "rename": "b"}],
        [{"pattern": "a", "rename": "x"}, {"pattern": "b", "rename": "x"}],
    ],
)
def test_renames_that_can_collide_are_warned_of(rules: list[dict[str, str]]) -> None:
    (problem,) = problems(
        PAIR, [edge(context_filter={"type": "transform", "transform_rules": rules})]
    )
    assert (problem.code, problem.severity) == ("rename_collision", "warning")


def test_renames_that_keep_names_apart_are_fine() -> None:
    rules = [{"pattern": "a.*", "rename": "b.*"}, {"pattern": "c", "rename": "d"}]
    assert (
        problems(PAIR, [edge(context_filter={"type": "transform", "transform_rules": rules})]) == []
    )


def test_a_context_processor_has_a_good_operation() -> None:
    config = {"operation": "truncate", "truncate": {"keepLast": 3}, "pause": "after"}
    assert problems([node("a", "context_processor", config=config)]) == []


@pytest.mark.parametrize(
    ("config", "pointer"),
    [
        ({}, "/nodes/0/config/operation"),
        ({"operation": "shrink"}, "/nodes/0/config/operation"),
        (
            {"operation": "truncate", "truncate": {"keep_frist": 3}},
            "/nodes/0/config/truncate/keep_frist",
        ),
        (
            {"operation": "truncate", "truncate": {"keep_first": -1}},
            "/nodes/0/config/truncate/keep_first",
        ),
    ],
)
def test_a_wrong_operation_is_an_error(config: dict[str, object], pointer: str) -> None:
    (problem,) = problems([node("a", "context_processor", config=config)])
    assert (problem.pointer, problem.code, problem.severity) == (pointer, "bad_operation", "error")


def test_a_version_1_config_is_refused_by_name() -> None:
    config = {
        "processorType": "filter",
        "rules": [{"sourcePath": "messages", "targetPath": "messages"}],
    }
    (problem,) = problems([node("a", "context_processor", config=config)])
    assert (problem.code, problem.severity) == ("version_1_config", "error")
    assert problem.pointer.startswith("/nodes/0/config")


def test_the_config_of_another_node_is_free() -> None:
    assert problems([node("a", "llm", config={"operation": "shrink", "timeout": 30})]) == []


def test_an_unknown_reducer_and_a_bad_pattern_are_errors() -> None:
    listed = problems([node()], reducers={"a/b": "appendd", "": "max"})
    assert found(listed) == [
        ("/reducers/a~1b", "unknown_reducer", "error"),
        ("/reducers/", "bad_pattern", "error"),
    ]
    assert "did you mean 'append'" in listed[0].message


def test_errors_come_before_warnings_and_notes() -> None:
    listed = problems(
        [node("a", context_type="x"), node("b")], [edge("e", "a>b"), edge("f", "b>a")]
    )
    assert [problem.severity for problem in listed] == ["error", "warning", "note"]


def test_the_number_of_problems_is_bounded() -> None:
    nodes = [node(f"n{i}", context_type="x") for i in range(MAX_PROBLEMS + 5)]
    assert len(problems(nodes)) == MAX_PROBLEMS


def test_a_workflow_with_too_many_rules_or_conditions_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_RULES", 2)
    monkeypatch.setattr(module, "MAX_CONDITIONS", 10)
    rules = [{"type": "include", "pattern": "a"}] * 2
    assert problems([node("a", context_filter={"rules": rules})]) == []
    assert found(problems([node("a", outgoing_filter=[{"filterRules": [*rules, *rules]}])])) == [
        ("", "too_large", "error")
    ]
    own = {"type": "conditional", "condition": "context.long.name === 1"}
    assert found(problems(PAIR, [edge(context_filter=own)])) == [("", "too_large", "error")]
    assert problems(PAIR, [edge(condition="metadata.a")]) == []


def test_what_is_wrong_in_many_places_is_found_in_bounded_time() -> None:
    nodes = [node(f"n{i}", context_type=f"llm_contxt{i}") for i in range(2_000)]
    edges = [edge(f"e{i}", f"n{i}>gone{i}", "sequenc") for i in range(2_000)]
    assert len(problems(nodes, edges)) == MAX_PROBLEMS


def test_pointers_can_begin_where_the_document_stands() -> None:
    document = read({"name": "w", "nodes": [node(context_type="x")], "edges": []})
    assert check(document, pointer="/document")[0].pointer == "/document/nodes/0/context_type"


def test_publishing_is_refused_with_every_error_and_nothing_else() -> None:
    listed = problems(
        [node("a", context_type="x"), node("b", context_type="y")],
        [edge("e", "a>b"), edge("f", "b>a")],
    )
    with pytest.raises(ValidationFailed) as caught:
        refuse_unpublishable(listed)
    assert [(each.pointer, each.code) for each in caught.value.problems] == [
        ("/nodes/0/context_type", "unknown_context_type"),
        ("/nodes/1/context_type", "unknown_context_type"),
    ]


def test_a_problem_is_written_in_the_contracts_spelling() -> None:
    (problem,) = problems([node(context_type="x")])
    written = problem.as_json()
    assert written.pop("message")
    assert written == {
        "pointer": "/nodes/0/context_type",
        "code": "unknown_context_type",
        "severity": "error",
        "node": "a",
    }


def blocking(*patterns: str, target: str = "variables", **fields: object) -> dict[str, Any]:
    included = [{"type": "include", "pattern": pattern, "target": target} for pattern in patterns]
    return {"rules": included, "default_behavior": "block", **fields}


TOOL_NAMES = {"type": "include", "pattern": "tool.*"}
USER_NAMES = {"type": "include", "pattern": "user.*"}
NO_MESSAGE = {"type": "exclude", "pattern": "*", "target": "messages"}
NOBODY = [("/nodes/0/context_filter", "incompatible_context", "warning")]
INSERT = {
    "operation": "insert",
    "insert": {"position": 0, "messages": [{"role": "user", "content": "a"}]},
}


@pytest.mark.parametrize(
    ("kind", "context_filter", "expected"),
    [
        # neither a message nor a name that a model's node could use
        ("llm", blocking(), NOBODY),
        ("llm", [blocking()], NOBODY),
        ("llm", blocking(rules=[TOOL_NAMES, NO_MESSAGE]), NOBODY),
        ("tool", blocking(rules=[USER_NAMES, NO_MESSAGE]), NOBODY),
        # such a node needs nothing
        ("user_interaction", blocking(), []),
        # one name or message is enough
        ("llm", blocking("llm.*"), []),
        ("llm", blocking("user", target="messages"), []),
        ("tool", blocking("tool.x"), []),
        ("tool", blocking("assistant", target="messages"), []),
        # an operation may put a message in; a condition may be false
        ("llm", blocking(messages=[INSERT]), []),
        (
            "llm",
            {"rules": [{"type": "exclude", "pattern": "x", "condition": "metadata.a > 1"}]},
            [],
        ),
    ],
)
def test_a_node_that_no_context_could_enter_gets_a_warning(
    kind: str, context_filter: object, expected: object
) -> None:
    assert found(problems([node("a", kind, context_filter=context_filter)])) == expected


CUT: dict[str, Any] = {"context_filter": {"type": "pass_none"}}
CUT_OFF = [("/edges/0/context_filter", "incompatible_context", "warning")]


@pytest.mark.parametrize(
    ("target", "edges", "expected"),
    [
        (node("b"), [edge(**CUT)], CUT_OFF),
        (node("b", "tool"), [edge(**CUT)], CUT_OFF),
        (node("b", "step", context_type="llm_context"), [edge(**CUT)], CUT_OFF),
        (node("b"), [edge(**CUT), edge("f", "a>b", "error", **CUT)], CUT_OFF),
        # such a node needs nothing
        (node("b", "human_relay"), [edge(**CUT)], []),
        (node("b", context_type="isolate"), [edge(**CUT)], []),
        # another way in, or a message of its own
        (node("b"), [edge(**CUT), edge("f")], []),
        (node("b", context_filter=blocking(messages=[INSERT])), [edge(**CUT)], []),
    ],
)
def test_a_node_to_which_no_edge_passes_anything_gets_a_warning(
    target: dict[str, object], edges: list[Fields], expected: object
) -> None:
    """It is where ``enter`` would refuse."""
    nodes = [node("a"), target]
    assert found(problems(nodes, edges)) == expected
    plan = Plan(read({"name": "w", "nodes": nodes, "edges": edges}))
    variables: dict[str, JsonValue] = {"tool.a": 1, "llm.model": "m"}
    given = NodeInput.of(PromptContext(template="", variables=variables))
    lacks = [flow.enter(plan, "b", given, [str(each["id"])]).lack for each in edges]
    assert all(lacks) == bool(expected)


def test_a_start_needs_no_edge_that_passes_something() -> None:
    assert "incompatible_context" not in [
        each.code for each in problems(PAIR, [edge(), edge("f", "b>a", **CUT)])
    ]


def test_a_node_that_is_wrong_is_not_foreseen_as_well() -> None:
    wrong = node("a", "llm", context_filter=blocking(), context_type="none_such")
    assert [each.code for each in problems([wrong])] == ["unknown_context_type"]
