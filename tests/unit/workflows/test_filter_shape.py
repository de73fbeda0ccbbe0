"""The shape of a context filter: spellings, limits, and problems with their places."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from tests.unit.workflows.contexts import (
    REGISTRIES,
    block,
    rule,
)
from workflows.domain.filters.context_filter import (
    MAX_OPERATIONS,
    MAX_RULES,
    MAX_TRANSFORMS,
    ContextFilter,
    filter_problems,
    filter_step,
    node_filter_problems,
    read_filter,
)


def problems_of(data: dict[str, JsonValue]) -> dict[str, str]:
    found = filter_problems(read_filter(data), REGISTRIES, "/f")
    return {problem.pointer: problem.message for problem in found}


def refused(data: JsonValue) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        read_filter(data, "/f")
    return {problem.pointer: problem.message for problem in caught.value.problems}


def test_both_spellings_of_the_seeds_are_read() -> None:
    camel: JsonValue = {
        "filterRules": [{"type": "include", "pattern": "a"}],
        "defaultBehavior": "block",
    }
    snake: JsonValue = {"rules": [{"type": "include", "pattern": "a"}], "default_behavior": "block"}
    assert read_filter(camel) == read_filter(snake)


def test_both_spellings_at_once_are_refused() -> None:
    assert refused({"rules": [], "filterRules": []}) == {
        "/f": "rules and filterRules are two spellings of one field"
    }


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({"rules": [{"type": "maybe", "pattern": "a"}]}, "/f/rules/0/type"),
        ({"rules": [{"type": "include"}]}, "/f/rules/0/pattern"),
        ({"rules": [{"type": "include", "pattern": 1}]}, "/f/rules/0/pattern"),
        ({"rules": [{"type": "include", "pattern": "a", "target": "x"}]}, "/f/rules/0/target"),
        ({"rules": [{"type": "include", "pattern": "a", "targt": "x"}]}, "/f/rules/0/targt"),
        ({"rules": {}}, "/f/rules"),
        ({"default_behavior": "maybe"}, "/f/default_behavior"),
        ({"priority": "high"}, "/f/priority"),
        ({"priority": 1.5}, "/f/priority"),
        ({"messages": [{"operation": "truncate"}]}, "/f/messages/0/truncate"),
        (
            {"messages": [{"operation": "truncate", "truncate": {"keepFrist": 1}}]},
            "/f/messages/0/truncate/keepFrist",
        ),
        ([], "/f"),
    ],
)
def test_a_wrong_shape_is_refused_with_its_place(data: JsonValue, pointer: str) -> None:
    assert pointer in refused(data)


def test_an_operation_of_the_former_shape_is_refused_with_a_sentence() -> None:
    old: JsonValue = {"processorType": "filter", "rules": []}
    [(pointer, message)] = refused({"messages": [old]}).items()
    assert pointer == "/f/messages/0"
    assert "version 1" in message


def test_a_filter_is_bounded() -> None:
    many: list[JsonValue] = [{"type": "include", "pattern": "a"}] * (MAX_RULES + 1)
    assert "/f/rules" in refused({"rules": many})
    clear: list[JsonValue] = [{"operation": "clear"}] * (MAX_OPERATIONS + 1)
    assert "/f/messages" in refused({"messages": clear})


def test_the_cost_of_a_filter_is_bounded() -> None:
    call = "context.a.includes('x')"
    calling = [rule("include", "a", condition=" || ".join([call] * 8)) for _ in range(5)]
    assert problems_of(block(*calling[:4])) == {}
    [(pointer, message)] = problems_of(block(*calling)).items()
    assert pointer == "/f/rules"
    assert "at most 32 method calls, these 40" in message
    changing = [rule("transform", "a", transform="json") for _ in range(MAX_TRANSFORMS + 1)]
    assert problems_of(block(*changing[1:])) == {}
    assert "at most 50 transforms" in problems_of(block(*changing))["/f/rules"]


def test_the_cost_of_the_filters_of_a_node_is_bounded_together() -> None:
    half = read_filter(block(*[rule("include", "a")] * (MAX_RULES // 2 + 1)))
    assert node_filter_problems([half], REGISTRIES) == []
    with pytest.raises(ValidationFailed) as caught:
        filter_step([half, half], REGISTRIES, pointer="/f")
    [problem] = caught.value.problems
    assert (problem.pointer, problem.message) == (
        "/f",
        "the filters of a node have at most 100 rules, these 102",
    )


@pytest.mark.parametrize(
    ("one", "pointer", "words"),
    [
        (rule("include", ""), "pattern", "not be empty"),
        (rule("include", "tol", target="messages"), "pattern", "did you mean 'tool'?"),
        (rule("include", "developer", target="messages"), "pattern", "count as system"),
        (rule("include", "a", condition="context.a = 1"), "condition", "column 11"),
        (rule("include", "a", condition=""), "condition", "empty"),
        (rule("transform", "a"), "transform", "names a transform"),
        (rule("transform", "a", transform="upercase"), "transform", "did you mean 'uppercase'?"),
        (rule("exclude", "a", transform="uppercase"), "transform", "nothing to transform"),
    ],
)
def test_a_wrong_meaning_is_a_problem_of_a_draft_and_refuses_a_call(
    one: dict[str, JsonValue], pointer: str, words: str
) -> None:
    data = block(rule("include", "fine"), one)
    [(place, message)] = problems_of(data).items()
    assert place == f"/f/rules/1/{pointer}"
    assert words in message
    with pytest.raises(ValidationFailed) as caught:
        filter_step([ContextFilter(), read_filter(data)], REGISTRIES, pointer="/f")
    assert [problem.pointer for problem in caught.value.problems] == [f"/f/1/rules/1/{pointer}"]


def test_a_bad_condition_tells_its_column() -> None:
    data = block(rule("include", "a", condition="context.a = 1"))
    [problem] = filter_problems(read_filter(data), REGISTRIES)
    assert problem.as_json()["column"] == 11
