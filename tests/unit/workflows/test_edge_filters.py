"""Rules 4 and 6: what travels along an edge."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import Duplicate, ValidationFailed
from tests.unit.workflows.contexts import (
    REGISTRIES,
    applied,
    chat,
    explained,
    names,
    node_input,
    nodes,
    of_edge,
    shown,
)
from workflows.domain.filters.edge_filter import (
    EdgeFilter,
    default_edge_filter,
    edge_filter_problems,
    edge_step,
    read_edge_filter,
)

GIVEN = node_input(
    {"error.code": 7, "result.text": "r", "exception.kind": "x", "a": 1},
    history=["error.handler", "writer"],
    metadata={"error.at": "now", "team": "red"},
    messages=chat(),
)
LAST_TWO: JsonValue = [{"operation": "truncate", "truncate": {"keep_last": 2}}]


def problems_of(**fields: JsonValue) -> dict[str, str]:
    found = edge_filter_problems(read_edge_filter(fields), REGISTRIES, "/e")
    return {problem.pointer: problem.message for problem in found}


def variables_after(*rules: JsonValue, **given: JsonValue) -> dict[str, JsonValue]:
    step = of_edge(type="transform", transform_rules=list(rules))
    return dict(applied(step, node_input(given)).context.variables)


# Types


def test_pass_all_passes_everything() -> None:
    assert applied(of_edge(type="pass_all"), GIVEN) == GIVEN


def test_pass_none_passes_the_template_only() -> None:
    given = applied(of_edge(type="pass_none"), GIVEN)
    assert given.context.template == "T"
    assert (names(given), nodes(given), dict(given.context.metadata)) == ([], [], {})
    assert shown(given) == []


def test_selective_patterns_speak_of_variables_history_and_metadata_alike() -> None:
    step = of_edge(type="selective", include_patterns=["error.*", "exception.*"])
    given = applied(step, GIVEN)
    assert names(given) == ["error.code", "exception.kind"]
    assert nodes(given) == ["error.handler"]
    assert list(given.context.metadata) == ["error.at"]
    assert shown(given) == shown(GIVEN)


def test_exclude_wins_over_include() -> None:
    step = of_edge(type="selective", include_patterns=["*"], exclude_patterns=["error.*"])
    given = applied(step, GIVEN)
    assert names(given) == ["result.text", "exception.kind", "a"]
    assert nodes(given) == ["writer"]


def test_selective_with_only_excludes_passes_the_rest() -> None:
    step = of_edge(type="selective", exclude_patterns=["*.*"])
    given = applied(step, GIVEN)
    assert (names(given), nodes(given)) == (["a"], ["writer"])


@pytest.mark.parametrize("empty", [{}, {"include_patterns": []}, {"exclude_patterns": None}])
def test_selective_without_a_pattern_is_refused(empty: dict[str, JsonValue]) -> None:
    needed = "enter at least one pattern to include or to exclude"
    assert problems_of(type="selective", **empty) == {"/e/include_patterns": needed}


def test_a_false_condition_passes_the_template_only() -> None:
    step = of_edge(type="conditional", condition="context.a === 2", include_patterns=["a"])
    given = applied(step, GIVEN)
    assert (given.context.template, names(given), shown(given)) == ("T", [], [])


def test_a_true_condition_is_selective() -> None:
    step = of_edge(type="conditional", condition="context.team === 'red'", include_patterns=["a"])
    assert names(applied(step, GIVEN)) == ["a"]


def test_a_true_condition_without_patterns_passes_everything() -> None:
    assert applied(of_edge(type="conditional", condition="context.a === 1"), GIVEN) == GIVEN


def test_conditional_without_a_condition_is_refused() -> None:
    assert list(problems_of(type="conditional")) == ["/e/condition"]


def test_a_condition_on_another_type_blocks_too() -> None:
    for fields in (
        {"type": "selective", "include_patterns": ["*"]},
        {"type": "transform", "transform_rules": [{"pattern": "a", "transform": "json"}]},
    ):
        step = edge_step(read_edge_filter({**fields, "condition": "context.a === 2"}), REGISTRIES)
        assert names(applied(step, GIVEN)) == []


def test_a_transform_filter_passes_what_it_does_not_match() -> None:
    step = of_edge(
        type="transform", transform_rules=[{"pattern": "result.*", "transform": "uppercase"}]
    )
    given = applied(step, GIVEN)
    assert given.context.variables == {**GIVEN.context.variables, "result.text": "R"}
    assert nodes(given) == nodes(GIVEN)
    assert shown(given) == shown(GIVEN)


def test_a_transform_filter_without_a_rule_is_refused() -> None:
    assert list(problems_of(type="transform")) == ["/e/transform_rules"]


@pytest.mark.parametrize("target", ["variables", "history", "metadata", "messages"])
def test_a_transform_rule_changes_its_target_only(target: str) -> None:
    rules: JsonValue = [{"pattern": "*", "transform": "redact", "target": target}]
    told = explained(of_edge(type="transform", transform_rules=rules), GIVEN).decisions
    changed = {each.section for each in told if each.verdict == "changed"}
    assert changed == {target}


def test_patterns_select_before_transform_rules_change() -> None:
    step = of_edge(
        type="selective",
        include_patterns=["a"],
        transform_rules=[{"pattern": "*", "rename": "got.*"}],
    )
    assert applied(step, GIVEN).context.variables == {"got.a": 1}


@pytest.mark.parametrize("kind", ["pass_all", "selective", "conditional", "transform"])
def test_operations_narrow_the_messages_along_an_edge(kind: str) -> None:
    fields: dict[str, JsonValue] = {
        "pass_all": {},
        "selective": {"include_patterns": ["a"]},
        "conditional": {"condition": "true"},
        "transform": {"transform_rules": [{"pattern": "a", "transform": "json"}]},
    }[kind]  # type: ignore[assignment]
    assert shown(applied(of_edge(type=kind, messages=LAST_TWO, **fields), GIVEN)) == [4, 5]


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("pass_all", "include_patterns", ["a"]),
        ("pass_all", "condition", "true"),
        ("pass_all", "transform_rules", [{"pattern": "a", "transform": "json"}]),
        ("pass_none", "exclude_patterns", ["a"]),
        ("pass_none", "messages", LAST_TWO),
    ],
)
def test_what_a_type_does_not_use_is_refused(kind: str, field: str, value: JsonValue) -> None:
    problems = problems_of(type=kind, **{field: value})
    assert problems == {f"/e/{field}": f"a filter of type {kind} does not use {field}"}


# Renames


def test_the_star_of_a_rename_is_what_the_pattern_matched() -> None:
    after = variables_after(
        {"pattern": "tool.*", "rename": "input.*.raw"}, **{"tool.name.x": 1, "b": 2}
    )
    assert after == {"input.name.x.raw": 1, "b": 2}


def test_a_rename_without_star_names_one() -> None:
    assert variables_after({"pattern": "a", "rename": "b"}, a=1) == {"b": 1}


def test_a_rename_may_transform_too() -> None:
    rule: JsonValue = {"pattern": "a", "rename": "b", "transform": "uppercase"}
    assert variables_after(rule, a="x") == {"b": "X"}


def test_names_swap_because_renames_happen_at_once() -> None:
    after = variables_after(
        {"pattern": "a", "rename": "b"}, {"pattern": "b", "rename": "a"}, a=1, b=2
    )
    assert after == {"b": 1, "a": 2}


def test_the_first_rename_of_a_name_counts_and_every_transform() -> None:
    after = variables_after(
        {"pattern": "a", "rename": "x", "transform": "json"},
        {"pattern": "*", "rename": "y.*", "transform": "length"},
        a=[1],
    )
    assert after == {"x": 3}


def test_a_rename_of_metadata_leaves_variables_alone() -> None:
    step = of_edge(
        type="transform", transform_rules=[{"pattern": "*", "rename": "m.*", "target": "metadata"}]
    )
    given = applied(step, node_input({"k": 1}, metadata={"k": 2}))
    assert (given.context.variables, given.context.metadata) == ({"k": 1}, {"m.k": 2})


@pytest.mark.parametrize(
    "rules",
    [
        [{"pattern": "a", "rename": "b"}],
        [{"pattern": "b", "rename": "a"}],
        [{"pattern": "*", "transform": "json", "rename": "same"}],
        [{"pattern": "a", "rename": "c"}, {"pattern": "b", "rename": "c"}],
    ],
)
def test_a_collision_of_names_is_a_duplicate(rules: list[JsonValue]) -> None:
    with pytest.raises(Duplicate, match="exists"):
        variables_after(*rules, a=1, b=2)


def test_a_rename_does_not_collide_with_a_name_that_is_dropped() -> None:
    step = of_edge(
        type="selective",
        exclude_patterns=["b"],
        transform_rules=[{"pattern": "a", "rename": "b"}],
    )
    assert applied(step, node_input({"a": 1, "b": 2})).context.variables == {"b": 1}


@pytest.mark.parametrize(
    ("rule", "field", "words"),
    [
        ({"pattern": "a"}, "transform", "a transform or a rename"),
        ({"pattern": "a", "transform": "nope"}, "transform", "unknown transform"),
        ({"pattern": "", "transform": "json"}, "pattern", "not be empty"),
        ({"pattern": "x", "transform": "json", "target": "messages"}, "pattern", "matches roles"),
        ({"pattern": "a.*", "rename": "b.**"}, "rename", "at most one *"),
        ({"pattern": "a", "rename": "b.*"}, "rename", "exactly one *"),
        ({"pattern": "a.*.*", "rename": "b.*"}, "rename", "exactly one *"),
        ({"pattern": "a", "rename": ""}, "rename", "not be empty"),
        ({"pattern": "a", "rename": "b\n"}, "rename", "white space"),
        (
            {"pattern": "a", "rename": "b", "target": "history"},
            "rename",
            "history cannot be renamed",
        ),
        (
            {"pattern": "user", "rename": "b", "target": "messages"},
            "rename",
            "messages cannot be renamed",
        ),
    ],
)
def test_a_wrong_transform_rule_is_reported_with_its_place(
    rule: JsonValue, field: str, words: str
) -> None:
    [(pointer, message)] = problems_of(type="transform", transform_rules=[rule]).items()
    assert pointer == f"/e/transform_rules/0/{field}"
    assert words in message


# Problems, shapes, defaults


def test_all_problems_are_reported_at_once_and_refuse_the_step() -> None:
    fields: dict[str, JsonValue] = {
        "type": "conditional",
        "include_patterns": ["fine", ""],
        "exclude_patterns": ["\n"],
        "condition": "a = b",
    }
    with pytest.raises(ValidationFailed) as caught:
        edge_step(read_edge_filter(fields), REGISTRIES, "/edges/0/context_filter")
    assert [problem.pointer for problem in caught.value.problems] == [
        "/edges/0/context_filter/include_patterns/1",
        "/edges/0/context_filter/exclude_patterns/0",
        "/edges/0/context_filter/condition",
    ]
    assert dict(caught.value.problems[2].extra)["column"] == 3


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({}, "/e/type"),
        ({"type": "some"}, "/e/type"),
        ({"type": "selective", "includePattern": []}, "/e/includePattern"),
        ({"type": "selective", "includePatterns": [1]}, "/e/includePatterns/0"),
        ({"type": "selective", "include_patterns": "a"}, "/e/include_patterns"),
        ({"type": "pass_all", "messages": [{"operation": "nope"}]}, "/e/messages/0/operation"),
        ({"type": "pass_all", "messages": [{"processorType": "filter"}]}, "/e/messages/0"),
    ],
)
def test_a_wrong_shape_is_refused_with_its_place(data: JsonValue, pointer: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_edge_filter(data, "/e")
    assert pointer in [problem.pointer for problem in caught.value.problems]


def test_the_spelling_of_the_seeds_is_read() -> None:
    assert read_edge_filter(
        {
            "type": "transform",
            "includePatterns": ["a"],
            "excludePatterns": ["b"],
            "transformRules": [{"pattern": "a", "transform": "json"}],
        }
    ) == read_edge_filter(
        {
            "type": "transform",
            "include_patterns": ["a"],
            "exclude_patterns": ["b"],
            "transform_rules": [{"pattern": "a", "transform": "json"}],
        }
    )


@pytest.mark.parametrize("edge_type", ["sequence", "whatever", "Error"])
def test_other_edges_pass_all(edge_type: str) -> None:
    assert default_edge_filter(edge_type, "context.a") == EdgeFilter(type="pass_all")


def test_a_conditional_edge_passes_on_its_own_condition() -> None:
    default = default_edge_filter("conditional", "context.a === 1")
    assert default == EdgeFilter(type="conditional", condition="context.a === 1")
    assert applied(edge_step(default, REGISTRIES), GIVEN) == GIVEN
    assert default_edge_filter("conditional") == EdgeFilter(type="pass_all")


def test_an_error_edge_passes_what_is_wrong() -> None:
    given = applied(edge_step(default_edge_filter("error"), REGISTRIES), GIVEN)
    assert names(given) == ["error.code", "exception.kind"]
    assert nodes(given) == ["error.handler"]


# Rule 13
